// SPDX-License-Identifier: MIT
// Makes a VersionedMap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "perfdata/core/types.hpp"
#include "perfdata/timeline/versioned_map.hpp"

namespace perfdata {

// Builder takes the changes in time order.
template <class T>
class VersionedMap<T>::Builder {
  public:
    explicit Builder(Overlap overlap) : overlap_(overlap) {}  // what a new range does to those that it overlaps

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

    std::size_t size() const { return entries_.size(); }  // number of entries so far
    // build() takes n log n steps; the builder is of no more use then.
    VersionedMap build() && {
        return std::move(*this).build([] {});
    }
    // build(look) calls look() now and then, which may throw: then the builder is of no more use.
    template <class Look>
    VersionedMap build(Look&& look) &&;

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

template <class T>
std::uint32_t VersionedMap<T>::with_leaf(std::uint32_t node, std::uint32_t rank, unsigned level, std::uint32_t leaf,
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

// Ranks the begins, then makes one version of the trie for each time: n log n.
template <class T>
template <class Look>
VersionedMap<T> VersionedMap<T>::Builder::build(Look&& look) && {
    VersionedMap map;
    map.entries_ = std::move(entries_);
    for (const auto& entry : map.entries_) map.begins_.push_back(entry.range.begin.value);
    std::ranges::sort(map.begins_, {}, [&](std::uint64_t begin) {
        look();
        return begin;
    });
    const auto repeated = std::ranges::unique(map.begins_);
    map.begins_.erase(repeated.begin(), repeated.end());
    map.levels_ = map.begins_.size() <= 1 ? 1 : static_cast<unsigned>(std::bit_width(map.begins_.size() - 1));
    map.nodes_.push_back({0, 0});

    std::uint32_t root = 0;
    for (std::size_t index = 0; index < changes_.size();) {
        const auto at = changes_[index].at;
        const auto shared_below = static_cast<std::uint32_t>(map.nodes_.size());
        for (; index < changes_.size() && changes_[index].at == at; ++index) {
            look();
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
