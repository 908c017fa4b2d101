// SPDX-License-Identifier: MIT
// EXIT (4): a thread ended. FORK (7): a thread began. perf_event_task_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 ppid . 16 u32 tid . 20 u32 ptid . 24 u64 time . trailer
template <RecordType Type>
struct Task {
    static constexpr auto type = Type;
    static constexpr std::string_view record_name = Type == RecordType::fork ? "record FORK" : "record EXIT";
    static constexpr std::size_t min_bytes = 32;

    Pid pid;
    Pid parent_pid;
    Tid tid;
    Tid parent_tid;
    Time time;
    // FORK, misc bit 13 (perf): perf synthesized this record and those of the maps; the parent's must not be cloned.
    bool synthesized = false;

    // new_process() returns true if a FORK created a process, false if another thread of its parent.
    bool new_process() const { return pid != parent_pid; }

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

using Exit = Task<RecordType::exit>;
using Fork = Task<RecordType::fork>;

}  // namespace perfdata
