// SPDX-License-Identifier: MIT
// COMM (3): a thread has a new name. perf_event_comm_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 tid . 16 comm, NUL-padded to 8 . trailer
struct Comm {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::comm;
    static constexpr std::string_view record_name = "record COMM";
    static constexpr std::size_t min_bytes = 17;

    Pid pid;                // process of the thread that has a new name
    Tid tid;                // the thread itself; its process is renamed only if this is the first thread (tid = pid)
    std::string_view comm;  // any bytes; lives as long as the record
    bool exec = false;      // misc bit 13: the thread called exec. Set only if the event has comm_exec.

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Comm> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Comm comm;
        comm.pid = {in.u32()};
        comm.tid = {in.u32()};
        comm.comm = in.terminated_string();
        comm.exec = (record.header().misc >> 13 & 1) != 0;
        if (!in.ok()) return in.failure("the name");
        return comm;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("tid", tid.value);
        visit("comm", comm);
        visit("comm_exec", exec);
    }
};

}  // namespace perfdata
