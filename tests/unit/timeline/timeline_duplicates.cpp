// SPDX-License-Identifier: MIT
// Facts that are recorded twice: synthesized and live, or for two events that both asked.
#include <algorithm>

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& doubled_pair() {
    static const Program program{
        62, 0x01b9e279a85dd063, {{0x1000, 0xa0, "on_enter", 0xf2f4d78542ca6f15}, {0x2000, 0x40, "bump", 0xdc}}};
    return program;
}

// Both events of the recording get every record, one nanosecond apart.
void told_twice(Scene& scene, std::uint64_t time, const Program& program) {
    for (std::size_t index = 0; index < program.functions.size(); ++index) {
        const auto& function = program.functions[index];
        for (const auto event : {0u, 1u}) {
            scene.symbol(live(time++), function.address, function.size, program.symbol(index, true), event);
        }
    }
    for (const auto event : {0u, 1u}) scene.event(live(time++), BpfEvent::Kind::load, program.id, program.tag, event);
}

void gone_twice(Scene& scene, std::uint64_t time, const Program& program) {
    for (std::size_t index = 0; index < program.functions.size(); ++index) {
        const auto& function = program.functions[index];
        for (const auto event : {0u, 1u}) {
            scene.symbol_gone(live(time++), function.address, function.size, program.symbol(index, true), event);
        }
    }
    for (const auto event : {0u, 1u}) scene.event(live(time++), BpfEvent::Kind::unload, program.id, program.tag, event);
}

}  // namespace

TEST_CASE("A program told as known and as loaded is one load, at the live time", "[timeline][duplicates]") {
    const bool with_info = GENERATE(true, false);
    Scene scene;
    scene.known(doubled_pair()).loaded(live(1000), doubled_pair()).unloaded(live(2000), doubled_pair());
    if (with_info) scene.info(info_of(doubled_pair()));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 62);
    CHECK(load.loaded_at == Time{1000});
    CHECK(load.unloaded_at == Time{2000});
    REQUIRE(load.functions.size() == 2);
    CHECK(timeline.code().size() == 2);
    CHECK(timeline.code()[load.functions[0]].subprogram == 0);
    CHECK(timeline.code()[load.functions[1]].subprogram == 1);
    CHECK(program_at(timeline, 0x1000, 1500) == 62);
    CHECK(program_at(timeline, 0x1000, 2500) == 0);
}

TEST_CASE("Code told as known and as loaded is not found before its live time", "[timeline][duplicates]") {
    const bool with_info = GENERATE(true, false);
    Scene scene;
    scene.known(doubled_pair()).loaded(live(1000), doubled_pair());
    if (with_info) scene.info(info_of(doubled_pair()));
    const auto timeline = scene.timeline();
    const auto& main = timeline.code()[load_of(timeline, 62).functions.at(0)];
    CHECK(main.from > Time{});
    CHECK(main.from <= Time{1000});
    CHECK(program_at(timeline, 0x1000, 1000) == 62);
    CHECK(program_at(timeline, 0x1000, 500) == 0);
    CHECK(program_at(timeline, 0x2000, 500) == 0);
}

TEST_CASE("What is found lies in the stretch of time that its code names", "[timeline][duplicates]") {
    Scene scene(std::endian::little, 2);
    const Program other{63, 0x77, {{0x1020, 0x30, "other", 0x77}}};
    scene.known(doubled_pair());
    told_twice(scene, 1000, doubled_pair());
    gone_twice(scene, 2000, doubled_pair());
    scene.loaded(live(3000), other);
    scene.info(info_of(doubled_pair())).info(info_of(other));
    const auto timeline = scene.timeline();
    for (std::uint64_t time = 0; time < 3100; ++time) {
        for (const std::uint64_t address : {0x1000u, 0x1030u, 0x2000u}) {
            const auto place = timeline.code_at({address}, {time});
            if (!place) continue;
            const auto& code = timeline.code()[place->index];
            INFO(code.symbol << " at " << time);
            REQUIRE(code.from <= Time{time});
            REQUIRE(Time{time} < code.until);
        }
    }
}

