// SPDX-License-Identifier: MIT
// Code of BPF programs that no BPF_EVENT claims.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>

#include "perfdata/timeline/code.hpp"

namespace perfdata {

// UnclaimedCode is a set by place and time, for recordings with any number of them at one address: each search and each
// removal takes logarithmic time.
class UnclaimedCode {
  public:
    void add(const Code& code, CodeIndex index) {
        code_.emplace(code.range.begin.value, code.range.size, code.from.nanoseconds, index);
    }

    // take(begin, size, time) removes and returns the code at this place that began nearest to the time; the first
    // registered of equally near ones. Empty if there is none.
    std::optional<CodeIndex> take(std::uint64_t begin, std::uint64_t size, std::uint64_t time) {
        const auto here = [&](Set::const_iterator at) {
            return at != code_.end() && std::get<0>(*at) == begin && std::get<1>(*at) == size;
        };
        auto best = code_.lower_bound({begin, size, time, 0});
        if (best != code_.begin() && here(std::prev(best))) {
            const auto from = std::get<2>(*std::prev(best));
            const auto before = code_.lower_bound({begin, size, from, 0});
            const auto gap = time - from;
            const bool nearer = !here(best) || gap < std::get<2>(*best) - time ||
                                (gap == std::get<2>(*best) - time && std::get<3>(*before) < std::get<3>(*best));
            if (nearer) best = before;
        }
        if (!here(best)) return {};
        const auto index = std::get<3>(*best);
        code_.erase(best);
        return index;
    }

  private:
    using Set = std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, CodeIndex>>;
    Set code_;  // begin, size, from, which
};

}  // namespace perfdata
