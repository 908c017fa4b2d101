// SPDX-License-Identifier: MIT
// TIME_CONV (79): converts time stamps of a hardware trace to the event clock. perf_event__synth_time_conv in
// tools/perf/util/tsc.c.
#pragma once

#include <optional>

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 time_shift . 16 u64 time_mult . 24 u64 time_zero
//     since perf 5.10:  32 u64 time_cycles . 40 u64 time_mask . 48 u8 cap_user_time_zero . 49 u8 cap_user_time_short .
//                       50 6 bytes of 0
//
// time = time_zero + ticks * time_mult / 2^time_shift. See perf_event_mmap_page in uapi perf_event.h.
struct TimeConv {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::time_conv;
    static constexpr std::string_view record_name = "record TIME_CONV";
    static constexpr std::size_t min_bytes = 32;

    // Short describes a counter of fewer than 64 bits.
    struct Short {
        std::uint64_t cycles = 0, mask = 0;  // ticks are first widened: ticks = cycles + ((ticks - cycles) & mask)
        bool user_time_zero = false;         // time_zero is valid
        bool user_time_short = false;        // cycles and mask are valid
    };

    std::uint64_t shift = 0;             // from the file: may be 64 or more
    std::uint64_t multiplier = 0;        // from the file: may be 0
    std::uint64_t zero = 0;              // nanoseconds
    std::optional<Short> short_counter;  // empty in recordings of older perf

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<TimeConv> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        TimeConv conversion;
        conversion.shift = in.u64();
        conversion.multiplier = in.u64();
        conversion.zero = in.u64();
        if (in.remaining() != 0) {
            Short more;
            more.cycles = in.u64();
            more.mask = in.u64();
            more.user_time_zero = in.u8() != 0;
            more.user_time_short = in.u8() != 0;
            in.skip(6);
            conversion.short_counter = more;
        }
        if (!in.ok()) return in.failure("the conversion");
        return conversion;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("time_shift", shift);
        visit("time_mult", multiplier);
        visit("time_zero", zero);
        if (!short_counter) return;
        visit("time_cycles", short_counter->cycles);
        visit("time_mask", short_counter->mask);
        visit("cap_user_time_zero", short_counter->user_time_zero);
        visit("cap_user_time_short", short_counter->user_time_short);
    }
};

}  // namespace perfdata
