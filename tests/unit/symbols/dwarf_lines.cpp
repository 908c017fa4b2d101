// SPDX-License-Identifier: MIT
// Cost and safety of crafted debug information. Other tests compare ordinary debug information with other tools.
#include "symbols/elf/dwarf/dwarf_lines.hpp"

#include <array>
#include <bit>
#include <optional>
#include <pthread.h>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/line_table.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t program_text = 64 + 56;
constexpr std::uint32_t program_size = 64;

Elf program_elf() {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = program_text;
    text.content = Blob(program_size, std::byte{0x90});
    elf.segments = {{0, 0, program_text + program_size}};
    return elf;
}

Elf with(const LineTable& table) {
    auto elf = program_elf();
    table.add_to(elf, program_text, program_size);
    return elf;
}

struct Found {
    std::vector<LineStart> lines;
    std::string file;  // of the first line: the texts of `lines` are gone
};

Result<Found> found_lines(const Elf& elf) {
    const auto blob = elf.blob();
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(memory_source(blob), {}).value());
    const auto lines = DwarfLines::open({file, file, nullptr}, {});
    if (!lines) return fail(lines.error());
    auto found = lines->lines(program_text, program_size);
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
    const auto lines = found_lines(with(table));
    REQUIRE(lines);
    CHECK(lines->file == "/src/a.c");
}

