// SPDX-License-Identifier: MIT
// Functions in ELF files, by address.
#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

ElfSymbols table(const std::vector<Elf::Symbol>& list) {
    Elf elf;
    elf.symbols(list);
    return load(elf);
}

}  // namespace

TEST_CASE("Functions are found in files of both classes and byte orders", "[symbols][elf]") {
    for (const bool wide : {false, true}) {
        for (const auto order : {std::endian::little, std::endian::big}) {
            Elf elf(order, wide);
            elf.symbols({{"second", 0x1100, 0x10}, {"first", 0x1080, 0x40}});
            const auto symbols = load(elf);
            CHECK(symbols.size() == 2);
            CHECK(at(symbols, 0x107f) == "none");
            CHECK(at(symbols, 0x1080) == "first+0");
            CHECK(at(symbols, 0x10bf) == "first+63");
            CHECK(at(symbols, 0x10c0) == "none");
            CHECK(at(symbols, 0x110f) == "second+15");
            CHECK(at(symbols, 0x1110) == "none");
        }
    }
}

TEST_CASE("A file offset becomes an address by the segment that holds it", "[symbols][elf]") {
    Elf elf;
    elf.segments = {{0, 0, 0x700, 4}, {0x700, 0x1700, 0x900}, {0x1000, 0x3000, 0x100, 6}};
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    CHECK(file->vaddr(0x6ff) == 0x6ff);
    CHECK(file->vaddr(0x700) == 0x1700);
    CHECK(file->vaddr(0xfff) == 0x1fff);
    CHECK(file->vaddr(0x10ff) == 0x30ff);
    CHECK_FALSE(file->vaddr(0x1100));
    CHECK(file->layout_known());
}

TEST_CASE("Of segments that lie over each other the executable one counts, then the first", "[symbols][elf]") {
    Elf elf;
    elf.segments = {{0x100, 0x10100, 0x800, 4}, {0x200, 0x20200, 0x100, 4}, {0x280, 0x30280, 0x100},
                    {0x300, 0x40300, 0x100},    {0x900, 0x10200, 0x100, 4}, {0x1000, 0x50000, 0, 5}};
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    CHECK_FALSE(file->vaddr(0xff));
    CHECK(file->vaddr(0x100) == 0x10100);
    CHECK(file->vaddr(0x200) == 0x10200);
    CHECK(file->vaddr(0x280) == 0x30280);
    CHECK(file->vaddr(0x37f) == 0x3037f);
    CHECK(file->vaddr(0x380) == 0x40380);
    CHECK(file->vaddr(0x400) == 0x10400);
    CHECK(file->vaddr(0x8ff) == 0x108ff);
    CHECK(file->vaddr(0x900) == 0x10200);
    CHECK_FALSE(file->vaddr(0x1000));
}

TEST_CASE("Of sections of one name the first counts", "[symbols][elf]") {
    Elf elf;
    elf.add({.name = ".b", .address = 2});
    elf.add({.name = ".a", .address = 3});
    elf.add({.name = ".b", .address = 4});
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    REQUIRE(file->section(".b") != nullptr);
    CHECK(file->section(".b")->address == 2);
    REQUIRE(file->section(".a") != nullptr);
    CHECK(file->section(".a")->address == 3);
    CHECK(file->section(".c") == nullptr);
    CHECK(file->section(".") == nullptr);
}

TEST_CASE("The section with the code at a place of a module is found", "[symbols][elf]") {
    constexpr std::uint64_t executable = 6;
    Elf elf;
    elf.type = 1;
    elf.add({.name = ".data", .content = Writer(std::endian::little).fill(16, 1).take()});
    elf.add({.name = ".init.text", .flags = executable, .content = Writer(std::endian::little).fill(16, 2).take()});
    elf.add({.name = ".exit.text", .flags = executable, .content = Writer(std::endian::little).fill(16, 3).take()});
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    const auto& sections = file->sections();
    const auto& data = *file->section(".data");
    CHECK(file->code_section(data.offset) == nullptr);
    CHECK(file->code_section(data.offset + 15) == nullptr);
    CHECK(file->code_section(data.offset + 16) == &sections[3]);
    CHECK(file->code_section(data.offset + 31) == &sections[3]);
    CHECK(file->code_section(data.offset + 32) == &sections[4]);
    CHECK(file->code_section(data.offset + 48) == nullptr);
}

