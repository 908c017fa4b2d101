// SPDX-License-Identifier: MIT
#include "perfdata/annotate/diff/diff_counting.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/scene.hpp"
#include "unit/annotate/compared.hpp"
#include "unit/annotate/reported.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

DiffCounts counted_for_diff(Scene& scene, const DiffCountOptions& options = {}) {
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    const auto names = Symbolizer::open(recording, timeline, Reported::offline());
    return count_for_diff(recording, names, options).value();
}

// A program "prog" of the functions prog and step, from this address on.
test::Program program_of_two(std::uint32_t id, std::uint64_t address, std::uint64_t tag, std::uint64_t step_tag) {
    return {id, tag, {{address, 0x100, "prog", tag + 1}, {address + 0x100, 0x100, "step", step_tag}}};
}

const DiffFunction& function_of(const DiffCounts& counts, std::string_view name) {
    for (const auto& function : counts.functions) {
        if (function.name == name) return function;
    }
    FAIL("no function " << name);
    return counts.functions.front();
}

}  // namespace

TEST_CASE("BPF functions are paired by program and name, whatever their tags and addresses", "[annotate][diff]") {
    const auto first = program_of_two(5, 0x1000, 0x10, 0x20), second = program_of_two(77, 0x9000, 0x30, 0x40);
    Scene old_scene, new_scene;
    old_scene.known(first).info(info_of(first)).sample(0x1004, 10).sample(0x1104, 20).sample(0x1108, 30);
    new_scene.known(second).info(info_of(second)).sample(0x9004, 10).sample(0x9104, 20);
    const auto diff = compare(counted_for_diff(old_scene), counted_for_diff(new_scene));
    REQUIRE(diff.pairs.size() == 2);
    CHECK(diff.pairs[0].object == "[bpf]");
    CHECK(diff.pairs[0].name == "prog");
    CHECK(diff.pairs[1].name == "prog/step");
    CHECK(diff.pairs[1].kind == CodeClass::bpf);
    CHECK(row(diff, "prog/step").old_count == EventCount{2, 2});
    CHECK(row(diff, "prog/step").new_count == EventCount{1, 1});
    CHECK(diff.pairs[1].code == DiffCode::changed);
    CHECK(diff.pairs[1].old_versions == std::vector<DiffVersion>{{hex(tag_of(0x20)), 2}});
}

TEST_CASE("A program loaded once more with the same body has the same code", "[annotate][diff]") {
    const auto known = program_of_two(5, 0x1000, 0x10, 0x20), live_one = program_of_two(6, 0x9000, 0x10, 0x20);
    Scene old_scene, new_scene;
    old_scene.known(known).info(info_of(known)).sample(0x1004, 10).sample(0x1104, 20);
    // The symbol of a main function that is loaded meanwhile has the tag of the whole program.
    new_scene.loaded(live(5), live_one).info(info_of(live_one)).sample(0x9004, 10).sample(0x9104, 20);
    const auto diff = compare(counted_for_diff(old_scene), counted_for_diff(new_scene));
    REQUIRE(diff.pairs.size() == 2);
    CHECK(diff.pairs[0].code == DiffCode::same);
    CHECK(diff.pairs[1].code == DiffCode::same);
}

TEST_CASE("Versions of a function in one recording are one function with two versions", "[annotate][diff]") {
    const auto first = program_of_two(5, 0x1000, 0x10, 0x20), second = program_of_two(6, 0x9000, 0x30, 0x40);
    Scene scene;
    scene.known(first).info(info_of(first)).sample(0x1104, 10);
    scene.loaded(live(20), second).info(info_of(second)).sample(0x9104, 30).sample(0x9104, 40);
    const auto counts = counted_for_diff(scene);
    REQUIRE(counts.functions.size() == 1);
    CHECK(counts.functions[0].versions == std::vector<DiffVersion>{{hex(tag_of(0x20)), 1}, {hex(tag_of(0x40)), 2}});
    CHECK(counts.functions[0].cells.at(0).count == EventCount{3, 3});
}

TEST_CASE("Code without a name is one function of its object", "[annotate][diff]") {
    Scene scene;
    scene.sample(0xffffffff81000000, 10).sample(0xffffffff81000100, 20);
    const auto counts = counted_for_diff(scene);
    REQUIRE(counts.functions.size() == 1);
    CHECK(counts.functions[0].name.empty());
    CHECK(counts.functions[0].cells.at(0).count.hits == 2);
    CHECK(counts.unnamed_kernel);
}

