// SPDX-License-Identifier: MIT
// Program info that the recorder queried: it names addresses even without records.
#include <algorithm>

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& short_pair() {
    static const Program program{62, 0xabc, {{0x1000, 0xa0, "on_enter", 0xf2}, {0x2000, 0x40, "bump", 0xdc}}};
    return program;
}

}  // namespace

TEST_CASE("Info of a program that no record mentions: it was there all the time", "[timeline][info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    scene.info(info_of(short_pair(), order));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 62);
    CHECK(load.tag == tag_of(0xabc));
    CHECK(load.loaded_at == Time{});
    CHECK(load.unloaded_at == Time::forever());
    REQUIRE(load.functions.size() == 2);
    const auto& main = timeline.code()[load.functions[0]];
    CHECK(main.range == AddressRange{{0x1000}, 0xa0});
    CHECK(main.symbol == "bpf_prog_00000000000000f2_on_enter");
    CHECK(main.subprogram == 0);
    const auto& bump = timeline.code()[load.functions[1]];
    CHECK(bump.range == AddressRange{{0x2000}, 0x40});
    CHECK(bump.symbol == "bpf_prog_00000000000000dc");
    CHECK(bump.subprogram == 1);
    CHECK(program_at(timeline, 0x109f, 0) == 62);
    CHECK(program_at(timeline, 0x203f, 123456789) == 62);
}

TEST_CASE("Info whose place something else took is not put there", "[timeline][info]") {
    const Program other{63, 0x77, {{0x1040, 0x30, "other", 0x77}}};
    Scene scene;
    scene.loaded(live(100), other).info(info_of(short_pair())).info(info_of(other));
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1040, 50) == 0);
    CHECK(program_at(timeline, 0x1040, 100) == 63);
    CHECK(program_at(timeline, 0x1000, 50) == 0);
}

TEST_CASE("Info beside what an image claims is there: images claim more than they use", "[timeline][info]") {
    Scene scene;
    scene.symbol({}, 0x0f00, 4096, "bpf_trampoline_5").info(info_of(short_pair()));
    CHECK(program_at(scene.timeline(), 0x1000, 50) == 62);
}

TEST_CASE("A LOAD that was lost is made up for by info that fits the KSYMBOLs", "[timeline][info]") {
    Scene scene;
    scene.symbol(live(90), 0x1000, 0xa0, short_pair().symbol(0, true))
        .symbol(live(91), 0x2000, 0x40, short_pair().symbol(1, true));
    scene.symbol_gone(live(500), 0x1000, 0xa0, short_pair().symbol(0, true));
    scene.info(info_of(short_pair()));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 62);
    REQUIRE(load.info != nullptr);
    REQUIRE(load.functions.size() == 2);
    CHECK(load.loaded_at == Time{91});
    CHECK(timeline.code()[load.functions[1]].subprogram == 1);
    CHECK(program_at(timeline, 0x1000, 90) == 62);
    CHECK(program_at(timeline, 0x1000, 500) == 0);
    CHECK(program_at(timeline, 0x2000, 500) == 62);
}

TEST_CASE("Info claims no code of another size", "[timeline][info]") {
    Scene scene;
    scene.symbol(live(90), 0x1000, 0xa1, short_pair().symbol(0, true))
        .symbol(live(91), 0x2000, 0x40, short_pair().symbol(1, true));
    scene.info(info_of(short_pair()));
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 100) == 0);
    CHECK(program_at(timeline, 0x2000, 100) == 62);
    const auto place = timeline.code_at({0x2000}, {100});
    REQUIRE(place);
    CHECK(timeline.code()[place->index].subprogram == 1);
}

TEST_CASE("Of several codes at one address info claims the one nearest to its load time", "[timeline][info]") {
    Program single{62, 0xabc, {{0x1000, 0xa0, "on_enter", 0xf2}}};
    const auto name = single.symbol(0, true);
    Scene scene;
    for (const std::uint64_t time : {1000u, 2000u, 3000u}) {
        scene.symbol(live(time), 0x1000, 0xa0, name).symbol_gone(live(time + 500), 0x1000, 0xa0, name);
    }
    auto info = info_of(single);
    info.u64(info_field::load_time, 1900);
    scene.info(info);
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1000, 1100) == 0);
    CHECK(program_at(timeline, 0x1000, 2100) == 62);
    CHECK(program_at(timeline, 0x1000, 3100) == 0);
    CHECK(load_of(timeline, 62).loaded_at == Time{2000});
}

TEST_CASE("loads() is in order of loading even if a LOAD was lost", "[timeline][info]") {
    const Program other{63, 0x77, {{0x5000, 0x30, "other", 0x77}}};
    Scene scene;
    scene.symbol(live(90), 0x1000, 0xa0, short_pair().symbol(0, true))
        .symbol(live(91), 0x2000, 0x40, short_pair().symbol(1, true));
    scene.loaded(live(200), other).info(info_of(short_pair())).info(info_of(other));
    const auto timeline = scene.timeline();
    REQUIRE(timeline.loads().size() == 2);
    CHECK(std::ranges::is_sorted(timeline.loads(), {}, &BpfLoad::loaded_at));
}

TEST_CASE("Info joins by address, whatever the order of the KSYMBOLs and whoever wrote them", "[timeline][info]") {
    Scene scene;
    scene.symbol(live(91, 7), 0x2000, 0x40, short_pair().symbol(1, true));
    scene.symbol(live(95, 2), 0x1000, 0xa0, short_pair().symbol(0, true));
    scene.event(live(100, 1), BpfEvent::Kind::load, 62, short_pair().tag).info(info_of(short_pair()));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 62);
    REQUIRE(load.functions.size() == 2);
    CHECK(timeline.code()[load.functions[0]].range.begin == Address{0x1000});
    CHECK(timeline.code()[load.functions[1]].range.begin == Address{0x2000});
}

TEST_CASE("A function whose KSYMBOL was lost leaves the numbers of the others alone", "[timeline][info]") {
    Scene scene;
    scene.symbol(live(91), 0x2000, 0x40, short_pair().symbol(1, true));
    scene.event(live(100), BpfEvent::Kind::load, 62, short_pair().tag).info(info_of(short_pair()));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 62);
    REQUIRE(load.functions.size() == 1);
    CHECK(timeline.code()[load.functions[0]].subprogram == 1);
    CHECK(load.function_count() == 2);
}

TEST_CASE("Info whose arrays contradict each other claims nothing", "[timeline][info]") {
    ProgramInfo info(std::endian::little, 62);
    info.array(BpfArray::jited_ksyms, 2, array_u64(std::endian::little, {0x1000, 0x2000}));
    info.array(BpfArray::jited_func_lens, 1, array_u32(std::endian::little, {0xa0}));
    Scene scene;
    scene.info(info);
    const auto timeline = scene.timeline();
    CHECK(timeline.loads().empty());
    CHECK(timeline.code().empty());
}

TEST_CASE("A damaged info array is among the diagnostics of the timeline", "[timeline][info]") {
    ProgramInfo info(std::endian::little, 62);
    info.place(BpfArray::jited_ksyms, 8, 3);
    Scene scene;
    scene.info(info);
    const auto timeline = scene.timeline();
    REQUIRE(timeline.completeness().diagnostics.count() == 1);
    CHECK(timeline.completeness().diagnostics.kept()[0].where == "feature BPF_PROG_INFO");
    CHECK_FALSE(timeline.completeness().lossless());
}
