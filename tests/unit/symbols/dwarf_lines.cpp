// SPDX-License-Identifier: MIT
// What debug information that was made for it takes. The tests of usual one compare it with what other tools say.
#include "symbols/elf/dwarf/dwarf_lines.hpp"

#include <array>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/line_table.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t text_at = 64 + 56;
constexpr std::uint32_t code_size = 64;

Elf program() {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(code_size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + code_size}};
    return elf;
}

Elf with(const LineTable& table) {
    auto elf = program();
    table.add_to(elf, text_at, code_size);
    return elf;
}

struct Found {
    std::vector<LineStart> lines;
    std::string file;  // of the first one: the texts of `lines` are gone
};

Result<Found> lines_of(const Elf& elf) {
    const auto blob = elf.blob();
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(memory_source(blob), {}).value());
    const auto lines = DwarfLines::open({file, file, nullptr}, {});
    if (!lines) return fail(lines.error());
    auto found = lines->lines(text_at, code_size);
    if (!found) return fail(found.error());
    std::string name(found->empty() ? std::string_view() : found->front().source.file);
    return Found{std::move(*found), std::move(name)};
}

constexpr auto too_much = "names of directories and files in line tables take too much memory";

}  // namespace

TEST_CASE("Line tables of each version have their lines", "[symbols][dwarf]") {
    LineTable table;
    table.version = GENERATE(std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4}, std::uint8_t{5});
    table.shared = table.version == 5 && GENERATE(false, true);
    table.files = GENERATE(std::size_t{2}, std::size_t{200});
    INFO(int{table.version} << " " << table.files);
    const auto lines = lines_of(with(table));
    REQUIRE(lines);
    CHECK(lines->file == "/src/a.c");
}

TEST_CASE("Files that share the name of a long directory are not joined with it", "[symbols][dwarf]") {
    LineTable table;
    table.version = GENERATE(std::uint8_t{4}, std::uint8_t{5});
    table.directory = "/" + std::string(20000, 'd');
    const auto refused = [&] {
        const auto lines = lines_of(with(table));
        return !lines && lines.error().code == ErrorCode::limit && lines.error().detail == too_much;
    };
    table.files = 100;
    INFO(int{table.version});
    if (table.version == 4) CHECK(!refused());
    table.files = 1000;
    CHECK(refused());
    SECTION("nor with that of the unit") {
        table.version = 4;
        table.compiled_in = std::exchange(table.directory, "x");
        CHECK(!refused());  // only those that lines are in are joined
        table.in_directory = 0;
        CHECK(refused());
    }
    SECTION("nor where they are absolute, and one text") {
        table.version = 5;
        table.directory = "/src";
        table.file = "/" + std::string(20000, 'f');
        table.shared = true;
        CHECK(refused());
    }
    SECTION("nor where the line program defines them") {
        table.version = 4;
        table.defined_in = table.directory;
        CHECK(refused());
    }
}

TEST_CASE("A line table without a number of instructions is refused", "[symbols][dwarf]") {
    LineTable table;
    table.first_special = 0;
    CHECK(!lines_of(with(table)));
}

TEST_CASE("Texts of debug information end where their section ends", "[symbols][dwarf]") {
    // The last attribute of the last unit: a directory without its NUL, at the end of the section.
    LineTable table;
    table.version = 4;
    table.compiled_in = "/compiled/here";
    auto elf = with(table);
    CHECK(lines_of(elf).has_value());
    auto& info = elf.section(2);
    REQUIRE(info.name == ".debug_info");
    info.content.pop_back();
    info.content[0] = std::byte{static_cast<unsigned char>(std::to_integer<unsigned>(info.content[0]) - 1)};
    const auto lines = lines_of(elf);
    REQUIRE(!lines);
    CHECK(lines.error().code == ErrorCode::malformed);
}

