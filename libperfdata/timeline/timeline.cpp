// SPDX-License-Identifier: MIT
#include "perfdata/timeline/timeline.hpp"

#include <algorithm>
#include <concepts>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/walk.hpp"

#include "tasks_builder.hpp"
#include "timeline_builder.hpp"

namespace perfdata {
namespace {

// Builders is the visitor of the one walk: it passes each record to those that take it.
struct Builders {
    TimelineBuilder& code;
    TasksBuilder& tasks;

    template <class Record>
    requires std::invocable<TimelineBuilder&, const RecordContext&, const Record&> ||
        std::invocable<TasksBuilder&, const RecordContext&, const Record&>
    void operator()(const RecordContext& context, const Record& record) {
        if constexpr (requires { code(context, record); }) code(context, record);
        if constexpr (requires { tasks(context, record); }) tasks(context, record);
    }
};

}  // namespace

std::string_view to_string(Miss miss) {
    switch (miss) {
        case Miss::no_address: return "no address: the event records no ip";
        case Miss::user: return "user-space code";
        case Miss::unknown_process: return "process of which nothing is recorded";
        case Miss::no_mapping: return "nothing recorded as mapped there at that time";
        case Miss::kernel: return "kernel or module code";
        case Miss::gone: return "kernel address that no BPF program owned at that time";
        case Miss::hypervisor: return "hypervisor code";
        case Miss::guest: return "code of a guest";
        case Miss::unknown_mode: return "CPU mode not recorded";
        case Miss::not_kept: return "more distinct places than the limits of memory allow";
    }
    return "unknown";
}

Result<Timeline> Timeline::build(const Recording& recording, const TimelineOptions& options) {
    return catch_bad_alloc([&] { return read(recording, options); });
}

Result<Timeline> Timeline::read(const Recording& recording, const TimelineOptions& options) {
    Timeline timeline(BpfFeatures::read(recording));
    auto& completeness = timeline.completeness_;
    completeness.diagnostics = DiagnosticLog(recording.limits().diagnostics);
    completeness.diagnostics.append(recording.diagnostics());
    completeness.diagnostics.append(timeline.bpf_.diagnostics());
    TimelineBuilder builder(timeline, recording.limits());
    builder.take_build_ids(recording);
    TasksBuilder tasks(completeness.diagnostics, recording.limits());
    if (auto walked = walk(recording, completeness, Builders{builder, tasks},
                           {.order = {}, .stop = options.stop, .progress = options.progress});
        !walked)
        return fail(walked.error());
    builder.finish();
    timeline.tasks_ = std::move(tasks).finish();
    return timeline;
}

std::optional<Place> Timeline::owner(Address address, Time time) const {
    for (const auto* map : {&programs_, &images_}) {
        const auto* entry = map->find(address, time);
        // Code registered as older than the recording and then loaded was not there before its load.
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

std::optional<Location> Timeline::in_kernel(Address address, Time time) const {
    if (ever_owned(address)) {
        if (const auto place = owner(address, time)) return Location{nullptr, place->code, place->offset};
    }
    if (const auto* mapping = tasks_.kernel_mapping_at(address, time)) {
        return Location{mapping, 0, mapping->offset_of(address)};
    }
    return {};
}

std::expected<Location, Miss> Timeline::resolve(Pid pid, Address address, Time time, CpuMode mode,
                                                Machine machine) const {
    const bool guest = mode == CpuMode::guest_kernel || mode == CpuMode::guest_user;
    if (mode == CpuMode::hypervisor) return std::unexpected(Miss::hypervisor);
    if (guest && machine == host) return std::unexpected(Miss::guest);

    const bool kernel = mode == CpuMode::kernel || mode == CpuMode::guest_kernel;
    const bool user = mode == CpuMode::user || mode == CpuMode::guest_user;
    if (!user && machine == host) {
        if (const auto found = in_kernel(address, time)) return *found;
    } else if (!user) {
        const auto* mapping = tasks_.kernel_mapping_at(address, time, machine);
        if (mapping != nullptr) return Location{mapping, 0, mapping->offset_of(address)};
    }
    if (!kernel) {
        const auto* mapping = tasks_.mapping_at(pid, address, time, machine);
        if (mapping != nullptr) return Location{mapping, 0, mapping->offset_of(address)};
    }
    if (mode == CpuMode::unknown) return std::unexpected(Miss::unknown_mode);
    if (user) return std::unexpected(tasks_.knows(pid, time, machine) ? Miss::no_mapping : Miss::unknown_process);
    return std::unexpected(machine == host && ever_owned(address) ? Miss::gone : Miss::kernel);
}

}  // namespace perfdata
