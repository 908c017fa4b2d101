// SPDX-License-Identifier: MIT
#include "perfdata/timeline/timeline.hpp"

#include <algorithm>
#include <concepts>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/walk.hpp"

#include "bpf_records_builder.hpp"
#include "recording/first_pass.hpp"
#include "stored_timeline.hpp"
#include "tasks_builder.hpp"
#include "timeline_builder.hpp"

namespace perfdata {
namespace {

// Builders is the visitor of the one walk: it passes each record to those that take it.
struct Builders {
    TimelineBuilder& code;
    TasksBuilder& tasks;
    BpfRecordsBuilder& bpf;

    template <class Record>
    requires std::invocable<TimelineBuilder&, const RecordContext&, const Record&> ||
        std::invocable<TasksBuilder&, const RecordContext&, const Record&> ||
        std::invocable<BpfRecordsBuilder&, const RecordContext&, const Record&>
    void operator()(const RecordContext& context, const Record& record) {
        if constexpr (requires { code(context, record); }) code(context, record);
        if constexpr (requires { tasks(context, record); }) tasks(context, record);
        if constexpr (requires { bpf(context, record); }) bpf(context, record);
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
    return catch_bad_alloc([&]() -> Result<Timeline> {
        try {
            return read(recording, options);
        } catch (const Stopped&) {
            return fail(ErrorCode::cancelled, Error::no_offset, "timeline", "asked to stop");
        }
    });
}

Result<Timeline> Timeline::read(const Recording& recording, const TimelineOptions& options) {
    if (recording.stored_) {
        if (options.others_idle) options.others_idle();
        LookOut watched({options.stop, options.progress}, recording.bytes());
        Timeline empty(BpfFeatures::read(recording));
        empty.times_ = Shared<const TimeOrder>::make(TimeOrder::read(recording, options.stop));
        return StoredTimeline::restore(recording.stored_, recording.limits(), std::move(empty), watched);
    }
    Timeline timeline(BpfFeatures::read(recording));
    auto& completeness = timeline.completeness_;
    completeness.diagnostics = DiagnosticLog(recording.limits().diagnostics);
    completeness.diagnostics.append(recording.diagnostics());
    completeness.diagnostics.append(timeline.bpf_.diagnostics());
    TimelineBuilder builder(timeline, recording.limits());
    builder.take_build_ids(recording);
    TasksBuilder tasks(completeness.diagnostics, recording.limits());
    tasks.expect(recording.bytes());
    BpfRecordsBuilder bpf(options.bpf_records != nullptr, completeness.diagnostics, recording.limits());
    auto times = first_pass(recording, completeness, Builders{builder, tasks, bpf},
                            {options.progress, {options.stop, options.jobs, options.others_idle}});
    if (!times) return fail(times.error());
    timeline.times_ = Shared<const TimeOrder>::make(std::move(*times));
    LookOut look({options.stop, options.progress}, recording.bytes());
    builder.finish(look);
    timeline.tasks_ = std::move(tasks).finish(look);
    if (options.bpf_records != nullptr) *options.bpf_records = std::move(bpf).finish(look);
    return timeline;
}

std::optional<Frame> Timeline::code_at(Address address, Time time) const {
    for (const auto* map : {&programs_, &images_}) {
        const auto* entry = map->find(address, time);
        // Code told as known before the recording began and then as loaded was not there before its load.
        if (entry != nullptr && code_[entry->value].from <= time) {
            return Frame::in_code(entry->value, address - entry->range.begin);
        }
    }
    return {};
}

bool Timeline::ever_owned(Address address) const {
    const auto above = std::ranges::upper_bound(ever_, address, {}, &AddressRange::begin);
    return above != ever_.begin() && std::prev(above)->contains(address);
}

Frame Timeline::frame_in(const Mapping& mapping, Pid pid, Address address, CpuMode mode) const {
    if (tasks_.object(mapping).kind == ObjectKind::anonymous)
        return {address.value, pid.value, FrameKind::memory, mode};
    return {mapping.offset_of(address), mapping.object, FrameKind::object, mode};
}

Frame Timeline::frame_at(const Moment& moment, Address address, CpuMode mode) const {
    const auto& [time, pid, machine] = moment;
    const bool on_host = machine == host;
    const bool guest = mode == CpuMode::guest_kernel || mode == CpuMode::guest_user;
    const auto nowhere = [&](Miss miss) { return Frame::nowhere(address, miss, mode); };
    if (mode == CpuMode::hypervisor) return nowhere(Miss::hypervisor);
    if (guest && on_host) return nowhere(Miss::guest);

    const bool kernel = mode == CpuMode::kernel || mode == CpuMode::guest_kernel;
    const bool user = mode == CpuMode::user || mode == CpuMode::guest_user;
    if (!user && on_host && ever_owned(address)) {
        if (auto found = code_at(address, time)) {
            found->mode = mode;
            return *found;
        }
    }
    if (!user) {
        const auto* mapping = tasks_.kernel_mapping_at(address, time, machine);
        if (mapping != nullptr) return frame_in(*mapping, pid, address, mode);
    }
    if (!kernel) {
        const auto* mapping = tasks_.mapping_at(pid, address, time, machine);
        if (mapping != nullptr) return frame_in(*mapping, pid, address, mode);
    }
    if (mode == CpuMode::unknown) return nowhere(Miss::unknown_mode);
    if (user) return nowhere(tasks_.knows(pid, time, machine) ? Miss::no_mapping : Miss::unknown_process);
    return nowhere(on_host && ever_owned(address) ? Miss::gone : Miss::kernel);
}

Timeline::Timeline(BpfFeatures bpf) : bpf_(std::move(bpf)) {}

std::span<const Code> Timeline::code() const {
    return code_;
}

std::span<const BpfLoad> Timeline::loads() const {
    return loads_;
}

}  // namespace perfdata