TEST_CASE("Of functions that lie over each other the one that begins last has the code", "[symbols][dwarf]") {
    auto elf = program();
    DwarfWriter dwarf(text_at, code_size);
    dwarf.function(text_at, code_size, "outer").inlined(text_at, code_size, 7).end().end();
    dwarf.function(text_at + 16, 16, "inner").inlined(text_at + 20, 4, 9).end().end();
    dwarf.function(text_at + 16, 16, "again").inlined(text_at + 24, 4, 11).end().end();
    for (std::uint32_t at = 0; at < code_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto lines = lines_of(elf);
    REQUIRE(lines);
    // The lines of calls, by offset.
    std::vector<std::uint32_t> calls(code_size);
    for (const auto& line : lines->lines) {
        for (auto at = line.offset; at < code_size; ++at) {
            calls[static_cast<std::size_t>(at)] = line.inlined.empty() ? 0 : line.inlined.begin()->call.line;
        }
    }
    for (std::size_t at = 1; at < code_size; ++at) {  // the first row is of the second byte
        INFO(at);
        const bool inner = at >= 16 && at < 32;
        CHECK(calls[at] == (!inner ? 7u : at >= 20 && at < 24 ? 9u : 0u));
    }
}

TEST_CASE("Lines and calls of code that the linker took out are not those of code that lies there",
          "[symbols][dwarf]") {
    const auto find = [](std::size_t taken_out, std::uint64_t gone_to) {
        auto elf = program();
        DwarfWriter dwarf(text_at, code_size, {.taken_out = taken_out, .gone_to = gone_to});
        if (taken_out != 0)
            dwarf.function(gone_to, text_at + code_size, "gone").inlined(0, text_at + 40, 3).end().end();
        dwarf.function(text_at, code_size, "here").inlined(text_at + 8, 4, 7).end().end();
        for (std::uint32_t at = 0; at < code_size; ++at) dwarf.row();
        dwarf.add_to(elf);
        std::vector<std::array<std::uint64_t, 3>> found;
        const auto lines = lines_of(elf);
        REQUIRE(lines);
        for (const auto& line : lines->lines) {
            const auto call = line.inlined.empty() ? 0 : line.inlined.begin()->call.line;
            found.push_back({line.offset, line.source.line, call});
        }
        return found;
    };
    const auto expected = find(0, 0);
    CHECK(expected.size() > code_size / 2);
    // The first byte of a file is in no section that has code; ld and gold write 0, lld -1.
    CHECK(find(text_at + 32, 0) == expected);
    CHECK(find(text_at + 32, UINT64_MAX) == expected);
}

TEST_CASE("Inlined calls whose names are in a file that is not here are told", "[symbols][dwarf]") {
    const bool linked = GENERATE(true, false);
    auto elf = program();
    if (linked) {
        Writer link(std::endian::little);
        link.text("shared.debug").u8(0).zeros(20);
        elf.add({.name = ".gnu_debugaltlink", .content = link.take()});
    }
    DwarfWriter dwarf(text_at, code_size);
    dwarf.function(text_at, 32, "f").in_alternate(text_at + 8, 8, 0x20).end();
    dwarf.function(text_at + 32, 32, "g").inlined(text_at + 40, 8, 7).end().end();
    for (std::uint32_t at = 0; at < code_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto blob = elf.blob();
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(memory_source(blob), {}).value());
    const auto debug = DwarfLines::open({file, file, nullptr}, {});
    REQUIRE(debug);
    const auto nameless = debug->lines(text_at, 32), named = debug->lines(text_at + 32, 32);
    REQUIRE(nameless);
    REQUIRE(named);
    CHECK_FALSE(debug->problem({}));
    CHECK_FALSE(debug->problem(*named));
    const auto problem = debug->problem(*nameless);
    REQUIRE(problem);
    CHECK(problem->code == (linked ? ErrorCode::missing : ErrorCode::malformed));
    CHECK((problem->detail.find("shared.debug, which was not found") != std::string::npos) == linked);
}

TEST_CASE("Units that share a long table of abbreviations are refused", "[symbols][dwarf]") {
    const auto error = [](std::size_t units, std::size_t abbreviations) {
        auto elf = program();
        DwarfWriter(text_at, code_size, {.units = units, .abbreviations = abbreviations}).row().add_to(elf);
        const auto lines = lines_of(elf);
        return lines ? std::string() : std::string(to_string(lines.error().code)) + " " + lines.error().detail;
    };
    CHECK(error(1, 5000).empty());
    CHECK(error(1000, 10).empty());
    CHECK(error(1000, 5000) == "limit units share long tables of abbreviations");
}

TEST_CASE("Abbreviations of very many attributes are refused", "[symbols][dwarf]") {
    const auto error = [](std::size_t attributes) {
        auto elf = program();
        DwarfWriter dwarf(text_at, code_size, {.attributes = attributes});
        dwarf.function(text_at, code_size, "f").empty().end().row().add_to(elf);
        const auto lines = lines_of(elf);
        return lines ? std::string() : std::string(to_string(lines.error().code)) + " " + lines.error().detail;
    };
    CHECK(error(128).empty());
    CHECK(error(129) == "limit an abbreviation has more than 128 attributes");
}

TEST_CASE("Of units that have one line table the first has its code", "[symbols][dwarf]") {
    auto elf = program();
    DwarfWriter dwarf(text_at, code_size, {.units = 3, .placed = false});
    for (std::uint32_t at = 0; at < code_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto lines = lines_of(elf);
    REQUIRE(lines);
    CHECK(lines->file.ends_with("a.c"));
    CHECK(lines->lines.size() > code_size / 2);
}
