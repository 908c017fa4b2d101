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
        case ReportKey::object: return std::string(place.object);
        case ReportKey::symbol: return fmt::format("[{}] {}", place.level, place.text());
        case ReportKey::kind: return std::string(to_string(place.kind));
        case ReportKey::line: return std::string(place.line);
        case ReportKey::parent: return task.parent.empty() ? "[other]" : std::string(task.parent);
        case ReportKey::trace: return task.label.empty() ? "-" : std::string(task.label);
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

std::string_view key_title(const Report& report, ReportKey key) {
    const auto& given = report.options.label_title;
    return key == ReportKey::trace && !given.empty() ? given : words_of(key).title;
}

std::string tree_text(const ReportPlace& place, TreeKey key) {
    auto text = place.text();
    if (key == TreeKey::function) return text;
    if (key == TreeKey::address && !place.symbol.empty()) text += fmt::format("+{:#x}", place.offset);
    // As in perf: the last part of the path.
    if (!place.line.empty() && !place.line.starts_with("??:")) {
        text += ' ';
        text += place.line.substr(place.line.rfind('/') + 1);
    }
    return text;
}

}  // namespace perfdata
