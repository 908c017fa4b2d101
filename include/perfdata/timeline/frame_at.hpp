// SPDX-License-Identifier: MIT
// From an address in a process at a time to the place in code.
#pragma once

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// frame_at(timeline, jit, moment, address, mode) always has an answer: where nothing is known, a frame that
// is_nowhere() says why. `jit` may be null, and so may `recent`, which spares looking up much alike. With `recent` and
// without `jit` it also says when the answer holds for a user address of the host, if it is asked to; of others it says
// nothing.
inline Frame frame_at(const Timeline& timeline, const JitCodes* jit, const Moment& moment, Address address,
                      CpuMode mode, RecentTasks* recent = nullptr, Lasting* holds = nullptr) {
    if (holds != nullptr) *holds = {};
    if (jit != nullptr && mode != CpuMode::kernel) {
        if (const auto place = jit->find(timeline.tasks(), moment.pid, address, moment.time)) {
            return {place->offset, place->function, FrameKind::jit, mode};
        }
    }
    const auto look_up = [&]() -> Frame {
        if (recent == nullptr || (mode != CpuMode::kernel && mode != CpuMode::user) || !(moment.machine == host)) {
            return timeline.frame_at(moment, address, mode);
        }
        if (mode == CpuMode::kernel) {
            const auto* mapping =
                timeline.ever_owned(address) ? nullptr : recent->kernel_mapping_at(address, moment.time);
            if (mapping != nullptr) return timeline.frame_in(*mapping, moment.pid, address, mode);
            return timeline.frame_at(moment, address, mode);
        }
        const auto* mapping = recent->mapping_at(moment.pid, address, moment.time, host, holds);
        if (mapping != nullptr) return timeline.frame_in(*mapping, moment.pid, address, mode);
        const bool known = recent->knows(moment.pid, moment.time);
        return Frame::nowhere(address, known ? Miss::no_mapping : Miss::unknown_process, mode);
    };
    const auto frame = look_up();
    if (!frame.misses(Miss::no_mapping)) return frame;
    // Until a new program's first instruction the kernel still sees the caller of execve in the old one. Nothing says
    // how long that takes; later, what is not mapped must not get a name of another program.
    constexpr std::uint64_t longest_exec = 100'000'000;
    const auto exec = recent != nullptr ? recent->exec_at(moment.pid, moment.time, moment.machine)
                                        : timeline.tasks().exec_at(moment.pid, moment.time, moment.machine);
    if (!exec || exec->nanoseconds == 0) return frame;
    const bool late = moment.time.nanoseconds - exec->nanoseconds >= longest_exec;
    if (holds != nullptr) {
        const Time end{add_up_to_most(exec->nanoseconds, longest_exec)};
        *holds = holds->within(late ? Lasting{end, Time::forever()} : Lasting{{}, end});
    }
    if (late) return frame;
    return timeline.frame_at({Time{exec->nanoseconds - 1}, moment.pid, moment.machine}, address, mode);
}

}  // namespace perfdata
