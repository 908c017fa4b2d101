// SPDX-License-Identifier: MIT
// Intervals over address x time: who owned an address, when.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

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
    struct Entry {
        AddressRange range;
        Time from;
        Time until = Time::forever();  // the entry is live at times t with from <= t < until
        T value;
    };

    class Builder {
      public:
        explicit Builder(Overlap overlap) : overlap_(overlap) {}

        // add(at, range, value) registers a range that is not empty and returns the entry's index. `at` must not be
        // less than in an earlier change.
        std::uint32_t add(Time at, AddressRange range, T value) {
            if (overlap_ == Overlap::ends) {
                while (const auto* other = overlapped(range)) remove(at, other->range.begin);
            } else {
                remove(at, range.begin);
            }
            const auto index = static_cast<std::uint32_t>(entries_.size());
            entries_.push_back({range, at, Time::forever(), std::move(value)});
            changes_.push_back({at, index, true});
            live_.emplace(range.begin.value, index);
            return index;
        }

        // remove(at, begin) ends the live entry that begins there; false if there is none.
        bool remove(Time at, Address begin) {
            const auto found = live_.find(begin.value);
            if (found == live_.end()) return false;
            entries_[found->second].until = at;
            changes_.push_back({at, found->second, false});
            live_.erase(found);
            return true;
        }

        // live(begin) returns the live entry that begins there, or null. The pointer is valid until the next change.
        Entry* live(Address begin) {
            const auto found = live_.find(begin.value);
            return found == live_.end() ? nullptr : &entries_[found->second];
        }

        std::size_t size() const { return entries_.size(); }
        VersionedMap build() &&;

      private:
        friend class VersionedMap;
        struct Change {
            Time at;
            std::uint32_t entry;
            bool added;
        };

        const Entry* overlapped(AddressRange range) const {
            auto next = live_.upper_bound(range.last().value);
            if (next == live_.begin()) return nullptr;
            const auto& last = entries_[std::prev(next)->second];
            return last.range.overlaps(range) ? &last : nullptr;
        }

        Overlap overlap_;
        std::vector<Entry> entries_;
        std::vector<Change> changes_;
        std::map<std::uint64_t, std::uint32_t> live_;  // by begin
    };

    // find(address, time) returns the entry that owned the address at that time, or null.
    const Entry* find(Address address, Time time) const {
        const auto version = std::ranges::upper_bound(versions_, time, {}, &Version::at);
        if (version == versions_.begin()) return nullptr;
        const auto above = std::ranges::upper_bound(begins_, address.value);
        if (above == begins_.begin()) return nullptr;
        const auto rank = static_cast<std::uint32_t>(above - begins_.begin() - 1);
        const auto leaf = greatest_up_to(std::prev(version)->root, rank);
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
                            std::uint32_t shared_below) {
        if (level == 0) return leaf;
        const auto side = rank >> (level - 1) & 1;
        const auto child = with_leaf(nodes_[node][side], rank, level - 1, leaf, shared_below);
        if (node < shared_below) {  // belongs to an earlier version (or is the empty node): copy it
            if (child == 0 && nodes_[node][side ^ 1] == 0) return 0;
            nodes_.push_back(nodes_[node]);
            node = static_cast<std::uint32_t>(nodes_.size() - 1);
        }
        nodes_[node][side] = child;
        return nodes_[node][0] == 0 && nodes_[node][1] == 0 ? 0 : node;
    }

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

template <class T>
VersionedMap<T> VersionedMap<T>::Builder::build() && {
    VersionedMap map;
    map.entries_ = std::move(entries_);
    for (const auto& entry : map.entries_) map.begins_.push_back(entry.range.begin.value);
    std::ranges::sort(map.begins_);
    const auto repeated = std::ranges::unique(map.begins_);
    map.begins_.erase(repeated.begin(), repeated.end());
    map.levels_ = map.begins_.size() <= 1 ? 1 : static_cast<unsigned>(std::bit_width(map.begins_.size() - 1));
    map.nodes_.push_back({0, 0});

    std::uint32_t root = 0;
    for (std::size_t index = 0; index < changes_.size();) {
        const auto at = changes_[index].at;
        const auto shared_below = static_cast<std::uint32_t>(map.nodes_.size());
        for (; index < changes_.size() && changes_[index].at == at; ++index) {
            const auto& change = changes_[index];
            const auto begin = map.entries_[change.entry].range.begin.value;
            const auto rank =
                static_cast<std::uint32_t>(std::ranges::lower_bound(map.begins_, begin) - map.begins_.begin());
            root = map.with_leaf(root, rank, map.levels_, change.added ? change.entry + 1 : 0, shared_below);
        }
        map.versions_.push_back({at, root});
    }
    return map;
}

}  // namespace perfdata
