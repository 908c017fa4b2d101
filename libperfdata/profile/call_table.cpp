// SPDX-License-Identifier: MIT
#include "call_table.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "shown_order.hpp"

namespace perfdata {

CallTable::CallTable(const CodeVersions& versions, std::span<const CodeVersion> functions, std::size_t columns)
    : versions_(versions), columns_(columns), functions_(functions.size()) {
    for (const auto& version : functions) {
        auto function = version.function;
        function.version = static_cast<std::uint16_t>(std::min<std::uint32_t>(version.number, 0xffff));
        asked_for_.intern({function, true});
    }
    for (auto& function : functions_) function.with_callees.resize(columns);
}

std::uint32_t CallTable::end(const CallEnd& end) {
    const auto number = ends_.intern(end);
    if (number == listed_.size()) {
        const auto known = asked_for_.size();
        const auto listed = asked_for_.intern(end);
        // Functions that are not listed have numbers after the listed ones.
        listed_.push_back(known == asked_for_.size() && listed < functions_.size() ? listed : none);
    }
    return number;
}

std::uint32_t CallTable::place(const Frame& frame) {
    const auto& index = versions_.index();
    auto begin = frame;
    bool named = true;
    if (frame.is_code()) {
        begin.offset = 0;
        begin.mode = CpuMode::kernel;
    } else if (named = index.named(frame); named) {
        begin = index.function(frame);
        begin.version = frame.version;
    } else {
        begin.offset = 0;
        begin.version = 0;
    }
    return places_.intern({end({begin, named}), frame.offset - begin.offset});
}

std::uint32_t CallTable::number(const Edge& edge) {
    const auto number = edges_.intern(edge);
    if (number == may_be_jump_.size()) {
        below_.resize(edges_.size() * columns_);
        branches_.resize(edges_.size() * columns_);
        may_be_jump_.push_back(false);
    }
    return number;
}

std::uint32_t CallTable::edge(std::uint32_t place, std::uint32_t callee, bool entry) {
    return number({end_of(place), callee, offset_of(place), entry});
}

std::uint32_t CallTable::edge_anywhere(std::uint32_t place, std::uint32_t callee, bool entry) {
    return number({end_of(place), callee, CallEdge::anywhere, entry});
}

void CallTable::branch(std::uint32_t edge, std::size_t column, std::uint64_t count, bool may_be_jump) {
    branches_[edge * columns_ + column] += count;
    may_be_jump_[edge] = may_be_jump_[edge] || may_be_jump;
}

CallEdge CallTable::result(std::uint32_t number) const {
    const auto& edge = edges_[number];
    CallEdge result{ends_[edge.caller], ends_[edge.callee], edge.offset, edge.entry, {}, {}, may_be_jump_[number]};
    const auto first = number * columns_;
    const auto cells = std::span(below_).subspan(first, columns_);
    const auto branches = std::span(branches_).subspan(first, columns_);
    result.below.assign(cells.begin(), cells.end());
    result.branches.assign(branches.begin(), branches.end());
    // The position in the result implies the version of the listed function.
    result.caller.function.version = result.callee.function.version = 0;
    return result;
}

std::vector<FunctionCalls> CallTable::finish() && {
    for (std::uint32_t number = 0; number < edges_.size(); ++number) {
        const auto& edge = edges_[number];
        const bool together = edge.offset == CallEdge::anywhere;
        if (const auto caller = listed_[edge.caller]; caller != none) {
            auto& function = functions_[caller];
            (together ? function.callees : function.sites).push_back(result(number));
        }
        if (const auto callee = listed_[edge.callee]; callee != none && !together) {
            functions_[callee].callers.push_back(result(number));
        }
    }
    const auto place = [](const CallEdge& edge) {
        const auto end = [](const CallEnd& of) {
            const auto& frame = of.function;
            return std::tuple(frame.kind, frame.index, frame.offset, frame.mode, of.named);
        };
        return std::tuple(end(edge.caller), edge.offset, end(edge.callee), edge.entry);
    };
    // Merges the versions of the function at the other end.
    const auto merge = [&](std::vector<CallEdge>& edges) {
        std::ranges::sort(edges, {}, place);
        std::vector<CallEdge> merged;
        for (auto& edge : edges) {
            if (merged.empty() || place(merged.back()) != place(edge)) {
                merged.push_back(std::move(edge));
                continue;
            }
            add(merged.back().below, edge.below);
            for (std::size_t at = 0; at < columns_; ++at) merged.back().branches[at] += edge.branches[at];
        }
        edges = std::move(merged);
    };
    for (auto& function : functions_) {
        for (auto* edges : {&function.callers, &function.sites, &function.callees}) merge(*edges);
    }
    sort();
    return std::move(functions_);
}

// Calls that are equally frequent come in the order of what users see of their functions, and then of the place. Takes
// n log n for n calls of the listed functions, and a key for each function at an end of one.
void CallTable::sort() {
    InternTable<CallEnd> ends;
    std::vector<ShownOrder::Key> keys;
    const ShownOrder order(versions_.timeline(), &versions_.index());
    const auto add = [&](const CallEnd& end) {
        if (ends.intern(end) == keys.size()) keys.push_back(order.key(versions_.version(end.function, 0), end.named));
    };
    const auto each_list = [&](auto&& take) {
        for (auto& function : functions_) {
            take(function.callers, true);
            take(function.sites, false);
            take(function.callees, true);
        }
    };
    each_list([&](const std::vector<CallEdge>& edges, bool) {
        for (const auto& edge : edges) {
            add(edge.caller);
            add(edge.callee);
        }
    });
    std::vector<std::uint32_t> by_name(keys.size()), rank(keys.size());
    std::iota(by_name.begin(), by_name.end(), 0u);
    std::ranges::sort(by_name, [&](std::uint32_t a, std::uint32_t b) { return ShownOrder::before(keys[a], keys[b]); });
    for (std::uint32_t at = 0; at < by_name.size(); ++at) rank[by_name[at]] = at;
    keys = {};
    struct Sorted {
        std::uint64_t hits = 0, branches = 0;
        std::uint32_t caller = 0, callee = 0;  // ranks
        CallEdge edge;

        auto key() const { return std::tuple(~hits, ~branches, caller, edge.offset, callee, edge.entry); }
    };
    each_list([&](std::vector<CallEdge>& edges, bool most_first) {
        std::vector<Sorted> sorted;
        sorted.reserve(edges.size());
        for (auto& edge : edges) {
            Sorted one{0, 0, rank[ends.intern(edge.caller)], rank[ends.intern(edge.callee)], std::move(edge)};
            if (most_first) {
                one.hits = hits(one.edge.below);
                for (const auto count : one.edge.branches) one.branches += count;
            }
            sorted.push_back(std::move(one));
        }
        std::ranges::sort(sorted, {}, &Sorted::key);
        std::ranges::transform(sorted, edges.begin(), [](Sorted& one) { return std::move(one.edge); });
    });
}

}  // namespace perfdata
