// SPDX-License-Identifier: MIT
// Compares report rows with `perf report`, with the same sources of names: only the recording, and a kallsyms file of
// the recorded machine if there is one.
#include "perfdata/annotate/report/report.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"

namespace oracle {
namespace {

using perfdata::EventCount;

// Recordings for which perf does not count what was recorded.
struct KnownDifference {
    const char* recording;
    const char* why;
};
constexpr KnownDifference known_differences[] = {
    {"group.data", "perf makes of a sample with the counts of a group one sample for each member"},
    {"group_chains.data", "perf makes of a sample with the counts of a group one sample for each member"},
    {"read.data", "perf makes of a sample with the counts of a group one sample for each member"},
    {"stat.data", "a recording of perf stat, without samples"},
};

// The same for children.
constexpr KnownDifference known_children[] = {
    {"pipe.data", "of a pipe perf does not know in time that there are call chains, and prints N/A"},
};

const char* known_difference(const std::filesystem::path& path) {
    for (const auto& known : known_differences) {
        if (path.filename() == known.recording) return known.why;
    }
    return nullptr;
}

bool known_for_children(const std::filesystem::path& path) {
    return std::ranges::any_of(known_children,
                               [&](const KnownDifference& known) { return path.filename() == known.recording; });
}

// Key is event, command, object, symbol.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

std::string percent(std::uint64_t part, std::uint64_t whole) {
    char text[32];
    const auto value = whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    std::snprintf(text, sizeof text, "%.2f%%", value);
    return text;
}

struct OurReport {
    OurReport(const std::filesystem::path& path, bool children, const std::filesystem::path& kallsyms) : opened(path) {
        perfdata::SymbolizerOptions sources;
        sources.finder.offline = true;
        sources.finder.kallsyms = kallsyms.string();
        sources.jit.as_recorded = false;
        const auto names = perfdata::Symbolizer::open(opened.recording, opened.timeline, sources);
        perfdata::ReportOptions options;
        options.children = children;
        const auto counting = perfdata::count_options(options, names);
        const auto counts = perfdata::SampleCounts::count(opened.recording, opened.timeline, counting);
        REQUIRE(counts);
        const auto report = perfdata::Report::make(opened.recording, *counts, names, options);
        for (const auto& row : report.rows) {
            const auto& place = report.places[row.place];
            const auto symbol = std::string("[") + place.level + "] " + place.text();
            for (std::size_t column = 0; column < report.events.size(); ++column) {
                if (row.total[column].hits == 0) continue;
                const auto& event = opened.recording.events().events()[report.events[column]].name;
                const Key key{event, report.tasks[row.task].comm_text(), place.object, symbol};
                self[key] += row.self[column];
                total[key] += row.total[column];
                whole[event] = report.whole[column].periods;
            }
        }
    }

    // event(name) drops the modifiers that perf invents if the recording has no event names ("cpu-clock:HG").
    std::string event(const std::string& name) const {
        return whole.contains(name) ? name : name.substr(0, name.find(':'));
    }

