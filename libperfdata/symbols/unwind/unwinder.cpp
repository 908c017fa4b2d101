// SPDX-License-Identifier: MIT
#include "unwinder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/timeline/frame_at.hpp"

#include "symbols/code_sources.hpp"
#include "symbols/unwind/call_site.hpp"
#include "symbols/unwind/frame_pointer.hpp"
#include "symbols/unwind/plt_stub.hpp"

namespace perfdata {
namespace {

std::optional<StackEnd> end_of(StepOutcome outcome) {
    switch (outcome) {
        case StepOutcome::ok: return {};
        case StepOutcome::outermost: return StackEnd::bottom;
        case StepOutcome::stack_too_short: return StackEnd::short_copy;
        case StepOutcome::out_of_reach: return StackEnd::out_of_reach;
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

// Old recordings do not say how memory is protected: all of theirs may be code.
bool is_executable(const Mapping& mapping) {
    constexpr std::uint32_t executable = 4;  // PROT_EXEC
    return !mapping.data && (mapping.protection == 0 || (mapping.protection & executable) != 0);
}

// Returns true if a call of x86 ends before a virtual address; nothing if the code there is not in the file.
std::optional<bool> call_before(const ElfFile& file, std::uint64_t vaddr) {
    std::array<std::byte, longest_call> code{};
    for (auto size = static_cast<std::size_t>(std::min<std::uint64_t>(longest_call, vaddr)); size != 0; --size) {
        const auto got = file.read(vaddr - size, std::span(code).first(size));
        if (got && *got == size) return ends_with_call(Bytes(code).first(size));
    }
    return {};
}

// Returns the place in a trampoline of signals at a virtual address.
SignalPlace trampoline_at(const ElfFile& file, const UnwindTarget& target, std::uint64_t vaddr, bool returns) {
    // A trampoline may begin a segment, or end one: read what is before the address and what is behind it on their own.
    std::array<std::byte, 2 * longest_trampoline> code{};
    std::size_t before = returns ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(longest_trampoline, vaddr));
    for (; before != 0; --before) {
        const auto got = file.read(vaddr - before, std::span(code).first(before));
        if (got && *got == before) break;
    }
    const auto got = file.read(vaddr, std::span(code).subspan(before, longest_trampoline));
    return signal_trampoline(target, Bytes(code).first(before + got.value_or(0)), before, returns);
}

// Returns the place in a trampoline that old kernels wrote onto the stack.
SignalPlace trampoline_on_stack(const StackMemory& memory, const UnwindTarget& target, std::uint64_t pc) {
    const auto at = pc - memory.begin();
    if (at >= memory.size()) return {};
    std::array<std::byte, longest_trampoline> code{};
    const auto size = std::min<std::uint64_t>(code.size(), memory.size() - at);
    for (std::size_t index = 0; index < size; ++index) {
        code[index] = static_cast<std::byte>(memory.read(pc + index, 1).value);
    }
    return signal_trampoline(target, Bytes(code).first(static_cast<std::size_t>(size)), 0, true);
}

// Returns true for startup code: a file's first instructions. Assemblers of C libraries describe them rarely.
bool is_startup(const ElfFile& file, std::uint64_t vaddr) {
    constexpr std::uint64_t at_entry = 24, most = 64;  // bytes; e_entry
    std::array<std::byte, 8> word{};
    const auto width = file.wide() ? 8u : 4u;
    const auto got = file.source().read_at(at_entry, std::span(word).first(width));
    if (!got || *got != width) return false;
    const auto order = file.order();
    const auto entry = file.wide() ? order.load<std::uint64_t>(word.data()) : order.load<std::uint32_t>(word.data());
    return entry != 0 && vaddr - entry < most;
}

}  // namespace

Unwinder::Unwinder(const CodeSources& sources, std::string_view arch_name, const StopToken& stop)
    : sources_(sources),
      watch_{stop, {}},
      timeline_(sources.timeline()),
      recent_tasks_(timeline_.tasks()),
      recent_(std::size_t{1} << recent_bits) {
    has_data_ = !std::ranges::all_of(timeline_.tasks().mappings(), is_executable);
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
    // Nor has perf a frame then.
    if (state.stack.empty()) return {StackEnd::failed_copy};
    if (state.register_mask == 0) return {StackEnd::no_registers};
    constexpr std::uint64_t abi_32 = 1;
    const auto& target = state.abi == abi_32 || !wide_ ? narrow_ : wide_;
    if (!target) return {StackEnd::unsupported};
    const auto count = static_cast<std::size_t>(std::popcount(state.register_mask));
    const auto registers = registers_of_sample(
        *target, Registers<AnyOrder>(state.abi, state.register_mask, {state.registers, count, state.order}));
    if (registers.pc == 0 || !registers.known(target->stack_pointer())) return {StackEnd::no_registers};
    const StackMemory memory(state.stack, registers.value(target->stack_pointer()), state.order);
    Walk walk{*target, memory, moment, registers, {most_operations}};
    const auto& pc = walk.registers.pc;
    for (std::size_t depth = 0; depth < most; ++depth) {
        Address address{pc - (walk.returns ? 1 : 0)};
        auto frame = frame_at(moment, address);
        const bool mapping = walk.returns && begins_mapping(walk, frame);
        const bool function = walk.returns && !mapping && begins_function(walk, frame);
        if (mapping || function) {
            walk.returns = false;
            address = {pc};
            frame = frame_at(moment, address);
        }
        frames.push_back({address, frame});
        const auto object = frame.kind == FrameKind::object ? std::optional(frame.index) : std::nullopt;
        // A step may change recent_.
        Rule rule;
        if (is_code(frame) && !(walk.returns && is_data(moment, address, frame))) {
            rule = rule_of(frame, *target, walk.returns);
            if (rule.in_vdso && walk.returns) rule.signal.frame = vdso_trampoline(*target);
        } else {
            if (walk.returns) rule.signal = trampoline_on_stack(memory, *target, pc);
            if (!rule.interrupts()) return {StackEnd::no_mapping};
        }
        if (function && rule.row == nullptr) return {StackEnd::bottom, object};
        // Nobody calls a trampoline: a handler returns to its first instruction.
        if (walk.returns && rule.interrupts()) frames.back() = {Address{pc}, frame_at(moment, Address{pc})};
        const auto end = step_from(rule, address, walk);
        if (end == StackEnd::short_copy && state.stack.size() < state.asked_for) return {StackEnd::failed_copy};
        if (end) return {*end, object, end == StackEnd::short_copy ? memory.wanted() : 0};
        walk.returns = !rule.interrupts();
    }
    return {StackEnd::frame_limit};
}

std::optional<StackEnd> Unwinder::step_from(const Rule& rule, Address address, Walk& walk) {
    const bool was_by_frame_pointer = std::exchange(walk.by_frame_pointer, false);
    auto& registers = walk.registers;
    if (rule.signal.frame != SignalFrame::none) {
        return end_of(step_from_signal(walk.target, rule.signal, walk.memory, registers));
    }
    if (rule.row != nullptr) {
        if (rule.cfi->target() != walk.target) return StackEnd::damaged;
        const auto source = rule.cfi->source(*rule.row, spill_, address.value - rule.vaddr);
        return end_of(step(walk.target, *rule.row, source, walk.memory, registers, walk.budget));
    }
    if (rule.missing != StackEnd::no_unwind_info) return rule.missing;
    if (rule.pushed) return end_of(step_from_leaf(walk.target, walk.memory, registers, *rule.pushed));
    auto caller = registers;
    const auto outcome = step_by_frame_pointer(walk.target, walk.memory, caller);
    if (outcome == StepOutcome::outermost) {
        // Startup code has no frame pointer, nor has code that keeps another number there, as often as not 0. Believe
        // it of a file's code that begins there or has called, and of what a frame pointer led to.
        const bool believed = was_by_frame_pointer || rule.is_startup || (walk.returns && rule.file != nullptr);
        return believed ? StackEnd::bottom : rule.missing;
    }
    if (outcome == StepOutcome::stack_too_short || outcome == StepOutcome::out_of_reach) return end_of(outcome);
    // A frame pointer may be any number: believe it only if it leads to code that has called.
    if (outcome != StepOutcome::ok || !may_be_returned_to(walk, caller.pc)) return rule.missing;
    registers = caller;
    walk.by_frame_pointer = true;
    return {};
}

Unwinder::Rule& Unwinder::rule_of(const Frame& frame, const UnwindTarget& target, bool returns) {
    // The timeline leaves the version 0.
    constexpr std::uint64_t returning = std::uint64_t{1} << 48, narrow = std::uint64_t{1} << 49;
    // The vdsos of 64-bit and of 32-bit processes are one object.
    const auto first = frame.first_word();
    const auto second = frame.second_word() | (returns ? returning : 0) | (target.address_bytes() == 4 ? narrow : 0);
    auto& recent = recent_[((first ^ second << 20) * 0x9e3779b97f4a7c15u) >> (64 - recent_bits)];
    if (recent.first != first || recent.second != second) {
        if (kept_rows_ >= most_rows || spill_.size() >= most_spilled) forget_rows();
        recent = {first, second, find_rule(frame, target, returns)};
    }
    return recent.rule;
}

Unwinder::Rule Unwinder::find_rule(const Frame& frame, const UnwindTarget& target, bool returns) {
    Rule rule;
    const bool watched = watch_.stop.stop_possible();
    if (watched && !sources_.load(frame, CodeDetail::names, watch_)) return rule;  // what it is for will be left
    auto place = sources_.of(frame).unwind_place(frame);
    const bool in_vdso =
        frame.kind == FrameKind::object && timeline_.tasks().objects()[frame.index].kind == ObjectKind::vdso;
    // 32-bit processes have a vdso of their own under the same name.
    if (in_vdso && place.cfi != nullptr && place.cfi->target() != target) place = {nullptr, 0, StackEnd::no_file};
    rule.cfi = place.cfi;
    rule.vaddr = place.vaddr;
    rule.missing = place.missing;
    rule.file = place.file;
    if (place.cfi != nullptr) rule.row = row_of(*place.cfi, place.vaddr, rule.missing);
    if (!returns && rule.row == nullptr && rule.file != nullptr) {
        rule.pushed = pushed_in_plt(*place.file, target, place.vaddr);
        rule.is_startup = is_startup(*place.file, place.vaddr);
    }
    if (!rule.interrupts()) find_trampoline(place, target, returns, rule);
    rule.in_vdso = in_vdso && place.file == nullptr;
    return rule;
}

void Unwinder::find_trampoline(const UnwindPlace& place, const UnwindTarget& target, bool returns, Rule& rule) {
    if (place.file == nullptr) return;
    if (!returns) {
        // Assemblers of C libraries and runtimes may describe a trampoline as a function, which it is not.
        constexpr std::uint32_t longest_row = 16;
        if (rule.row != nullptr && rule.row->size > longest_row) return;
        // What begins here does not lie behind a trampoline's last instruction.
        const bool begins = rule.row != nullptr && rule.row->begin == place.vaddr;
        rule.signal = trampoline_at(*place.file, target, place.vaddr, begins);
        return;
    }
    // A trampoline that begins in the middle of a function's row is none: spare reading the code.
    const auto at = place.vaddr + 1;
    if (rule.row != nullptr && rule.row->contains(at)) return;
    // A row may be that of the function before the trampoline.
    rule.signal = trampoline_at(*place.file, target, at, true);
    if (rule.signal.frame != SignalFrame::none || place.cfi == nullptr) return;
    // The C library begins a trampoline's row a byte early, so that unwinders find it there. Others do not.
    StackEnd missing{};
    const auto* row = row_of(*place.cfi, at, missing);
    if (row != nullptr && row->begin == at && row->has(UnwindRow::signal_frame)) rule.row = row;
}

bool Unwinder::begins_mapping(const Walk& walk, const Frame& before) {
    constexpr std::uint64_t smallest_page = 4096;
    const auto pc = walk.registers.pc;
    if (pc % smallest_page != 0 && is_code(before)) return false;
    const auto& moment = walk.moment;
    const auto frame = frame_at(moment, Address{pc});
    if (!is_code(frame)) return false;
    if (rule_of(frame, walk.target, false).interrupts() || !is_code(before)) return true;
    if (before.kind == FrameKind::jit || frame.kind == FrameKind::jit) return false;
    const auto* const own = recent_tasks_.mapping_at(moment.pid, Address{pc}, moment.time, moment.machine);
    const auto* const other = recent_tasks_.mapping_at(moment.pid, Address{pc - 1}, moment.time, moment.machine);
    if (own == other || own == nullptr || other == nullptr || !is_executable(*own)) return false;
    if (!is_executable(*other)) return true;
    // A file's code may be mapped in pieces. A call that does not return may end the code of another.
    if (before.index == frame.index && before.offset + 1 == frame.offset) return false;
    return rule_of(before, walk.target, true).row == nullptr && !behind_call(before, walk.target).value_or(false);
}

bool Unwinder::begins_function(const Walk& walk, const Frame& before) {
    if (before.kind != FrameKind::object) return false;
    {
        const auto& rule = rule_of(before, walk.target, true);
        const bool without_row = rule.row == nullptr && rule.missing == StackEnd::no_unwind_info;
        if (!without_row || rule.file == nullptr || rule.interrupts()) return false;
    }
    const auto called = behind_call(before, walk.target);
    if (called.value_or(false)) return false;
    const auto frame = frame_at(walk.moment, Address{walk.registers.pc});
    if (frame.kind != FrameKind::object || frame.index != before.index) return false;
    const auto& rule = rule_of(frame, walk.target, false);
    if (rule.row != nullptr) return rule.row->begin == rule.vaddr;
    // Assemblers may have labels behind calls.
    if (!called) return false;
    const auto extent = sources_.extent(frame);
    return extent.size != 0 && extent.begin == frame;
}

std::optional<bool> Unwinder::behind_call(const Frame& before, const UnwindTarget& target) {
    if (target.family() != ArchFamily::x86 || before.kind != FrameKind::object) return {};
    auto& rule = rule_of(before, target, true);
    if (!std::exchange(rule.looked_for_call, true) && rule.file != nullptr) {
        rule.called = call_before(*rule.file, rule.vaddr + 1);
    }
    return rule.called;
}

bool Unwinder::may_be_returned_to(const Walk& walk, std::uint64_t pc) {
    const Address address{pc - 1};
    const auto before = frame_at(walk.moment, address);
    if (!is_code(before) || is_data(walk.moment, address, before)) return false;
    if (behind_call(before, walk.target).value_or(true)) return true;
    return rule_of(before, walk.target, true).interrupts();  // nobody calls a trampoline
}

bool Unwinder::is_data(const Moment& moment, Address address, const Frame& frame) {
    if (!has_data_ || frame.kind == FrameKind::jit) return false;
    const auto* mapping = recent_tasks_.mapping_at(moment.pid, address, moment.time, moment.machine);
    return mapping != nullptr && !is_executable(*mapping);
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
