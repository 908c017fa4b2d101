// SPDX-License-Identifier: MIT
// The code at an address that an instruction jumps to or calls.
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "catch.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct BuiltTarget {
    BuiltTarget() {
        CraftedProgram one({1, 1, {{0x1000, 0x40, "kernel_name", 1}, {0x2000, 0x40, "sub", 2}}});
        one.names({"first_main", "first_sub"});
        one.known_in(scene);
        scene.loaded(live(100), {2, 2, {{0x5000, 0x40, "second", 3}}});
        scene.unloaded(live(200), {2, 2, {{0x5000, 0x40, "second", 3}}});
        scene.symbol({}, 0x7000, 4096, "bpf_trampoline_8");
        timeline.emplace(scene.timeline());
        symbols.emplace(*timeline);
    }
    std::optional<Target> at(std::uint64_t address, std::uint64_t time = 150) const {
        return symbols->target({address}, {time});
    }

    Scene scene;
    std::optional<Timeline> timeline;
    std::optional<BpfPrograms> symbols;
};

}  // namespace

TEST_CASE("A main function is named by itself, a subprogram with its program", "[symbols][target]") {
    const BuiltTarget built;
    REQUIRE(built.at(0x1000));
    CHECK(built.at(0x1000)->name == "first_main");
    CHECK(built.at(0x1000)->offset == 0);
    CHECK(built.at(0x1000)->code == load_of(*built.timeline, 1).functions[0]);
    REQUIRE(built.at(0x2013));
    CHECK(built.at(0x2013)->name == "first_main/first_sub");
    CHECK(built.at(0x2013)->offset == 0x13);
    CHECK(built.at(0x2013)->code == load_of(*built.timeline, 1).functions[1]);
}

TEST_CASE("An image is named by its symbol", "[symbols][target]") {
    const BuiltTarget built;
    REQUIRE(built.at(0x7010));
    CHECK(built.at(0x7010)->name == "bpf_trampoline_8");
    CHECK(built.at(0x7010)->offset == 0x10);
}

TEST_CASE("The time decides whether a program lies at an address", "[symbols][target]") {
    const BuiltTarget built;
    CHECK(built.at(0x5004, 150)->name == "second");
    CHECK_FALSE(built.at(0x5004, 250));
}

TEST_CASE("Where nothing known lies there is no target", "[symbols][target]") {
    const BuiltTarget built;
    CHECK_FALSE(built.at(0x7ff));
    CHECK_FALSE(built.at(0x9000 + 0x10000));
    CHECK_FALSE(BuiltTarget().at(0x1040));
}
