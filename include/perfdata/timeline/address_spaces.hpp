// SPDX-License-Identifier: MIT
// The mappings of all processes over time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/timeline/mapping.hpp"

namespace perfdata {

// SpaceIndex names one address space: what a process sees from its fork or exec until its next exec or its end.
using SpaceIndex = std::uint32_t;

// AddressSpaces answers find(space, address, time). It is built once, from changes in order of time.
//
// Mappings come but are never told to go: at every time the latest one over an address counts. So nothing has to be cut
// or copied:
//   - a new mapping hides what it overlaps, whose remainders stay in sight as they are;
//   - a forked space is a link to its parent and the number of mappings that there were by then. What it maps itself
//     hides the parent's.
// Over the segments into which the begins and ends of some mappings cut the addresses stands a segment tree, whose
// nodes list the mappings that cover them whole, in order of time:
//
//     1           {}              mappings by time: A over all four segments, B over the last three
//     2 3       {A}  {A B}
//     4 5 6 7  {} {B} {} {}       an address in segment 5: nodes 5, 2, 1; the latest of their lists is B
//
// Generations of processes that map and fork without ever beginning a program are a tree, and following it parent by
// parent would cost as much as it is deep. So it is cut into paths: each space goes on in that child which has the most
// descendants, other children begin paths of their own. On the way from any space to the first there are at most
// log2 n paths. All that the spaces of one path hand down to the next of it is one segment tree: what is deeper was
// mapped later, so the latest is still what counts. What a space maps after the fork of that child is in a tree of its
// own.
//
//     1 --- 2 --- 3 --- 5        paths: 1 2 3 5 with the mappings of all four, and 4, which sees of the first path
//            \                   those that were there when 2 forked 4
//             4
//
// find() takes O(log n) paths of O(log n) searches in lists, whatever the processes did; mostly it is one path, and
// tens of nanoseconds. A mapping is in one tree: it and all that leads to it take about 100 bytes, O(log n) if many
// mappings overlap each other.
class AddressSpaces {
  public:
    static constexpr SpaceIndex none = ~SpaceIndex{0};

    class Builder {
      public:
        // create() is an empty space; fork(parent) one that begins with what the parent has now.
        SpaceIndex create();
        SpaceIndex fork(SpaceIndex parent);
        // map(space, mapping): mapping.from must not be less than that of an earlier call. Empty ranges are ignored.
        void map(SpaceIndex space, const Mapping& mapping);
        std::size_t size() const { return mappings_.size(); }
        AddressSpaces build() &&;

      private:
        friend class AddressSpaces;
        struct Space {
            SpaceIndex parent = none;
            std::uint32_t limit = 0;  // of the parent's mappings only those below this index are seen
            bool empty = true;        // nothing was mapped in it yet
        };

        std::vector<SpaceIndex> heirs() const;

        std::vector<Mapping> mappings_;
        std::vector<SpaceIndex> owners_;  // by mapping
        std::vector<Space> spaces_;       // parents before children
    };

    // find(space, address, time) is the mapping that lay there then, or null.
    const Mapping* find(SpaceIndex space, Address address, Time time) const {
        Stretch stretch;
        return find(space, address, time, stretch);
    }
    // Stretch is addresses and times for which the answer is the same: from begin to last, from the beginning of the
    // mapping that was found on, before `until`.
    struct Stretch {
        Address begin{0}, last{~std::uint64_t{0}};
        Time until = Time::forever();
    };
    const Mapping* find(SpaceIndex space, Address address, Time time, Stretch& stretch) const;
    // mappings() is all there ever were, by time.
    std::span<const Mapping> mappings() const { return mappings_; }

  private:
    static constexpr std::uint32_t all = ~std::uint32_t{0};

    struct Tree {
        std::uint32_t first_bound = 0;
        std::uint32_t bounds = 0;
    };
    struct Path {
        SpaceIndex parent = none;  // of its first space
        std::uint32_t limit = 0;   // of the parent's mappings only those below this index are seen
        Tree tree;
    };
    struct Space {
        std::uint32_t path = 0;
        std::uint32_t handed_down = all;  // its mappings below this index are in the path's tree
        std::uint32_t late = all;         // the tree of the others, in late_; all ones if there are none
    };

    Tree index(std::span<const std::uint32_t> mappings);
    const Mapping* latest(const Tree& tree, Address address, Time time, std::uint32_t limit, Stretch& stretch) const;

    std::vector<Mapping> mappings_;
    std::vector<Space> spaces_;
    std::vector<Path> paths_;
    std::vector<Tree> late_;
    std::vector<Address> bounds_;           // of each tree: where its segments begin, sorted
    std::vector<std::uint32_t> node_ends_;  // of each tree: 2 x bounds nodes; where in listed_ their lists end
    std::vector<std::uint32_t> listed_;     // indices of mappings
};

}  // namespace perfdata