TEST_CASE("The next segment above an address is found", "[symbols][elf]") {
    Elf elf;
    elf.type = 4;
    elf.segments = {{0, 0x5000, 0x10}, {0, 0x1000, 0x10}, {0, 0x3000, 0}, {0, 0x1008, 0x10}};
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    CHECK(file->next_segment(0) == 0x1000);
    CHECK(file->next_segment(0x1018) == 0x5000);
    CHECK(file->next_segment(0x4fff) == 0x5000);
    CHECK(file->next_segment(0x5000) == std::nullopt);
}

TEST_CASE("A debug file without the offsets of its code is known for it", "[symbols][elf]") {
    Elf elf;
    elf.segments = {{0, 0, 0x300, 4}, {0, 0x1000, 0}};
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    CHECK_FALSE(file->layout_known());
}

TEST_CASE("Of symbols at one address the one is kept that perf shows", "[symbols][elf]") {
    const std::uint64_t at_one = 0x1000;
    const auto kept = [&](Elf::Symbol one, Elf::Symbol other) {
        one.value = other.value = at_one;
        const auto there = at(table({one, other}), at_one), back = at(table({other, one}), at_one);
        CHECK(there == back);
        return there;
    };
    CHECK(kept({"weak_one", 0, 8, Elf::function, Elf::weak}, {"loc", 0, 8, Elf::function, Elf::local}) == "loc+0");
    CHECK(kept({"local_one", 0, 8, Elf::function, Elf::local}, {"glob", 0, 8}) == "glob+0");
    CHECK(kept({"__longer_name", 0, 8}, {"_short", 0, 8}) == "_short+0");
    CHECK(kept({"long_name", 0, 8}, {"short", 0, 8}) == "long_name+0");
    // Mangled names are compared in demangled form: "ns::function" has no leading underscores.
    CHECK(kept({"_ZN2ns8functionEv", 0, 8}, {"_c_function", 0, 8}) == "_ZN2ns8functionEv+0");
    // If several symbols lack a size, only the file's last one gets one, up to the next symbol.
    CHECK(at(table({{"without", at_one, 0}, {"weak", at_one, 8, Elf::function, Elf::weak}}), at_one) == "weak+0");
    CHECK(at(table({{"weak", at_one, 8, Elf::function, Elf::weak}, {"without", at_one, 0}}), at_one) == "without+0");
    CHECK(at(table({{"long_name", at_one, 0}, {"short", at_one, 0, Elf::function, Elf::weak}}), at_one) == "short+0");
    // Equal in all criteria: the first in the file wins.
    CHECK(at(table({{"_ZN1AC1Ev", at_one, 8}, {"_ZN1AC2Ev", at_one, 8}}), at_one) == "_ZN1AC1Ev+0");
    CHECK(at(table({{"aaaa", at_one, 8}, {"bbbb", at_one, 8}}), at_one) == "aaaa+0");
}

TEST_CASE("A symbol without a size reaches to the next one", "[symbols][elf]") {
    const auto symbols = table({{"open", 0x1000, 0}, {"next", 0x1100, 4}, {"last", 0x1ff0, 0}});
    CHECK(at(symbols, 0x10ff) == "open+255");
    CHECK(at(symbols, 0x1104) == "none");
    CHECK(at(symbols, 0x2fff) == "last+4111");
    CHECK(at(symbols, 0x3000) == "none");
    CHECK(at(table({{"top", ~std::uint64_t{0} - 1, 0}}), ~std::uint64_t{0} - 1) == "top+0");
}

