// SPDX-License-Identifier: MIT
#include "arm_exidx.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

namespace perfdata {
namespace {

constexpr std::size_t index_entry_bytes = 8;  // bytes
constexpr std::uint32_t cannot_unwind = 1, inline_model = 0x80000000;
constexpr Slot stack_slot = 13, link_slot = 14, program_counter_slot = 15;

// Returns the address that a 31-bit distance leads to.
std::uint32_t from_distance(std::uint64_t place, std::uint32_t word) {
    const auto distance = static_cast<std::uint32_t>(static_cast<std::int32_t>(word << 1) >> 1);
    return static_cast<std::uint32_t>(place) + distance;
}

// Adds the bytes of a word below its most significant ones, which come first.
void add_bytes(std::vector<std::uint8_t>& bytes, std::uint32_t word, unsigned count) {
    for (auto left = count; left != 0; --left) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * (left - 1)));
}

// ArmFrame is what the operations so far have made of the frame. Offsets are from the value of the base register.
class ArmFrame {
  public:
    // Runs all operations. Errors: an operation that is unknown, or that a row cannot express.
    Result<void> run(const std::vector<std::uint8_t>& operations) {
        for (at_ = 0; at_ < operations.size() && !finished_;) {
            const auto begin = at_;
            const auto code = operations[at_++];
            if (stack_pointer_popped_ && code != 0xb0) return refuse("goes on behind a new stack pointer", begin);
            if (const char* problem = one(code, operations); problem != nullptr) return refuse(problem, begin);
            if (at_ > operations.size()) return refuse("is cut off", begin);
            if (static_cast<std::int32_t>(vsp_) != vsp_) return refuse("moves the stack pointer very far", begin);
        }
        return {};
    }

    bool refused() const { return refused_; }

    void put(UnwindRow& row, RuleSpill& spill) const {
        row.cfa_slot = base_;
        row.cfa_value = static_cast<std::int32_t>(vsp_);
        std::array<UnwindRule, 16> rules;
        std::size_t count = 0;
        for (Slot slot = 0; slot < 16; ++slot) {
            if (!popped(slot)) continue;
            rules[count++] = {slot, RuleKind::at_offset, static_cast<std::int32_t>(places_[slot] - vsp_)};
        }
        row.return_slot = popped(program_counter_slot) ? program_counter_slot : link_slot;
        row.set_rules(std::span(rules).first(count), spill);
    }

  private:
    std::unexpected<Error> refuse(const char* what, std::size_t at) const {
        return fail(ErrorCode::unsupported, Error::no_offset, ".ARM.exidx",
                    "operation " + std::to_string(at) + " of a function " + what);
    }
    bool popped(Slot slot) const { return (popped_ >> slot & 1) != 0; }

    // Runs one operation. Returns what is wrong with it; null if nothing.
    const char* one(std::uint8_t code, const std::vector<std::uint8_t>& operations) {
        const auto next = [&]() -> std::uint8_t { return at_++ < operations.size() ? operations[at_ - 1] : 0; };
        const unsigned low = code & 7u;
        switch (code >> 4) {
            case 0x0:
            case 0x1:
            case 0x2:
            case 0x3: vsp_ += std::int64_t{code & 0x3f} * 4 + 4; return nullptr;
            case 0x4:
            case 0x5:
            case 0x6:
            case 0x7: vsp_ -= std::int64_t{code & 0x3f} * 4 + 4; return nullptr;
            case 0x8: {
                const unsigned mask = (code & 0xfu) << 8 | next();
                if (mask == 0) {
                    refused_ = finished_ = true;
                } else {
                    pop(mask << 4);
                }
                return nullptr;
            }
            case 0x9: return set_base(static_cast<Slot>(code & 0xf));
            case 0xa: pop(((2u << low) - 1) << 4 | (code & 8u) << 11); return nullptr;
            case 0xb:
                if (low != code - 0xb0u) {  // from 0xb8: pop VFP registers, saved by FSTMX
                    vsp_ += std::int64_t{low} * 8 + 12;
                    return nullptr;
                }
                return special(low, next, operations);
            case 0xc: return coprocessor(low, code, next);
            case 0xd:
                if (code >= 0xd8) break;
                vsp_ += std::int64_t{low} * 8 + 8;
                return nullptr;
            default: break;
        }
        return "is unknown";
    }

