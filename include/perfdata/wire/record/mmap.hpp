// SPDX-License-Identifier: MIT
// MMAP (1): something was mapped. perf_event_mmap_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 tid . 16 u64 addr . 24 u64 len . 32 u64 pgoff . 40 filename, NUL-padded to 8 . trailer
struct Mmap {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::mmap;
    static constexpr std::string_view record_name = "record MMAP";
    static constexpr std::size_t min_bytes = 41;

    Pid pid;             // all ones for the kernel and its modules
    Tid tid;             // the thread that called mmap; 0 for the kernel and its modules
    AddressRange range;  // a size of 0 for a kernel that hid its addresses from some perf versions
    // page_offset is the offset in the file; for the kernel itself (`[kernel.kallsyms]_text`) it is the address of that
    // symbol on the recording machine instead.
    std::uint64_t page_offset = 0;
    std::string_view filename;  // any bytes; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Mmap> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Mmap map;
        map.pid = {in.u32()};
        map.tid = {in.u32()};
        map.range.begin = {in.u64()};
        map.range.size = in.u64();
        map.page_offset = in.u64();
        map.filename = in.terminated_string();
        if (!in.ok()) return in.failure("the file name");
        return map;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("tid", tid.value);
        visit("addr", range.begin);
        visit("len", range.size);
        visit("pgoff", page_offset);
        visit("filename", filename);
    }
};

}  // namespace perfdata
