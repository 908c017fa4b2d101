// SPDX-License-Identifier: MIT
// Source lines of native code.
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "catch.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// In memory the second function is below the first.
Program lined_program() {
    return {62, 0xaa, {{0x5000, 0x40, "main", 1}, {0x1000, 0x20, "low", 2}}};
}

const std::vector<CraftedLine>& all_lines() {
    static const std::vector<CraftedLine> lines = {
        {0x5000, 0, "a.c", "int main(void)", 10, 0},
        {0x5010, 3, "a.c", "\tx = f();", 11, 6},
        {0x5018, 5, "", "", 0, 0},
        {0x5018, 6, "a.h", "\treturn x;", 12, 1},
        {0x1000, 7, "a.c", "static f(void)", 3, 0},
        {0x101f, 9, "a.c", "\treturn 1;", 4, 1023},
    };
    return lines;
}

struct Built {
    explicit Built(const CraftedProgram& crafted) {
        crafted.known_in(scene);
        timeline.emplace(scene.timeline());
        symbols.emplace(*timeline);
    }
    Scene scene;
    std::optional<Timeline> timeline;
    std::optional<BpfPrograms> symbols;
};

std::string malformed(const CraftedProgram& crafted, CodeIndex code = 0) {
    const Built built(crafted);
    const auto lines = built.symbols->lines(code);
    REQUIRE_FALSE(lines);
    CHECK(lines.error().code == ErrorCode::malformed);
    CHECK(lines.error().where == "feature BPF_PROG_INFO");
    CHECK(lines.error().offset == built.timeline->loads()[0].info->offset);
    return lines.error().detail;
}

}  // namespace

TEST_CASE("Every function has its own part of the line table", "[symbols][lines]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CraftedProgram crafted(lined_program(), order);
    crafted.lines(all_lines());
    Scene scene(order);
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    const auto main = symbols.lines(0);
    REQUIRE(main);
    REQUIRE(main->size() == 4);
    CHECK((*main)[0].offset == 0);
    CHECK((*main)[0].instruction == 0);
    CHECK((*main)[0].source.file == "a.c");
    CHECK((*main)[0].source.line == 10);
    CHECK((*main)[0].source.column == 0);
    CHECK((*main)[0].source.text == "int main(void)");
    CHECK((*main)[1].offset == 0x10);
    CHECK((*main)[1].instruction == 3);
    CHECK((*main)[1].source.column == 6);
    CHECK((*main)[1].source.text == "\tx = f();");
    CHECK((*main)[2].offset == 0x18);
    CHECK((*main)[2].source.line == 0);
    CHECK((*main)[2].source.file.empty());
    CHECK((*main)[3].offset == 0x18);
    CHECK((*main)[3].instruction == 6);
    CHECK((*main)[3].source.file == "a.h");
    const auto low = symbols.lines(1);
    REQUIRE(low);
    REQUIRE(low->size() == 2);
    CHECK((*low)[0].offset == 0);
    CHECK((*low)[0].source.line == 3);
    CHECK((*low)[1].offset == 0x1f);
    CHECK((*low)[1].instruction == 9);
    CHECK((*low)[1].source.column == 1023);
}

TEST_CASE("Entries end where the function does, also if the next one follows in memory", "[symbols][lines]") {
    auto adjacent = lined_program();
    adjacent.functions[1].address = 0x5040;
    auto lines = all_lines();
    lines[4].address = 0x5040;
    lines[5].address = 0x505f;
    CraftedProgram crafted(adjacent);
    crafted.lines(lines);
    const Built built(crafted);
    CHECK(built.symbols->lines(0).value().size() == 4);
    CHECK(built.symbols->lines(1).value().size() == 2);
}

TEST_CASE("An address that goes back ends the entries of a function", "[symbols][lines]") {
    auto lines = all_lines();
    lines[3].address = 0x5008;
    CraftedProgram crafted(lined_program());
    crafted.lines(lines);
    CHECK(Built(crafted).symbols->lines(0).value().size() == 3);
}

TEST_CASE("Larger records than we know keep their lines apart", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    const auto file = crafted.btf().text("a.c");
    Writer table(std::endian::little);
    Writer addresses(std::endian::little);
    for (const std::uint32_t line : {1u, 2u}) {
        table.u32(line * 10).u32(file).u32(0).u32(line << 10 | 5).fill(8, 0xee);
        addresses.u64(0x5000 + (line - 1) * 4).fill(4, 0xee);
    }
    crafted.info().u32(info_field::line_info_rec_size, 24).u32(info_field::jited_line_info_rec_size, 12);
    crafted.info().array(BpfArray::line_info, 2, table.blob()).array(BpfArray::jited_line_info, 2, addresses.blob());
    crafted.with_btf();
    const Built built(crafted);
    const auto lines = built.symbols->lines(0);
    REQUIRE(lines);
    REQUIRE(lines->size() == 2);
    CHECK((*lines)[1].offset == 4);
    CHECK((*lines)[1].instruction == 20);
    CHECK((*lines)[1].source.line == 2);
    CHECK((*lines)[1].source.column == 5);
}