    template <class Next>
    const char* special(unsigned code, Next&& next, const std::vector<std::uint8_t>& operations) {
        switch (code) {
            case 0: finished_ = true; return nullptr;
            case 1: {
                const unsigned mask = next();
                if (mask == 0 || mask > 0xf) return "is unknown";
                pop(mask);
                return nullptr;
            }
            case 2: {
                std::uint64_t value = 0;
                unsigned shift = 0;
                for (bool more = true; more; shift += 7) {
                    if (shift > 28 || at_ >= operations.size()) return "has an impossible number";
                    const auto byte = next();
                    value |= std::uint64_t{byte & 0x7fu} << shift;
                    more = byte >= 0x80;
                }
                vsp_ += static_cast<std::int64_t>(0x204 + value * 4);
                return nullptr;
            }
            case 3: vsp_ += std::int64_t{next() & 0xf} * 8 + 12; return nullptr;  // VFP registers, saved by FSTMX
            case 4: vsp_ += 4; return nullptr;  // the authentication code of the return address
            case 5: return nullptr;             // the vsp here signs the return address
            default: return "is unknown";
        }
    }

    template <class Next>
    const char* coprocessor(unsigned low, std::uint8_t code, Next&& next) {
        if (code >= 0xc8) {
            if (low > 1) return "is unknown";
            vsp_ += std::int64_t{next() & 0xf} * 8 + 8;  // VFP registers
        } else if (low == 6) {
            vsp_ += std::int64_t{next() & 0xf} * 8 + 8;  // iWMMXt data registers
        } else if (low == 7) {
            const unsigned mask = next();
            if (mask == 0 || mask > 0xf) return "is unknown";
            vsp_ += std::int64_t{std::popcount(mask)} * 4;  // iWMMXt control registers
        } else {
            vsp_ += std::int64_t{low} * 8 + 8;
        }
        return nullptr;
    }

    void pop(unsigned mask) {
        for (Slot slot = 0; slot < 16; ++slot) {
            if ((mask >> slot & 1) == 0) continue;
            places_[slot] = vsp_;
            vsp_ += 4;
        }
        popped_ |= mask;
        stack_pointer_popped_ = popped(stack_slot);
    }
    const char* set_base(Slot slot) {
        if (slot == stack_slot || slot == program_counter_slot) return "is unknown";
        if (popped_ != 0) return "moves the stack pointer after registers have been popped";
        base_ = slot;
        vsp_ = 0;
        return nullptr;
    }

    std::size_t at_ = 0;
    Slot base_ = stack_slot;
    std::int64_t vsp_ = 0;
    std::array<std::int64_t, 16> places_{};
    unsigned popped_ = 0;
    bool stack_pointer_popped_ = false, finished_ = false, refused_ = false;
};

}  // namespace

Result<ArmExidx> ArmExidx::open(const ArmTables& tables) {
    ArmExidx exidx;
    exidx.tables_ = tables;
    const auto content = tables.index.first(tables.index.size() / index_entry_bytes * index_entry_bytes);
    exidx.functions_ = {content, index_entry_bytes, tables.order};
    exidx.contents_ = {content.empty() ? content : content.subspan(4), index_entry_bytes, tables.order};
    bool sorted = true;
    for (std::size_t at = 0; at < exidx.functions_.size(); ++at) {
        if ((exidx.functions_[at] & inline_model) != 0) {
            return fail(ErrorCode::malformed, tables.index_file_offset + at * index_entry_bytes, ".ARM.exidx",
                        "an entry does not begin with an address");
        }
        sorted = sorted && (at == 0 || exidx.begin(at - 1) <= exidx.begin(at));
    }
    if (!sorted) {
        exidx.order_.resize(exidx.functions_.size());
        std::iota(exidx.order_.begin(), exidx.order_.end(), 0u);
        const auto begin_of = [&](std::uint32_t entry) {
            return from_distance(tables.index_address + std::uint64_t{entry} * index_entry_bytes,
                                 exidx.functions_[entry]);
        };
        std::ranges::stable_sort(exidx.order_, {}, begin_of);
    }
    return exidx;
}

