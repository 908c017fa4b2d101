// SPDX-License-Identifier: MIT
// ELF files made from code, read back.
#include "perfdata/annotate/elf/elf_writer.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "catch.hpp"
#include "elf/source_tree.hpp"
#include "support/files.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Blob seeded_bytes(std::size_t size, std::uint8_t seed) {
    Blob blob;
    for (std::size_t at = 0; at < size; ++at)
        blob.push_back(static_cast<std::byte>(static_cast<std::uint8_t>(seed + at)));
    return blob;
}

}  // namespace

TEST_CASE("A written ELF file has the code and its names where they were", "[annotate][elf]") {
    const auto one = seeded_bytes(37, 1), other = seeded_bytes(5, 100);
    for (const std::string arch : {"x86_64", "aarch64", "s390x", "ppc64le", "riscv64", "i686"}) {
        INFO(arch);
        ElfCode code;
        code.target = ElfTarget::of(arch).value();
        const std::uint64_t base = code.target.wide ? 0xffffffffc0380000 : 0xc0380000;
        code.functions = {{"second", {base + 0x1003}, other, {}},
                          {"first", {base + 8}, one, {{0, 0, {"a.c", 3, 1, {}}}, {4, 0, {"b.c", 0, 0, {}}}}}};
        const auto written = write_elf(code);
        REQUIRE(written);
        CHECK(*written == *write_elf(code));
        const auto file = ElfFile::open(memory_source(as_bytes(*written)));
        REQUIRE(file);
        CHECK(file->type() == ElfFile::Type::executable);
        CHECK(file->machine() == code.target.machine);
        CHECK(file->wide() == code.target.wide);
        CHECK(file->build_id().size() == 20);
        const auto symbols = ElfSymbols::load(*file);
        REQUIRE(symbols);
        REQUIRE(symbols->size() == 2);
        CHECK(symbols->symbol(0).name == "first");
        CHECK(symbols->symbol(0).value == base + 8);
        CHECK(symbols->symbol(0).size == 37);
        CHECK(symbols->symbol(1).name == "second");
        Blob read(37);
        REQUIRE(file->read(base + 8, read) == read.size());
        CHECK(read == one);
        std::array<std::byte, 5> tail{};
        REQUIRE(file->read(base + 0x1003, tail) == tail.size());
        CHECK(std::ranges::equal(tail, other));
        auto changed = one;
        changed[3] = std::byte{0};
        code.functions[1].code = changed;
        const auto again = write_elf(code);
        const auto differs = ElfFile::open(memory_source(as_bytes(*again)));
        CHECK_FALSE(std::ranges::equal(differs->build_id(), file->build_id()));
    }
}

TEST_CASE("Code that cannot be in one file is refused", "[annotate][elf]") {
    const auto bytes = seeded_bytes(16, 1);
    ElfCode code;
    code.target = ElfTarget::of("x86_64").value();
    CHECK(write_elf(code).error().code == ErrorCode::malformed);
    code.functions = {{"a", {0x1000}, bytes, {}}, {"b", {0x100f}, bytes, {}}};
    CHECK(write_elf(code).error().code == ErrorCode::malformed);
    code.functions = {{"a", {0x1000}, {}, {}}};
    CHECK(write_elf(code).error().code == ErrorCode::malformed);
    code.functions = {{"a", {0xfffffffffffffff8}, bytes, {}}};
    CHECK(write_elf(code).error().code == ErrorCode::limit);
    code.target = ElfTarget::of("i386").value();
    code.functions = {{"a", {0x100000000}, bytes, {}}};
    CHECK(write_elf(code).error().code == ErrorCode::limit);
    CHECK(ElfTarget::of("pdp11").error().code == ErrorCode::unsupported);
    CHECK(ElfTarget::of("").error().code == ErrorCode::unsupported);
}

TEST_CASE("A name that many functions have is written once", "[annotate][elf]") {
    const auto bytes = seeded_bytes(16, 1);
    const std::string name(4000, 'n');
    ElfCode code;
    code.target = ElfTarget::of("x86_64").value();
    for (std::uint64_t at = 0; at < 1000; ++at) {
        code.functions.push_back({name, {0x1000 + at * 16}, bytes, {{0, 0, {"a.c", 3, 1, {}}}}});
    }
    const auto written = write_elf(code);
    REQUIRE(written);
    CHECK(written->size() < 1000 * 400);
    const auto file = ElfFile::open(memory_source(as_bytes(*written)));
    REQUIRE(file);
    const auto symbols = ElfSymbols::load(*file);
    REQUIRE(symbols);
    REQUIRE(symbols->size() == 1000);
    CHECK(symbols->symbol(999).name == name);
}

TEST_CASE("Source files with hostile names stay below their directory", "[annotate][elf]") {
    const TempDir temporary;
    const auto root = temporary.path() / "root";
    const auto write_file = [](const std::string& path, std::string_view text) -> Result<void> {
        std::ofstream(path) << text;
        return {};
    };
    SourceTree tree;
    const auto name = [&](std::string_view file) { return std::string(tree.add({file, 2, 1, "text"})); };
    CHECK(name("/usr/src/a.c") == "usr/src/a.c");
    CHECK(name("../../escape.c") == "escape.c");
    CHECK(name("x/../../../escape2.c") == "escape2.c");
    CHECK(name("new\nline.c") == "new_x0aline.c");
    CHECK(name("..") == "unnamed");
    std::string deep;
    for (int part = 0; part < 1000; ++part) deep += "d/";
    CHECK(std::ranges::count(name(deep + "a.c"), '/') == 63);
    CHECK(name(deep + "a.c") != name(deep + "d/a.c"));
    CHECK(name(deep + "a.c").ends_with("/d/a.c"));
    CHECK(name(std::string(5000, 'a')).size() < 255);
    CHECK(tree.add({"far.c", 4'000'000'000, 1, "far"}) == "far.c");
    CHECK(tree.left_out() == 1);
    CHECK(tree.add({"", 1, 1, "nothing"}).empty());
    CHECK(name("turned\xe2\x80\xae.c") == "turned_xe2_x80_xae.c");
    // A file and a directory with one name.
    CHECK(name("both") == "both");
    CHECK(name("both/below.c").starts_with("other-"));
    CHECK(name("folder/below.c") == "folder/below.c");
    CHECK(name("folder").starts_with("other-"));
    CHECK(name("folder").ends_with("/folder"));
    tree.add({"/usr/src/a.c", 2, 1, "text"});
    CHECK(tree.left_out() == 1);
    tree.add({"/usr/src/./a.c", 2, 1, "another text"});
    CHECK(tree.left_out() == 2);
    REQUIRE(tree.write(root.string(), write_file));
    CHECK(as_text(content_of_file((root / "usr/src/a.c").string())) == "\ntext\n");
    CHECK(std::filesystem::file_size(root / "far.c") == 0);
    CHECK_FALSE(std::filesystem::exists(temporary.path() / "escape.c"));

    // Existing links do not lead outside.
    std::filesystem::create_directory(temporary.path() / "outside");
    std::filesystem::create_directory_symlink(temporary.path() / "outside", root / "linked");
    SourceTree other;
    other.add({"linked/a.c", 1, 1, "text"});
    CHECK(other.write(root.string(), write_file).error().code == ErrorCode::io);
    CHECK(std::filesystem::is_empty(temporary.path() / "outside"));
}
