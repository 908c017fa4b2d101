// SPDX-License-Identifier: MIT
// A function's native code: its place in the program's code, and reasons for its absence.
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "catch.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// In memory the second function is below the first; in the code functions are in order of number.
Program image_program() {
    return {62, 0xaa, {{0x5000, 5, "main", 1}, {0x1000, 3, "low", 2}, {0x9000, 4, "high", 3}}};
}

Error image_error(Scene& scene, CodeIndex code = 0) {
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    const auto image = symbols.image(code);
    REQUIRE_FALSE(image);
    return image.error();
}

}  // namespace

TEST_CASE("A function's code begins where those of lower numbers end", "[symbols][image]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CraftedProgram crafted(image_program(), order);
    crafted.code(blob_of("MAIN.lowHIGH"));
    Scene scene(order);
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    for (CodeIndex index = 0; index < 3; ++index) REQUIRE(symbols.image(index));
    CHECK(as_text(*symbols.image(0)) == "MAIN.");
    CHECK(as_text(*symbols.image(1)) == "low");
    CHECK(as_text(*symbols.image(2)) == "HIGH");
}

TEST_CASE("The code of a function found without its neighbours is still its own", "[symbols][image]") {
    CraftedProgram crafted(image_program());
    crafted.code(blob_of("MAIN.lowHIGH"));
    Scene scene;
    scene.symbol(live(90), 0x9000, 4, crafted.program().symbol(2, true));
    scene.event(live(100), BpfEvent::Kind::load, 62, 0xaa).info(crafted.info());
    const auto timeline = scene.timeline();
    const auto image = BpfPrograms(timeline).image(0);
    REQUIRE(image);
    CHECK(as_text(*image) == "HIGH");
}

TEST_CASE("The code is no longer than the range that KSYMBOL gave", "[symbols][image]") {
    CraftedProgram crafted(image_program());
    crafted.code(blob_of("MAIN.lowHIGH"));
    auto shorter = image_program();
    shorter.functions[0].size = 2;
    Scene scene;
    scene.known(shorter).info(crafted.info());
    const auto timeline = scene.timeline();
    CHECK(as_text(BpfPrograms(timeline).image(0).value()) == "MA");
}

TEST_CASE("Lengths that sum up beyond the code are malformed, from the function on where they do", "[symbols][image]") {
    auto longer = image_program();
    longer.functions[1].size = 4;
    CraftedProgram crafted(longer);
    crafted.code(blob_of("MAIN.lowHIGH"));
    Scene scene;
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(as_text(symbols.image(0).value()) == "MAIN.");
    CHECK(as_text(symbols.image(1).value()) == "lowH");
    const auto image = symbols.image(2);
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::malformed);
    CHECK(image.error().where == "feature BPF_PROG_INFO");
    CHECK(image.error().offset == timeline.loads()[0].info->offset);
    CHECK(image.error().detail.find("BPF program 62: function 2 of 3") == 0);
}

TEST_CASE("Huge lengths do not overflow their sum", "[symbols][image]") {
    auto huge = image_program();
    for (auto& function : huge.functions) function.size = 0xffffffff;
    CraftedProgram crafted(huge);
    crafted.code(blob_of("MAIN.lowHIGH"));
    Scene scene;
    scene.known(image_program()).info(crafted.info());
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    for (CodeIndex index = 0; index < 3; ++index) CHECK(symbols.image(index).error().code == ErrorCode::malformed);
}

TEST_CASE("Fewer lengths than functions are malformed for those without", "[symbols][image]") {
    ProgramInfo info(std::endian::little, 62);
    info.array(BpfArray::jited_ksyms, 3, array_u64(std::endian::little, {0x5000, 0x1000, 0x9000}));
    info.array(BpfArray::jited_func_lens, 2, array_u32(std::endian::little, {5, 3}));
    info.array(BpfArray::jited_insns, 12, blob_of("MAIN.lowHIGH"));
    Scene scene;
    scene.known(image_program()).info(info);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    CHECK(as_text(symbols.image(1).value()) == "low");
    CHECK(symbols.image(2).error().code == ErrorCode::malformed);
}

TEST_CASE("Code that was not asked for is missing", "[symbols][image]") {
    Scene scene;
    scene.known(image_program()).info(info_of(image_program()));
    const auto error = image_error(scene);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.where == "BPF program 62");
    CHECK(error.detail.find("jited_prog_insns") != std::string::npos);
}

TEST_CASE("Lengths that were not asked for are missing", "[symbols][image]") {
    ProgramInfo info(std::endian::little, 62);
    info.array(BpfArray::jited_ksyms, 1, array_u64(std::endian::little, {0x5000}));
    info.array(BpfArray::jited_insns, 5, blob_of("MAIN."));
    Scene scene;
    scene.known(image_program()).info(info);
    const auto error = image_error(scene);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.detail.find("jited_func_lens") != std::string::npos);
}

TEST_CASE("Code that the kernel withheld is missing, with advice", "[symbols][image]") {
    ProgramInfo info(std::endian::little, 62);
    for (const auto which :
         {BpfArray::jited_insns, BpfArray::jited_ksyms, BpfArray::jited_func_lens, BpfArray::jited_line_info}) {
        info.place(which, 0 - std::uint64_t{0x55d012345678}, 3);
    }
    Scene scene;
    scene.known(image_program()).info(info);
    const auto error = image_error(scene);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.detail.find("withheld") != std::string::npos);
    CHECK(error.detail.find("root") != std::string::npos);
}

TEST_CASE("Code that lies outside the program's data is malformed", "[symbols][image]") {
    auto info = info_of(image_program());
    info.place(BpfArray::jited_insns, 1 << 20, 12);
    Scene scene;
    scene.known(image_program()).info(info);
    const auto error = image_error(scene);
    CHECK(error.code == ErrorCode::malformed);
    CHECK(error.detail.find("jited_prog_insns") != std::string::npos);
}

TEST_CASE("A program without info has no code", "[symbols][image]") {
    Scene scene;
    scene.loaded(live(100), image_program());
    const auto error = image_error(scene);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.where == "BPF program 62");
}

TEST_CASE("Code of nobody, images and out-of-line code have no bytes", "[symbols][image]") {
    Scene scene;
    scene.symbol({}, 0x1000, 16, symbol_of(tag_of(1), "orphan"));
    scene.symbol({}, 0x2000, 4096, "bpf_trampoline_1").symbol({}, 0x4000, 16, "kprobe_insn_page", 0, 2);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    for (CodeIndex index = 0; index < 3; ++index) {
        REQUIRE_FALSE(symbols.image(index));
        CHECK(symbols.image(index).error().code == ErrorCode::missing);
        CHECK(symbols.image(index).error().where == timeline.code()[index].symbol);
    }
}
