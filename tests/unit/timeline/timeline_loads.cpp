// SPDX-License-Identifier: MIT
// Ordinary loads and unloads: complete records, no overlaps.
#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& pair() {
    static const Program program{
        62, 0x01b9e279a85dd063, {{0x1000, 0xa0, "on_enter", 0xf2f4d78542ca6f15}, {0x2000, 0x40, "bump", 0xdc}}};
    return program;
}

}  // namespace

TEST_CASE("A program that perf knew before the recording was there since before and stays", "[timeline]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    scene.known(pair()).info(info_of(pair(), order));
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 1);
    const auto& load = timeline.loads()[0];
    CHECK(load.id == ProgramId{62});
    CHECK(load.tag == tag_of(0x01b9e279a85dd063));
    CHECK(load.loaded_at == Time{});
    CHECK(load.unloaded_at == Time::forever());
    REQUIRE(load.info != nullptr);
    CHECK(load.info->id == ProgramId{62});
    CHECK(load.function_count() == 2);
    REQUIRE(load.functions.size() == 2);
    REQUIRE(timeline.code().size() == 2);
    const auto& main = timeline.code()[load.functions[0]];
    CHECK(main.kind == CodeKind::bpf_program);
    CHECK(main.range == AddressRange{{0x1000}, 0xa0});
    CHECK(main.symbol == "bpf_prog_f2f4d78542ca6f15_on_enter");
    CHECK(main.from == Time{});
    CHECK(main.until == Time::forever());
    CHECK(main.load == 0u);
    CHECK(main.subprogram == 0);
    const auto& bump = timeline.code()[load.functions[1]];
    CHECK(bump.symbol == "bpf_prog_00000000000000dc_bump");
    CHECK(bump.load == 0u);
    CHECK(bump.subprogram == 1);
    const auto place = timeline.code_at({0x2013}, {0});
    REQUIRE(place);
    CHECK(place->index == load.functions[1]);
    CHECK(place->offset == 0x13);
    CHECK(timeline.completeness().lossless());
}

TEST_CASE("A program is there from its KSYMBOL to its unregistration", "[timeline]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    scene.loaded(live(1000), pair()).unloaded(live(2000, 3), pair()).info(info_of(pair(), order));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 62);
    CHECK(load.loaded_at == Time{1000});
    CHECK(load.unloaded_at == Time{2000});
    REQUIRE(load.functions.size() == 2);
    const auto& main = timeline.code()[load.functions[0]];
    const auto& bump = timeline.code()[load.functions[1]];
    CHECK(main.symbol == "bpf_prog_01b9e279a85dd063_on_enter");
    CHECK(main.from == Time{998});
    CHECK(main.until == Time{1998});
    CHECK(bump.from == Time{999});
    CHECK(bump.until == Time{1999});
    CHECK(program_at(timeline, 0x1000, 997) == 0);
    CHECK(program_at(timeline, 0x1000, 998) == 62);
    CHECK(program_at(timeline, 0x109f, 1997) == 62);
    CHECK(program_at(timeline, 0x10a0, 1500) == 0);
    CHECK(program_at(timeline, 0x109f, 1998) == 0);
    CHECK(program_at(timeline, 0x2000, 1998) == 62);
}

TEST_CASE("An unload ends code whose own unregistration is missing", "[timeline]") {
    Scene scene;
    scene.loaded(live(1000), pair()).symbol_gone(live(1990), 0x1000, 0xa0, pair().symbol(0, true));
    scene.event(live(2000), BpfEvent::Kind::unload, 62, pair().tag).info(info_of(pair()));
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 1989) == 62);
    CHECK(program_at(timeline, 0x1000, 1990) == 0);
    CHECK(program_at(timeline, 0x2000, 1999) == 62);
    CHECK(program_at(timeline, 0x2000, 2000) == 0);
    CHECK(load_of(timeline, 62).unloaded_at == Time{2000});
}

TEST_CASE("An unload without an id leaves the ending to the KSYMBOL records", "[timeline]") {
    auto forgetful = pair();
    forgetful.id = 0;
    Scene scene;
    scene.loaded(live(1000), pair()).unloaded(live(2000), forgetful).info(info_of(pair()));
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 1);
    CHECK(program_at(timeline, 0x1000, 1997) == 62);
    CHECK(program_at(timeline, 0x1000, 1998) == 0);
    CHECK(program_at(timeline, 0x2000, 1999) == 0);
    CHECK(timeline.code()[0].until == Time{1998});
}

