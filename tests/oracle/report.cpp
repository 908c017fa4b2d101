// SPDX-License-Identifier: MIT
// Compares report rows with `perf report`, with the same sources of names: only the recording, and a kallsyms file of
// the recorded machine if there is one.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "report_rows.hpp"

namespace oracle {
namespace {

using perfdata::EventCount;

// Recordings whose children perf does not count.
struct KnownDifference {
    const char* recording;
    const char* why;
};
constexpr KnownDifference known_children[] = {
    {"pipe.data", "of a pipe perf does not know in time that there are call chains, and prints N/A"},
};

bool known_for_children(const std::filesystem::path& path) {
    return std::ranges::any_of(known_children,
                               [&](const KnownDifference& known) { return path.filename() == known.recording; });
}

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

bool records_chains(const perfdata::Event& event) {
    return event.sample.shape().has(perfdata::SamplePart::callchain);
}
bool records_chains(const std::filesystem::path& path) {
    const Opened opened(path);
    return std::ranges::any_of(opened.recording.events().events(),
                               [](const perfdata::Event& event) { return records_chains(event); });
}

void compare_children(const std::filesystem::path& path, const std::filesystem::path& kallsyms) {
    const OurReport ours(path, true, kallsyms);
    // perf gives samples of an event without call chains the chain of a previous sample.
    std::set<std::string> with_chains;
    for (const auto& event : ours.opened.recording.events().events()) {
        if (records_chains(event)) with_chains.insert(event.name);
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
        if (known_difference(path) != nullptr || known_for_children(path) || !records_chains(path)) continue;
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
