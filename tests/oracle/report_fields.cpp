// SPDX-License-Identifier: MIT
// Compares rows by what tracepoints say with those of `perf report --sort trace` and `--sort EVENT.FIELD`.
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "perf.hpp"
#include "report_rows.hpp"
#include "trace/trace_labels.hpp"

namespace oracle {
namespace {

// By event and text of the field, empty for events without it: samples and share, "24 96.00%".
using FieldRows = std::map<std::pair<std::string, std::string>, std::string>;

FieldRows our_field_rows(const std::filesystem::path& path, const std::string& word) {
    const Opened opened(path);
    perfdata::SymbolizerOptions sources;
    sources.finder.offline = true;
    const auto names = perfdata::Symbolizer::open(opened.recording, opened.timeline, sources);
    auto key = perfdata::TraceKey::parse(word);
    REQUIRE(key);
    auto made = perfdata::TraceLabels::make(opened.recording, {std::move(*key)}, {});
    REQUIRE(made);
    const auto labels = std::make_shared<perfdata::TraceLabels>(std::move(*made));
    perfdata::ReportOptions options;
    options.keys = {perfdata::ReportKey::trace};
    options.children = false;
    options.label = [labels](std::uint32_t event, std::optional<perfdata::Bytes> raw, const perfdata::Moment&) {
        return labels->number(event, raw);
    };
    options.label_text = [labels](std::uint32_t number) { return labels->text(number); };
    const auto counts =
        perfdata::SampleCounts::count(opened.recording, opened.timeline, perfdata::count_options(options, names));
    REQUIRE(counts);
    const auto report = perfdata::Report::make(opened.recording, *counts, names, options);
    FieldRows rows;
    for (const auto& row : report.rows) {
        for (std::size_t column = 0; column < report.events.size(); ++column) {
            const auto& cell = row.self[column];
            if (cell.hits == 0) continue;
            const auto& event = opened.recording.events().events()[report.events[column]].name;
            const auto shares = std::to_string(cell.hits) + " " + percent(cell.periods, report.whole[column].periods);
            const auto label = std::string(report.tasks[row.task].label);
            CHECK(rows.emplace(std::pair(event, label), shares).second);
        }
    }
    return rows;
}

FieldRows perf_field_rows(const std::filesystem::path& path, const std::string& word) {
    const auto trimmed = [](const std::string& text) {
        const auto begin = text.find_first_not_of(' ');
        return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
    };
    FieldRows rows;
    std::string event;
    for (const auto& line : perf_output(path, "report --stdio -n -t '|' --percent-limit 0 --sort " + word)) {
        if (line.starts_with("# Samples: ")) {
            const auto begin = line.find('\'') + 1;
            event = line.substr(begin, line.rfind('\'') - begin);
        }
        if (line.empty() || line.front() == '#') continue;
        INFO(line);
        std::istringstream stream(line);
        std::string share, samples, text;
        REQUIRE(std::getline(stream, share, '|'));
        REQUIRE(std::getline(stream, samples, '|'));
        std::getline(stream, text);
        CHECK(rows.emplace(std::pair(event, trimmed(text)), trimmed(samples) + " " + trimmed(share)).second);
    }
    return rows;
}

TEST_CASE("perf report has the same rows by what tracepoints say", "[oracle][report]") {
    const std::filesystem::path path(PERFDATA_FIXTURES "/records/tp.data");
    for (const auto* word :
         {"trace", "sched:sched_switch.prev_comm", "sched:sched_switch.next_comm", "sched:sched_switch.next_pid",
          "sched:sched_switch.next_prio", "sched:sched_switch.prev_state", "sched:sched_switch.prev_pid",
          "raw_syscalls:sys_enter.common_pid", "raw_syscalls:sys_enter.id"}) {
        INFO(word);
        const auto theirs = perf_field_rows(path, word);
        CHECK(theirs.size() >= 2);
        CHECK(our_field_rows(path, word) == theirs);
        std::cout << "--sort " << word << ": " << theirs.size() << " rows\n";
    }
}

}  // namespace
}  // namespace oracle
