// SPDX-License-Identifier: MIT
// From an address in a process at a time to the place in code that it was.
#pragma once

#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// Moment is when and in which process a sample was taken.
struct Moment {
    Time time;
    Pid pid;
    Machine machine;
};

// frame_at(timeline, jit, moment, address, mode) is never without answer: what is not known is FrameKind::nowhere.
// `jit` may be null, and so may `recent`, which spares looking up much alike.
inline Frame frame_at(const Timeline& timeline, const JitCodes* jit, const Moment& moment, Address address,
                      CpuMode mode, RecentTasks* recent = nullptr) {
    const auto mapped = [&](const Mapping& mapping) {
        if (timeline.tasks().object(mapping).kind == ObjectKind::anonymous) {
            return Frame{address.value, moment.pid.value, FrameKind::memory, mode};
        }
        return Frame{mapping.offset_of(address), mapping.object, FrameKind::object, mode};
    };
    if (jit != nullptr && mode != CpuMode::kernel) {
        if (const auto place = jit->find(timeline.tasks(), moment.pid, address, moment.time)) {
            return {place->offset, place->function, FrameKind::jit, mode};
        }
    }
    if (recent != nullptr && mode == CpuMode::kernel && moment.machine == host && !timeline.ever_owned(address)) {
        if (const auto* mapping = recent->kernel_mapping_at(address, moment.time)) return mapped(*mapping);
    } else if (recent != nullptr && mode == CpuMode::user) {
        if (const auto* mapping = recent->mapping_at(moment.pid, address, moment.time, moment.machine)) {
            return mapped(*mapping);
        }
    }
    auto location = timeline.resolve(moment.pid, address, moment.time, mode, moment.machine);
    if (!location && location.error() == Miss::no_mapping) {
        // Until a new program's first instruction the kernel still sees the caller of execve in the old one. Nothing
        // tells when that is; later, what is not mapped is not to get a name of another program.
        constexpr std::uint64_t longest_exec = 100'000'000;
        const auto exec = timeline.tasks().exec_at(moment.pid, moment.time, moment.machine);
        if (exec && exec->nanoseconds != 0 && moment.time.nanoseconds - exec->nanoseconds < longest_exec) {
            location = timeline.resolve(moment.pid, address, Time{exec->nanoseconds - 1}, mode, moment.machine);
        }
    }
    if (!location) return {address.value, static_cast<std::uint32_t>(location.error()), FrameKind::nowhere, mode};
    if (location->is_code()) return {location->offset, location->code, FrameKind::code, mode};
    return mapped(*location->mapping);
}

}  // namespace perfdata
