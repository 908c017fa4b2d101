// SPDX-License-Identifier: MIT
// Damaged ELF files: reading always ends, and stays inside the file.
#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// whole_elf(order, wide, machine) contains everything that the reader examines.
Blob whole_elf(std::endian order, bool wide, std::uint16_t machine) {
    Elf mini(order, wide);
    mini.symbols({{"internal", 0x1100, 0x10}});
    Elf elf(order, wide);
    elf.machine = machine;
    elf.build_id(id(1).bytes());
    elf.debug_link("x.debug");
    const auto dynsym =
        elf.symbols({{"puts", 0, 0, Elf::function, Elf::global, 0, 0}, {"exported", 0x1000, 4}}, ".dynsym");
    Blob stubs(64);  // behind the lazy binder of x86-64: push GOT[1]; jmp *GOT[2]
    stubs[0] = stubs[6] = std::byte{0xff};
    stubs[1] = std::byte{0x35};
    stubs[7] = std::byte{0x25};
    elf.add({.name = ".plt", .flags = 6, .address = 0x2000, .content = std::move(stubs)});
    Writer relocations(order);
    if (wide) {
        relocations.u64(0x4000).u64(std::uint64_t{1} << 32 | 7).u64(0);
    } else {
        relocations.u32(0x4000).u32(1 << 8 | 7).u32(0);
    }
    elf.add({.name = ".rela.plt", .type = 4, .content = relocations.take(), .link = dynsym});
    elf.add({.name = ".opd", .address = 0x8000, .content = Blob(32)});
    if (machine == 62) {
        elf.add({.name = ".gnu_debugdata", .content = compressed(Compression::xz, mini.blob())});
    } else {
        elf.symbols({{"a", 0x1000, 4}, {"_ZN1AC1Ev", 0x1000, 4}, {"_ZN1BC1Ev", 0x1000, 4}, {"b", 0x1004, 0}});
    }
    return elf.blob();
}

// use(blob) reads everything, and returns the number of symbols.
std::size_t use(Blob blob) {
    const auto file = open_elf(std::move(blob));
    if (!file) {
        CHECK_FALSE(file.error().message().empty());
        return 0;
    }
    (void)file->debug_link();
    std::array<std::byte, 16> out{};
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{0x1000}, ~std::uint64_t{0}}) {
        (void)file->vaddr(at);
        (void)file->read(at, out);
    }
    (void)address_of_symbol(*file, "a");
    const auto symbols = ElfSymbols::load(*file);
    if (!symbols) return 0;
    for (std::size_t index = 0; index < symbols->size(); ++index) {
        const auto symbol = symbols->symbol(index);
        REQUIRE_FALSE(symbol.name.empty());
        const auto found = symbols->find(symbol.value);
        if (symbol.size != 0) REQUIRE(found);
        if (found) REQUIRE(found->offset < found->symbol.size);
    }
    return symbols->size();
}

std::vector<Blob> samples() {
    std::vector<Blob> all;
    for (const bool wide : {false, true}) {
        for (const auto order : {std::endian::little, std::endian::big}) {
            for (const auto machine : {std::uint16_t{62}, std::uint16_t{21}, std::uint16_t{40}})
                all.push_back(whole_elf(order, wide, machine));
        }
    }
    return all;
}

}  // namespace

TEST_CASE("The intact files of the damage tests have symbols", "[symbols][elf]") {
    for (const auto& blob : samples()) CHECK(use(blob) >= 2);
}

TEST_CASE("An ELF file may be cut off anywhere", "[symbols][elf]") {
    for (const auto& blob : samples()) {
        for (std::size_t size = 0; size < blob.size(); size += size < 64 ? 1 : 13) {
            use(Blob(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(size)));
        }
    }
}

TEST_CASE("Any bytes of an ELF file may be anything", "[symbols][elf]") {
    const auto all = samples();
    Random random(41);
    std::size_t with_symbols = 0;
    for (unsigned round = 0; round < 10000; ++round) {
        auto blob = all[random.size(all.size())];
        // Half of the damage hits the headers at both ends, where the sizes are.
        for (auto count = 1 + random.below(4); count != 0; --count) {
            const auto edge = std::min<std::size_t>(blob.size(), 600);
            auto at = random.one_in(2) ? random.size(blob.size()) : blob.size() - 1 - random.size(edge);
            if (random.one_in(4)) at = random.size(120);
            static constexpr std::array<std::uint8_t, 5> likely{0, 1, 0x7f, 0x80, 0xff};
            blob[at] = static_cast<std::byte>(random.one_in(2) ? likely[random.size(likely.size())] : random.u8());
        }
        if (use(std::move(blob)) != 0) ++with_symbols;
    }
    CHECK(with_symbols > 1000);  // the others fail early; these reach every part of the reader
    CHECK(with_symbols < 10000);
}

TEST_CASE("Counts that do not fit are refused before anything is allocated for them", "[symbols][elf]") {
    const auto blob = Elf().blob();
    constexpr std::size_t section_count = 60, segment_count = 56, section_size = 58;
    const auto little = std::endian::little;
    for (const auto& damaged : {patched<std::uint16_t>(blob, little, section_count, 0xfff0),
                                patched<std::uint16_t>(blob, little, segment_count, 0xfff0),
                                patched<std::uint64_t>(blob, little, 40, ~std::uint64_t{0}),
                                patched<std::uint64_t>(blob, little, 32, ~std::uint64_t{0} - 8)}) {
        CHECK_FALSE(open_elf(damaged));
    }
    // Entries too small for sections: the file is read as one without sections.
    const auto small = open_elf(patched<std::uint16_t>(blob, little, section_size, 8));
    REQUIRE(small);
    CHECK(small->sections().empty());
}

TEST_CASE("A section larger than the limit is not read", "[symbols][elf]") {
    Elf elf;
    elf.symbols({{"f", 0x1000, 4}});
    Limits limits;
    limits.section_bytes = 1024;
    auto file = ElfFile::open(std::make_shared<OwnedSource>(elf.blob()), limits);
    REQUIRE(file);
    CHECK(ElfSymbols::load(*file, nullptr, limits));
    limits.section_bytes = 40;
    const auto refused = ElfFile::open(std::make_shared<OwnedSource>(elf.blob()), limits);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit);
}
