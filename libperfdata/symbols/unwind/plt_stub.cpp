// SPDX-License-Identifier: MIT
#include "plt_stub.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t stub_size = 16;

// PushedCode is code of a section, as far as it could be read.
class PushedCode {
  public:
    PushedCode(const ElfFile& file, std::uint64_t offset) {
        const auto got = file.source().read_at(offset, code_);
        if (got) size_ = *got;
    }
    bool has(std::size_t at, std::initializer_list<std::uint8_t> bytes) const {
        return at + bytes.size() <= size_ && std::ranges::equal(bytes, std::span(code_).subspan(at, bytes.size()), {},
                                                                [](std::uint8_t byte) { return std::byte{byte}; });
    }

  private:
    std::array<std::byte, 2 * stub_size> code_{};
    std::size_t size_ = 0;
};

std::optional<unsigned> pushed_x86(const ElfFile& file, const ElfFile::Section& plt, std::uint64_t offset) {
    const PushedCode code(file, plt.offset);
    // mold: endbr64; push %r11; push GOT[1]; jmp *GOT[2], in 32 bytes. Others: endbr64; mov $n, %r11d; jmp *GOT[n].
    if (code.has(0, {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53, 0xff, 0x35})) {
        if (offset >= 2 * stub_size || offset < 6) return 0;
        return offset < 12 ? 1 : 2;
    }
    // A program linked statically has no lazy binder: each stub jumps, and pushes nothing.
    const std::size_t landing = code.has(0, {0xf3, 0x0f, 0x1e}) ? 4 : 0;
    if (code.has(landing, {0xff, 0x25}) || code.has(landing, {0xff, 0xa3}) || code.has(landing, {0xf2, 0xff, 0x25})) {
        return 0;
    }
    // push GOT[1], by its address or from ebx; then jmp *GOT[n], or endbr64 or endbr32. Others are not known.
    if (!code.has(0, {0xff, 0x35}) && !code.has(0, {0xff, 0xb3})) return {};
    const bool branch_tracking = code.has(stub_size, {0xf3, 0x0f, 0x1e});
    if (!branch_tracking && !code.has(stub_size, {0xff, 0x25}) && !code.has(stub_size, {0xff, 0xa3})) return {};
    return words_pushed_in_plt(offset, branch_tracking);
}

// Stubs leave the return address in its register. The first, which calls the dynamic linker, may push it as well.
std::optional<unsigned> pushed_by_link(const ElfFile& file, const UnwindTarget& target, const ElfFile::Section& plt,
                                       std::uint64_t offset) {
    switch (target.family()) {
        case ArchFamily::riscv:
        case ArchFamily::s390: return 0;
        case ArchFamily::arm64: {
            // stp x16, x30, [sp, #-16]!, perhaps behind bti c
            constexpr std::uint64_t first_size = 32;
            const std::uint64_t push = PushedCode(file, plt.offset).has(0, {0x5f, 0x24, 0x03, 0xd5}) ? 4 : 0;
            return offset > push && offset < first_size ? 2 : 0;
        }
        case ArchFamily::arm: {
            // str lr, [sp, #-4]!; then lr has something else.
            constexpr std::uint64_t first_size = 20;
            if (offset != 0 && offset < first_size) return {};
            return 0;
        }
        default: return {};  // of PowerPC no section .plt is code
    }
}

}  // namespace

std::optional<unsigned> pushed_in_plt(const ElfFile& file, const UnwindTarget& target, std::uint64_t vaddr) {
    const auto holding = [&](std::string_view name) -> const ElfFile::Section* {
        const auto* section = file.section(name);
        return section != nullptr && vaddr - section->address < section->size ? section : nullptr;
    };
    if (target.family() == ArchFamily::powerpc) return {};
    for (const std::string_view name : {".plt.sec", ".plt.got", ".iplt"}) {
        if (holding(name) != nullptr) return 0;
    }
    const auto* plt = holding(".plt");
    if (plt == nullptr) return {};
    const auto offset = vaddr - plt->address;
    return target.has_link_register() ? pushed_by_link(file, target, *plt, offset) : pushed_x86(file, *plt, offset);
}

}  // namespace perfdata
