// SPDX-License-Identifier: MIT
// Compares hits in real recordings with an independent count (fixtures/MANIFEST.md).
#include <map>

#include "perfdata/profile/profile.hpp"

#include "catch.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using HitKey = std::pair<std::uint64_t, std::uint64_t>;  // program id, function index
using Hits = std::map<HitKey, std::vector<std::uint64_t>>;

// A profile has one more column than expected: perf's "dummy", which never counts.
Hits hits_of(const FixtureTimeline& real, const Profile& profile) {
    Hits hits;
    for (const auto& function : profile.functions()) {
        const auto& code = real.timeline.code()[function.version.function.index];
        if (!code.load) continue;
        auto& row = hits[{real.timeline.loads()[*code.load].id.value, code.subprogram}];
        REQUIRE(row.empty());
        for (const auto& cell : function.total) row.push_back(cell.hits);
        REQUIRE(row.back() == 0);
        row.pop_back();
    }
    return hits;
}

}  // namespace

TEST_CASE("Hits by program and function are those counted elsewhere", "[profile][fixtures]") {
    for (const std::string file : {"bpf_many", "bpf_nobtf", "bpf_twins", "bpf_events", "bpf_turns"}) {
        INFO(file);
        const FixtureTimeline real(file);
        const auto profile = Profile::count(real.recording, real.timeline);
        REQUIRE(profile);
        Hits expected;
        for (const auto& row : table("expect/" + file + ".hits.tsv")) {
            for (std::size_t column = 4; column < row.size(); ++column) {
                expected[{number(row[0]), number(row[2])}].push_back(number(row[column]));
            }
        }
        CHECK(hits_of(real, *profile) == expected);
    }
}

TEST_CASE("Samples and periods of a real recording are all accounted for", "[profile][fixtures]") {
    const FixtureTimeline real("bpf_events");
    const auto profile = Profile::count(real.recording, real.timeline);
    REQUIRE(profile);
    CHECK(profile->totals() == EventCounts{{742, 742742742}, {397, 795591176}, {0, 0}});
    EventCounts sum;
    for (const auto& function : profile->functions()) add(sum, function.total);
    CHECK(sum[0].hits == 433);
    CHECK(sum[1].hits == 222);
    for (const auto& [miss, cells] : profile->misses()) add(sum, cells);
    CHECK(sum == profile->totals());
}

TEST_CASE("One address of a real recording was hit in two programs", "[profile][fixtures]") {
    const FixtureTimeline real("bpf_turns");
    const auto profile = Profile::count(real.recording, real.timeline);
    REQUIRE(profile);
    std::map<std::uint64_t, std::vector<std::uint64_t>> programs_hit;
    std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> by_start;
    for (const auto& function : profile->functions()) {
        const auto& code = real.timeline.code()[function.version.function.index];
        const auto id = real.timeline.loads()[*code.load].id.value;
        by_start[code.range.begin.value][id] = hits(function.total);
        for (const auto& offset : function.offsets)
            programs_hit[(code.range.begin + offset.offset).value].push_back(id);
    }
    const auto starts = [&](std::uint64_t address) { return by_start[address]; };
    using Pair = std::map<std::uint32_t, std::uint64_t>;
    CHECK(starts(0xffffffffc038b650) == Pair{{40, 15}, {46, 16}});
    CHECK(starts(0xffffffffc038b668) == Pair{{38, 22}, {42, 20}});
    CHECK(starts(0xffffffffc038b70c) == Pair{{32, 47}, {42, 44}});
    CHECK(starts(0xffffffffc038b714) == Pair{{26, 39}, {40, 48}});
    CHECK(starts(0xffffffffc038b72c) == Pair{{30, 38}, {34, 44}});
    CHECK(starts(0xffffffffc038b738) == Pair{{38, 45}, {46, 42}});
    std::size_t shared = 0;
    for (const auto& [address, ids] : programs_hit) shared += ids.size() > 1 ? 1 : 0;
    CHECK(shared == 14);
}