TEST_CASE("The innermost of nested functions is found, the outer one behind its end", "[symbols][elf]") {
    const auto symbols =
        table({{"outer", 0x1000, 0x100}, {"inner", 0x1010, 0x20}, {"innermost", 0x1018, 8}, {"sibling", 0x1040, 0x10}});
    CHECK(at(symbols, 0x100f) == "outer+15");
    CHECK(at(symbols, 0x1010) == "inner+0");
    CHECK(at(symbols, 0x1018) == "innermost+0");
    CHECK(at(symbols, 0x1020) == "inner+16");
    CHECK(at(symbols, 0x1030) == "outer+48");
    CHECK(at(symbols, 0x1050) == "outer+80");
    CHECK(at(symbols, 0x1100) == "none");
}

TEST_CASE("The innermost of many nested functions is found", "[symbols][elf]") {
    constexpr std::uint64_t count = 300;
    std::vector<Elf::Symbol> list;
    for (std::uint64_t depth = 0; depth < count; ++depth) {
        list.push_back({"f" + std::to_string(depth), 0x1000 + depth, 2 * (count - depth)});
    }
    const auto symbols = table(list);
    for (std::uint64_t depth = 0; depth < count; ++depth) {
        CHECK(at(symbols, 0x1000 + depth) == "f" + std::to_string(depth) + "+0");
        // Behind the end of all deeper ones.
        const auto last = 2 * count - depth - 1;
        CHECK(at(symbols, 0x1000 + last) == "f" + std::to_string(depth) + "+" + std::to_string(last - depth));
    }
    CHECK(at(symbols, 0x1000 + 2 * count) == "none");
}

TEST_CASE("A name that never ends is cut", "[symbols][elf]") {
    const auto symbols = table({{std::string(70000, 'x'), 0x1000, 0x10}});
    const auto found = symbols.find(0x1000);
    REQUIRE(found);
    CHECK(found->symbol.name == std::string(ElfSymbols::most_name, 'x'));
}

TEST_CASE("What is no function has no name", "[symbols][elf]") {
    Elf elf;
    const auto data = elf.add({.name = ".data", .flags = 3, .address = 0x5000});
    elf.symbols({{"kept", 0x1000, 4},
                 {"object", 0x1010, 4, Elf::object},
                 {"undefined", 0x1020, 4, Elf::function, Elf::global, 0, 0},
                 {"absolute", 0x1030, 4, Elf::function, Elf::global, 0, 0xfff1},
                 {"no_section", 0x1040, 4, Elf::function, Elf::global, 0, 77},
                 {"hidden_label", 0x1050, 4, Elf::label, Elf::local, 2},
                 {"data_label", 0x1060, 4, Elf::label, Elf::local, 0, data},
                 {"", 0x1070, 4},
                 {"text_label", 0x1080, 4, Elf::label, Elf::local},
                 {"indirect", 0x1090, 4, Elf::ifunc}});
    const auto symbols = load(elf);
    CHECK(symbols.size() == 3);
    CHECK(at(symbols, 0x1000) == "kept+0");
    CHECK(at(symbols, 0x1080) == "text_label+0");
    CHECK(at(symbols, 0x1090) == "indirect+0");
}

TEST_CASE("Mapping symbols of ARM are no names, and Thumb functions begin at even addresses", "[symbols][elf]") {
    for (const auto machine : {std::uint16_t{40}, std::uint16_t{183}}) {
        Elf elf(std::endian::little, machine == 183);
        elf.machine = machine;
        elf.symbols({{"$x", 0x1000, 0, Elf::label, Elf::local},
                     {"$d.7", 0x1004, 0, Elf::label, Elf::local},
                     {"$tail", 0x1008, 4},
                     {"thumb", 0x1011, 4}});
        const auto symbols = load(elf);
        CHECK(symbols.size() == 2);
        CHECK(at(symbols, 0x1008) == "$tail+0");
        CHECK(at(symbols, 0x1012) == (machine == 40 ? "thumb+2" : "thumb+1"));
    }
    CHECK(at(table({{"$x", 0x1000, 4}}), 0x1000) == "$x+0");  // an ordinary name on other machines
}

