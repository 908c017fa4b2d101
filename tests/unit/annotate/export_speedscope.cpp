// SPDX-License-Identifier: MIT
// Profiles in speedscope's format.
#include <string>
#include <vector>

#include "catch.hpp"
#include "export/speedscope.hpp"
#include "unit/annotate/crafted_export.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Json speedscope_of(const Exported& exported, const SpeedscopeOptions& options = {}) {
    std::string text;
    write_speedscope(exported, options, [&](std::string_view part) { text += part; });
    const auto json = Json::parsed(text);
    REQUIRE(json);
    return *json;
}

// "load 10;main;write 2": a stack and its weight, in the order of the file.
std::vector<std::string> steps_of(const Json& document, std::size_t number) {
    std::vector<std::string> steps;
    const auto& profile = document["profiles"][number];
    REQUIRE(profile["samples"].size() == profile["weights"].size());
    for (std::size_t at = 0; at < profile["samples"].size(); ++at) {
        std::string text;
        for (std::size_t depth = 0; depth < profile["samples"][at].size(); ++depth) {
            const auto frame = profile["samples"][at][depth].number();
            text += (depth == 0 ? "" : ";") + document["shared"]["frames"][frame]["name"].text();
        }
        steps.push_back(text + " " + std::to_string(profile["weights"][at].number()));
    }
    return steps;
}

using SpeedscopeSteps = std::vector<std::string>;

}  // namespace

TEST_CASE("A speedscope profile has stacks in the order of time", "[export]") {
    const auto document = speedscope_of(crafted_export());
    CHECK(document["$schema"].text() == "https://www.speedscope.app/file-format-schema.json");
    CHECK(document["exporter"].text().starts_with("perfdata "));
    CHECK(document["name"].text() == "some.data");
    CHECK(document["activeProfileIndex"].number() == 0);
    REQUIRE(document["profiles"].size() == 2);
    const auto& clock = document["profiles"][0];
    CHECK(clock["type"].text() == "sampled");
    CHECK(clock["name"].text() == "task-clock");
    CHECK(clock["unit"].text() == "none");
    CHECK(clock["startValue"].number() == 0);
    CHECK(clock["endValue"].number() == 5);
    CHECK(steps_of(document, 0) == SpeedscopeSteps{"load 10;main;work_[i];write 1",
                                                   "load 10;main;work_[i];write;sys_write_[k];many_main/step_[b] 1",
                                                   "load 10;main;[JIT]_[j] 1", "load 11;main 1", "load 11;main 1"});
    CHECK(steps_of(document, 1) == SpeedscopeSteps{"load 11;main 1", "load 11;main 1"});
}

TEST_CASE("Frames of a speedscope profile have their source or object", "[export]") {
    const auto document = speedscope_of(crafted_export());
    const auto& frames = document["shared"]["frames"];
    REQUIRE(frames.size() == 8);
    CHECK(frames[0]["name"].text() == "main");
    CHECK(frames[0]["file"].text() == "load.c");
    CHECK(frames[0]["line"].number() == 10);
    CHECK(frames[1]["file"].text() == "work.h");
    CHECK_FALSE(frames[1].has("line"));
    CHECK(frames[3]["file"].text() == "[kernel.kallsyms]");
    CHECK_FALSE(frames[3].has("line"));
    CHECK_FALSE(frames[6].has("file"));
    CHECK(speedscope_of(crafted_export(), {false, false})["shared"]["frames"][3]["name"].text() == "sys_write");
}

TEST_CASE("A speedscope profile may count periods", "[export]") {
    auto exported = crafted_export();
    exported.samples[2].periods = 0;
    exported.totals[1].periods = 200;
    const auto document = speedscope_of(exported, {true, true});
    const auto& profiles = document["profiles"];
    CHECK(profiles[0]["unit"].text() == "nanoseconds");
    CHECK(profiles[0]["endValue"].number() == 5'000'000);
    CHECK(profiles[1]["unit"].text() == "none");
    CHECK(profiles[1]["name"].text() == "cycles");
    CHECK(profiles[1]["endValue"].number() == 200);
    CHECK(steps_of(document, 1) == SpeedscopeSteps{"load 11;main 200"});
}

TEST_CASE("Periods beyond 2^53 are in a greater unit in speedscope profiles", "[export]") {
    auto exported = crafted_export();
    constexpr auto most = ~std::uint64_t{0};
    exported.samples[0].periods = std::uint64_t{1} << 53;
    exported.totals[0].periods = (std::uint64_t{1} << 53) + 4'000'000;
    exported.samples[2].periods = most;
    exported.totals[1].periods = most;  // as the sum is more than that
    const auto document = speedscope_of(exported, {true, true});
    const auto& profiles = document["profiles"];
    CHECK(profiles[0]["unit"].text() == "microseconds");
    CHECK(profiles[0]["endValue"].number() == ((std::uint64_t{1} << 53) + 4'000'000) / 1000);
    CHECK(profiles[1]["unit"].text() == "none");
    CHECK(profiles[1]["name"].text() == "cycles (millions)");
    CHECK(profiles[1]["endValue"].number() == most / 1'000'000);
    // The second sample does not make the sum greater than all that 64 bits hold.
    CHECK(steps_of(document, 1) ==
          SpeedscopeSteps{"load 11;main " + std::to_string(most / 1'000'000), "load 11;main 0"});
}

TEST_CASE("Without samples a speedscope profile is empty", "[export]") {
    const auto document = speedscope_of(Exported());
    REQUIRE(document["profiles"].size() == 1);
    CHECK(document["profiles"][0]["name"].text() == "no samples");
    CHECK(document["profiles"][0]["samples"].size() == 0);
    CHECK(document["profiles"][0]["endValue"].number() == 0);
    CHECK(document["name"].text() == "perf.data");
}

TEST_CASE("Hostile names stay valid in speedscope profiles", "[export]") {
    auto exported = crafted_export();
    exported.functions[0].name = "\"\xff\n" + std::string(100'000, 'x');
    exported.functions[3].name = std::string(100'000, 'y');
    exported.tasks[0].comm = "a\\b\x01";
    const auto document = speedscope_of(exported);
    const auto name = document["shared"]["frames"][0]["name"].text();
    CHECK(name.starts_with("\"\xef\xbf\xbd\nxxx"));
    CHECK(name.size() < 2200);
    CHECK(document["shared"]["frames"][3]["name"].text().ends_with("_[k]"));
    CHECK(document["shared"]["frames"][6]["name"].text() == "a\\b\x01 10");
}
