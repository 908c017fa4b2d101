// SPDX-License-Identifier: MIT
// From an address in a process at a time to the place in code.
#pragma once

#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// Moment is the time and the process of a sample.
struct Moment {
    Time time;
    Pid pid;
    Machine machine;
};

// frame_at(timeline, jit, moment, address, mode) always returns an answer: FrameKind::nowhere if unknown. `jit` may be
// null, and so may `recent`, which avoids repeated similar lookups.
inline Frame frame_at(const Timeline& timeline, const JitCodes* jit, const Moment& moment, Address address,
                      CpuMode mode, RecentTasks* recent = nullptr) {
    if (jit != nullptr && mode != CpuMode::kernel) {
        if (const auto place = jit->find(timeline.tasks(), moment.pid, address, moment.time)) {
            return {place->offset, place->function, FrameKind::jit, mode};
        }
    }
    using Found = std::expected<Location, Miss>;
    const auto look_up = [&]() -> Found {
        if (recent == nullptr || (mode != CpuMode::kernel && mode != CpuMode::user) || !(moment.machine == host)) {
            return timeline.resolve(moment.pid, address, moment.time, mode, moment.machine);
        }
        if (mode == CpuMode::kernel) {
            const auto* mapping =
                timeline.ever_owned(address) ? nullptr : recent->kernel_mapping_at(address, moment.time);
            if (mapping != nullptr) return Location{mapping, 0, mapping->offset_of(address)};
            return timeline.resolve(moment.pid, address, moment.time, mode);
        }
        const auto* mapping = recent->mapping_at(moment.pid, address, moment.time);
        if (mapping != nullptr) return Location{mapping, 0, mapping->offset_of(address)};
        return std::unexpected(recent->knows(moment.pid, moment.time) ? Miss::no_mapping : Miss::unknown_process);
    };
    auto location = look_up();
    if (!location && location.error() == Miss::no_mapping) {
        // Until the first instruction of a new program the kernel still sees the caller of execve in the old one. No
        // record tells how long that takes; after `longest_exec`, an unmapped address must not get a name from another
        // program.
        constexpr std::uint64_t longest_exec = 100'000'000;
        const auto exec = recent != nullptr ? recent->exec_at(moment.pid, moment.time, moment.machine)
                                            : timeline.tasks().exec_at(moment.pid, moment.time, moment.machine);
        if (exec && exec->nanoseconds != 0 && moment.time.nanoseconds - exec->nanoseconds < longest_exec) {
            location = timeline.resolve(moment.pid, address, Time{exec->nanoseconds - 1}, mode, moment.machine);
        }
    }
    if (!location) return {address.value, static_cast<std::uint32_t>(location.error()), FrameKind::nowhere, mode};
    if (location->is_code()) return {location->offset, location->code, FrameKind::code, mode};
    if (timeline.tasks().object(*location->mapping).kind == ObjectKind::anonymous) {
        return {address.value, moment.pid.value, FrameKind::memory, mode};
    }
    return {location->offset, location->mapping->object, FrameKind::object, mode};
}

}  // namespace perfdata
