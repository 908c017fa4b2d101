// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_codes.hpp"

#include <algorithm>

namespace perfdata {

std::size_t JitCodes::add(Pid pid, JitCode code) {
    const auto dump = codes_.size();
    add(pid, dump);
    begins_.push_back(functions_);
    functions_ += static_cast<std::uint32_t>(code.functions().size());
    codes_.push_back(std::make_unique<JitCode>(std::move(code)));
    return dump;
}

void JitCodes::add(Pid pid, std::size_t dump) {
    of_pid_.emplace(pid.value, dump);
}

std::optional<JitPlace> JitCodes::find(const Tasks& tasks, Pid pid, Address address, Time time) const {
    if (codes_.empty()) return {};
    // Descendants of the process that wrote the dump; in a damaged recording they may form a cycle.
    for (int generation = 0; generation < 64; ++generation) {
        const auto [first, last] = of_pid_.equal_range(pid.value);
        for (auto dump = first; dump != last; ++dump) {
            const auto& code = *codes_[dump->second];
            if (const auto* function = code.find(address, time)) {
                const auto number = static_cast<std::uint32_t>(function - code.functions().data());
                return JitPlace{begins_[dump->second] + number, address - function->range.begin};
            }
        }
        if (first != last) return {};
        const auto* thread = tasks.thread_at(Tid{pid.value}, time);
        if (thread == nullptr || thread->parent_pid == pid || thread->parent_pid.value == ~std::uint32_t{0}) return {};
        const auto exec = tasks.exec_at(pid, time);
        if (exec && *exec >= thread->from) return {};  // it has run another program since
        time = std::min(time, thread->from);
        pid = thread->parent_pid;
    }
    return {};
}

std::size_t JitCodes::dump_of(std::uint32_t index) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, index) - begins_.begin() - 1);
}

const JitFunction& JitCodes::function(std::uint32_t index) const {
    const auto dump = dump_of(index);
    return codes_[dump]->functions()[index - begins_[dump]];
}

const JitCode& JitCodes::code(std::uint32_t index) const {
    return *codes_[dump_of(index)];
}

}  // namespace perfdata
