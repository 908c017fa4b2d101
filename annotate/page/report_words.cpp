// SPDX-License-Identifier: MIT
#include "report_words.hpp"

#include <fmt/format.h>

#include "format/words.hpp"

namespace perfdata {

std::string key_text(const ReportContext& context, const Report& report, const ReportRow& row, ReportKey key) {
    const auto& place = report.places[row.place];
    const auto& task = context.counts.tasks()[row.task];
    switch (key) {
        case ReportKey::comm: return comm_text(task);
        case ReportKey::pid: return fmt::to_string(signed_id(task.pid.value));
        case ReportKey::tid: return fmt::to_string(signed_id(task.tid.value));
        case ReportKey::cpu: return task.cpu == no_cpu ? "-" : fmt::to_string(task.cpu);
        case ReportKey::cgroup: return cgroup_text(context, task);
        case ReportKey::object: return place.object;
        case ReportKey::symbol: return fmt::format("[{}] {}", place.level, place.text());
        case ReportKey::kind: return std::string(to_string(place.kind));
        case ReportKey::line: return place.line;
        case ReportKey::program: break;
    }
    if (place.loads.empty()) return "-";
    const auto& load = context.names.timeline().loads()[place.loads.front()];
    const auto name = context.names.bpf().program_name(load);
    auto text = name.empty() ? fmt::to_string(load.id.value) : fmt::format("{} {}", load.id.value, name);
    // The kernel gives ids of programs again.
    if (load.loaded_at != Time{}) text += " since " + seconds(load.loaded_at);
    return text;
}

std::string cgroup_text(const ReportContext& context, const SampledTask& task) {
    if (const auto path = context.names.timeline().tasks().cgroup(task.cgroup)) return std::string(*path);
    return task.cgroup == 0 ? "-" : fmt::format("unknown[{}]", task.cgroup);
}

// The share is one of what all other percentages are of, so that both can be compared.
WithoutBuildId without_build_id(const ReportContext& context, const Report& report) {
    // With --percentage relative the whole lacks what --symbols drops, and code without names is dropped.
    const bool of_kept = context.options.relative;
    return WithoutBuildId::count(context.counts, context.names, report.unwanted_frames,
                                 of_kept ? std::nullopt : std::optional(hits(report.whole)));
}

bool tells_functions(const ReportOptions& options) {
    return options.has(ReportKey::symbol) || options.tree != ReportTree::none;
}

}  // namespace perfdata
