// SPDX-License-Identifier: MIT
// Which part of a call chain the same task had a moment ago.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/sample/callchain.hpp"

namespace perfdata {

// RecentChains remembers the last call chain of some tasks. Most samples share their outer callers with the one before:
//
//     chain before   KERNEL  k1  k2   k3  USER  u1  u2
//     this chain     KERNEL  k9       k3  USER  u1  u2
//                    visited           shared             if at this time all these places are still what they were
//
// In a storm of short processes half of all frames are shared, and a report with callers takes 0.95 of the CPU time. A
// chain costs time linear in its length.
class RecentChains {
  public:
    static constexpr std::size_t slots = 16;  // a power of two; a slot for each task in turn

    // Shared is the part of a chain that the one before in this slot has, too.
    struct Shared {
        std::size_t slot = 0;
        std::size_t frames = 0;  // outermost ones: as many of them are not visited
    };

    // take(chain, mode, pid, tid, time, most, visit) calls visit(address, mode, holds), innermost first, for each frame
    // that is not shared, and then remembers the chain. visit() says when what it finds there holds. The first frame is
    // never shared. Behind `most` frames visit() is called once more. Chains of other machines than the host are not
    // for this, nor are those with a deferred part.
    template <class Chain, class Visit>
    Shared take(const Chain& chain, CpuMode mode, Pid pid, Tid tid, Time time, std::size_t most, Visit&& visit) {
        const auto number = (tid.value * std::uint64_t{0x9e3779b97f4a7c15}) >> (64 - slot_bits);
        auto& slot = slots_[number];
        const auto size = chain.size();
        auto& levels = slot.levels;
        std::size_t same = 0;
        if (slot.pid == pid) {
            const auto longest = std::min<std::size_t>(levels.size(), size);
            while (same < longest && levels[same].word == chain[size - 1 - same] && levels[same].holds.contains(time))
                ++same;
        }
        visited_.clear();
        auto context = CpuMode::unknown;  // of the last frame
        std::size_t frames = 0;
        for (std::size_t at = 0; at < size; ++at) {
            if (at == size - same) {
                const auto& level = levels[same - 1];
                const bool alike = frames != 0 && level.mode == mode && level.context == context;
                if (alike && frames + level.frames <= most) break;
                same = 0;
            }
            const std::uint64_t word = chain[at];
            auto& one = visited_.emplace_back(Level{word, mode, context, 0, always});
            if (is_chain_context(word)) {
                mode = chain_mode(word).value_or(CpuMode::unknown);
                continue;
            }
            one.holds = {};  // where visit() does not say, never
            visit(Address{word}, mode, one.holds);
            if (frames++ == 0) one.holds = {};
            one.frames = 1;
            context = mode;
            if (frames > most) {
                same = 0;
                visited_.clear();
                break;
            }
        }
        slot.pid = pid;
        const auto outer = same == 0 ? Level{0, {}, {}, 0, always} : levels[same - 1];
        const Shared shared{number, outer.frames};
        levels.resize(same + visited_.size());
        // Member by member: copied whole, each would wait for what was just written to a part of it.
        auto frames_so_far = outer.frames;
        auto holds = outer.holds;
        auto to = levels.begin() + static_cast<std::ptrdiff_t>(same);
        for (auto one = visited_.rbegin(); one != visited_.rend(); ++one, ++to) {
            holds = {std::max(one->holds.from, holds.from), std::min(one->holds.until, holds.until)};
            frames_so_far += one->frames;
            to->word = one->word;
            to->mode = one->mode;
            to->context = one->context;
            to->frames = frames_so_far;
            to->holds.from = holds.from;
            to->holds.until = holds.until;
        }
        return shared;
    }

  private:
    static constexpr unsigned slot_bits = 4;
    static_assert(slots == std::size_t{1} << slot_bits);
    static constexpr Lasting always{{}, Time::forever()};

    // Level is a word of a chain: an address or a marker.
    struct Level {
        std::uint64_t word = 0;
        CpuMode mode = CpuMode::unknown;     // in front of the word
        CpuMode context = CpuMode::unknown;  // mode of the frame before; unknown: there is none
        std::uint32_t frames = 0;            // from the outermost one to this word
        Lasting holds;                       // all these frames
    };
    struct Slot {
        std::optional<Pid> pid;
        std::vector<Level> levels;  // outermost first
    };

    std::array<Slot, slots> slots_;
    std::vector<Level> visited_;  // of one chain, innermost first
};

}  // namespace perfdata