TEST_CASE("Two events that tell each record give one load with one code a function", "[timeline][duplicates]") {
    const bool with_info = GENERATE(true, false);
    Scene scene(std::endian::little, 2);
    told_twice(scene, 1000, doubled_pair());
    gone_twice(scene, 2000, doubled_pair());
    if (with_info) scene.info(info_of(doubled_pair()));
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 2);
    const auto& load = load_of(timeline, 62);
    CHECK(load.loaded_at == Time{1004});
    CHECK(load.unloaded_at == Time{2004});
    REQUIRE(load.functions.size() == 2);
    CHECK(load.function_count() == 2);
    CHECK(timeline.code()[load.functions[0]].from == Time{1000});
    CHECK(timeline.code()[load.functions[0]].until == Time{2000});
    CHECK(timeline.code()[load.functions[1]].from == Time{1002});
    CHECK(timeline.code()[load.functions[1]].until == Time{2002});
}

TEST_CASE("Functions told twice keep their numbers", "[timeline][duplicates]") {
    const bool with_info = GENERATE(true, false);
    const Program three{5, 0x55, {{0x1000, 16, "a", 1}, {0x2000, 16, "b", 2}, {0x3000, 16, "c", 3}}};
    Scene scene(std::endian::little, 2);
    told_twice(scene, 1000, three);
    if (with_info) scene.info(info_of(three));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 5);
    REQUIRE(load.functions.size() == 3);
    CHECK(timeline.code()[load.functions[0]].subprogram == 0);
    CHECK(timeline.code()[load.functions[1]].subprogram == 1);
    CHECK(timeline.code()[load.functions[2]].subprogram == 2);
}

TEST_CASE("Synthesized records told twice are one program since before", "[timeline][duplicates]") {
    Scene scene;
    scene.known(doubled_pair()).known(doubled_pair()).info(info_of(doubled_pair()));
    const auto timeline = scene.timeline();
    REQUIRE(load_of(timeline, 62).functions.size() == 2);
    CHECK(load_of(timeline, 62).loaded_at == Time{});
    CHECK(timeline.code().size() == 2);
    CHECK(timeline.code()[0].from == Time{});
}

TEST_CASE("An image told twice is there once", "[timeline][duplicates]") {
    Scene scene;
    scene.symbol({}, 0x3000, 4096, "bpf_trampoline_1").symbol(live(50), 0x3000, 4096, "bpf_trampoline_1");
    scene.symbol_gone(live(60), 0x3000, 4096, "bpf_trampoline_1");
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 1);
    CHECK(timeline.code()[0].until == Time{60});
}

TEST_CASE("The same start with another name or size is not the same thing told twice", "[timeline][duplicates]") {
    Scene scene;
    scene.symbol(live(10), 0x1000, 0x40, symbol_of(tag_of(1), "a"));
    scene.symbol(live(20), 0x1000, 0x40, symbol_of(tag_of(1), "b"));
    scene.symbol(live(30), 0x1000, 0x50, symbol_of(tag_of(1), "b"));
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 3);
    CHECK(timeline.code()[0].until == Time{20});
    CHECK(timeline.code()[1].until == Time{30});
    CHECK(owner_of(timeline, 0x1000, 15) == symbol_of(tag_of(1), "a"));
    CHECK(owner_of(timeline, 0x1000, 25) == symbol_of(tag_of(1), "b"));
    CHECK(owner_of(timeline, 0x1045, 30) == symbol_of(tag_of(1), "b"));
}

TEST_CASE("loads() is in order of loading even if perf told of one program too early", "[timeline][duplicates]") {
    const Program other{63, 0x77, {{0x5000, 0x30, "other", 0x77}}};
    Scene scene;
    scene.known(doubled_pair()).loaded(live(1000), doubled_pair()).loaded(live(500), other);
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 2);
    CHECK(std::ranges::is_sorted(timeline.loads(), {}, &BpfLoad::loaded_at));
}
