// SPDX-License-Identifier: MIT
// What stubs of linkage tables have pushed.
#include "symbols/unwind/plt_stub.hpp"

#include "catch.hpp"
#include "unit/symbols/cfi_case.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t stubs_at = 0x3000, stubs_size = 0x60;

// StubTable is a section .plt, or of another name, that begins with this code.
struct StubTable {
    StubTable(ArchFamily family, std::uint16_t machine, std::initializer_list<std::uint8_t> code,
              const std::string& name = ".plt")
        : target(target_of(family)) {
        Elf elf;
        elf.machine = machine;
        Blob content;
        for (const auto byte : code) content.push_back(std::byte{byte});
        content.resize(stubs_size);
        elf.add({.name = name, .flags = 6, .address = stubs_at, .content = std::move(content)});
        file.emplace(open_elf(elf.blob()).value());
    }
    // Returns -1 for nothing.
    int at(std::uint64_t offset) const {
        const auto pushed = pushed_in_plt(*file, target, stubs_at + offset);
        return pushed ? static_cast<int>(*pushed) : -1;
    }

    UnwindTarget target;
    std::optional<ElfFile> file;
};

}  // namespace

TEST_CASE("Stubs that mold links push nothing but in the first", "[symbols][unwind]") {
    const StubTable table(ArchFamily::x86, em_x86_64,
                          {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53, 0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0});
    CHECK(table.at(0) == 0);
    CHECK(table.at(4) == 0);
    CHECK(table.at(6) == 1);
    CHECK(table.at(12) == 2);
    for (const auto at : {32u, 36u, 42u, 48u}) CHECK(table.at(at) == 0);
    CHECK(table.at(stubs_size) == -1);
}

TEST_CASE("Stubs of arm64 keep the return address in its register", "[symbols][unwind]") {
    const StubTable plain(ArchFamily::arm64, em_aarch64, {0xf0, 0x7b, 0xbf, 0xa9});
    const StubTable landing(ArchFamily::arm64, em_aarch64, {0x5f, 0x24, 0x03, 0xd5, 0xf0, 0x7b, 0xbf, 0xa9});
    CHECK(plain.at(0) == 0);
    CHECK(plain.at(4) == 2);
    CHECK(plain.at(16) == 2);
    CHECK(plain.at(32) == 0);
    CHECK(plain.at(44) == 0);
    CHECK(landing.at(4) == 0);
    CHECK(landing.at(8) == 2);
    CHECK(landing.at(32) == 0);
    CHECK(StubTable(ArchFamily::riscv, em_riscv, {}).at(8) == 0);
}

TEST_CASE("Stubs of statically linked programs push nothing", "[symbols][unwind]") {
    const StubTable plain(ArchFamily::x86, em_x86_64, {0xff, 0x25, 0, 0, 0, 0, 0x66, 0x90});
    const StubTable landing(ArchFamily::x86, em_x86_64, {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0, 0, 0, 0});
    for (const auto at : {0u, 6u, 8u, 14u, 32u}) {
        CHECK(plain.at(at) == 0);
        CHECK(landing.at(at) == 0);
    }
}

TEST_CASE("Stubs of an unknown form, and those that push nothing", "[symbols][unwind]") {
    CHECK(StubTable(ArchFamily::x86, em_x86_64, {0x90, 0x90}).at(20) == -1);
    CHECK(StubTable(ArchFamily::x86, em_x86_64, {0xf3, 0x0f}, ".plt.sec").at(20) == 0);
    CHECK(StubTable(ArchFamily::arm64, em_aarch64, {}, ".text.plt").at(0) == -1);
}