    Opened opened;
    std::map<Key, EventCount> self, total;
    std::map<std::string, std::uint64_t> whole;  // periods by event
};

std::filesystem::path kallsyms_of(const std::filesystem::path& path) {
    const auto file = expectation(path.stem().string() + ".kallsyms");
    return std::filesystem::exists(file) ? file : std::filesystem::path();
}

void compare_self(const std::filesystem::path& path, const std::filesystem::path& kallsyms) {
    const OurReport ours(path, false, kallsyms);
    std::map<Key, EventCount> theirs;
    for (const auto& row : perf_report(path, false, kallsyms)) {
        const Key key{ours.event(row.event), row.comm, row.object, row.symbol};
        INFO(row.event << ": " << row.comm << " " << row.object << " " << row.symbol);
        theirs[key] += {row.hits, row.periods};
        const auto found = ours.self.find(key);
        if (found == ours.self.end()) {
            FAIL_CHECK("only perf has it");
            continue;
        }
        // Static functions with one name are separate rows in perf, but one row here.
        if (found->second.hits == row.hits) CHECK(percent(row.periods, ours.whole.at(std::get<0>(key))) == row.self);
    }
    REQUIRE(!theirs.empty());
    for (const auto& [key, cell] : ours.self) {
        const auto& [event, comm, object, symbol] = key;
        INFO(event << ": " << comm << " " << object << " " << symbol);
        CHECK(theirs[key].hits == cell.hits);
        CHECK(theirs[key].periods == cell.periods);
    }
    std::cout << path.stem().string() << (kallsyms.empty() ? "" : " with kallsyms") << ": " << theirs.size()
              << " rows\n";
}

TEST_CASE("perf report has the same rows with the same samples and periods", "[oracle][report]") {
    for (const auto& path : perf_fixtures()) {
        if (known_difference(path) != nullptr) continue;
        DYNAMIC_SECTION(path.stem().string()) {
            compare_self(path, {});
        }
        if (!kallsyms_of(path).empty()) {
            DYNAMIC_SECTION(path.stem().string() + " with kallsyms") {
                compare_self(path, kallsyms_of(path));
            }
        }
    }
}

// perf shows a user caller without a symbol by its address in the process, but a sample by its address in the object:
// code without a symbol has two rows. Ours has one row, so only the rest is comparable.
bool comparable(const Key& key) {
    const auto& [event, comm, object, symbol] = key;
    return object != "[unknown]" && !symbol.starts_with("[.] 0");
}

bool has_chains(const perfdata::Event& event) {
    return event.sample.shape().has(perfdata::SamplePart::callchain);
}
bool has_chains(const std::filesystem::path& path) {
    const Opened opened(path);
    return std::ranges::any_of(opened.recording.events().events(),
                               [](const perfdata::Event& event) { return has_chains(event); });
}

void compare_children(const std::filesystem::path& path, const std::filesystem::path& kallsyms) {
    const OurReport ours(path, true, kallsyms);
    // perf gives samples of an event without call chains the chain of a previous sample.
    std::set<std::string> with_chains;
    for (const auto& event : ours.opened.recording.events().events()) {
        if (has_chains(event)) with_chains.insert(event.name);
    }
    std::map<Key, std::string> theirs, mine;  // "total self"
    for (const auto& row : perf_report(path, true, kallsyms)) {
        const Key key{ours.event(row.event), row.comm, row.object, row.symbol};
        if (comparable(key) && with_chains.contains(std::get<0>(key))) theirs[key] = row.children + " " + row.self;
    }
    for (const auto& [key, cell] : ours.total) {
        const auto whole = ours.whole.at(std::get<0>(key));
        if (comparable(key) && with_chains.contains(std::get<0>(key)))
            mine[key] = percent(cell.periods, whole) + " " + percent(ours.self.at(key).periods, whole);
    }
    std::size_t callers = 0;
    for (const auto& [key, shares] : theirs) {
        const auto& [event, comm, object, symbol] = key;
        INFO(event << ": " << comm << " " << object << " " << symbol);
        CHECK(mine[key] == shares);
        callers += shares.ends_with(" 0.00%") ? 1 : 0;
    }
    CHECK(mine.size() == theirs.size());
    std::cout << path.stem().string() << (kallsyms.empty() ? "" : " with kallsyms") << ": " << theirs.size()
              << " rows, " << callers << " of callers only\n";
}

TEST_CASE("perf report --children has the same shares of callers", "[oracle][report]") {
    std::size_t compared = 0;
    for (const auto& path : perf_fixtures()) {
        if (known_difference(path) != nullptr || known_for_children(path) || !has_chains(path)) continue;
        ++compared;
        DYNAMIC_SECTION(path.stem().string()) {
            compare_children(path, {});
        }
        if (!kallsyms_of(path).empty()) {
            DYNAMIC_SECTION(path.stem().string() + " with kallsyms") {
                compare_children(path, kallsyms_of(path));
            }
        }
    }
    CHECK(compared != 0);
}

}  // namespace
}  // namespace oracle
