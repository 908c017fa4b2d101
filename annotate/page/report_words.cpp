// SPDX-License-Identifier: MIT
#include "report_words.hpp"

#include <fmt/format.h>

#include "format/words.hpp"

namespace perfdata {

std::string key_text(const Report& report, const ReportRow& row, ReportKey key) {
    const auto& place = report.places[row.place];
    const auto& task = report.tasks[row.task];
    switch (key) {
        case ReportKey::comm: return task.comm_text();
        case ReportKey::pid: return fmt::to_string(signed_id(task.pid.value));
        case ReportKey::tid: return fmt::to_string(signed_id(task.tid.value));
        case ReportKey::cpu: return task.cpu ? fmt::to_string(*task.cpu) : "-";
        case ReportKey::cgroup: return report.cgroups[task.cgroup];
        case ReportKey::object: return place.object;
        case ReportKey::symbol: return fmt::format("[{}] {}", place.level, place.text());
        case ReportKey::kind: return std::string(to_string(place.kind));
        case ReportKey::line: return place.line;
        case ReportKey::program: break;
    }
    if (place.loads.empty()) return "-";
    const auto& program = report.programs.at(place.loads.front());
    auto text =
        program.name.empty() ? fmt::to_string(program.id.value) : fmt::format("{} {}", program.id.value, program.name);
    // The kernel reuses program ids, so add the load time.
    if (program.loaded_at != Time{}) text += " since " + seconds(program.loaded_at);
    return text;
}

}  // namespace perfdata
