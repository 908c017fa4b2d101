// SPDX-License-Identifier: MIT
// LOST_SAMPLES (13): samples that an event dropped. Linux 4.2; perf_log_lost_samples in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 lost . trailer
struct LostSamples {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::lost_samples;
    static constexpr std::string_view record_name = "record LOST_SAMPLES";
    static constexpr std::size_t min_bytes = 16;

    std::uint64_t lost = 0;      // number of samples
    bool by_bpf_filter = false;  // misc bit 15 (perf): dropped on purpose by a BPF filter

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<LostSamples> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        LostSamples lost;
        lost.lost = in.u64();
        lost.by_bpf_filter = (record.header().misc >> 15 & 1) != 0;
        if (!in.ok()) return in.failure("the count");
        return lost;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("lost", lost);
        visit("lost_samples_bpf", by_bpf_filter);
    }
};

}  // namespace perfdata
