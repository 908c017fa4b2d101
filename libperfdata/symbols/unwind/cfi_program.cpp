// SPDX-License-Identifier: MIT
#include "cfi_program.hpp"

#include <limits>
#include <string>

#include "cfi_number.hpp"

namespace perfdata {
namespace {

// DW_CFA_*, with those of gcc. The first three have an operand in their low six bits.
enum CfaInstruction : std::uint8_t {
    cfa_advance_loc = 0x40,
    cfa_offset = 0x80,
    cfa_restore = 0xc0,
    cfa_nop = 0,
    cfa_set_loc,
    cfa_advance_loc1,
    cfa_advance_loc2,
    cfa_advance_loc4,
    cfa_offset_extended,
    cfa_restore_extended,
    cfa_undefined,
    cfa_same_value,
    cfa_register,
    cfa_remember_state,
    cfa_restore_state,
    cfa_def_cfa,
    cfa_def_cfa_register,
    cfa_def_cfa_offset,
    cfa_def_cfa_expression,
    cfa_expression,
    cfa_offset_extended_sf,
    cfa_def_cfa_sf,
    cfa_def_cfa_offset_sf,
    cfa_val_offset,
    cfa_val_offset_sf,
    cfa_val_expression,
    cfa_mips_advance_loc8 = 0x1d,
    cfa_aarch64_negate_ra_state_with_pc = 0x2c,
    cfa_negate_ra_state = 0x2d,  // SPARC's DW_CFA_GNU_window_save elsewhere
    cfa_gnu_args_size = 0x2e,
    cfa_gnu_negative_offset_extended = 0x2f,
};

constexpr std::size_t deepest_remembered = 64;
// Of a CIE, which many functions may share: they run its instructions again and again. Real ones have about ten.
constexpr std::size_t most_in_common = 512;

std::string word_of(std::string_view text, std::uint64_t number) {
    return std::string(text) + std::to_string(number);
}

}  // namespace

CfiProgram::CfiProgram(const CfiEntries& entries, const CfiFunction& function, std::size_t most_instructions)
    : entries_(entries),
      function_(function),
      left_(most_instructions),
      in_(cursor(function.instructions, function.instructions_at)),
      begin_(function.begin),
      end_(function.begin),
      place_(function.begin) {}

Cursor CfiProgram::cursor(Bytes instructions, std::uint32_t at) const {
    return entries_.cursor(at, at + std::uint64_t{instructions.size()});
}

Result<void> CfiProgram::run_common() {
    const auto& common = function_.common;
    auto in = cursor(common.instructions, common.instructions_at);
    for (std::size_t count = 0; in.remaining() != 0; ++count) {
        if (count == most_in_common) {
            return fail(ErrorCode::limit, in.file_offset(), "call frame information",
                        "the instructions of a CIE are too many");
        }
        const auto ran = run(in, common.instructions_at, Part::common);
        if (!ran) return fail(ran.error());
    }
    first_ = state_;
    return {};
}

Result<bool> CfiProgram::next() {
    if (!begun_) {
        begun_ = true;
        if (const auto ran = run_common(); !ran) return fail(ran.error());
    }
    begin_ = place_;
    while (begin_ < function_.end) {
        if (in_.remaining() == 0) {
            place_ = end_ = function_.end;
            return true;
        }
        const auto moved = run(in_, function_.instructions_at, Part::function);
        if (!moved) return fail(moved.error());
        if (!*moved) continue;
        end_ = place_;
        return true;
    }
    return false;
}

Result<bool> CfiProgram::run(Cursor& in, std::uint32_t at, Part part) {
    if (left_ == 0) {
        return fail(ErrorCode::limit, in.file_offset(), "call frame information",
                    "the instructions of a function are too many");
    }
    --left_;
    const auto code = in.u8();
    const std::uint8_t operand = code & 0x3f;
    Result<void> done;
    switch (code & 0xc0) {
        case cfa_advance_loc: return advance(in, part, operand);
        case cfa_offset:
            done = set_scaled(in, operand, RuleKind::at_offset, static_cast<std::int64_t>(unsigned_number(in)));
            break;
        case cfa_restore: restore(operand); break;
        default: return run_extended(in, at, part, code);
    }
    if (!in.ok()) return in.failure("an instruction");
    if (!done) return fail(done.error());
    return false;
}

Result<bool> CfiProgram::run_extended(Cursor& in, std::uint32_t at, Part part, std::uint8_t code) {
    const auto dwarf = [&] { return unsigned_number(in); };
    const auto count = [&] { return static_cast<std::int64_t>(unsigned_number(in)); };
    const auto scaled = [&](std::int64_t factor) {
        std::int64_t value = 0;
        // One that overflows is as wrong as one that is too large for a row, which says so.
        if (__builtin_mul_overflow(factor, function_.common.data_alignment, &value)) return INT64_MAX;
        return value;
    };
    Result<void> done;
    switch (code) {
        case cfa_nop: break;
        case cfa_set_loc: {
            const auto place = entries_.address(in, at + in.position(), function_.common, function_.begin);
            if (!place) return fail(place.error());
            const auto before = place_;
            if (const auto set = set_place(in, part, *place); !set) return fail(set.error());
            return place_ != before;
        }
        case cfa_advance_loc1: return advance(in, part, in.u8());
        case cfa_advance_loc2: return advance(in, part, in.u16());
        case cfa_advance_loc4: return advance(in, part, in.u32());
        case cfa_mips_advance_loc8: return advance(in, part, in.u64());
        case cfa_offset_extended: {
            const auto number = dwarf();
            done = set_scaled(in, number, RuleKind::at_offset, count());
            break;
        }
        case cfa_offset_extended_sf: {
            const auto number = dwarf();
            done = set_scaled(in, number, RuleKind::at_offset, signed_number(in));
            break;
        }
        case cfa_gnu_negative_offset_extended: {
            const auto number = dwarf();
            // Of any number: none is too large to be negated.
            done = set_scaled(in, number, RuleKind::at_offset, static_cast<std::int64_t>(0 - unsigned_number(in)));
            break;
        }
        case cfa_val_offset: {
            const auto number = dwarf();
            done = set_scaled(in, number, RuleKind::is_offset, count());
            break;
        }
        case cfa_val_offset_sf: {
            const auto number = dwarf();
            done = set_scaled(in, number, RuleKind::is_offset, signed_number(in));
            break;
        }
        case cfa_restore_extended: restore(dwarf()); break;
        case cfa_undefined: done = set(in, dwarf(), RuleKind::undefined, 0); break;
        case cfa_same_value: done = set(in, dwarf(), RuleKind::same, 0); break;
        case cfa_register: {
            const auto number = dwarf();
            const auto slot = slot_of(dwarf());
            // What lies in a register without slot cannot be known.
            done = slot == no_slot ? set(in, number, RuleKind::undefined, 0) : set(in, number, RuleKind::in_slot, slot);
            break;
        }
        case cfa_expression: {
            const auto number = dwarf();
            done = set(in, number, RuleKind::at_expression, block(in, at));
            break;
        }
        case cfa_val_expression: {
            const auto number = dwarf();
            done = set(in, number, RuleKind::is_expression, block(in, at));
            break;
        }
        case cfa_remember_state:
            if (remembered_.size() == deepest_remembered) {
                return fail(ErrorCode::limit, in.file_offset(), "call frame information",
                            "too many states are remembered");
            }
            remembered_.push_back(state_);
            break;
        case cfa_restore_state:
            if (remembered_.empty()) return in.contradiction("no state has been remembered");
            state_ = remembered_.back();
            remembered_.pop_back();
            break;
        case cfa_def_cfa:
            state_.cfa = CfiState::Cfa::register_offset;
            state_.cfa_register = dwarf();
            state_.cfa_offset = count();
            break;
        case cfa_def_cfa_sf:
            state_.cfa = CfiState::Cfa::register_offset;
            state_.cfa_register = dwarf();
            state_.cfa_offset = scaled(signed_number(in));
            break;
        // As libgcc does it: a register ends an expression, an offset does not. Assemblers for RISC-V begin with a
        // register and no offset.
        case cfa_def_cfa_register:
            state_.cfa = CfiState::Cfa::register_offset;
            state_.cfa_register = dwarf();
            break;
        case cfa_def_cfa_offset: state_.cfa_offset = count(); break;
        case cfa_def_cfa_offset_sf: state_.cfa_offset = scaled(signed_number(in)); break;
        case cfa_def_cfa_expression:
            state_.cfa = CfiState::Cfa::expression;
            state_.cfa_block = block(in, at);
            break;
        case cfa_gnu_args_size: (void)dwarf(); break;
        case cfa_negate_ra_state:
        case cfa_aarch64_negate_ra_state_with_pc:
            if (entries_.target().family() == ArchFamily::arm64) {
                state_.return_signed = !state_.return_signed;
                break;
            }
            [[fallthrough]];
        default:
            return fail(ErrorCode::unsupported, in.file_offset() - (in.ok() ? 1 : 0), "call frame information",
                        word_of("unknown instruction ", code));
    }
    if (!in.ok()) return in.failure("an instruction");
    if (!done) return fail(done.error());
    return false;
}

Result<bool> CfiProgram::advance(const Cursor& in, Part part, std::uint64_t units) {
    if (!in.ok()) return in.failure("an instruction");
    std::uint64_t place = 0;
    const bool wraps = __builtin_mul_overflow(units, function_.common.code_alignment, &place) ||
                       __builtin_add_overflow(place, place_, &place);
    const auto before = place_;
    // Beyond the end is as good as at the end.
    if (const auto set = set_place(in, part, wraps ? UINT64_MAX : place); !set) return fail(set.error());
    return place_ != before;
}

Result<void> CfiProgram::set_place(const Cursor& in, Part part, std::uint64_t place) {
    if (part == Part::common) return in.contradiction("a CIE goes on to another place");
    if (place < place_) return in.contradiction("a function goes back to an earlier place");
    place_ = place < function_.end ? place : function_.end;
    return {};
}

Result<void> CfiProgram::set(const Cursor& in, std::uint64_t dwarf, RuleKind kind, std::int64_t value) {
    if (!in.ok()) return {};  // the caller says so
    const auto slot = slot_of(dwarf);
    if (slot == no_slot) return {};
    const bool is_block = kind == RuleKind::at_expression || kind == RuleKind::is_expression;
    if (!is_block && static_cast<std::int32_t>(value) != value) {
        return in.contradiction(word_of("a rule of register ", dwarf) + " goes beyond 2 GiB");
    }
    state_.mentioned |= std::uint64_t{1} << slot;
    state_.rules[slot] = {slot, kind, static_cast<std::int32_t>(value)};
    return {};
}

Result<void> CfiProgram::set_scaled(const Cursor& in, std::uint64_t dwarf, RuleKind kind, std::int64_t factor) {
    std::int64_t value = 0;
    if (__builtin_mul_overflow(factor, function_.common.data_alignment, &value)) value = INT64_MAX;
    return set(in, dwarf, kind, value);
}

void CfiProgram::restore(std::uint64_t dwarf) {
    const auto slot = slot_of(dwarf);
    if (slot == no_slot) return;
    const auto bit = std::uint64_t{1} << slot;
    state_.mentioned = (state_.mentioned & ~bit) | (first_.mentioned & bit);
    state_.rules[slot] = first_.rules[slot];
}

Slot CfiProgram::slot_of(std::uint64_t dwarf) const {
    // gcc for PowerPC has other numbers of lr and ctr in .debug_frame. In .eh_frame these are vector registers.
    if (entries_.target().family() == ArchFamily::powerpc && entries_.input().format == CfiInput::Format::debug_frame) {
        if (dwarf == 108) return entries_.target().slot(65);
        if (dwarf == 109) return entries_.target().slot(66);
    }
    return entries_.target().slot(dwarf);
}

std::int64_t CfiProgram::block(Cursor& in, std::uint32_t at) const {
    const auto offset = at + std::uint64_t{in.position()};
    in.skip(unsigned_number(in));
    return static_cast<std::int64_t>(offset);
}

Result<UnwindRow> CfiProgram::row(std::uint64_t vaddr, RuleSpill& spill) const {
    const auto& common = function_.common;
    const auto refuse = [&](ErrorCode code, const std::string& what) {
        return fail(code, in_.file_offset(), "call frame information", what);
    };
    UnwindRow row;
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    row.begin = vaddr - begin_ < most ? begin_ : vaddr;
    row.size = static_cast<std::uint32_t>(end_ - row.begin < most ? end_ - row.begin : most);
    if (common.signal_frame) row.flags |= UnwindRow::signal_frame;
    if (state_.return_signed) row.flags |= UnwindRow::return_signed;
    if (entries_.input().format == CfiInput::Format::debug_frame) row.flags |= UnwindRow::in_debug_frame;
    row.return_slot = slot_of(common.return_register);
    if (row.return_slot == no_slot) {
        return refuse(ErrorCode::unsupported, word_of("the return address is in register ", common.return_register));
    }
    const auto return_bit = std::uint64_t{1} << row.return_slot;
    if ((state_.mentioned & return_bit) != 0 && state_.rules[row.return_slot].kind == RuleKind::undefined) {
        row.flags |= UnwindRow::outermost;
    }
    switch (state_.cfa) {
        case CfiState::Cfa::none:
            if (row.has(UnwindRow::outermost)) break;
            return refuse(ErrorCode::malformed, "there is no rule for the CFA");
        case CfiState::Cfa::expression: row.flags |= UnwindRow::cfa_expression; break;
        case CfiState::Cfa::register_offset:
            row.cfa_slot = slot_of(state_.cfa_register);
            if (row.cfa_slot == no_slot) {
                return refuse(ErrorCode::unsupported, word_of("the CFA depends on register ", state_.cfa_register));
            }
            if (static_cast<std::int32_t>(state_.cfa_offset) != state_.cfa_offset) {
                return refuse(ErrorCode::malformed, "the CFA is more than 2 GiB away");
            }
            break;
    }
    row.cfa_value =
        static_cast<std::int32_t>(row.has(UnwindRow::cfa_expression) ? state_.cfa_block : state_.cfa_offset);
    std::array<UnwindRule, slot_count> rules;
    std::size_t count = 0;
    for (auto rest = state_.mentioned; rest != 0; rest &= rest - 1) {
        rules[count++] = state_.rules[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    row.set_rules(std::span(rules).first(count), spill);
    return row;
}

}  // namespace perfdata
