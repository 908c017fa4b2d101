// SPDX-License-Identifier: MIT
// AUX (11): new data in the AUX area. Linux 4.1; perf_event_aux_event in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 aux_offset . 16 u64 aux_size . 24 u64 flags . trailer
struct Aux {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::aux;
    static constexpr std::string_view record_name = "record AUX";
    static constexpr std::size_t min_bytes = 32;

    std::uint64_t offset = 0;  // in the stream of AUX data of this buffer
    std::uint64_t size = 0;    // bytes
    std::uint64_t flags = 0;   // as written; see the functions below

    bool truncated() const { return (flags & 1) != 0; }  // the buffer was full
    bool overwrite() const { return (flags & 2) != 0; }  // a snapshot
    bool partial() const { return (flags & 4) != 0; }    // has gaps
    bool collision() const { return (flags & 8) != 0; }  // a sample collided with another one

    // bits 8-15: PERF_AUX_FLAG_*_FORMAT_*, which the PMU defines
    std::uint8_t pmu_format() const { return static_cast<std::uint8_t>(flags >> 8); }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Aux> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Aux aux;
        aux.offset = in.u64();
        aux.size = in.u64();
        aux.flags = in.u64();
        if (!in.ok()) return in.failure("the flags");
        return aux;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("aux_offset", offset);
        visit("aux_size", size);
        visit("flags", flags);
    }
};

}  // namespace perfdata
