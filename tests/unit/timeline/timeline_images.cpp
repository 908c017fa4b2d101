// SPDX-License-Identifier: MIT
// Trampolines, dispatchers and out-of-line code: they claim pages but use only a small part.
#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& program() {
    static const Program one{5, 0x55, {{0x1400, 0x80, "main", 0x55}}};
    return one;
}

}  // namespace

TEST_CASE("An image never hides a program, whichever came first", "[timeline][images]") {
    const bool image_first = GENERATE(true, false);
    Scene scene;
    if (image_first) scene.symbol(live(10), 0x1000, 4096, "bpf_dispatcher_xdp");
    scene.loaded(live(20), program());
    if (!image_first) scene.symbol(live(30), 0x1000, 4096, "bpf_dispatcher_xdp");
    const auto timeline = scene.timeline();
    CHECK(owner_of(timeline, 0x13ff, 40) == "bpf_dispatcher_xdp");
    CHECK(owner_of(timeline, 0x1400, 40) == "bpf_prog_0000000000000055_main");
    CHECK(owner_of(timeline, 0x147f, 40) == "bpf_prog_0000000000000055_main");
    CHECK(owner_of(timeline, 0x1480, 40) == "bpf_dispatcher_xdp");
    CHECK(timeline.code()[0].until == Time::forever());
    CHECK(timeline.code()[1].until == Time::forever());
}

TEST_CASE("An image at the very start of a program does not end it", "[timeline][images]") {
    Scene scene;
    scene.loaded(live(20), program()).symbol(live(30), 0x1400, 4096, "bpf_trampoline_7");
    scene.symbol_gone(live(40), 0x1400, 4096, "bpf_trampoline_7");
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x1410, 35) == 5);
    CHECK(program_at(timeline, 0x1410, 45) == 5);
    CHECK(owner_of(timeline, 0x1500, 35) == "bpf_trampoline_7");
    CHECK(owner_of(timeline, 0x1500, 45) == "-");
}

TEST_CASE("Among images the nearest begin at or below the address wins", "[timeline][images]") {
    Scene scene;
    scene.symbol({}, 0x1000, 4096, "bpf_trampoline_1").symbol({}, 0x1200, 4096, "bpf_trampoline_2");
    scene.symbol(live(10), 0x1100, 4096, "bpf__tcp_congestion_ops_init");
    const auto timeline = scene.timeline();
    CHECK(owner_of(timeline, 0x1000, 5) == "bpf_trampoline_1");
    CHECK(owner_of(timeline, 0x11ff, 5) == "bpf_trampoline_1");
    CHECK(owner_of(timeline, 0x1200, 5) == "bpf_trampoline_2");
    CHECK(owner_of(timeline, 0x21ff, 5) == "bpf_trampoline_2");
    CHECK(owner_of(timeline, 0x1100, 15) == "bpf__tcp_congestion_ops_init");
    CHECK(owner_of(timeline, 0x10ff, 15) == "bpf_trampoline_1");
    CHECK(owner_of(timeline, 0x1200, 15) == "bpf_trampoline_2");
}

TEST_CASE("An image is of kind bpf_image and belongs to no load", "[timeline][images]") {
    Scene scene;
    scene.symbol(live(10), 0x1000, 4096, "bpf_trampoline_1").loaded(live(20), program());
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 2);
    CHECK(timeline.code()[0].kind == CodeKind::bpf_image);
    CHECK(timeline.code()[0].range == AddressRange{{0x1000}, 4096});
    CHECK_FALSE(timeline.code()[0].load);
    CHECK(timeline.code()[1].kind == CodeKind::bpf_program);
}

TEST_CASE("Out-of-line code has its own kind, comes and goes, and hides no program", "[timeline][images]") {
    Scene scene;
    scene.symbol(live(10), 0x1000, 4096, "kprobe_insn_page", 0, 2).loaded(live(20), program());
    scene.symbol_gone(live(30), 0x1000, 4096, "kprobe_insn_page", 0, 2);
    const auto timeline = scene.timeline();
    CHECK(timeline.code()[0].kind == CodeKind::out_of_line);
    CHECK(timeline.code()[0].from == Time{10});
    CHECK(timeline.code()[0].until == Time{30});
    CHECK(owner_of(timeline, 0x1000, 25) == "kprobe_insn_page");
    CHECK(program_at(timeline, 0x1400, 25) == 5);
    CHECK(program_at(timeline, 0x1400, 35) == 5);
    CHECK(owner_of(timeline, 0x1000, 35) == "-");
}

TEST_CASE("Out-of-line code named like a program is still out-of-line code", "[timeline][images]") {
    Scene scene;
    scene.symbol(live(10), 0x1000, 64, "bpf_prog_0123456789abcdef_x", 0, 2);
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 1);
    CHECK(timeline.code()[0].kind == CodeKind::out_of_line);
}

TEST_CASE("A KSYMBOL of size 0 is an interpreted program: no code of its own", "[timeline][images]") {
    Scene scene;
    scene.loaded(live(20), program()).symbol(live(30), 0x1400, 0, "bpf_prog_00000000000000aa_interpreted");
    scene.symbol(live(31), 0, 0, "bpf_prog_00000000000000bb_interpreted");
    scene.event(live(32), BpfEvent::Kind::load, 9, 0xaa);
    const auto timeline = scene.timeline();
    CHECK(timeline.code().size() == 1);
    CHECK(program_at(timeline, 0x1400, 40) == 5);
    CHECK(owner_of(timeline, 0, 40) == "-");
    CHECK(load_of(timeline, 9).functions.empty());
}

TEST_CASE("A KSYMBOL without a BPF name is a program as long as nothing says otherwise", "[timeline][images]") {
    Scene scene;
    scene.symbol(live(10), 0x1000, 64, "something_else", 0, 1).symbol(live(11), 0x2000, 64, "newer_kind", 0, 9);
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 2);
    CHECK(owner_of(timeline, 0x1000, 20) == "something_else");
    CHECK(owner_of(timeline, 0x2000, 20) == "newer_kind");
    CHECK_FALSE(timeline.code()[0].load);
}

TEST_CASE("Code at the end of the address space is found up to the last byte", "[timeline][images]") {
    constexpr std::uint64_t page = ~std::uint64_t{0} - 0xfff;
    Scene scene;
    scene.symbol({}, page, 4096, "bpf_trampoline_1").symbol({}, page + 0x800, 4096, "bpf_trampoline_2");
    const auto timeline = scene.timeline();
    CHECK(owner_of(timeline, page + 0x7ff, 1) == "bpf_trampoline_1");
    CHECK(owner_of(timeline, ~std::uint64_t{0}, 1) == "bpf_trampoline_2");
    CHECK(owner_of(timeline, 0, 1) == "-");
    CHECK(timeline.frame_at({{1}, {}}, {page - 1}, CpuMode::kernel).misses(Miss::kernel));
}