TEST_CASE("Files that share the name of a long directory are not joined with it", "[symbols][dwarf]") {
    LineTable table;
    table.version = GENERATE(std::uint8_t{4}, std::uint8_t{5});
    table.directory = "/" + std::string(20000, 'd');
    const auto refused = [&] {
        const auto lines = found_lines(with(table));
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
        CHECK(!refused());  // only directories in use are joined
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
    CHECK(!found_lines(with(table)));
}

TEST_CASE("Texts of debug information end where their section ends", "[symbols][dwarf]") {
    // The unit's last attribute is a directory without a NUL, at the section's end.
    LineTable table;
    table.version = 4;
    table.compiled_in = "/compiled/here";
    auto elf = with(table);
    CHECK(found_lines(elf).has_value());
    auto& info = elf.section(2);
    REQUIRE(info.name == ".debug_info");
    info.content.pop_back();
    info.content[0] = std::byte{static_cast<unsigned char>(std::to_integer<unsigned>(info.content[0]) - 1)};
    const auto lines = found_lines(elf);
    REQUIRE(!lines);
    CHECK(lines.error().code == ErrorCode::malformed);
}

TEST_CASE("Of functions that lie over each other the one that begins last has the code", "[symbols][dwarf]") {
    auto elf = program_elf();
    DwarfWriter dwarf(program_text, program_size);
    dwarf.function(program_text, program_size, "outer").inlined(program_text, program_size, 7).end().end();
    dwarf.function(program_text + 16, 16, "inner").inlined(program_text + 20, 4, 9).end().end();
    dwarf.function(program_text + 16, 16, "again").inlined(program_text + 24, 4, 11).end().end();
    for (std::uint32_t at = 0; at < program_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto lines = found_lines(elf);
    REQUIRE(lines);
    // Line of the call, by offset.
    std::vector<std::uint32_t> calls(program_size);
    for (const auto& line : lines->lines) {
        for (auto at = line.offset; at < program_size; ++at) {
            calls[static_cast<std::size_t>(at)] = line.inlined.empty() ? 0 : line.inlined.begin()->call.line;
        }
    }
    for (std::size_t at = 1; at < program_size; ++at) {  // the first row is of the second byte
        INFO(at);
        const bool inner = at >= 16 && at < 32;
        CHECK(calls[at] == (!inner ? 7u : at >= 20 && at < 24 ? 9u : 0u));
    }
}

TEST_CASE("Lines and calls of code that the linker took out are not those of code that lies there",
          "[symbols][dwarf]") {
    const auto find = [](std::size_t taken_out, std::uint64_t gone_to) {
        auto elf = program_elf();
        DwarfWriter dwarf(program_text, program_size, {.taken_out = taken_out, .gone_to = gone_to});
        if (taken_out != 0)
            dwarf.function(gone_to, program_text + program_size, "gone").inlined(0, program_text + 40, 3).end().end();
        dwarf.function(program_text, program_size, "here").inlined(program_text + 8, 4, 7).end().end();
        for (std::uint32_t at = 0; at < program_size; ++at) dwarf.row();
        dwarf.add_to(elf);
        std::vector<std::array<std::uint64_t, 3>> found;
        const auto lines = found_lines(elf);
        REQUIRE(lines);
        for (const auto& line : lines->lines) {
            const auto call = line.inlined.empty() ? 0 : line.inlined.begin()->call.line;
            found.push_back({line.offset, line.source.line, call});
        }
        return found;
    };
    const auto expected = find(0, 0);
    CHECK(expected.size() > program_size / 2);
    // 0 and -1, the addresses of removed code: ld and gold write 0, lld -1. No code section contains the file's first
    // byte.
    CHECK(find(program_text + 32, 0) == expected);
    CHECK(find(program_text + 32, UINT64_MAX) == expected);
}

TEST_CASE("Inlined calls whose names are in a file that is not here are told", "[symbols][dwarf]") {
    const bool linked = GENERATE(true, false);
    auto elf = program_elf();
    if (linked) {
        Writer link(std::endian::little);
        link.text("shared.debug").u8(0).zeros(20);
        elf.add({.name = ".gnu_debugaltlink", .content = link.take()});
    }
    DwarfWriter dwarf(program_text, program_size);
    dwarf.function(program_text, 32, "f").in_alternate(program_text + 8, 8, 0x20).end();
    dwarf.function(program_text + 32, 32, "g").inlined(program_text + 40, 8, 7).end().end();
    for (std::uint32_t at = 0; at < program_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto blob = elf.blob();
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(memory_source(blob), {}).value());
    const auto debug = DwarfLines::open({file, file, nullptr}, {});
    REQUIRE(debug);
    const auto nameless = debug->lines(program_text, 32), named = debug->lines(program_text + 32, 32);
    REQUIRE(nameless);
    REQUIRE(named);
    CHECK_FALSE(debug->problem({}));
    CHECK_FALSE(debug->problem(*named));
    const auto problem = debug->problem(*nameless);
    REQUIRE(problem);
    CHECK(problem->code == (linked ? ErrorCode::missing : ErrorCode::malformed));
    CHECK((problem->detail.find("shared.debug, which was not found") != std::string::npos) == linked);
}

TEST_CASE("An alternate in another byte order is not read, and that is told", "[symbols][dwarf]") {
    auto elf = program_elf();
    DwarfWriter dwarf(program_text, program_size);
    dwarf.function(program_text, 32, "f").in_alternate(program_text + 8, 8, 0x20).end();
    for (std::uint32_t at = 0; at < program_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto other = GENERATE(std::pair(std::endian::big, true), std::pair(std::endian::little, false));
    Elf alternate(other.first, other.second);
    DwarfWriter(program_text, program_size).add_to(alternate);
    const auto blob = elf.blob(), alternate_blob = alternate.blob();
    const auto open = [](const Blob& bytes) {
        return std::make_shared<const ElfFile>(ElfFile::open(memory_source(bytes), {}).value());
    };
    const auto file = open(blob);
    const auto debug = DwarfLines::open({file, file, open(alternate_blob)}, {});
    REQUIRE(debug);
    const auto lines = debug->lines(program_text, 32);
    REQUIRE(lines);
    CHECK_FALSE(lines->empty());
    REQUIRE(debug->problem(*lines));
    CHECK(debug->problem(*lines)->code == ErrorCode::mismatch);
}

TEST_CASE("Files that refer to one alternate have its names, and share it", "[symbols][dwarf]") {
    constexpr std::uint32_t callee = 11 + 21;  // bytes of the header and of the first entry
    auto elf = program_elf();
    DwarfWriter dwarf(program_text, program_size);
    dwarf.function(program_text, 32, "f").in_alternate(program_text + 8, 8, callee).end();
    for (std::uint32_t at = 0; at < program_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    Elf alternate;
    DwarfWriter(program_text, program_size, {.callee = "moved"}).add_to(alternate);
    const auto blob = elf.blob(), alternate_blob = alternate.blob();
    const auto open = [](const Blob& bytes) {
        return std::make_shared<const ElfFile>(ElfFile::open(memory_source(bytes), {}).value());
    };
    const auto shared = open(alternate_blob);
    DwarfAlternates alternates;
    std::vector<DwarfLines> all;
    for (int file = 0; file < 2; ++file) {
        const auto one = open(blob);
        auto debug = DwarfLines::open({one, one, shared, true, &alternates}, {});
        REQUIRE(debug);
        all.push_back(std::move(*debug));
    }
    LookOut nobody;
    CHECK((*alternates.open(shared, {}, nobody)).use_count() == 4);
    for (auto& one : all) {
        const auto functions = one.inlined_at(program_text + 8);
        REQUIRE(functions);
        REQUIRE(functions->functions.size() == 1);
        CHECK(functions->functions.front().name == "moved");
    }
    all.erase(all.begin());
    CHECK(all.front().inlined_at(program_text + 9)->functions.size() == 1);
}

TEST_CASE("Units whose abbreviations are damaged, and files without names, are told", "[symbols][dwarf]") {
    auto elf = program_elf();
    DwarfWriter(program_text, program_size).row().add_to(elf);
    REQUIRE(found_lines(elf));
    elf.replace(".debug_abbrev", Blob(64));
    const auto lines = found_lines(elf);
    REQUIRE_FALSE(lines);
    CHECK(lines.error().detail == "the first entry of a unit has a code that no abbreviation has");

    LineTable table;
    table.shared = true;
    table.files = 2;
    auto nameless = with(table);
    nameless.replace(".debug_line_str", Blob(64));
    const auto blob = nameless.blob();
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(memory_source(blob), {}).value());
    const auto debug = DwarfLines::open({file, file, nullptr}, {});
    REQUIRE(debug);
    CHECK_FALSE(debug->problem({}));
    REQUIRE(debug->lines(program_text, program_size));
    REQUIRE(debug->problem({}));
    CHECK(debug->problem({})->detail == "names of source files are empty: lines are missing");
}

// libdw uses such a base as "not looked up yet", and looks it up at each use.
TEST_CASE("A unit whose tables are at the end of memory is refused", "[symbols][dwarf]") {
    enum Form : std::uint8_t { data8 = 7, udata = 0xf, sec_offset = 0x17 };
    const auto base = GENERATE(UINT64_MAX, std::uint64_t{8});
    const auto form = GENERATE(udata, sec_offset);
    auto elf = program_elf();
    Writer abbreviations(std::endian::little);
    // Base of texts, lines, range.
    for (const int byte : {1, 0x11, 0, 0x72, int{form}, 0x10, int{sec_offset}, 0x11, 1, 0x12, int{data8}, 0, 0, 0}) {
        abbreviations.u8(static_cast<std::uint8_t>(byte));
    }
    Writer unit(std::endian::little);
    unit.u16(5).u8(1).u8(8).u64(0).u8(1);  // version, compilation, address size, abbreviations, the entry
    if (form == sec_offset) unit.u64(base);
    for (auto rest = base; form == udata; rest >>= 7) {
        unit.u8(static_cast<std::uint8_t>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
        if (rest <= 0x7f) break;
    }
    unit.u64(0).u64(program_text).u64(program_size);
    DwarfWriter(program_text, program_size).row().add_to(elf);  // its lines
    auto info = Writer(std::endian::little).u32(UINT32_MAX).u64(unit.size()).bytes(unit.blob()).take();
    elf.replace(".debug_info", std::move(info));
    elf.replace(".debug_abbrev", abbreviations.take());
    const auto lines = found_lines(elf);
    CHECK(lines.has_value() == (base != UINT64_MAX));
    if (!lines) CHECK(lines.error().detail == "a unit's tables are at the end of memory");
}

TEST_CASE("Debug information is read where there is little stack", "[symbols][dwarf]") {
    LineTable table;
    table.files = 2;
    struct Work {
        Elf elf;
        std::optional<Result<Found>> found{};
    } work{with(table)};
    pthread_attr_t attributes;
    REQUIRE(::pthread_attr_init(&attributes) == 0);
    REQUIRE(::pthread_attr_setstacksize(&attributes, 192 << 10) == 0);  // libdw needs 160 KiB for one table
    pthread_t thread{};
    const auto run = [](void* opaque) -> void* {
        auto& mine = *static_cast<Work*>(opaque);
        mine.found = found_lines(mine.elf);
        return nullptr;
    };
    REQUIRE(::pthread_create(&thread, &attributes, run, &work) == 0);
    ::pthread_join(thread, nullptr);
    ::pthread_attr_destroy(&attributes);
    REQUIRE(work.found.has_value());
    REQUIRE(work.found->has_value());
    CHECK((*work.found)->file == "/src/a.c");
}

TEST_CASE("Units that share a long table of abbreviations are refused", "[symbols][dwarf]") {
    const auto error = [](std::size_t units, std::size_t abbreviations) {
        auto elf = program_elf();
        DwarfWriter(program_text, program_size, {.units = units, .abbreviations = abbreviations}).row().add_to(elf);
        const auto lines = found_lines(elf);
        return lines ? std::string() : std::string(to_string(lines.error().code)) + " " + lines.error().detail;
    };
    CHECK(error(1, 5000).empty());
    CHECK(error(1000, 10).empty());
    CHECK(error(1000, 5000) == "limit units share long tables of abbreviations");
}

TEST_CASE("Files of very many tiny units are refused", "[symbols][dwarf]") {
    constexpr std::uint8_t empty = 7;  // DwarfWriter's abbreviation of empty()
    const bool bare = GENERATE(false, true);
    const auto error = [&](std::size_t units) {
        auto elf = program_elf();
        DwarfWriter(program_text, program_size, {.attributes = 1}).row().add_to(elf);
        auto& info = elf.section(2);
        REQUIRE(info.name == ".debug_info");
        Writer all(std::endian::little);
        all.bytes(info.content);
        for (std::size_t unit = 0; unit < units; ++unit) {
            all.u32(bare ? 7 : 8).u16(4).u32(0).u8(8);
            if (!bare) all.u8(empty);
        }
        info.content = all.take();
        const auto lines = found_lines(elf);
        return lines ? std::string() : std::string(to_string(lines.error().code)) + " " + lines.error().detail;
    };
    if (!bare) CHECK(error(20000).empty());
    CHECK(error(90000).starts_with("limit there are more than "));
}

TEST_CASE("Abbreviations of very many attributes are refused", "[symbols][dwarf]") {
    const auto error = [](std::size_t attributes) {
        auto elf = program_elf();
        DwarfWriter dwarf(program_text, program_size, {.attributes = attributes});
        dwarf.function(program_text, program_size, "f").empty().end().row().add_to(elf);
        const auto lines = found_lines(elf);
        return lines ? std::string() : std::string(to_string(lines.error().code)) + " " + lines.error().detail;
    };
    CHECK(error(128).empty());
    CHECK(error(129) == "limit an abbreviation has more than 128 attributes");
}

TEST_CASE("Attributes without bytes count, too", "[symbols][dwarf]") {
    const auto error = [](std::size_t entries, std::size_t attributes) {
        auto elf = program_elf();
        DwarfWriter dwarf(program_text, program_size, {.attributes = attributes});
        dwarf.function(program_text, program_size, "f");
        for (std::size_t entry = 0; entry < entries; ++entry) dwarf.empty();
        dwarf.end().row().add_to(elf);
        const auto lines = found_lines(elf);
        return lines ? std::string() : std::string(to_string(lines.error().code)) + " " + lines.error().detail;
    };
    CHECK(error(5000, 3).empty());
    CHECK(error(5000, 120) == "limit a unit has too many entries");
}

TEST_CASE("Of units that have one line table the first has its code", "[symbols][dwarf]") {
    auto elf = program_elf();
    DwarfWriter dwarf(program_text, program_size, {.units = 3, .placed = false});
    for (std::uint32_t at = 0; at < program_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto lines = found_lines(elf);
    REQUIRE(lines);
    CHECK(lines->file.ends_with("a.c"));
    CHECK(lines->lines.size() > program_size / 2);
}
