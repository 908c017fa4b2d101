// SPDX-License-Identifier: MIT
// What debug information of crafted programs takes.
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/line_table.hpp"
#include "support/sketch.hpp"
#include "takes.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint32_t code_size = 64;

// listed(folder, elf, options) annotates one sample at the code's beginning.
Run listed(const TempDir& folder, const Elf& elf, const std::vector<std::string>& options = {"annotate"}) {
    Sketch sketch;
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1).sample(mapped_at + text_at, 1, 2);
    auto command = options;
    command.insert(command.end(), {"--offline", "--symfs", put(folder, "x", elf)});
    command.push_back(folder.write("perf.data", sketch.build()));
    return run(folder, command);
}

// packed(filter, zeros) packs that many zeros. It never holds them in memory: this process's memory counts for its
// children.
template <class Filter>
Blob packed(const Filter& filter, std::size_t zeros) {
    namespace io = boost::iostreams;
    const std::string block(std::size_t{1} << 16, '\0');
    std::string text;
    io::filtering_ostream out;
    out.push(filter);
    out.push(io::back_inserter(text));
    for (std::size_t at = 0; at < zeros; at += block.size()) out.write(block.data(), std::ssize(block));
    out.reset();
    return blob_of(text);
}

// compressed_section(zeros) returns an Elf64_Chdr and zlib data.
Blob compressed_section(std::size_t zeros) {
    Writer out(std::endian::little);
    out.u32(1).u32(0).u64(zeros).u64(1);
    return out.bytes(packed(boost::iostreams::zlib_compressor(), zeros)).take();
}

}  // namespace

TEST_CASE("Names in line tables take little memory", "[takes]") {
    const TempDir folder;
    LineTable table;
    table.version = GENERATE(std::uint8_t{4}, std::uint8_t{5});
    table.directory = std::string(40000, 'd');
    table.files = 10000;  // 400 MB when joined
    auto elf = program(code_size);
    elf.symbols({{"f", text_at, code_size}});
    table.add_to(elf, text_at, code_size);
    const auto got = listed(folder, elf);
    CHECK(got.status == 0);
    CHECK(got.output.find("line tables take too much memory") != std::string::npos);
    if (measured) CHECK(got.memory < little);
}

TEST_CASE("Long names of files and functions stand shortened in each line", "[takes]") {
    const TempDir folder;
    constexpr std::uint32_t size = 2000;
    auto elf = program(size);
    elf.symbols({{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size,
                      {.callee = std::string(3000, 'c'), .file = "/src" + std::string(3000, '\x01') + "/tail.c"});
    dwarf.function(text_at, size, "f");
    constexpr std::uint16_t deep = 60;
    for (std::uint16_t line = 1; line <= deep; ++line) dwarf.inlined(text_at, size, line);
    for (std::uint32_t at = 0; at < size; ++at) {
        dwarf.inlined(text_at + at, 1, static_cast<std::uint16_t>(at)).end().row();
    }
    for (std::uint16_t line = 0; line <= deep; ++line) dwarf.end();
    dwarf.add_to(elf);
    for (const auto* format : {"text", "json", "html"}) {
        INFO(format);
        const auto got = listed(folder, elf, {"annotate", "--format", format});
        CHECK(got.status == 0);
        // Each line has 60 inlined calls; JSON contains all of them.
        const std::size_t a_line = format == std::string_view("json") ? 24000 : 4000;
        CHECK(got.output.size() < a_line * size);
        if (measured) CHECK(got.memory < little);
        if (format == std::string_view("html")) continue;
        CHECK(got.output.find("…/tail.c") != std::string::npos);
        CHECK(got.output.find("ccc… (and ") != std::string::npos);
    }
}

TEST_CASE("Packed debug information takes little memory", "[takes]") {
    const TempDir folder;
    constexpr std::size_t zeros = std::size_t{160} << 20;
    auto elf = program(code_size);
    SECTION("lines") {
        elf.symbols({{"f", text_at, code_size}});
        DwarfWriter(text_at, code_size).row().add_to(elf);
        elf.add({.name = ".debug_str", .flags = 0x800, .content = compressed_section(zeros)});
    }
    SECTION("symbols") {
        elf.add({.name = ".gnu_debugdata", .content = packed(boost::iostreams::lzma_compressor(), zeros)});
    }
    const auto got = listed(folder, elf);
    CHECK(got.status == 0);
    if (measured) CHECK(got.memory < little);
}

TEST_CASE("A long path of a source is not looked for at each of its parts", "[takes]") {
    const TempDir folder;
    auto elf = program(code_size);
    elf.symbols({{"f", text_at, code_size}});
    std::string path;
    for (int part = 0; part < 50000; ++part) path += "/a";
    DwarfWriter dwarf(text_at, code_size, {.file = path});
    for (std::uint32_t at = 0; at < code_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    std::filesystem::create_directories(folder.path() / "sources");
    const auto got = listed(folder, elf, {"annotate", "--source-dir", (folder.path() / "sources").string()});
    CHECK(got.status == 0);
    if (measured) CHECK(got.seconds < 2);
}
