// SPDX-License-Identifier: MIT
// The registers of one frame.
#pragma once

#include <array>
#include <cstdint>

#include "perfdata/wire/sample/registers.hpp"

#include "symbols/unwind/unwind_target.hpp"

namespace perfdata {

// RegisterFile has the value of each register that is known, by slot. A frame's registers are those that its function
// will have when the frames that it called have returned.
class RegisterFile {
  public:
    bool known(Slot slot) const { return slot < slot_count && (known_ >> slot & 1) != 0; }
    // Returns the value of a known slot; 0 if it is unknown.
    std::uint64_t value(Slot slot) const { return known(slot) ? values_[slot] : 0; }
    // The slot must be below slot_count.
    void set(Slot slot, std::uint64_t value) {
        values_[slot] = value;
        known_ |= std::uint64_t{1} << slot;
        uncopied_ &= ~(std::uint64_t{1} << slot);
    }
    void forget(Slot slot) { known_ &= ~(std::uint64_t{1} << slot); }
    // Forgets the slot because its value lies on the stack beyond the copied bytes.
    void forget_uncopied(Slot slot) {
        forget(slot);
        uncopied_ |= std::uint64_t{1} << slot;
    }
    // Returns true for an unknown slot that a larger copy of the stack would have made known.
    bool uncopied(Slot slot) const { return slot < slot_count && (uncopied_ >> slot & 1) != 0; }
    // Returns a bit for each known slot.
    std::uint64_t known_slots() const { return known_; }

    // The program counter: where the frame was interrupted, or where its callee returns to. Then the call lies before
    // it, and code is looked up at pc - 1, unless the callee was a signal frame.
    std::uint64_t pc = 0;

  private:
    std::array<std::uint64_t, slot_count> values_{};
    std::uint64_t known_ = 0, uncopied_ = 0;  // no slot is in both
};

// Returns the registers that a sample has. pc is 0 if it is not among them.
template <class Order>
RegisterFile registers_of_sample(const UnwindTarget& target, const Registers<Order>& recorded) {
    RegisterFile registers;
    recorded.for_each([&](unsigned bit, std::uint64_t value) {
        value &= target.address_mask();
        const auto slot = target.perf_slot(bit);
        if (slot == pc_slot) {
            registers.pc = target.code_address(value);
            if (!target.has_link_register()) registers.set(target.return_slot(), registers.pc);
        } else if (slot != no_slot) {
            registers.set(slot, value);
        }
    });
    return registers;
}

}  // namespace perfdata