TEST_CASE("PowerPC's function descriptors lead to the code", "[symbols][elf]") {
    Elf elf(std::endian::big);
    elf.machine = 21;
    const auto opd = elf.add({.name = ".opd",
                              .flags = 3,
                              .address = 0x8000,
                              .content = Writer(std::endian::big).u64(0x1010).u64(0).u64(0).u64(0x1020).take()});
    elf.symbols({{"one", 0x8000, 8, Elf::function, Elf::global, 0, opd},
                 {"two", 0x8018, 8, Elf::function, Elf::global, 0, opd},
                 {"outside", 0x8020, 8, Elf::function, Elf::global, 0, opd}});
    const auto symbols = load(elf);
    CHECK(at(symbols, 0x1010) == "one+0");
    CHECK(at(symbols, 0x1020) == "two+0");
    CHECK(at(symbols, 0x8020) == "outside+0");
}

TEST_CASE("Without .symtab the names are those of .dynsym and of the mini debug info", "[symbols][elf]") {
    Elf mini;
    mini.symbols({{"internal", 0x1100, 0x10}});
    Elf elf;
    elf.symbols({{"exported", 0x1000, 0x10}}, ".dynsym");
    elf.add({.name = ".gnu_debugdata", .content = compressed(Compression::xz, mini.blob())});
    const auto both = load(elf);
    CHECK(at(both, 0x1000) == "exported+0");
    CHECK(at(both, 0x1100) == "internal+0");

    elf.symbols({{"from_symtab", 0x1000, 0x10}});
    const auto full = load(elf);
    CHECK(full.size() == 1);
    CHECK(at(full, 0x1000) == "from_symtab+0");
}

TEST_CASE("Mini debug info that does not unpack is left out, and that is said", "[symbols][elf]") {
    Elf mini;
    mini.symbols({{"internal", 0x1100, 0x10}});
    auto cut = compressed(Compression::xz, mini.blob());
    cut.resize(cut.size() / 2);
    const auto damage_of = [](Blob content) {
        Elf elf;
        elf.symbols({{"exported", 0x1000, 0x10}}, ".dynsym");
        elf.add({.name = ".gnu_debugdata", .content = std::move(content)});
        const auto symbols = load(elf);
        CHECK(symbols.size() == 1);
        REQUIRE(symbols.damage());
        return symbols.damage()->message();
    };
    constexpr std::string_view where = "section .gnu_debugdata: ";
    CHECK(damage_of(blob_of("no xz at all")).starts_with(std::string(where) + "cannot be unpacked any further"));
    CHECK(damage_of(std::move(cut)).starts_with(std::string(where) + "cannot be unpacked any further"));
    CHECK(damage_of(compressed(Compression::xz, blob_of("no ELF file")))
              .starts_with(std::string(where) + "unpacks to no ELF file"));
    CHECK(damage_of(compressed(Compression::xz, Blob(std::size_t{3} << 20)))
              .starts_with(std::string(where) + "unpacks to more than "));
}

TEST_CASE("A separate debug file's symbols come before the file's own", "[symbols][elf]") {
    Elf stripped, debug;
    stripped.symbols({{"exported", 0x1000, 0x10}}, ".dynsym");
    debug.symbols({{"all_of_it", 0x1000, 0x10}, {"internal", 0x1020, 0x10}});
    const auto file = open_elf(stripped.blob()), separate = open_elf(debug.blob());
    REQUIRE((file && separate));
    const auto symbols = ElfSymbols::load(*file, &*separate);
    REQUIRE(symbols);
    CHECK(at(*symbols, 0x1000) == "all_of_it+0");
    CHECK(at(*symbols, 0x1020) == "internal+0");
}

