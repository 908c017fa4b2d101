// SPDX-License-Identifier: MIT
#include "signal_frame.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>

namespace perfdata {
namespace {

struct Trampoline {
    ArchFamily family;
    unsigned address_bytes;
    SignalFrame frame;
    std::size_t size;
    std::array<std::uint8_t, longest_trampoline> code;
    std::array<std::uint8_t, 2> later;  // where instructions begin behind the first; 0: there is none
    std::uint8_t popped = 0;            // by the first instruction
};

constexpr std::array trampolines = {
    // mov $15, %rax (or %eax); syscall
    Trampoline{ArchFamily::x86, 8, SignalFrame::with_info, 9, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, {7}},
    Trampoline{ArchFamily::x86, 8, SignalFrame::with_info, 7, {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}, {5}},
    // mov $173, %eax; int $0x80. pop %eax; mov $119, %eax; int $0x80
    Trampoline{ArchFamily::x86, 4, SignalFrame::with_info, 7, {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80}, {5}},
    Trampoline{ArchFamily::x86, 4, SignalFrame::plain, 8, {0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80}, {1, 6}, 4},
    // mov x8, #139; svc #0
    Trampoline{ArchFamily::arm64, 8, SignalFrame::with_info, 8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, {4}},
    // mov r7, #173 or #119; svc #0. The same in Thumb code.
    Trampoline{ArchFamily::arm, 4, SignalFrame::with_info, 8, {0xad, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, {4}},
    Trampoline{ArchFamily::arm, 4, SignalFrame::plain, 8, {0x77, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, {4}},
    Trampoline{ArchFamily::arm, 4, SignalFrame::with_info, 4, {0xad, 0x27, 0, 0xdf}, {2}},
    Trampoline{ArchFamily::arm, 4, SignalFrame::plain, 4, {0x77, 0x27, 0, 0xdf}, {2}},
    // li a7, 139; ecall
    Trampoline{ArchFamily::riscv, 8, SignalFrame::with_info, 8, {0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0}, {4}},
    // svc 173 or 119
    Trampoline{ArchFamily::s390, 8, SignalFrame::with_info, 2, {0x0a, 0xad}, {}},
    Trampoline{ArchFamily::s390, 8, SignalFrame::plain, 2, {0x0a, 0x77}, {}},
};

// FrameLayout is where a frame has its registers, counted from the stack pointer in the trampoline.
struct FrameLayout {
    std::uint64_t first = 0;      // of `slots`
    std::span<const Slot> slots;  // one behind the other; no_slot: passed over
    std::uint64_t pc = 0;
};

// The order of gregs in uapi/asm/sigcontext.h; DWARF's numbers.
constexpr std::array<Slot, 16> x86_64_gregs = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
constexpr std::array<Slot, 8> i386_gregs = {7, 6, 5, 4, 3, 2, 1, 0};  // edi to eax
constexpr std::array<Slot, 32> by_number = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
constexpr std::uint64_t siginfo = 128;

std::optional<std::uint64_t> word(const UnwindTarget& target, const StackMemory& memory, std::uint64_t address) {
    const auto found = memory.read(address & target.address_mask(), target.address_bytes());
    if (found.answer != StackMemory::Answer::value) return {};
    return found.value;
}

std::optional<FrameLayout> layout_of(const UnwindTarget& target, SignalFrame frame, const StackMemory& memory,
                                     std::uint64_t stack_pointer) {
    const bool with_info = frame == SignalFrame::with_info;
    switch (target.family()) {
        case ArchFamily::x86:
            // ucontext: flags, link, stack; then r8
            if (target.address_bytes() == 8) return FrameLayout{40, x86_64_gregs, 40 + 16 * 8};
            if (!with_info) return FrameLayout{4 + 16, i386_gregs, 4 + 56};
            // signal, siginfo *, ucontext *: flags, link, stack, sigcontext
            if (const auto context = word(target, memory, stack_pointer + 8)) {
                const auto at = *context - stack_pointer + 20;
                return FrameLayout{at + 16, i386_gregs, at + 56};
            }
            return {};
        case ArchFamily::arm64: {
            // ucontext: flags, link, stack, mask of 128 bytes; sigcontext: fault address, x0 to x30, sp, pc
            constexpr auto registers = siginfo + 176 + 8;
            return FrameLayout{registers, by_number, registers + 32 * 8};
        }
        case ArchFamily::arm: {
            // ucontext: flags, link, stack; sigcontext: trap, error, mask, r0 to r15
            const auto registers = (with_info ? siginfo : 0) + 20 + 12;
            return FrameLayout{registers, std::span(by_number).first(15), registers + 15 * 4};
        }
        case ArchFamily::riscv: {
            // ucontext: flags, link, stack, mask of 128 bytes; sigcontext: pc, x1 to x31
            constexpr auto registers = siginfo + 176;
            return FrameLayout{registers + 8, std::span(by_number).subspan(1), registers};
        }
        case ArchFamily::s390: {
            // room of the callee, svc instruction, siginfo; ucontext: flags, link, stack; psw: mask, address; r0 to r15
            // room of the callee; sigcontext: mask, pointer to the registers; psw, and so on
            const auto psw = with_info ? 160 + 8 + siginfo + 40 : 160 + 16;
            return FrameLayout{psw + 16, std::span(by_number).first(16), psw + 8};
        }
        default: return {};
    }
}

}  // namespace

SignalPlace signal_trampoline(const UnwindTarget& target, Bytes code, std::size_t at, bool returns) {
    for (const auto& known : trampolines) {
        if (known.family != target.family() || known.address_bytes != target.address_bytes()) continue;
        const auto bytes = std::as_bytes(std::span(known.code)).first(known.size);
        const auto begins = [&](std::size_t before) {
            if (before > at || code.size() < at - before || code.size() - (at - before) < known.size) return false;
            return std::ranges::equal(code.subspan(at - before, known.size), bytes);
        };
        if (begins(0)) return {known.frame, 0};
        if (returns) continue;
        for (const std::size_t later : {std::size_t{known.later[0]}, std::size_t{known.later[1]}, known.size}) {
            if (later != 0 && begins(later)) return {known.frame, known.popped};
        }
    }
    return {};
}

SignalFrame vdso_trampoline(const UnwindTarget& target) {
    switch (target.family()) {
        case ArchFamily::arm64:
        case ArchFamily::riscv: return SignalFrame::with_info;
        default: return SignalFrame::none;
    }
}

StepOutcome step_from_signal(const UnwindTarget& target, SignalPlace place, const StackMemory& memory,
                             RegisterFile& registers) {
    if (place.frame == SignalFrame::none) return StepOutcome::register_missing;
    if (!registers.known(target.stack_pointer())) return why_unknown(registers, target.stack_pointer());
    const auto stack_pointer = registers.value(target.stack_pointer()) - place.popped;
    const auto layout = layout_of(target, place.frame, memory, stack_pointer);
    if (!layout) {
        // A pointer in the frame leads to the registers, on i386.
        const auto pointer = memory.read((stack_pointer + 8) & target.address_mask(), target.address_bytes());
        return pointer.answer != StackMemory::Answer::value ? why_unread(pointer.answer) : StepOutcome::damaged;
    }
    RegisterFile interrupted;
    const auto width = target.address_bytes();
    const auto pc = memory.read((stack_pointer + layout->pc) & target.address_mask(), width);
    if (pc.answer != StackMemory::Answer::value) return why_unread(pc.answer);
    for (std::size_t at = 0; at < layout->slots.size(); ++at) {
        const auto value = word(target, memory, stack_pointer + layout->first + at * width);
        if (value && layout->slots[at] != no_slot) interrupted.set(layout->slots[at], *value);
    }
    interrupted.pc = target.code_address(pc.value);
    if (interrupted.pc == 0) return StepOutcome::outermost;
    if (!target.has_link_register()) interrupted.set(target.return_slot(), interrupted.pc);
    registers = interrupted;
    return StepOutcome::ok;
}

}  // namespace perfdata
