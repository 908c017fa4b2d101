// SPDX-License-Identifier: MIT
// From a copy of the user stack to callers. Whoever has the files of programs implements it, so counting needs none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/mapping.hpp"
#include "perfdata/timeline/timeline.hpp"
#include "perfdata/wire/sample.hpp"
#include "perfdata/wire/sample/callchain.hpp"

namespace perfdata {

// StackEnd is why unwinding found no more callers.
enum class StackEnd : std::uint8_t {
    bottom,          // the outermost function: it has no caller
    frame_limit,     // as many frames as the caller asked for
    short_copy,      // the next frame lies beyond the bytes that were copied: a larger copy would have it
    no_file,         // the file with the code was not found, or not proven to be the recorded one
    no_mapping,      // nothing known was mapped at the return address
    no_unwind_info,  // the code has no unwind information, and no frame pointer leads on
    lost_register,   // a caller's register is needed that nobody kept
    damaged,         // unwind information or stack contradict themselves
    no_registers,    // the sample has too few registers to begin with
    unsupported,     // stacks of this architecture cannot be unwound
    failed_copy,     // the next frame is beyond what the kernel could copy, which is less than was asked for
    out_of_reach,    // the next frame lies where no copy reaches: on another stack, or more than 65,528 bytes above
};
inline constexpr std::size_t stack_ends = 12;  // number of them

// to_string(end) returns a word for JSON; explain(end) a clause for users.
PERFDATA_EXPORT std::string_view to_string(StackEnd end);
PERFDATA_EXPORT std::string_view explain(StackEnd end);

// UserState is what a sample says of its thread in user space. Views live as long as the sample.
struct UserState {
    std::uint64_t abi = 0;                 // as Registers::abi()
    std::uint64_t register_mask = 0;       // bit numbers: arch/*/include/uapi/asm/perf_regs.h
    const std::byte* registers = nullptr;  // a u64 for each set bit, lowest bit first
    Bytes stack;                           // begins at the stack pointer, lowest address first; may be empty
    std::uint64_t asked_for = 0;           // bytes of the stack that the event records
    AnyOrder order;                        // of the registers and of the integers on the stack
};

// UnwoundFrame is one function on the stack. The address is inside the call for callers, so one less than the return
// address, as in perf.
struct UnwoundFrame {
    Address address;  // in the recorded process
    Frame frame;      // what lay there
};

// Unwound is how unwinding one stack ended.
struct Unwound {
    StackEnd end = StackEnd::bottom;  // why there are no more frames
    // The mapped object with the code that has no file or no unwind information; valid for these ends.
    std::optional<ObjectIndex> object{};
    // With short_copy: how many bytes a copy must have for the next frame, at most 65,528.
    std::uint64_t wanted = 0;
};

// StackUnwinder caches what it finds: use one for each thread.
class PERFDATA_EXPORT StackUnwinder {
  public:
    virtual ~StackUnwinder() = default;
    StackUnwinder(const StackUnwinder&) = delete;
    StackUnwinder& operator=(const StackUnwinder&) = delete;

    // Appends at most `most` frames, innermost first. The first is the instruction that user space was at.
    virtual Unwound unwind(const Moment& moment, const UserState& state, std::size_t most,
                           std::vector<UnwoundFrame>& frames) = 0;

  protected:
    StackUnwinder() = default;
};

// user_state(sample) returns nothing if its callers are recorded otherwise, or if it has neither a copy of the stack
// nor registers of user space: threads of the kernel have none.
template <class Order>
std::optional<UserState> user_state(const BasicSample<Order>& sample) {
    if (!sample.layout().shape().callers_in_stack()) return {};
    const auto details = sample.details();
    const auto stack = details.user_stack();
    if (!stack) return {};
    UserState state;
    state.stack = stack->bytes;
    state.asked_for = stack->asked_for;
    state.order = AnyOrder(sample.order().endian());
    if (const auto registers = details.user_registers()) {
        state.abi = registers->abi();
        if (!registers->values().empty()) state.register_mask = registers->mask();
        state.registers = registers->values().data();
    }
    if (!state.stack.empty()) return state;
    // simpleperf replaces copies by the callers that it has found itself.
    const auto chain = details.callchain();
    bool has_callers = false;
    for (std::size_t at = 0; chain && at < chain->size(); ++at) {
        has_callers = has_callers || (*chain)[at] == static_cast<std::uint64_t>(ChainContext::user);
    }
    if (state.register_mask == 0 || has_callers) return {};
    return state;
}

}  // namespace perfdata
