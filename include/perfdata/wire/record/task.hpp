// SPDX-License-Identifier: MIT
// EXIT (4): a thread ended. FORK (7): a thread began. perf_event_task_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 ppid . 16 u32 tid . 20 u32 ptid . 24 u64 time . trailer
template <RecordType Type>
struct Task {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = Type;
    static constexpr std::string_view record_name = Type == RecordType::fork ? "record FORK" : "record EXIT";
    static constexpr std::size_t min_bytes = 32;

    Pid pid;         // the process of the thread that began or ended
    Pid parent_pid;  // FORK: the process that called fork or clone; EXIT: the process's parent
    Tid tid;         // the thread that began or ended
    Tid parent_tid;  // the thread that called fork or clone; EXIT: that of the parent
    Time time;       // when it happened; the trailer's time, microseconds before or after, is the one to sort by
    // FORK, misc bit 13 (perf): perf synthesized this record and those of the maps; the parent's must not be cloned.
    bool synthesized = false;

    // new_process() returns true if a FORK created a process, false if another thread of its parent.
    bool new_process() const { return pid != parent_pid; }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Task> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Task task;
        task.pid = {in.u32()};
        task.parent_pid = {in.u32()};
        task.tid = {in.u32()};
        task.parent_tid = {in.u32()};
        task.time = {in.u64()};
        task.synthesized = Type == RecordType::fork && (record.header().misc >> 13 & 1) != 0;
        if (!in.ok()) return in.failure("the time");
        return task;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("ppid", parent_pid.value);
        visit("tid", tid.value);
        visit("ptid", parent_tid.value);
        visit("time", time);
        if constexpr (Type == RecordType::fork) visit("fork_exec", synthesized);
    }
};

using Exit = Task<RecordType::exit>;  // a thread ended
using Fork = Task<RecordType::fork>;  // a thread began

}  // namespace perfdata
