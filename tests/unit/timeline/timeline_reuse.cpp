// SPDX-License-Identifier: MIT
// One address, several owners: the kernel reuses freed BPF memory immediately.
#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Program one_function(std::uint32_t id, std::uint64_t address, std::uint32_t size, std::string name) {
    return {id, 0x100 + id, {{address, size, std::move(name), 0x100 + id}}};
}

}  // namespace

TEST_CASE("The same start belongs to one program after the other", "[timeline][reuse]") {
    const auto first = one_function(1, 0x1000, 0x80, "first");
    const auto second = one_function(2, 0x1000, 0x40, "second");
    Scene scene;
    scene.loaded(live(100), first).unloaded(live(200), first).loaded(live(300), second).unloaded(live(400), second);
    scene.info(info_of(first)).info(info_of(second));
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1010, 150) == 1);
    CHECK(program_at(timeline, 0x1010, 250) == 0);
    CHECK(program_at(timeline, 0x1010, 350) == 2);
    CHECK(program_at(timeline, 0x1050, 350) == 0);
    CHECK(program_at(timeline, 0x1010, 450) == 0);
}

TEST_CASE("A start in the middle of older code gives other offsets to the same address", "[timeline][reuse]") {
    const auto first = one_function(1, 0x1000, 0x80, "first");
    const auto second = one_function(2, 0x1030, 0x80, "second");
    Scene scene;
    scene.loaded(live(100), first).unloaded(live(200), first).loaded(live(300), second);
    const auto timeline = scene.timeline();
    const auto then = timeline.code_at({0x1040}, {150});
    const auto later = timeline.code_at({0x1040}, {350});
    REQUIRE(then);
    REQUIRE(later);
    CHECK(timeline.code()[then->index].symbol == "bpf_prog_0000000000000101_first");
    CHECK(then->offset == 0x40);
    CHECK(timeline.code()[later->index].symbol == "bpf_prog_0000000000000102_second");
    CHECK(later->offset == 0x10);
}

TEST_CASE("A registration ends what it overlaps when the unregistration was lost", "[timeline][reuse]") {
    const auto first = one_function(1, 0x1000, 0x80, "first");
    const auto second = one_function(2, 0x1030, 0x80, "second");
    Scene scene;
    scene.loaded(live(100), first).loaded(live(300), second);
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 298) == 1);
    CHECK(program_at(timeline, 0x1000, 299) == 0);
    CHECK(program_at(timeline, 0x1030, 299) == 2);
    CHECK(timeline.code()[0].until == Time{299});
}

TEST_CASE("A twin at the same place is another program, even if the first one's end was lost", "[timeline][reuse]") {
    const auto first = one_function(1, 0x1000, 0x80, "same");
    auto second = first;
    second.id = 2;
    const bool with_info = GENERATE(true, false);
    Scene scene;
    scene.loaded(live(100), first).loaded(live(300), second).unloaded(live(400), second);
    if (with_info) scene.info(info_of(first)).info(info_of(second));
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 150) == 1);
    CHECK(program_at(timeline, 0x1000, 300) == 2);
    CHECK(program_at(timeline, 0x1000, 399) == 0);
    CHECK(load_of(timeline, 2).loaded_at == Time{300});
    CHECK(load_of(timeline, 2).unloaded_at == Time{400});
    REQUIRE(load_of(timeline, 1).functions.size() == 1);
    REQUIRE(load_of(timeline, 2).functions.size() == 1);
    CHECK(timeline.code()[load_of(timeline, 1).functions[0]].until == Time{300});
}

TEST_CASE("A twin of several functions takes over all of them", "[timeline][reuse]") {
    const Program first{1, 0xaa, {{0x1000, 0x80, "same", 0xa}, {0x2000, 0x80, "sub", 0xb}}};
    auto second = first;
    second.id = 2;
    const bool with_info = GENERATE(true, false);
    Scene scene;
    scene.loaded(live(100), first).loaded(live(300), second);
    if (with_info) scene.info(info_of(first)).info(info_of(second));
    const auto timeline = scene.timeline();
    for (const std::uint64_t address : {0x1000u, 0x2000u}) {
        CHECK(program_at(timeline, address, 150) == 1);
        CHECK(program_at(timeline, address, 300) == 2);
    }
    REQUIRE(load_of(timeline, 2).functions.size() == 2);
    const auto place = timeline.code_at({0x2000}, {300});
    REQUIRE(place);
    CHECK(timeline.code()[place->index].subprogram == 1);
    CHECK(timeline.code()[place->index].from == Time{300});
}

TEST_CASE("A program loaded again under a new id is a new load", "[timeline][reuse]") {
    Scene scene;
    const auto names = {1u, 2u, 3u};
    std::uint64_t time = 100;
    for (const auto id : names) {
        auto program = one_function(9, 0x1000, 0x80, "again");
        program.id = id;
        scene.loaded(live(time), program).unloaded(live(time + 50), program);
        time += 100;
    }
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 3);
    REQUIRE(timeline.code().size() == 3);
    CHECK(program_at(timeline, 0x1000, 120) == 1);
    CHECK(program_at(timeline, 0x1000, 220) == 2);
    CHECK(program_at(timeline, 0x1000, 320) == 3);
    CHECK(program_at(timeline, 0x1000, 180) == 0);
}

TEST_CASE("An id that is used again after its unload is another load", "[timeline][reuse]") {
    const auto first = one_function(1, 0x1000, 0x80, "first");
    auto second = one_function(2, 0x5000, 0x80, "second");
    second.id = 1;
    Scene scene;
    scene.loaded(live(100), first).unloaded(live(200), first).loaded(live(300), second);
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 2);
    CHECK(timeline.loads()[0].unloaded_at == Time{200});
    CHECK(timeline.loads()[1].loaded_at == Time{300});
    REQUIRE(timeline.loads()[1].functions.size() == 1);
    CHECK(timeline.code()[timeline.loads()[1].functions[0]].range.begin == Address{0x5000});
}

TEST_CASE("Reuse by a neighbour keeps both owners of their own bytes", "[timeline][reuse]") {
    const auto low = one_function(1, 0x1000, 0x80, "low");
    const auto high = one_function(2, 0x1080, 0x80, "high");
    Scene scene;
    scene.loaded(live(100), low).loaded(live(200), high);
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x107f, 300) == 1);
    CHECK(program_at(timeline, 0x1080, 300) == 2);
    CHECK(timeline.code()[0].until == Time::forever());
}
