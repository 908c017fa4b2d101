// SPDX-License-Identifier: MIT
// Programs that the recorder could not query: the writers of the records show which functions belong to a load.
#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Program pair_of(std::uint32_t id, std::uint64_t address) {
    return {id, 0x1000 + id, {{address, 0x40, "main", 0xa}, {address + 0x100, 0x40, "helper", 0xb}}};
}

std::vector<std::uint64_t> starts(const Timeline& timeline, const BpfLoad& load) {
    std::vector<std::uint64_t> addresses;
    for (const auto index : load.functions) addresses.push_back(timeline.code()[index].range.begin.value);
    return addresses;
}

}  // namespace

TEST_CASE("A live program without info owns what its writer registered before the LOAD", "[timeline][writers]") {
    Scene scene;
    scene.loaded(live(100), pair_of(1, 0x1000));
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 1);
    CHECK(load.info == nullptr);
    CHECK(load.function_count() == 2);
    CHECK(starts(timeline, load) == std::vector<std::uint64_t>{0x1000, 0x1100});
    CHECK(timeline.code()[load.functions[0]].subprogram == 0);
    CHECK(timeline.code()[load.functions[1]].subprogram == 1);
}

TEST_CASE("Two loads interleaved on two CPUs keep their functions apart", "[timeline][writers]") {
    const auto one = pair_of(1, 0x1000);
    const auto two = pair_of(2, 0x8000);
    const auto put = [](Scene& scene, Stamp at, const Program& program, std::size_t index) {
        const auto& function = program.functions[index];
        scene.symbol(at, function.address, function.size, program.symbol(index, true));
    };
    Scene scene;
    put(scene, live(10, 1), one, 0);
    put(scene, live(11, 2), two, 0);
    put(scene, live(12, 1), one, 1);
    put(scene, live(13, 2), two, 1);
    scene.event(live(14, 2), BpfEvent::Kind::load, 2, two.tag).event(live(15, 1), BpfEvent::Kind::load, 1, one.tag);
    const auto timeline = scene.timeline();
    CHECK(starts(timeline, load_of(timeline, 1)) == std::vector<std::uint64_t>{0x1000, 0x1100});
    CHECK(starts(timeline, load_of(timeline, 2)) == std::vector<std::uint64_t>{0x8000, 0x8100});
}

TEST_CASE("Threads of one CPU are different writers", "[timeline][writers]") {
    const auto one = pair_of(1, 0x1000);
    const auto two = pair_of(2, 0x8000);
    const Stamp thread{10, 50, 51, 3};
    const Stamp other_thread{10, 50, 52, 3};
    Scene scene;
    for (const std::size_t index : {0u, 1u}) {
        scene.symbol(thread, one.functions[index].address, 0x40, one.symbol(index, true));
        scene.symbol(other_thread, two.functions[index].address, 0x40, two.symbol(index, true));
    }
    scene.event(thread, BpfEvent::Kind::load, 1, one.tag).event(other_thread, BpfEvent::Kind::load, 2, two.tag);
    const auto timeline = scene.timeline();
    CHECK(starts(timeline, load_of(timeline, 1)) == std::vector<std::uint64_t>{0x1000, 0x1100});
    CHECK(starts(timeline, load_of(timeline, 2)) == std::vector<std::uint64_t>{0x8000, 0x8100});
}

TEST_CASE("One writer's loads one after the other take each only their own functions", "[timeline][writers]") {
    Scene scene;
    scene.loaded(live(100), pair_of(1, 0x1000)).loaded(live(200), pair_of(2, 0x8000));
    const auto timeline = scene.timeline();
    CHECK(starts(timeline, load_of(timeline, 1)) == std::vector<std::uint64_t>{0x1000, 0x1100});
    CHECK(starts(timeline, load_of(timeline, 2)) == std::vector<std::uint64_t>{0x8000, 0x8100});
}

TEST_CASE("Synthesized programs without info own what was told since the program before", "[timeline][writers]") {
    Scene scene;
    scene.known(pair_of(1, 0x1000)).known(pair_of(2, 0x8000));  // the tag in the name of main is not the program's
    const auto timeline = scene.timeline();
    CHECK(starts(timeline, load_of(timeline, 1)) == std::vector<std::uint64_t>{0x1000, 0x1100});
    CHECK(starts(timeline, load_of(timeline, 2)) == std::vector<std::uint64_t>{0x8000, 0x8100});
}

TEST_CASE("A live LOAD without a main of its tag claims nothing", "[timeline][writers]") {
    Scene scene;
    scene.symbol(live(90), 0x1000, 0x40, symbol_of(tag_of(0xdead), "stranger"));
    scene.event(live(100), BpfEvent::Kind::load, 1, 0xbeef);
    const auto timeline = scene.timeline();
    CHECK(load_of(timeline, 1).functions.empty());
    REQUIRE(timeline.code().size() == 1);
    CHECK_FALSE(timeline.code()[0].load);
    CHECK(owner_of(timeline, 0x1000, 95) == symbol_of(tag_of(0xdead), "stranger"));
}

TEST_CASE("A function told before main of the tag belongs to another program", "[timeline][writers]") {
    Scene scene;
    scene.symbol(live(80), 0x5000, 0x40, symbol_of(tag_of(0xdead), "stranger")).loaded(live(100), pair_of(1, 0x1000));
    const auto timeline = scene.timeline();
    CHECK(starts(timeline, load_of(timeline, 1)) == std::vector<std::uint64_t>{0x1000, 0x1100});
    CHECK_FALSE(timeline.code()[0].load);
}

TEST_CASE("A load does not claim code that had gone when it was loaded", "[timeline][writers]") {
    // The first LOAD was lost; the same writer then loads the same program elsewhere.
    const auto lost = pair_of(1, 0x1000);
    auto again = pair_of(1, 0x8000);
    Scene scene;
    for (const std::size_t index : {0u, 1u}) {
        const auto& function = lost.functions[index];
        scene.symbol(live(10 + index), function.address, function.size, lost.symbol(index, true));
        scene.symbol_gone(live(20 + index, 4), function.address, function.size, lost.symbol(index, true));
    }
    scene.loaded(live(100), again);
    const auto timeline = scene.timeline();
    CHECK(starts(timeline, load_of(timeline, 1)) == std::vector<std::uint64_t>{0x8000, 0x8100});
    CHECK(timeline.code()[2].subprogram == 0);
}

TEST_CASE("Info without addresses leaves the joining to the writer", "[timeline][writers]") {
    const auto program = pair_of(1, 0x1000);
    ProgramInfo withheld(std::endian::little, 1);
    for (const auto which :
         {BpfArray::jited_insns, BpfArray::jited_ksyms, BpfArray::jited_func_lens, BpfArray::jited_line_info}) {
        withheld.place(which, 0 - std::uint64_t{0x55d012345678}, 2);
    }
    Scene scene;
    scene.loaded(live(100), program).info(withheld);
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 1);
    REQUIRE(load.info != nullptr);
    CHECK(starts(timeline, load) == std::vector<std::uint64_t>{0x1000, 0x1100});
}
