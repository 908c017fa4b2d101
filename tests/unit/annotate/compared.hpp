// SPDX-License-Identifier: MIT
// Counts to compare, made here, in few words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/diff/diff.hpp"
#include "perfdata/annotate/page/diff_page.hpp"

#include "catch.hpp"

namespace perfdata::test {

// side({{"f", 10}, {"g", 90}}) is a recording with so many samples of the event "cycles" in functions of the object
// "app", each with a period of 1.
using Hits = std::vector<std::pair<std::string, std::uint64_t>>;
inline DiffCounts side(const Hits& hits, std::string event = "cycles") {
    DiffCounts made;
    made.recording.path = "recording";
    made.seconds = 1;
    made.events.push_back({event, event.substr(0, event.find(':')), {}, {}});
    auto sorted = hits;
    std::ranges::sort(sorted);
    for (const auto& [name, count] : sorted) {
        if (count == 0) continue;
        made.functions.push_back({"app", name, CodeClass::user, {{"", count}}, {{0, {count, count}}}, false});
        made.events[0].whole += {count, count};
    }
    made.events[0].kept = made.events[0].whole;
    return made;
}

// row(diff, name) is the row of a function in an event; it must exist.
inline const DiffRow& row(const Diff& diff, std::string_view name, std::uint32_t event = 0) {
    for (const auto& one : diff.rows) {
        if (one.event == event && diff.pairs[one.pair].name == name) return one;
    }
    FAIL("no row " << name);
    return diff.rows.front();
}

inline std::string name_at(const Diff& diff, std::size_t at) {
    return diff.pairs[diff.rows.at(at).pair].name;
}

// compare(old_side, new_side, options): one recording a side; or several.
inline Diff compare(const DiffCounts& old_side, const DiffCounts& new_side, const DiffOptions& options = {}) {
    return Diff::make({&old_side, 1}, {&new_side, 1}, options).value();
}
inline Diff compare(const std::vector<DiffCounts>& old_side, const std::vector<DiffCounts>& new_side,
                    const DiffOptions& options = {}) {
    return Diff::make(old_side, new_side, options).value();
}

inline std::string text_of_diff(const Diff& diff) {
    std::string out;
    write_diff_text(diff, {}, [&](std::string_view part) { out += part; });
    return out;
}
inline std::string json_of_diff(const Diff& diff) {
    std::string out;
    write_diff_json(diff, [&](std::string_view part) { out += part; });
    return out;
}

}  // namespace perfdata::test