TEST_CASE("Another number of addresses than of lines is malformed", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    crafted.lines(all_lines()).line_addresses({0x5000, 0x5010, 0x5018});
    CHECK(malformed(crafted).find("BPF program 62: 6 lines") == 0);
}

TEST_CASE("No line at the start of the function is malformed", "[symbols][lines]") {
    auto lines = all_lines();
    lines[4].address = 0x1001;
    CraftedProgram crafted(lined_program());
    crafted.lines(lines);
    CHECK(malformed(crafted, 1).find("BPF program 62: no line begins where function 1 begins") == 0);
    CHECK(Built(crafted).symbols->lines(0).value().size() == 4);
}

TEST_CASE("A line table outside the program's data is malformed", "[symbols][lines]") {
    const auto which = GENERATE(BpfArray::line_info, BpfArray::jited_line_info);
    CraftedProgram crafted(lined_program());
    crafted.lines(all_lines());
    crafted.info().place(which, 1 << 20, 6);
    CHECK(malformed(crafted).find(to_string(which)) != std::string::npos);
}

TEST_CASE("Addresses that the kernel withheld are missing, and withheld is the word", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    crafted.lines(all_lines()).names({"main", "low"});
    for (const auto hidden :
         {BpfArray::jited_insns, BpfArray::jited_ksyms, BpfArray::jited_func_lens, BpfArray::jited_line_info}) {
        crafted.info().place(hidden, 0 - std::uint64_t{0x55d012345678}, 2);
    }
    const Built built(crafted);
    const auto lines = built.symbols->lines(0);
    REQUIRE_FALSE(lines);
    CHECK(lines.error().code == ErrorCode::missing);
    CHECK(lines.error().detail.find("withheld") != std::string::npos);
}

TEST_CASE("A program without a line table has no lines, and that is no error", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    crafted.names({"main", "low"});
    SECTION("neither part") {}
    SECTION("lines without addresses") {
        crafted.lines(all_lines());
        crafted.info().clear_bit(BpfArray::jited_line_info);
    }
    SECTION("addresses without lines") {
        crafted.lines(all_lines());
        crafted.info().clear_bit(BpfArray::line_info);
    }
    const Built built(crafted);
    const auto lines = built.symbols->lines(0);
    REQUIRE(lines);
    CHECK(lines->empty());
}

TEST_CASE("Without BTF there are no texts, hence no lines", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    crafted.lines(all_lines());
    Scene scene;
    scene.known(lined_program()).info(crafted.info());
    const auto timeline = scene.timeline();
    const auto lines = BpfPrograms(timeline).lines(0);
    REQUIRE(lines);
    CHECK(lines->empty());
}

TEST_CASE("Lines work with BTF whose types libbpf refuses", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    crafted.lines(all_lines()).btf().type(31, "future", 0);
    const Built built(crafted);
    const auto lines = built.symbols->lines(0);
    REQUIRE(lines);
    REQUIRE(lines->size() == 4);
    CHECK((*lines)[0].source.text == "int main(void)");
}

TEST_CASE("Texts outside the strings are empty, the numbers stay", "[symbols][lines]") {
    CraftedProgram crafted(lined_program());
    Writer table(std::endian::little);
    table.u32(0).u32(0x7fffffff).u32(~0u).u32(7 << 10 | 3);
    crafted.info().array(BpfArray::line_info, 1, table.blob());
    crafted.line_addresses({0x5000}).with_btf();
    const Built built(crafted);
    const auto lines = built.symbols->lines(0);
    REQUIRE(lines);
    REQUIRE(lines->size() == 1);
    CHECK((*lines)[0].source.file.empty());
    CHECK((*lines)[0].source.text.empty());
    CHECK((*lines)[0].source.line == 7);
}

TEST_CASE("Code that is of no program has no lines", "[symbols][lines]") {
    Scene scene;
    scene.symbol({}, 0x1000, 4096, "bpf_trampoline_1").symbol({}, 0x4000, 16, symbol_of(tag_of(1), "orphan"));
    scene.loaded(live(5), lined_program());
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    for (CodeIndex index = 0; index < 3; ++index) CHECK(symbols.lines(index).value().empty());
}
