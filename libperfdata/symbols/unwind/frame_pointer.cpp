// SPDX-License-Identifier: MIT
#include "frame_pointer.hpp"

#include <optional>

namespace perfdata {
namespace {

// FrameChain follows one link of a chain of frames. What it reads first decides the outcome if it cannot be read.
class FrameChain {
  public:
    FrameChain(const UnwindTarget& target, const StackMemory& memory, const RegisterFile& registers)
        : target_(target), memory_(memory), registers_(registers), word_(target.address_bytes()) {}

    std::uint64_t frame_pointer = 0, return_address = 0;
    std::optional<std::uint64_t> stack_pointer;

    StepOutcome follow() {
        switch (target_.family()) {
            case ArchFamily::x86: return x86();
            case ArchFamily::arm64: return arm64();
            case ArchFamily::riscv: return riscv();
            case ArchFamily::arm: return arm();
            case ArchFamily::s390: return back_chain(word_ == 8 ? 112 : 56);
            case ArchFamily::powerpc: return back_chain(word_ == 8 ? 16 : 4);
            case ArchFamily::mips:
            case ArchFamily::loongarch: break;
        }
        return StepOutcome::register_missing;
    }
    // Returns the slot of the frame pointer that was followed; no_slot for a back chain.
    Slot followed() const { return followed_; }

  private:
    bool read(std::uint64_t address, std::uint64_t& value) {
        const auto word = memory_.read(address & target_.address_mask(), word_);
        value = word.value;
        if (word.answer == StackMemory::Answer::value) return true;
        outcome_ = why_unread(word.answer);
        // A number that is no address of this stack is no frame pointer.
        if (outcome_ == StepOutcome::out_of_reach && !memory_.on_stack(address)) outcome_ = StepOutcome::damaged;
        return false;
    }
    // Reads the frame pointer. Its frame lies above the stack pointer.
    bool begin(Slot slot) {
        followed_ = slot;
        pointer_ = registers_.value(slot);
        if (!registers_.known(slot)) {
            outcome_ = why_unknown(registers_, slot);
        } else if (pointer_ == 0) {
            outcome_ = StepOutcome::outermost;
        } else if ((is_odd() && !target_.stack_may_be_odd()) ||
                   (registers_.known(target_.stack_pointer()) &&
                    pointer_ < registers_.value(target_.stack_pointer()))) {
            outcome_ = StepOutcome::damaged;
        } else {
            return true;
        }
        return false;
    }
    bool is_odd() const { return pointer_ % word_ != 0; }
    bool above_frame(std::uint64_t address) const { return address > pointer_ && memory_.on_stack(address); }

    StepOutcome x86() {
        if (!begin(target_.frame_pointer())) return outcome_;
        const bool known = read(pointer_, frame_pointer) && read(pointer_ + word_, return_address);
        // An odd number is a pointer to text more often than a frame: believe it only if it leads to something.
        if (is_odd() && (!known || return_address == 0)) return StepOutcome::damaged;
        if (!known) return outcome_;
        stack_pointer = pointer_ + 2 * std::uint64_t{word_};
        return StepOutcome::ok;
    }
    StepOutcome arm64() {
        if (!begin(target_.frame_pointer())) return outcome_;
        if (!read(pointer_, frame_pointer) || !read(pointer_ + word_, return_address)) return outcome_;
        return_address = without_signature(return_address, registers_.pc, pointer_);
        return StepOutcome::ok;
    }
    StepOutcome riscv() {
        if (!begin(target_.frame_pointer())) return outcome_;
        if (!read(pointer_ - word_, return_address)) return outcome_;
        stack_pointer = pointer_;
        // A leaf saves s0 alone, where others save ra.
        if (above_frame(return_address) && registers_.known(target_.return_slot())) {
            frame_pointer = return_address;
            return_address = registers_.value(target_.return_slot());
            return StepOutcome::ok;
        }
        return read(pointer_ - 2 * std::uint64_t{word_}, frame_pointer) ? StepOutcome::ok : outcome_;
    }
    StepOutcome arm() {
        constexpr Slot in_thumb = 7;
        const auto outcome = arm_pair(target_.frame_pointer(), true);
        if (outcome == StepOutcome::ok) return outcome;
        return arm_pair(in_thumb, false) == StepOutcome::ok ? StepOutcome::ok : outcome;
    }
    StepOutcome arm_pair(Slot slot, bool may_be_behind) {
        if (!begin(slot)) return outcome_;
        if (!read(pointer_, frame_pointer)) return outcome_;
        if (above_frame(frame_pointer) || frame_pointer == 0) {
            stack_pointer = pointer_ + 8;
            return read(pointer_ + 4, return_address) ? StepOutcome::ok : outcome_;
        }
        return_address = frame_pointer;
        if (!may_be_behind || !read(pointer_ - 4, frame_pointer)) return StepOutcome::damaged;
        if (!above_frame(frame_pointer) && frame_pointer != 0) return StepOutcome::damaged;
        stack_pointer = pointer_ + 4;
        return StepOutcome::ok;
    }
    StepOutcome back_chain(unsigned return_offset) {
        if (!registers_.known(target_.stack_pointer())) return why_unknown(registers_, target_.stack_pointer());
        pointer_ = registers_.value(target_.stack_pointer());
        std::uint64_t caller = 0;
        if (pointer_ % word_ != 0) return StepOutcome::damaged;
        if (!read(pointer_, caller)) return outcome_;
        if (caller == 0) return StepOutcome::outermost;
        if (!above_frame(caller) || caller % word_ != 0) return StepOutcome::damaged;
        if (!read(caller + return_offset, return_address)) return outcome_;
        stack_pointer = caller;
        return StepOutcome::ok;
    }