TEST_CASE("A load whose code has all gone is not called still there when its unload names no id", "[timeline]") {
    auto forgetful = pair();
    forgetful.id = 0;
    Scene scene;
    scene.loaded(live(1000), pair()).unloaded(live(2000), forgetful);
    CHECK(load_of(scene.timeline(), 62).unloaded_at < Time::forever());
}

TEST_CASE("An unload with id 0 ends nothing of a program that really has no id", "[timeline]") {
    auto nobody = pair();
    nobody.id = 0;
    Scene scene;
    scene.known(nobody).event(live(2000), BpfEvent::Kind::unload, 0, 0);
    const auto timeline = scene.timeline();
    CHECK(owner_of(timeline, 0x1000, 3000) == "bpf_prog_f2f4d78542ca6f15_on_enter");
}

TEST_CASE("Records count by their time, whatever their place in the file", "[timeline]") {
    const Program other{63, 0x77, {{0x1020, 0x30, "other", 0x77}}};
    Scene scene;
    // Each CPU has its own buffer: here the later records come first.
    scene.unloaded(live(4000, 2), other).loaded(live(3000, 2), other);
    scene.unloaded(live(2000, 1), pair()).loaded(live(1000, 1), pair());
    scene.info(info_of(other)).info(info_of(pair()));
    const auto timeline = scene.timeline();
    CHECK(load_of(timeline, 62).loaded_at == Time{1000});
    CHECK(load_of(timeline, 62).unloaded_at == Time{2000});
    CHECK(load_of(timeline, 63).loaded_at == Time{3000});
    CHECK(load_of(timeline, 63).unloaded_at == Time{4000});
    CHECK(timeline.loads()[0].id == ProgramId{62});
    CHECK(program_at(timeline, 0x1020, 1500) == 62);
    CHECK(program_at(timeline, 0x1020, 2500) == 0);
    CHECK(program_at(timeline, 0x1020, 3500) == 63);
    CHECK(program_at(timeline, 0x1020, 4500) == 0);
    REQUIRE(load_of(timeline, 62).functions.size() == 2);
    CHECK(timeline.code()[load_of(timeline, 62).functions[1]].subprogram == 1);
}

TEST_CASE("A BPF_EVENT of a kind that is not known changes nothing", "[timeline]") {
    Scene scene;
    scene.known(pair()).event(live(10), BpfEvent::Kind::unknown, 62, 0).event(live(20), BpfEvent::Kind{3}, 99, 0);
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 1);
    CHECK(timeline.loads()[0].unloaded_at == Time::forever());
    CHECK(program_at(timeline, 0x1000, 30) == 62);
}

TEST_CASE("Records of an event that keeps no time count from the place where they stand", "[timeline]") {
    const Program other{63, 0x77, {{0x1000, 0xa0, "other", 0x77}}};
    constexpr auto timeless = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::cpu;
    Scene scene(std::endian::little, 1, timeless);
    scene.loaded(live(1000), pair()).unloaded(live(2000), pair()).loaded(live(3000), other);
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 0) == 63);
    CHECK(program_at(timeline, 0x2000, 0) == 0);
    CHECK(timeline.loads().size() == 2);
}

TEST_CASE("Programs that share one nanosecond stay apart", "[timeline]") {
    const Program other{63, 0x77, {{0x1000, 0xa0, "other", 0x77}}};
    const auto one = live(1000);
    Scene scene;
    scene.symbol(one, 0x1000, 0xa0, pair().symbol(0, true)).event(one, BpfEvent::Kind::load, 62, pair().tag);
    scene.symbol_gone(one, 0x1000, 0xa0, pair().symbol(0, true)).event(one, BpfEvent::Kind::unload, 62, pair().tag);
    scene.symbol(one, 0x1000, 0xa0, other.symbol(0, true)).event(one, BpfEvent::Kind::load, 63, other.tag);
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 999) == 0);
    CHECK(program_at(timeline, 0x1000, 1000) == 63);
    CHECK(load_of(timeline, 62).unloaded_at == Time{1000});
    CHECK(load_of(timeline, 63).unloaded_at == Time::forever());
}
