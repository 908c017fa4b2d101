// SPDX-License-Identifier: MIT
// From the callers of a sample to a node of the chain table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfdata/profile/chain_table.hpp"

#include "counted_rows.hpp"
#include "frame_numbers.hpp"
#include "recent_chains.hpp"

namespace perfdata {

// CallerPaths interns callers, outermost first, each with what was inlined there. It remembers the last path of each
// slot of RecentChains: a sample often shares outer callers with the one before it.
class CallerPaths {
  public:
    static constexpr std::size_t no_slot = RecentChains::slots;  // of chains that share no frames

    // Both must outlive it. `mark_returns`: see SampleCountOptions.
    CallerPaths(FrameNumbers& frames, CountedRows& counted, bool mark_returns)
        : frames_(frames), counted_(counted), mark_returns_(mark_returns) {}

    // End is the node of the innermost caller, and how many nodes there are up to it.
    struct End {
        std::uint32_t node = ChainNode::none;
        std::size_t depth = 0;
    };
    // find(slot, shared, own, caller) takes the outermost `shared` callers of the last path of the slot, and `own`
    // more: caller(at) returns the number of an unfolded frame, and whether a call returns to it; at 0 is the innermost
    // one.
    template <class Caller>
    End find(std::size_t slot, std::size_t shared, std::size_t own, Caller&& caller) {
        auto& last = last_[slot];
        auto& callers = last.callers;
        shared = std::min(shared, callers.size());
        Path path{last, {}};
        if (shared != 0 && has_room(callers[shared - 1], shared + own)) {
            path.end = {callers[shared - 1].node, callers[shared - 1].depth};
        } else {
            for (std::size_t at = 0; at < shared; ++at)
                add(path, callers[at], at == 0 ? 0 : callers[at - 1].inlined, shared + own - at - 1);
        }
        callers.resize(shared);
        for (auto at = own; at-- > 0;) {
            const auto inlined = callers.empty() ? 0 : callers.back().inlined;
            auto& one = callers.emplace_back();  // filled in place: a copy would wait for what was just written
            const auto [unfolded, returns] = caller(at);
            one.unfolded = unfolded;
            one.returns = returns;
            add(path, one, inlined, at);
        }
        return path.end;
    }

  private:
    static constexpr std::size_t unknown = ~std::size_t{0};

    // Level is a node of a path: a caller, or what was inlined there.
    struct Level {
        std::uint32_t frame = 0, node = 0;
    };
    struct Known {
        std::uint32_t unfolded = 0;
        bool returns = false;
        std::uint32_t depth = 0, node = ChainNode::none;  // behind it
        std::size_t inlined = 0;  // most functions inlined at one of the callers so far; unknown: some were left out
    };
    struct LastPath {
        std::vector<Level> levels;  // outermost first
        std::vector<Known> callers;
    };
    struct Path {
        LastPath& last;
        End end;
        bool same = true;  // so far it is the last one
    };

    // Adds a caller to the path. `inlined` is that of the caller before.
    void add(Path& path, Known& one, std::size_t inlined, std::size_t nodes_to_come) {
        auto number = frames_.caller(one.unfolded);
        if (mark_returns_ && one.returns) number |= ChainNode::returns_mark;
        enter(path, number);
        one.inlined = inlined;
        if (frames_.has_inlined()) {
            const bool lacked = frames_.path_folded();
            auto more = frames_.inlined_path(one.unfolded, one.returns, path.end.depth, nodes_to_come);
            one.inlined = std::max(inlined, frames_.path_folded() && !lacked ? unknown : more);
            while (more-- > 0) enter(path, frames_.path()[more]);
        }
        one.depth = static_cast<std::uint32_t>(path.end.depth);
        one.node = path.end.node;
    }

    void enter(Path& path, std::uint32_t frame) {
        auto& levels = path.last.levels;
        auto& [node, depth] = path.end;
        path.same = path.same && depth < levels.size() && levels[depth].frame == frame;
        if (path.same) {
            node = levels[depth].node;
        } else {
            node = counted_.chains().intern({node, frame});
            levels.resize(depth);
            levels.push_back({frame, node});
        }
        ++depth;
    }

    // Returns true if nothing of the callers up to this one would be left out now, with so many in the chain. Then
    // their nodes are those of the last path.
    bool has_room(const Known& last, std::size_t callers) const {
        return last.inlined == 0 || (last.inlined != unknown && frames_.has_room(last.inlined, last.depth, callers));
    }

    FrameNumbers& frames_;
    CountedRows& counted_;
    const bool mark_returns_;
    std::array<LastPath, RecentChains::slots + 1> last_;
};

}  // namespace perfdata