    const UnwindTarget& target_;
    const StackMemory& memory_;
    const RegisterFile& registers_;
    unsigned word_;
    std::uint64_t pointer_ = 0;
    Slot followed_ = no_slot;
    StepOutcome outcome_ = StepOutcome::ok;
};

}  // namespace

StepOutcome step_by_frame_pointer(const UnwindTarget& target, const StackMemory& memory, RegisterFile& registers) {
    FrameChain chain(target, memory, registers);
    const auto outcome = chain.follow();
    if (outcome != StepOutcome::ok) return outcome;
    RegisterFile caller;
    caller.pc = target.code_address(chain.return_address & target.address_mask());
    if (caller.pc == 0) return StepOutcome::outermost;
    caller.set(target.return_slot(), caller.pc);
    if (chain.stack_pointer) caller.set(target.stack_pointer(), *chain.stack_pointer & target.address_mask());
    // Frames lie above those that they called: a chain that goes back would go in circles. 0 ends it.
    const auto slot = chain.followed();
    const bool goes_up = chain.frame_pointer > registers.value(slot) || chain.frame_pointer == 0;
    if (slot != no_slot && goes_up) caller.set(slot, chain.frame_pointer);
    registers = caller;
    return StepOutcome::ok;
}

StepOutcome step_from_leaf(const UnwindTarget& target, const StackMemory& memory, RegisterFile& registers,
                           unsigned pushed) {
    if (target.has_link_register()) {
        if (!registers.known(target.return_slot())) return why_unknown(registers, target.return_slot());
        const auto pc = target.code_address(registers.value(target.return_slot()));
        if (pc == 0) return StepOutcome::outermost;
        if (pc == registers.pc) return StepOutcome::no_change;
        const auto slot = target.stack_pointer();
        if (pushed != 0 && registers.known(slot)) {
            const auto popped = registers.value(slot) + std::uint64_t{target.address_bytes()} * pushed;
            registers.set(slot, popped & target.address_mask());
        }
        registers.pc = pc;
        return StepOutcome::ok;
    }
    const auto stack_pointer = target.stack_pointer();
    if (!registers.known(stack_pointer)) return why_unknown(registers, stack_pointer);
    const auto word = target.address_bytes();
    const auto place = registers.value(stack_pointer) + std::uint64_t{word} * pushed;
    const auto found = memory.read(place & target.address_mask(), word);
    if (found.answer != StackMemory::Answer::value) return why_unread(found.answer);
    if (found.value == 0) return StepOutcome::outermost;
    registers.set(stack_pointer, (place + word) & target.address_mask());
    registers.set(target.return_slot(), found.value);
    registers.pc = found.value;
    return StepOutcome::ok;
}

}  // namespace perfdata