std::uint32_t ArmExidx::begin(std::size_t index) const {
    const std::size_t entry = order_.empty() ? index : order_[index];
    return from_distance(tables_.index_address + entry * index_entry_bytes, functions_[entry]);
}

Result<std::optional<UnwindRow>> ArmExidx::row_at(std::uint64_t vaddr, RuleSpill& spill) const {
    std::size_t above = 0;
    for (auto count = size(); count != 0;) {
        const auto half = count / 2;
        if (vaddr < begin(above + half)) {
            count = half;
        } else {
            above += half + 1;
            count -= half + 1;
        }
    }
    if (above == 0) return std::optional<UnwindRow>();
    UnwindRow row;
    row.begin = begin(above - 1);
    const auto end = above < size() ? std::uint64_t{begin(above)} : tables_.code_end;
    if (vaddr >= end) return std::optional<UnwindRow>();
    row.size = static_cast<std::uint32_t>(end - row.begin);
    row.flags = UnwindRow::calls_only;
    row.return_slot = link_slot;
    const auto entry = order_.empty() ? above - 1 : order_[above - 1];
    if (contents_[entry] == cannot_unwind) {
        row.flags |= UnwindRow::refused;
        return row;
    }
    const auto undo = operations(entry);
    if (!undo) return fail(undo.error());
    ArmFrame frame;
    if (const auto ran = frame.run(*undo); !ran) return fail(ran.error());
    if (frame.refused()) row.flags |= UnwindRow::refused;
    frame.put(row, spill);
    return row;
}

Result<std::vector<std::uint8_t>> ArmExidx::operations(std::size_t entry) const {
    const auto word = contents_[entry];
    if ((word & inline_model) == 0) {
        return operations_in_table(from_distance(tables_.index_address + entry * index_entry_bytes + 4, word));
    }
    if ((word >> 24) != 0x80) {
        return fail(ErrorCode::unsupported, tables_.index_file_offset + entry * index_entry_bytes + 4, ".ARM.exidx",
                    "an entry has a model that does not fit into it");
    }
    std::vector<std::uint8_t> bytes;
    add_bytes(bytes, word, 3);
    return bytes;
}

// A compact model (bit 31 is set) has a personality routine of the ABI, and says in its number how many words follow.
// Any other begins with the distance to its routine; that what follows are again operations, counted by the first byte,
// is a convention that all compilers keep.
Result<std::vector<std::uint8_t>> ArmExidx::operations_in_table(std::uint64_t vaddr) const {
    const auto offset = vaddr - tables_.table_address;
    if (vaddr < tables_.table_address || offset >= tables_.table.size()) {
        return fail(ErrorCode::malformed, tables_.index_file_offset, ".ARM.exidx",
                    "an entry lies outside of .ARM.extab");
    }
    Cursor in(tables_.table.subspan(static_cast<std::size_t>(offset)), tables_.order,
              {".ARM.extab", tables_.table_file_offset + offset});
    std::vector<std::uint8_t> bytes;
    auto word = in.u32();
    std::uint32_t more = 0;
    if ((word & inline_model) == 0) {
        word = in.u32();
        more = word >> 24;
        add_bytes(bytes, word, 3);
    } else {
        const auto model = word >> 24 & 0x7f;
        if (model > 2) return in.contradiction("an entry has an unknown model");
        if (model == 0) {
            add_bytes(bytes, word, 3);
        } else {
            more = word >> 16 & 0xff;
            add_bytes(bytes, word, 2);
        }
    }
    if (!in.fits(more, 4)) return in.failure("an entry");
    for (; more != 0; --more) add_bytes(bytes, in.u32(), 4);
    return bytes;
}

}  // namespace perfdata
