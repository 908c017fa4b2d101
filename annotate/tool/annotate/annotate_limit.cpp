// SPDX-License-Identifier: MIT
#include "annotate_limit.hpp"

#include <fmt/format.h>
#include <map>
#include <tuple>

#include "format/percent_limit.hpp"

namespace perfdata::tool {

std::uint64_t hide_small(ChosenFunctions& chosen, const EventCounts& whole, double limit) {
    if (limit <= 0) return 0;
    using Key = std::tuple<FrameKind, std::uint32_t, std::uint64_t>;
    const auto key = [](const FunctionHits& function) {
        const auto& frame = function.version.function;
        return Key{frame.kind, frame.index, frame.offset};
    };
    std::map<Key, EventCounts> totals;
    for (const auto& function : chosen.functions) {
        add(totals.try_emplace(key(function), whole.size()).first->second, function.total);
    }
    EventCounts hidden(whole.size());
    std::erase_if(totals, [&](const auto& one) { return reaches(one.second, whole, limit); });
    std::erase_if(chosen.functions, [&](const FunctionHits& function) {
        if (!totals.contains(key(function))) return false;
        add(hidden, function.total);
        return true;
    });
    if (hits(hidden) != 0)
        chosen.unattributed.push_back({fmt::format("functions below --percent-limit {}", limit), hidden});
    return totals.size();
}

}  // namespace perfdata::tool
