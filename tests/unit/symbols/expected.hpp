// SPDX-License-Identifier: MIT
// fixtures/expect: the kernel's own description of the programs in the recordings.
#pragma once

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "perfdata/timeline/timeline.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/writer.hpp"

namespace perfdata::test {

inline std::string content_of(const std::string& name) {
    std::ifstream file(fixture(name), std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

// table(name) returns the rows and columns of a file of tab-separated values.
inline std::vector<std::vector<std::string>> table(const std::string& name) {
    std::vector<std::vector<std::string>> rows(1, {""});
    for (const char character : content_of(name)) {
        if (character == '\n') {
            rows.push_back({""});
        } else if (character == '\t') {
            rows.back().emplace_back();
        } else {
            rows.back().back() += character;
        }
    }
    rows.pop_back();
    REQUIRE_FALSE(rows.empty());
    return rows;
}

inline std::uint64_t number(const std::string& text, int base = 10) {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    REQUIRE(problem == std::errc{});
    REQUIRE(end == text.data() + text.size());
    return value;
}

// FixtureTimeline is a fixture with its timeline.
struct FixtureTimeline {
    explicit FixtureTimeline(const std::string& name)
        : recording(Recording::open(fixture("bpf/" + name + ".data")).value()),
          timeline(Timeline::build(recording).value()) {}

    // code(id, index) returns a function of a program; requires that it exists.
    CodeIndex code(std::uint64_t id, std::uint64_t index) const {
        for (CodeIndex place = 0; place < timeline.code().size(); ++place) {
            const auto& code = timeline.code()[place];
            if (code.load && timeline.loads()[*code.load].id.value == id && code.subprogram == index) return place;
        }
        FAIL("no function " << index << " of program " << id);
        return 0;
    }

    Recording recording;
    Timeline timeline;
};

}  // namespace perfdata::test
