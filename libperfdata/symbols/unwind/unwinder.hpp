// SPDX-License-Identifier: MIT
// Unwinds copies of user stacks by what the sources of code know.
//
//     sample: registers, copy of the stack
//        |                                       recent_          rows_ of a file            file
//        v           frame_at                    frame -> Rule    [begin, end) -> row        .eh_frame
//     registers --> pc -> frame (object, offset) ----------------> ----------------> row_at
//        ^                                          |
//        |     step: CFA, saved registers           v
//        +------------------------------------- row of the frame
//
// A frame costs one look-up of its mapping, one of its rule, and a few reads of the copied stack. The rule of a frame
// is looked for once, and a row is made once for each range of code that it describes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "symbols/unwind/file_cfi.hpp"
#include "symbols/unwind/frame_step.hpp"
#include "symbols/unwind/signal_frame.hpp"
#include "symbols/unwind/unwind_place.hpp"

namespace perfdata {

class CodeSources;
class ElfFile;

// Unwinder belongs to one thread. The sources must outlive it.
class Unwinder final : public StackUnwinder {
  public:
    // `arch`: the recorded machine's, as `uname -m` prints it; empty: unknown.
    // `stop`: of reading the files that stacks lead through. Once it stops, stacks end there, and are of no use.
    Unwinder(const CodeSources& sources, std::string_view arch, const StopToken& stop);

    Unwound unwind(const Moment& moment, const UserState& state, std::size_t most,
                   std::vector<UnwoundFrame>& frames) override;

  private:
    // Rule is how to unwind from a frame.
    struct Rule {
        const UnwindRow* row = nullptr;  // null: see `missing`
        const FileCfi* cfi = nullptr;
        std::uint64_t vaddr = 0;  // of the frame, in the terms of `cfi`
        StackEnd missing = StackEnd::no_unwind_info;
        SignalPlace signal{};              // in a trampoline that no row describes
        bool in_vdso = false;              // without its file: it may be a trampoline
        const ElfFile* file = nullptr;     // with the code; null: it is not here
        bool is_startup = false;           // where its program begins
        std::optional<unsigned> pushed{};  // in a stub that no row describes: words above the return address
        // Of a frame just before a return address: whether a call ends there. Nothing: not known.
        std::optional<bool> called{};
        bool looked_for_call = false;  // `called` is valid

        bool interrupts() const {
            return signal.frame != SignalFrame::none || (row && row->has(UnwindRow::signal_frame));
        }
    };
    // Recent is the rule of a frame that was asked for lately.
    struct Recent {
        std::uint64_t first = 0, second = ~std::uint64_t{0};  // the frame's words; initially of no frame
        Rule rule;
    };
    // Walk is one stack on the way.
    struct Walk {
        const UnwindTarget& target;
        const StackMemory& memory;
        const Moment& moment;
        RegisterFile registers;  // of the current frame
        ExpressionBudget budget;
        bool returns = false;           // pc is a return address: the call lies before it
        bool by_frame_pointer = false;  // a frame pointer led to the current frame
    };
    // FileRows are the rows of one file that were needed so far, by begin.
    using FileRows = std::map<std::uint64_t, UnwindRow>;

    // `returns`: the frame is a caller's, just before its return address.
    Rule& rule_of(const Frame& frame, const UnwindTarget& target, bool returns);
    Rule find_rule(const Frame& frame, const UnwindTarget& target, bool returns);
    // Looks for a trampoline that `rule`, of the frame just before a return address or at an instruction, overlooks.
    void find_trampoline(const UnwindPlace& place, const UnwindTarget& target, bool returns, Rule& rule);
    // Returns true if a return address is that of the code that begins there, and not of what lies before it.
    bool begins_mapping(const Walk& walk, const Frame& before);
    // Returns true if a return address is where a function begins that nobody called, as the first function of a
    // coroutine: makecontext() puts its address there.
    bool begins_function(const Walk& walk, const Frame& before);
    // Returns true if a call ends behind this frame, and nothing if that cannot be known.
    std::optional<bool> behind_call(const Frame& before, const UnwindTarget& target);
    // Returns true if a number that a frame pointer led to may be a return address.
    bool may_be_returned_to(const Walk& walk, std::uint64_t pc);
    // Returns true for what is mapped without execute permission: code that ran does not lie there.
    bool is_data(const Moment& moment, Address address, const Frame& frame);
    const UnwindRow* row_of(const FileCfi& cfi, std::uint64_t vaddr, StackEnd& missing);
    void forget_rows();
    Frame frame_at(const Moment& moment, Address address);
    // Takes one step. Returns nothing if there is a caller: its registers replace the callee's.
    std::optional<StackEnd> step_from(const Rule& rule, Address address, Walk& walk);

    static constexpr unsigned recent_bits = 13;  // 8192 entries of 72 bytes: below the 1 MiB that damage.memory allows
    // Of one unwinder: up to four threads have one each.
    static constexpr std::size_t most_rows = std::size_t{1} << 18;     // 32 MiB with their tree
    static constexpr std::size_t most_spilled = std::size_t{1} << 20;  // rules: 8 MiB
    // Of expressions, for a whole stack: a small sample must not take long. Functions that align their stack have about
    // ten in a frame.
    static constexpr unsigned most_operations = 1u << 14;

    const CodeSources& sources_;
    Watch watch_;  // of reading files
    const Timeline& timeline_;
    RecentTasks recent_tasks_;
    bool has_data_ = false;                      // something is mapped without execute permission
    std::optional<UnwindTarget> wide_, narrow_;  // of 64-bit and of 32-bit processes
    // Each frame has one slot: frames chosen to collide cost a search each, which is O(log n).
    std::vector<Recent> recent_;
    std::map<const FileCfi*, FileRows> rows_;
    std::size_t kept_rows_ = 0;
    RuleSpill spill_;  // of all rows
};

}  // namespace perfdata
