// SPDX-License-Identifier: MIT
// Times at which the code at a kernel address may change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// KernelEpochs divides time into stretches during which no code in kernel space comes, goes or changes.
class KernelEpochs {
  public:
    KernelEpochs(const Timeline& timeline, const CodeVersions* versions) {
        const auto add = [&](Time time) {
            // At its end time code may or may not count as present: that nanosecond is an epoch of its own.
            changes_.push_back(time);
            if (time != Time::forever()) changes_.push_back({time.nanoseconds + 1});
        };
        for (const auto& code : timeline.code()) {
            add(code.from);
            add(code.until);
        }
        for (const auto& mapping : timeline.tasks().mappings()) {
            const auto kind = timeline.tasks().object(mapping).kind;
            if (kind == ObjectKind::kernel || kind == ObjectKind::module) add(mapping.from);
        }
        if (versions != nullptr) {
            const auto changes = versions->changes();
            changes_.insert(changes_.end(), changes.begin(), changes.end());
        }
        std::ranges::sort(changes_);
        const auto repeated = std::ranges::unique(changes_);
        changes_.erase(repeated.begin(), repeated.end());
    }

    // Returns the number of the epoch. Constant time while times stay in one epoch, else O(log n).
    std::uint32_t at(Time time) {
        if (time < from_ || time >= until_) [[unlikely]]
            find(time);
        return epoch_;
    }

    // Returns the times of the epoch that at() returned last.
    Lasting last() const { return {from_, until_}; }

  private:
    [[gnu::noinline]] void find(Time time) {
        const auto next = std::ranges::upper_bound(changes_, time);
        epoch_ = static_cast<std::uint32_t>(next - changes_.begin());
        from_ = next == changes_.begin() ? Time{} : *std::prev(next);
        until_ = next == changes_.end() ? Time::forever() : *next;
    }

    std::vector<Time> changes_;
    std::uint32_t epoch_ = 0;
    Time from_, until_;  // of epoch_; empty at first
};

}  // namespace perfdata
