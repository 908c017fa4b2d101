// SPDX-License-Identifier: MIT
#include "perfdata/timeline/timeline.hpp"

#include <algorithm>

#include "perfdata/recording/walk.hpp"

#include "timeline_builder.hpp"

namespace perfdata {

std::string_view to_string(Miss miss) {
    switch (miss) {
        case Miss::no_address: return "no address: the event records no ip";
        case Miss::user: return "user-space code";
        case Miss::kernel: return "kernel or module code";
        case Miss::gone: return "kernel address that no BPF program owned at that time";
        case Miss::hypervisor: return "hypervisor code";
        case Miss::guest: return "code of a guest";
        case Miss::unknown_mode: return "CPU mode not recorded";
    }
    return "unknown";
}

Result<Timeline> Timeline::build(const Recording& recording, const TimelineOptions& options) {
    Timeline timeline(BpfFeatures::read(recording));
    auto& completeness = timeline.completeness_;
    completeness.diagnostics = DiagnosticLog(recording.limits().diagnostics);
    completeness.diagnostics.append(recording.diagnostics());
    completeness.diagnostics.append(timeline.bpf_.diagnostics());
    TimelineBuilder builder(timeline, recording.limits());
    if (auto walked = walk(recording, completeness, builder, {.order = {}, .stop = options.stop}); !walked)
        return fail(walked.error());
    builder.finish();
    return timeline;
}

std::optional<Place> Timeline::owner(Address address, Time time) const {
    for (const auto* map : {&programs_, &images_}) {
        const auto* entry = map->find(address, time);
        // Code told as known before the recording began and then as loaded was not there before its load.
        if (entry != nullptr && code_[entry->value].from <= time)
            return Place{entry->value, address - entry->range.begin};
    }
    return {};
}

bool Timeline::ever_owned(Address address) const {
    const auto above = std::ranges::upper_bound(ever_, address, {}, &AddressRange::begin);
    return above != ever_.begin() && std::prev(above)->contains(address);
}

std::expected<Place, Miss> Timeline::locate(Address address, Time time, CpuMode mode) const {
    switch (mode) {
        case CpuMode::user: return std::unexpected(Miss::user);
        case CpuMode::hypervisor: return std::unexpected(Miss::hypervisor);
        case CpuMode::guest_kernel:
        case CpuMode::guest_user: return std::unexpected(Miss::guest);
        case CpuMode::kernel:
        case CpuMode::unknown: break;
    }
    if (const auto place = owner(address, time)) return *place;
    if (mode == CpuMode::unknown) return std::unexpected(Miss::unknown_mode);
    return std::unexpected(ever_owned(address) ? Miss::gone : Miss::kernel);
}

}  // namespace perfdata
