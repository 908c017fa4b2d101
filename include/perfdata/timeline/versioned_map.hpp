// SPDX-License-Identifier: MIT
// Intervals over address x time: who owned an address, when.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// What registering a range does to live entries that it overlaps. Entries with the same begin always end.
enum class Overlap : std::uint8_t {
    ends,   // they end: two programs cannot be in one place
    hides,  // they stay, but from its begin on find() returns the new entry: for entries that claim more than they use
};

// VersionedMap answers find(address, time) for entries that came and went. It is built once from changes in time order
// and is immutable afterwards.
//
//     address
//       60 |             +----------     A [10, 20), B [30, 50) and C [40, 60) come at times 10, 20 and 30
//       50 |      +------+ C
//       40 |      | B    +----------     C overlaps B. Overlap::ends: B ends at time 30.
//       30 |      +------+- - - - -      Overlap::hides: B stays, but find() returns C from address 40 on.
//       20 |  +---------------------
//       10 |  | A
//          +--+---+------+----------
//            10  20     30     time
//
// At every time the live entry with the greatest begin at or below an address counts. So the state at one time is an
// ordered set of begins, and the map is that set as a persistent binary trie over the ranks of all begins (A 00, B 01,
// C 10): each change copies the path to one leaf and shares everything else with the version before. The versions of
// this example with Overlap::hides:
//
//     time  10     20         30
//           *      *      ____*
//          /      /      /     \       (* a node of the trie)
//         *      *<-----+       *        root 30 shares the left half of root 20
//        /      / \            /
//       A      A   B          C
//
// With n changes this takes O(n log n) time and memory, whatever their ranges: each entry ends only once. find() takes
// two searches of O(log n).
template <class T>
class VersionedMap {
  public:
    // Entry is a range and its owner, from its coming to its going.
    struct Entry {
        AddressRange range;            // as registered; not empty
        Time from;                     // when it came
        Time until = Time::forever();  // the entry is live at times t with from <= t < until
        T value;                       // the owner
    };

    // Its members are in versioned_map_builder.hpp.
    class Builder;

    // find(address, time) returns the entry that owned the address at that time, or null.
    const Entry* find(Address address, Time time) const {
        const auto later = first_above(versions_, time, [](const Version& version) { return version.at; });
        if (later == 0) return nullptr;
        const auto above = first_above(begins_, address.value, [](std::uint64_t begin) { return begin; });
        if (above == 0) return nullptr;
        const auto leaf = greatest_up_to(versions_[later - 1].root, static_cast<std::uint32_t>(above - 1));
        if (leaf == 0) return nullptr;
        const auto& entry = entries_[leaf - 1];
        return entry.range.contains(address) ? &entry : nullptr;
    }

    // entries() returns every entry that ever existed, in order of registration.
    std::span<const Entry> entries() const { return entries_; }

  private:
    struct Version {
        Time at;
        std::uint32_t root;
    };
    using Node = std::array<std::uint32_t, 2>;  // children; 0: none. On the last level entry index + 1, above it nodes

    std::uint32_t with_leaf(std::uint32_t node, std::uint32_t rank, unsigned level, std::uint32_t leaf,
                            std::uint32_t shared_below);

    std::uint32_t greatest_up_to(std::uint32_t node, std::uint32_t rank) const {
        std::uint32_t fallback = 0;  // the nearest subtree completely below rank
        unsigned fallback_level = 0;
        for (auto level = levels_; level != 0; --level) {
            if (node == 0) break;
            const auto side = rank >> (level - 1) & 1;
            if (side == 1 && nodes_[node][0] != 0) {
                fallback = nodes_[node][0];
                fallback_level = level - 1;
            }
            node = nodes_[node][side];
        }
        if (node != 0) return node;
        for (node = fallback; node != 0 && fallback_level != 0; --fallback_level) {
            node = nodes_[node][1] != 0 ? nodes_[node][1] : nodes_[node][0];
        }
        return node;
    }

    std::vector<Entry> entries_;
    std::vector<std::uint64_t> begins_;  // sorted, unique: the position of a begin is its rank
    std::vector<Version> versions_;      // by time
    std::vector<Node> nodes_;            // nodes_[0] is the empty node
    unsigned levels_ = 0;
};

}  // namespace perfdata