TEST_CASE("Filters and what percentages are of", "[annotate][diff]") {
    const auto program = program_of_two(5, 0x1000, 0x10, 0x20);
    Scene scene;
    scene.known(program).info(info_of(program)).sample(0x1004, 10).sample(0x1104, 20).sample(0x1104, 30);
    DiffCountOptions options;
    options.filter.code.symbols = {program.symbol(1, false)};
    const auto absolute = counted_for_diff(scene, options);
    CHECK(absolute.functions.size() == 1);
    CHECK(function_of(absolute, "prog/step").cells.at(0).count.hits == 2);
    CHECK(absolute.events.at(0).whole.hits == 3);
    CHECK(absolute.events.at(0).kept.hits == 2);
    REQUIRE(absolute.dropped.size() == 1);
    CHECK(absolute.dropped[0].samples == 1);
    options.relative = true;
    CHECK(counted_for_diff(scene, options).events.at(0).whole.hits == 2);
    options.stop = StopToken([] { return true; });
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    const auto names = Symbolizer::open(recording, timeline, Reported::offline());
    const auto stopped = count_for_diff(recording, names, options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("Recorded time is from the first to the last sample, as far as it is chosen", "[annotate][diff]") {
    constexpr std::uint64_t second = 1'000'000'000;
    const auto program = program_of_two(5, 0x1000, 0x10, 0x20);
    Scene scene;
    scene.known(program).sample(0x1004, second).sample(0x1104, 3 * second).sample(0x1104, 4 * second);
    CHECK(counted_for_diff(scene).seconds == 3);
    DiffCountOptions options;
    options.filter.times = {{Time{2 * second}, Time::forever()}};
    const auto part = counted_for_diff(scene, options);
    CHECK(part.events.at(0).kept.hits == 2);
    CHECK(part.seconds == 1);
}

TEST_CASE("A fixture does not differ from itself, and its events keep their names", "[annotate][diff]") {
    const auto counted_fixture = [](const std::string& name) {
        const auto recording = Recording::open(fixture("bpf/" + name + ".data")).value();
        const auto timeline = Timeline::build(recording).value();
        const auto names = Symbolizer::open(recording, timeline, Reported::offline());
        return count_for_diff(recording, names).value();
    };
    const auto events = counted_fixture("bpf_events");
    REQUIRE(events.events.size() == 3);
    CHECK(events.events[0].name == "cpu-clock/freq=999,call-graph=no/");
    CHECK(events.events[0].plain == "cpu-clock");
    for (const auto& row : compare(events, events).rows) CHECK(row.delta == 0);
    // The same programs under other ids, at other addresses: all of them are pairs, with the same code.
    const auto many = counted_fixture("bpf_many");
    auto first_only = events;
    first_only.events[0].name = many.events.at(0).name;
    const auto diff = compare(many, first_only);
    for (const auto& pair : diff.pairs) {
        if (!pair.name.starts_with("many_main")) continue;
        CHECK(pair.code == DiffCode::same);
    }
    CHECK(row(diff, "many_main/bump").old_count.hits == 59);
    CHECK(row(diff, "many_main/bump").new_count.hits == 53);
}

TEST_CASE("Samples in more functions than a limit allows are counted together, and told", "[annotate][diff]") {
    Scene scene;
    test::Program program{1, 1, {}};
    for (std::uint64_t at = 0; at < 100; ++at) {
        program.functions.push_back({0x1000 + 0x100 * at, 0x100, "f" + std::to_string(at), at});
    }
    scene.known(program);
    for (std::uint64_t at = 0; at < 100; ++at) scene.sample(0x1004 + 0x100 * at, 10 + at);
    const auto file = scene.build();
    Limits limits;
    limits.places = 64;
    const auto recording = Recording::from_memory(file, {limits}).value();
    const auto timeline = Timeline::build(recording).value();
    const auto names = Symbolizer::open(recording, timeline, Reported::offline());
    const auto counts = count_for_diff(recording, names).value();
    CHECK(function_of(counts, "").cells.at(0).count.hits == 36);
    const auto& told = counts.completeness.diagnostics.kept();
    REQUIRE(std::ranges::any_of(told, [](const auto& one) {
        return one.code == ErrorCode::limit && one.detail.starts_with("36 samples are in more places");
    }));
}