TEST_CASE("In a kernel module addresses are file offsets", "[symbols][elf]") {
    Elf elf;
    elf.type = 1;  // ET_REL
    elf.segments.clear();
    elf.section(Elf::text).address = 0;
    elf.symbols({{"module_function", 0x20, 0x10}});
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    const auto text = file->section(".text")->offset;
    const auto symbols = ElfSymbols::load(*file);
    REQUIRE(symbols);
    CHECK(at(*symbols, text + 0x24) == "module_function+4");
    CHECK(file->vaddr(text) == text);
}

TEST_CASE("A stripped file says that it has no symbols", "[symbols][elf]") {
    const auto file = open_elf(Elf().blob());
    REQUIRE(file);
    const auto symbols = ElfSymbols::load(*file);
    REQUIRE_FALSE(symbols);
    CHECK(symbols.error().code == ErrorCode::missing);
}

TEST_CASE("Build id and debug link are read in both classes and byte orders", "[symbols][elf]") {
    for (const bool wide : {false, true}) {
        for (const auto order : {std::endian::little, std::endian::big}) {
            Elf elf(order, wide);
            CHECK(open_elf(elf.blob())->build_id().empty());
            CHECK_FALSE(open_elf(elf.blob())->debug_link());
            elf.build_id(id(7, 16).bytes());
            elf.debug_link("prog.debug");
            const auto file = open_elf(elf.blob());
            REQUIRE(file);
            CHECK(std::ranges::equal(file->build_id(), id(7, 16).bytes()));
            REQUIRE(file->debug_link());
            CHECK(file->debug_link()->name == "prog.debug");
            CHECK(file->debug_link()->crc == 0x12345678);
        }
    }
}

TEST_CASE("A debug link that would lead to another directory is no debug link", "[symbols][elf]") {
    Elf elf;
    elf.debug_link("../../etc/passwd");
    CHECK_FALSE(open_elf(elf.blob())->debug_link());
}

TEST_CASE("Where sections are too many for a symbol, a table of its own has their numbers", "[symbols][elf]") {
    constexpr std::uint16_t extended = 0xffff, common = 0xfff2;
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool with_table = GENERATE(true, false);
    Elf elf(order);
    elf.type = 1;  // ET_REL
    const auto code = elf.add({.name = ".text.f", .flags = 6, .content = Blob(64)});
    const auto symbols = elf.symbols({{"f", 8, 4, Elf::function, Elf::global, 0, extended},
                                      {"g", 16, 4, Elf::function, Elf::global, 0, code},
                                      {"c", 24, 4, Elf::function, Elf::global, 0, common}});
    if (with_table) {
        auto numbers = Writer(order).u32(0).u32(code).u32(7).u32(7).take();
        elf.add({.name = ".symtab_shndx", .type = 18, .content = std::move(numbers), .link = symbols});
    }
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    const auto found = ElfSymbols::load(*file);
    REQUIRE(found);
    REQUIRE(found->size() == (with_table ? 2 : 1));
    const auto begin = file->sections()[code].offset;
    CHECK(found->find(begin + 17)->symbol.name == "g");
    if (with_table) CHECK(found->find(begin + 9)->symbol.name == "f");
}

TEST_CASE("A table of symbols that cannot be read is damage, even if another one can", "[symbols][elf]") {
    constexpr std::uint64_t compressed_flag = 0x800;
    Elf elf;
    elf.symbols({{"exported", 0x1000, 4}}, ".dynsym");
    const auto all = elf.symbols({{"exported", 0x1000, 4}, {"internal", 0x1004, 4}});
    const bool damaged = GENERATE(true, false);
    if (damaged) elf.section(all).flags = compressed_flag;  // although it is not
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    const auto found = ElfSymbols::load(*file);
    REQUIRE(found);
    CHECK(found->damage().has_value() == damaged);
    CHECK(found->find(0x1001)->symbol.name == "exported");
    CHECK(found->find(0x1005).has_value() == !damaged);
}
