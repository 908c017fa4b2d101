// SPDX-License-Identifier: MIT
#include "report_rows.hpp"

#include <cstdio>
#include <utility>

#include "catch.hpp"

namespace oracle {
namespace {

// Recordings for which perf does not count what was recorded.
struct UncountedRecording {
    const char* recording;
    const char* why;
};
constexpr UncountedRecording known_differences[] = {
    {"stat.data", "a recording of perf stat, without samples"},
    {"stat_cores.data", "the same"},
    {"stat_cpus.data", "the same"},
    {"stat_threads.data", "the same"},
};

}  // namespace

const char* known_difference(const std::filesystem::path& path) {
    for (const auto& known : known_differences) {
        if (path.filename() == known.recording) return known.why;
    }
    return nullptr;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    char text[32];
    const auto value = whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    std::snprintf(text, sizeof text, "%.2f%%", value);
    return text;
}

OurReport::OurReport(const std::filesystem::path& path, bool children, const std::filesystem::path& kallsyms,
                     perfdata::SampleFilter filter, bool relative)
    : opened(path) {
    perfdata::SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.finder.kallsyms = kallsyms.string();
    sources.jit.as_recorded = false;
    const auto names = perfdata::Symbolizer::open(opened.recording, opened.timeline, sources);
    perfdata::ReportOptions options;
    options.children = children;
    options.relative = relative;
    options.code = std::exchange(filter.code, {});
    auto counting = perfdata::count_options(options, names);
    counting.filter = std::move(filter);
    const auto counts = perfdata::SampleCounts::count(opened.recording, opened.timeline, counting);
    REQUIRE(counts);
    const auto report = perfdata::Report::make(opened.recording, *counts, names, options);
    for (const auto& row : report.rows) {
        const auto& place = report.places[row.place];
        const auto symbol = std::string("[") + place.level + "] " + place.text();
        for (std::size_t column = 0; column < report.events.size(); ++column) {
            if (row.total[column].hits == 0) continue;
            const auto& event = opened.recording.events().events()[report.events[column]].name;
            const Key key{event, report.tasks[row.task].comm_text(), std::string(place.object), symbol};
            self[key] += row.self[column];
            total[key] += row.total[column];
            whole[event] = report.whole[column].periods;
        }
    }
}

}  // namespace oracle
