// SPDX-License-Identifier: MIT
// AUXTRACE (71): a piece of AUX data. perf 4.2; __auxtrace_mmap__read in tools/perf/util/auxtrace.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 size . 16 u64 offset . 24 u64 reference . 32 u32 idx . 36 u32 tid . 40 u32 cpu . 44 u32 0
//     then follow, outside the record, `size` bytes of data
struct Auxtrace {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::auxtrace;
    static constexpr std::string_view record_name = "record AUXTRACE";
    static constexpr std::size_t min_bytes = 48;

    std::uint64_t size = 0;       // bytes behind the record
    std::uint64_t offset = 0;     // in the stream of AUX data of this buffer
    std::uint64_t reference = 0;  // a number unique to this piece, often a time
    std::uint32_t index = 0;      // of the buffer
    Tid tid;                      // all ones: the buffer belongs to a CPU
    std::uint32_t cpu = 0;        // all ones: the buffer belongs to a thread

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Auxtrace> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Auxtrace trace;
        trace.size = in.u64();
        trace.offset = in.u64();
        trace.reference = in.u64();
        trace.index = in.u32();
        trace.tid = {in.u32()};
        trace.cpu = in.u32();
        in.skip(4);
        if (!in.ok()) return in.failure("the CPU");
        return trace;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("size", size);
        visit("offset", offset);
        visit("reference", reference);
        visit("idx", index);
        visit("tid", tid.value);
        visit("cpu", cpu);
    }
};

}  // namespace perfdata
