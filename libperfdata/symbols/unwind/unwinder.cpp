// SPDX-License-Identifier: MIT
#include "unwinder.hpp"

#include <array>
#include <bit>
#include <utility>

#include "perfdata/timeline/frame_at.hpp"

#include "symbols/code_sources.hpp"
#include "symbols/unwind/frame_pointer.hpp"

namespace perfdata {
namespace {

std::optional<StackEnd> end_of(StepOutcome outcome) {
    switch (outcome) {
        case StepOutcome::ok: return {};
        case StepOutcome::outermost: return StackEnd::bottom;
        case StepOutcome::stack_too_short: return StackEnd::short_copy;
        case StepOutcome::register_missing: return StackEnd::lost_register;
        case StepOutcome::refused: return StackEnd::no_unwind_info;
        case StepOutcome::damaged:
        case StepOutcome::no_change: break;
    }
    return StackEnd::damaged;
}

// Code that runs without a file lies there as well as code of files.
bool is_code(const Frame& frame) {
    return frame.kind == FrameKind::object || frame.kind == FrameKind::jit || frame.kind == FrameKind::memory;
}

}  // namespace

Unwinder::Unwinder(const CodeSources& sources, std::string_view arch_name)
    : sources_(sources),
      timeline_(sources.timeline()),
      recent_tasks_(timeline_.tasks()),
      recent_(std::size_t{1} << recent_bits) {
    const auto* arch = find_arch(arch_name);
    if (arch == nullptr) return;
    if (arch->address_bytes == 8) wide_ = UnwindTarget::of(arch->family, 8);
    // A 64-bit kernel of arm64 runs processes of Arm.
    narrow_ = UnwindTarget::of(arch->family == ArchFamily::arm64 ? ArchFamily::arm : arch->family, 4);
}

Frame Unwinder::frame_at(const Moment& moment, Address address) {
    return perfdata::frame_at(timeline_, sources_.jit().empty() ? nullptr : &sources_.jit(), moment, address,
                              CpuMode::user, &recent_tasks_);
}

Unwound Unwinder::unwind(const Moment& moment, const UserState& state, std::size_t most,
                         std::vector<UnwoundFrame>& frames) {
    if (state.register_mask == 0) return {StackEnd::no_registers};
    constexpr std::uint64_t abi_32 = 1;
    const auto& target = state.abi == abi_32 || !wide_ ? narrow_ : wide_;
    if (!target) return {StackEnd::unsupported};
    const auto count = static_cast<std::size_t>(std::popcount(state.register_mask));
    auto registers = registers_of_sample(
        *target, Registers<AnyOrder>(state.abi, state.register_mask, {state.registers, count, state.order}));
    if (registers.pc == 0 || !registers.known(target->stack_pointer())) return {StackEnd::no_registers};
    const StackMemory memory(state.stack, registers.value(target->stack_pointer()), state.order);

    bool returns = false;  // pc is a return address: the call lies before it
    for (std::size_t depth = 0; depth < most; ++depth) {
        const Address address{registers.pc - (returns ? 1 : 0)};
        const auto frame = frame_at(moment, address);
        frames.push_back({address, frame});
        const auto object = frame.kind == FrameKind::object ? std::optional(frame.index) : std::nullopt;
        if (!is_code(frame)) return {StackEnd::no_mapping};
        // A step may change recent_.
        auto rule = rule_of(frame, *target, returns);
        if (rule.in_vdso && returns) rule.signal = vdso_trampoline(*target);
        // Nobody calls a trampoline: a handler returns to its first instruction.
        if (returns && rule.interrupts())
            frames.back() = {Address{registers.pc}, frame_at(moment, Address{registers.pc})};
        const auto end = step_from(rule, *target, memory, address, moment, registers);
        if (end) return {*end, object};
        returns = !rule.interrupts();
    }
    return {StackEnd::frame_limit};
}

std::optional<StackEnd> Unwinder::step_from(const Rule& rule, const UnwindTarget& target, const StackMemory& memory,
                                            Address address, const Moment& moment, RegisterFile& registers) {
    if (rule.signal != SignalFrame::none) return end_of(step_from_signal(target, rule.signal, memory, registers));
    if (rule.row != nullptr) {
        if (rule.cfi->target() != target) return StackEnd::damaged;
        const auto source = rule.cfi->source(spill_, address.value - rule.vaddr);
        return end_of(step(target, *rule.row, source, memory, registers));
    }
    if (rule.missing != StackEnd::no_unwind_info) return rule.missing;
    auto caller = registers;
    const auto outcome = step_by_frame_pointer(target, memory, caller);
    if (outcome == StepOutcome::outermost) return StackEnd::bottom;
    if (outcome == StepOutcome::stack_too_short) return StackEnd::short_copy;
    // A frame pointer may be any number: believe it only if it leads to code.
    if (outcome != StepOutcome::ok || !is_code(frame_at(moment, Address{caller.pc - 1}))) return rule.missing;
    registers = caller;
    return {};
}

const Unwinder::Rule& Unwinder::rule_of(const Frame& frame, const UnwindTarget& target, bool returns) {
    // The timeline leaves the version 0.
    constexpr std::uint64_t returning = std::uint64_t{1} << 48;
    const auto first = frame.first_word(), second = frame.second_word() | (returns ? returning : 0);
    auto& recent = recent_[((first ^ second << 20) * 0x9e3779b97f4a7c15u) >> (64 - recent_bits)];
    if (recent.first != first || recent.second != second) {
        if (kept_rows_ >= most_rows) forget_rows();
        recent = {first, second, find_rule(frame, target, returns)};
    }
    return recent.rule;
}

Unwinder::Rule Unwinder::find_rule(const Frame& frame, const UnwindTarget& target, bool returns) {
    auto place = sources_.of(frame).unwind_place(frame);
    const bool in_vdso =
        frame.kind == FrameKind::object && timeline_.tasks().objects()[frame.index].kind == ObjectKind::vdso;
    // 32-bit processes have a vdso of their own under the same name.
    if (in_vdso && place.cfi != nullptr && place.cfi->target() != target) place = {nullptr, 0, StackEnd::no_file};
    Rule rule;
    rule.cfi = place.cfi;
    rule.vaddr = place.vaddr;
    rule.missing = place.missing;
    if (place.cfi != nullptr) rule.row = row_of(*place.cfi, place.vaddr, rule.missing);
    if (!returns || rule.interrupts()) return rule;
    // A trampoline that begins in the middle of a function's row is none: spare reading the code.
    if (rule.row != nullptr && rule.row->contains(place.vaddr + 1)) return rule;
    // A row may be that of the function before the trampoline.
    if (place.file != nullptr) {
        std::array<std::byte, longest_trampoline> code{};
        const auto got = place.file->read(place.vaddr + 1, code);
        if (got) rule.signal = signal_trampoline(target, Bytes(code).first(*got));
    } else {
        rule.in_vdso = in_vdso;
    }
    return rule;
}

const UnwindRow* Unwinder::row_of(const FileCfi& cfi, std::uint64_t vaddr, StackEnd& missing) {
    auto& rows = rows_[&cfi];
    if (const auto next = rows.upper_bound(vaddr); next != rows.begin()) {
        const auto& row = std::prev(next)->second;
        if (row.contains(vaddr)) return &row;
    }
    const auto found = cfi.row_at(vaddr, spill_);
    if (!found) {
        missing = StackEnd::damaged;
        return nullptr;
    }
    if (!*found) return nullptr;
    ++kept_rows_;
    // Rows of damaged files may overlap: the latest is the one that was asked for.
    return &rows.insert_or_assign((*found)->begin, **found).first->second;
}

void Unwinder::forget_rows() {
    rows_.clear();
    spill_ = {};
    kept_rows_ = 0;
    for (auto& recent : recent_) recent = {};
}

}  // namespace perfdata
