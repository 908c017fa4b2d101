// SPDX-License-Identifier: MIT
// Names of code.
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "catch.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// The kernel truncates the program's name to 15 bytes. Symbols and BTF have different names, to tell them apart.
Program named_program() {
    return {62, 0xaa, {{0x1000, 0x40, "kernel_name_of_it", 0xf2}, {0x2000, 0x20, "kernel_sub", 0xdc}}};
}

}  // namespace

TEST_CASE("BTF gives names and prototypes of all functions", "[symbols][names]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CraftedProgram crafted(named_program(), order);
    crafted.names({"a_main_function_with_a_long_name", "helper"});
    Scene scene(order);
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(0).name == "a_main_function_with_a_long_name");
    CHECK(symbols.name(0).program == "a_main_function_with_a_long_name");
    CHECK(symbols.name(0).prototype == "int a_main_function_with_a_long_name(void)");
    CHECK(symbols.name(1).name == "helper");
    CHECK(symbols.name(1).program == "a_main_function_with_a_long_name");
    CHECK(symbols.name(1).prototype == "static int helper(void)");
    CHECK(symbols.program_name(timeline.loads()[0]) == "a_main_function_with_a_long_name");
    REQUIRE(symbols.btf(timeline.loads()[0]) != nullptr);
    CHECK(symbols.btf(timeline.loads()[0])->text(1) == "int");
    CHECK_FALSE(symbols.problem(timeline.loads()[0]));
}

TEST_CASE("Without BTF names come from the symbols and the program's from its info", "[symbols][names]") {
    Scene scene;
    scene.known(named_program()).info(info_of(named_program()));
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(0).name == "kernel_name_of_it");
    CHECK(symbols.name(0).program == "kernel_name_of_");
    CHECK(symbols.name(0).prototype.empty());
    CHECK(symbols.name(1).name == "kernel_sub");
    CHECK(symbols.name(1).program == "kernel_name_of_");
    CHECK(symbols.btf(timeline.loads()[0]) == nullptr);
    CHECK_FALSE(symbols.problem(timeline.loads()[0]));
}

TEST_CASE("Without info the program is called by the symbol of its main function", "[symbols][names]") {
    Scene scene;
    scene.loaded(live(100), named_program());
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(1).name == "kernel_sub");
    CHECK(symbols.name(1).program == "kernel_name_of_it");
}

TEST_CASE("A symbol without a name behind its tag is the name", "[symbols][names]") {
    auto nameless = named_program();
    nameless.functions = {{0x1000, 0x40, "", 0xf2}};
    Scene scene;
    scene.known(nameless).symbol(live(5), 0x5000, 16, "ftrace_trampoline", 0, 2);
    scene.symbol(live(6), 0x6000, 4096, "bpf_trampoline_12");
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(0).name == "bpf_prog_00000000000000f2");
    CHECK(symbols.name(0).program.empty());
    CHECK(symbols.name(1).name == "ftrace_trampoline");
    CHECK(symbols.name(1).program.empty());
    CHECK(symbols.name(2).name == "bpf_trampoline_12");
}

TEST_CASE("A function that no func_info tells of keeps its symbol's name", "[symbols][names]") {
    CraftedProgram crafted(named_program());
    crafted.names({"only_main"});
    Scene scene;
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(0).name == "only_main");
    CHECK(symbols.name(1).name == "kernel_sub");
    CHECK(symbols.name(1).program == "only_main");
    CHECK(symbols.name(1).prototype.empty());
}

TEST_CASE("A type id that is no function falls back to the symbol", "[symbols][names]") {
    CraftedProgram crafted(named_program());
    crafted.btf().integer("int");
    Writer functions(std::endian::little);
    functions.u32(0).u32(1).u32(1).u32(999);
    crafted.info().array(BpfArray::func_info, 2, functions.blob());
    crafted.with_btf();
    Scene scene;
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(0).name == "kernel_name_of_it");
    CHECK(symbols.name(0).program == "kernel_name_of_");
    CHECK(symbols.name(1).name == "kernel_sub");
}

TEST_CASE("BTF that cannot be used is a problem of the load, and names come from elsewhere", "[symbols][names]") {
    CraftedProgram crafted(named_program());
    crafted.names({"unseen", "unseen_too"});
    Scene scene;
    scene.known(named_program()).info(crafted.info());
    SECTION("not even a header") {
        scene.btf(crafted.btf_id(), blob_of("short"));
        const auto timeline = scene.timeline();
        const BpfPrograms symbols(timeline);
        REQUIRE(symbols.problem(timeline.loads()[0]));
        CHECK(symbols.problem(timeline.loads()[0])->code == ErrorCode::truncated);
        CHECK(symbols.btf(timeline.loads()[0]) == nullptr);
        CHECK(symbols.name(1).name == "kernel_sub");
    }
    SECTION("types that libbpf refuses") {
        crafted.btf().type(31, "future", 0);
        scene.btf(crafted.btf_id(), crafted.btf().blob());
        const auto timeline = scene.timeline();
        const BpfPrograms symbols(timeline);
        REQUIRE(symbols.problem(timeline.loads()[0]));
        CHECK(symbols.problem(timeline.loads()[0])->code == ErrorCode::malformed);
        CHECK(symbols.btf(timeline.loads()[0]) != nullptr);
        CHECK(symbols.name(0).name == "kernel_name_of_it");
        CHECK(symbols.name(0).prototype.empty());
    }
    SECTION("no blob of that id") {
        scene.btf(7, crafted.btf().blob());
        const auto timeline = scene.timeline();
        const BpfPrograms symbols(timeline);
        CHECK(symbols.btf(timeline.loads()[0]) == nullptr);
        CHECK(symbols.name(0).name == "kernel_name_of_it");
    }
}

TEST_CASE("Programs may share one blob, and equal names stay with their own programs", "[symbols][names]") {
    CraftedProgram one({1, 1, {{0x1000, 16, "a", 1}, {0x2000, 16, "s", 2}}});
    CraftedProgram two({2, 1, {{0x3000, 16, "a", 1}, {0x4000, 16, "s", 2}}});
    one.names({"first", "shared"});
    two.names({"second", "shared"});
    Scene scene;
    one.known_in(scene);
    two.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(symbols.name(1).name == "shared");
    CHECK(symbols.name(1).program == "first");
    CHECK(symbols.name(3).name == "shared");
    CHECK(symbols.name(3).program == "second");
    CHECK(&symbols.timeline() == &timeline);
}
