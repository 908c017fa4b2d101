// SPDX-License-Identifier: MIT
#include "elf_plt.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "elf_constants.hpp"

namespace perfdata {
namespace {

// Extends the sign of a number of `bits` bits.
std::uint64_t extended(std::uint64_t value, unsigned bits) {
    const auto sign = std::uint64_t{1} << (bits - 1);
    return ((value & ((sign << 1) - 1)) ^ sign) - sign;
}

// StubCode reads code at any offset. Behind the end it reads zeros, which are no instruction of a stub.
class StubCode {
  public:
    StubCode(const PltSection& section, Bytes bytes) : section_(section), bytes_(bytes) {}

    std::size_t size() const { return bytes_.size(); }
    unsigned byte(std::size_t at) const { return at < size() ? std::to_integer<unsigned>(bytes_[at]) : 0; }
    std::uint32_t word(std::size_t at) const {
        if (at > size() || size() - at < 4) return 0;
        return section_.order.load<std::uint32_t>(bytes_.data() + at);
    }

  private:
    const PltSection& section_;
    Bytes bytes_;
};

// Returns true for a stub that lld writes with -z retpolineplt: mov slot(%rip), %r11; then a call or jump to a thunk.
bool is_retpoline(const StubCode& code, std::size_t at) {
    const auto next = code.byte(at + 7);
    return (code.word(at) & 0xffffff) == 0x1d8b4c && (next == 0xe8 || next == 0xe9);
}

// Returns the slot of a stub: [endbr64] [bnd] jmp *slot. mold has the stub's number in a register before the jump. On
// x86-64 the operand is relative to the next instruction; on i386 it is absolute or relative to %ebx.
std::optional<std::uint64_t> x86_slot(const PltSection& section, const StubCode& code, std::size_t at) {
    constexpr std::uint32_t endbr64 = 0xfa1e0ff3, endbr32 = 0xfb1e0ff3;
    constexpr unsigned bnd = 0xf2, jump = 0xff, to_memory = 0x25, to_memory_by_ebx = 0xa3;
    const auto first = code.word(at);
    auto place = at + (first == endbr64 || first == endbr32 ? 4 : 0);
    if (section.machine == em_x86_64) {
        if (is_retpoline(code, place)) return section.address + place + 7 + extended(code.word(place + 3), 32);
        if (code.byte(place) == 0x41 && code.byte(place + 1) == 0xbb) place += 6;  // mov $n, %r11d
    } else if (code.byte(place) == 0xb9) {
        place += 5;  // mov $n, %ecx
    }
    if (code.byte(place) == bnd) ++place;
    if (code.byte(place) != jump) return {};
    const auto form = code.byte(place + 1);
    const auto distance = code.word(place + 2);
    if (section.machine == em_x86_64) {
        if (form != to_memory) return {};
        return section.address + place + 6 + extended(distance, 32);
    }
    if (form == to_memory) return distance;
    if (form == to_memory_by_ebx) return std::uint64_t{static_cast<std::uint32_t>(section.got + distance)};
    return {};
}

// Returns the slot of a stub: [bti c]; adrp x16, page; ldr x17, [x16, #low].
std::optional<std::uint64_t> arm64_slot(const PltSection& section, const StubCode& code, std::size_t at) {
    constexpr std::uint32_t bti_c = 0xd503245f;
    if (code.word(at) == bti_c) at += 4;
    const auto adrp = code.word(at), ldr = code.word(at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211) return {};
    const auto pages = extended((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3), 21);
    return ((section.address + at) & ~std::uint64_t{0xfff}) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
}

// Returns the slot of a stub: larl %r1,slot.
std::optional<std::uint64_t> s390_slot(const PltSection& section, const StubCode& code, std::size_t at) {
    if (code.byte(at) != 0xc0 || code.byte(at + 1) != 0x10) return {};
    return section.address + at + extended(code.word(at + 2), 32) * 2;
}

// Returns the slot of a stub: auipc t3, high; ld t3, low(t3).
std::optional<std::uint64_t> riscv_slot(const PltSection& section, const StubCode& code, std::size_t at) {
    const auto auipc = code.word(at), load = code.word(at + 4);
    const std::uint32_t wanted = section.wide ? 0x000e3e03 : 0x000e2e03;  // ld, lw
    if ((auipc & 0xfff) != 0xe17 || (load & 0xfffff) != wanted) return {};
    const auto slot = section.address + at + extended(auipc & 0xfffff000, 32) + extended(load >> 20, 12);
    return section.wide ? slot : slot & 0xffffffff;
}

}  // namespace

std::vector<PltStub> plt_stubs(const PltSection& section, Bytes bytes) {
    const StubCode code(section, bytes);
    std::vector<PltStub> stubs;
    std::size_t step = 4;
    auto slot_of = arm64_slot;
    switch (section.machine) {
        case em_386:
        case em_x86_64:
            slot_of = x86_slot;
            step = static_cast<std::size_t>(std::max<std::uint64_t>(section.stride, 8));
            break;
        case em_aarch64: break;
        case em_s390:
            slot_of = s390_slot;
            step = 32;
            break;
        case em_riscv:
            slot_of = riscv_slot;
            step = 16;
            break;
        default: return stubs;
    }
    for (std::size_t at = 0; at < code.size(); at += step) {
        const auto slot = slot_of(section, code, at);
        if (!slot) continue;
        // A retpoline that calls its thunk has the call of the lazy binder behind it.
        const bool calls = section.machine == em_x86_64 && is_retpoline(code, at) && code.byte(at + 7) == 0xe8;
        const auto size = std::min(calls ? 2 * step : step, code.size() - at);
        stubs.push_back({section.address + at, size, *slot});
        if (section.machine == em_aarch64)
            at += code.word(at) == 0xd503245f ? 8 : 4;  // a stub matches behind its "bti c" too: count it once
    }
    if (section.machine == em_aarch64) {  // stubs have 16 or 24 bytes, with nothing between them
        for (std::size_t index = 0; index < stubs.size(); ++index) {
            const auto end = index + 1 < stubs.size() ? stubs[index + 1].address : section.address + code.size();
            stubs[index].size = std::min<std::uint64_t>(end - stubs[index].address, 24);
        }
    }
    return stubs;
}

}  // namespace perfdata
