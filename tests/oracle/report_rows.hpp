// SPDX-License-Identifier: MIT
// Rows of our reports, for comparison with those of perf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include "perfdata/annotate/report/report.hpp"

#include "fixtures.hpp"

namespace oracle {

// Returns why perf does not count what was recorded; null if it does.
const char* known_difference(const std::filesystem::path& path);

// Key is event, command, object, symbol.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

// percent(part, whole) returns "12.36%", as perf prints it.
std::string percent(std::uint64_t part, std::uint64_t whole);

struct OurReport {
    OurReport(const std::filesystem::path& path, bool children, const std::filesystem::path& kallsyms,
              perfdata::SampleFilter filter = {}, bool relative = false);

    // event(name) drops the modifiers that perf invents if the recording has no event names ("cpu-clock:HG").
    std::string event(const std::string& name) const {
        return whole.contains(name) ? name : name.substr(0, name.find(':'));
    }

    Opened opened;
    std::map<Key, perfdata::EventCount> self, total;
    std::map<std::string, std::uint64_t> whole;  // periods by event
};

}  // namespace oracle
