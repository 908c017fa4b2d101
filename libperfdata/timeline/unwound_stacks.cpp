// SPDX-License-Identifier: MIT
#include "perfdata/timeline/unwound_stacks.hpp"

#include <algorithm>

#include "recording/stored/model.hpp"

namespace perfdata {

void UnwoundStacks::add(const UserState& state, const Unwound& unwound) {
    ++stacks_;
    ++by_end_[static_cast<std::size_t>(unwound.end)];
    if (unwound.end == StackEnd::short_copy) {
        const bool room = short_copies_.size() < most_sizes || short_copies_.contains(state.asked_for);
        const auto size = room ? state.asked_for : 0;
        ++short_copies_[size];
        auto& wanted = wanted_copies_[size];
        wanted = std::max(wanted, unwound.wanted);
    }
    if (!unwound.object) return;
    if (unwound.end == StackEnd::no_file) ++without_file_[*unwound.object];
    if (unwound.end == StackEnd::no_unwind_info) ++without_information_[*unwound.object];
}

void UnwoundStacks::add(const UnwoundStacks& later) {
    stacks_ += later.stacks_;
    not_unwound_ += later.not_unwound_;
    for (std::size_t end = 0; end < by_end_.size(); ++end) by_end_[end] += later.by_end_[end];
    for (const auto& [size, stacks] : later.short_copies_) short_copies_[size] += stacks;
    for (const auto& [size, most] : later.wanted_copies_) {
        auto& wanted = wanted_copies_[size];
        wanted = std::max(wanted, most);
    }
    for (const auto& [object, stacks] : later.without_file_) without_file_[object] += stacks;
    for (const auto& [object, stacks] : later.without_information_) without_information_[object] += stacks;
}

UnwoundStacks UnwoundStacks::restored(const stored::Model& model) {
    const auto& facts = model.facts;
    UnwoundStacks stacks;
    stacks.stacks_ = facts.stacks;
    stacks.not_unwound_ = facts.stacks_not_unwound;
    const auto ends = std::min(facts.stacks_by_end.size(), stacks.by_end_.size());
    std::copy_n(facts.stacks_by_end.begin(), ends, stacks.by_end_.begin());
    // No more than there are in the file.
    for (const auto& copy : facts.short_copies) {
        stacks.short_copies_[copy.size] = copy.stacks;
        stacks.wanted_copies_[copy.size] = copy.wanted;
    }
    for (const auto& sum : facts.without_file) stacks.without_file_[sum.object.number] = sum.stacks;
    for (const auto& sum : facts.without_information) stacks.without_information_[sum.object.number] = sum.stacks;
    return stacks;
}

std::string_view to_string(StackEnd end) {
    switch (end) {
        case StackEnd::bottom: return "bottom";
        case StackEnd::frame_limit: return "frame_limit";
        case StackEnd::short_copy: return "short_copy";
        case StackEnd::no_file: return "no_file";
        case StackEnd::no_mapping: return "no_mapping";
        case StackEnd::no_unwind_info: return "no_unwind_info";
        case StackEnd::lost_register: return "lost_register";
        case StackEnd::damaged: return "damaged";
        case StackEnd::no_registers: return "no_registers";
        case StackEnd::unsupported: return "unsupported";
        case StackEnd::failed_copy: return "failed_copy";
        case StackEnd::out_of_reach: return "out_of_reach";
    }
    return "unknown";
}

std::string_view explain(StackEnd end) {
    switch (end) {
        case StackEnd::bottom: return "the outermost function was reached";
        case StackEnd::frame_limit: return "there are more frames than --max-stack shows";
        case StackEnd::short_copy: return "the recorder copied too few bytes of the stack";
        case StackEnd::no_file: return "the file with the code was not found";
        case StackEnd::no_mapping: return "nothing known was mapped at the return address";
        case StackEnd::no_unwind_info: return "the code has no unwind information, and no frame pointer leads on";
        case StackEnd::lost_register: return "a register is needed that neither the sample nor the stack has";
        case StackEnd::damaged: return "the unwind information is damaged, or contradicts the stack";
        case StackEnd::no_registers: return "the sample lacks the registers to begin with";
        case StackEnd::unsupported: return "stacks of this architecture cannot be unwound";
        case StackEnd::failed_copy: return "the kernel could copy no more of the stack";
        case StackEnd::out_of_reach:
            return "the next frame lies where no copy of the stack reaches, on another stack or more than 65528 bytes "
                   "above";
    }
    return "unknown";
}

}  // namespace perfdata
