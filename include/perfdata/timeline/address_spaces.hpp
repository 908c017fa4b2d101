// SPDX-License-Identifier: MIT
// The mappings of all processes over time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/mapping.hpp"

namespace perfdata {

class LookOut;

// SpaceIndex identifies one address space: what a process sees from its fork or exec until its next exec or its end.
using SpaceIndex = std::uint32_t;

// AddressSpaces answers find(space, address, time). It is built once, from changes in time order.
//
// perf records no munmap: the newest mapping of an address wins. So nothing has to be cut or copied:
//   - a new mapping hides what it overlaps; the remainders of those mappings stay visible;
//   - a forked space is a link to its parent and the number of mappings that existed by then. Its own mappings
//     hide the parent's.
// The begins and ends of a set of mappings cut the addresses into segments. Over these stands a segment tree, whose
// nodes list the mappings that cover them completely, in time order:
//
//     1           {}              mappings by time: A over all four segments, B over the last three
//     2 3       {A}  {A B}
//     4 5 6 7  {} {B} {} {}       an address in segment 5: nodes 5, 2, 1; the latest of their lists is B
//
// Generations of processes that map and fork without ever calling exec form a tree, and following it parent by parent
// would cost as much as it is deep. So it is cut into paths: each space continues in the child with the most
// descendants, other children begin paths of their own. On the way from any space to the first there are at most log2 n
// paths. Everything that the spaces of one path hand down to the next space of it is in one segment tree: what is
// deeper was mapped later, so the latest still wins. What a space maps after the fork of that child is in a tree of its
// own.
//
//     1 --- 2 --- 3 --- 5        paths: 1 2 3 5 with the mappings of all four, and 4, which sees those of the
//            \                   first path that existed when 2 forked 4
//             4
//
// find() searches O(log n) lists in each of O(log n) paths, whatever the processes did; usually it is one path, and
// tens of nanoseconds. A mapping is in one tree: with everything that leads to it, it takes about 100 bytes, O(log n)
// if many mappings overlap each other.
class PERFDATA_EXPORT AddressSpaces {
  public:
    static constexpr SpaceIndex none = ~SpaceIndex{0};  // no address space

    // Builder takes the changes in time order.
    class Builder {
      public:
        // create() adds an empty space; fork(parent) adds one that starts with the parent's current mappings.
        SpaceIndex create();
        SpaceIndex fork(SpaceIndex parent);
        // map(space, mapping): mapping.from must not be less than in an earlier call. Empty ranges are ignored.
        void map(SpaceIndex space, const Mapping& mapping);
        std::size_t size() const { return mappings_.size(); }  // number of mappings so far
        AddressSpaces build() &&;                              // the builder is of no more use then
        // build(look) may throw Stopped, the library's own: then the builder is of no more use.
        AddressSpaces build(LookOut& look) &&;

      private:
        friend class AddressSpaces;
        struct Space {
            SpaceIndex parent = none;
            std::uint32_t limit = 0;  // only mappings of the parent below this index are visible
            bool empty = true;        // nothing has been mapped in it yet
        };

        std::vector<SpaceIndex> heirs() const;

        std::vector<Mapping> mappings_;
        std::vector<SpaceIndex> owners_;  // by mapping
        std::vector<Space> spaces_;       // parents before children
    };

    // find(space, address, time) returns the mapping at the address at that time, or null.
    const Mapping* find(SpaceIndex space, Address address, Time time) const {
        Stretch stretch;
        return find(space, address, time, stretch);
    }
    // Stretch is the addresses and times for which the answer is the same: addresses from begin to last, times from the
    // start of the returned mapping and before `until`.
    struct Stretch {
        Address begin{0};                 // the first address
        Address last{~std::uint64_t{0}};  // the last address, included
        Time until = Time::forever();     // something else is there then; forever: nothing ever is
    };
    // The same, and sets `stretch`.
    const Mapping* find(SpaceIndex space, Address address, Time time, Stretch& stretch) const;
    // mappings() returns all mappings ever made, by time.
    std::span<const Mapping> mappings() const;

  private:
    static constexpr std::uint32_t all = ~std::uint32_t{0};

    struct Tree {
        std::uint32_t first_bound = 0;
        std::uint32_t bounds = 0;
    };
    struct Path {
        SpaceIndex parent = none;  // of its first space
        std::uint32_t limit = 0;   // only mappings of the parent below this index are visible
        Tree tree;
    };
    struct Space {
        std::uint32_t path = 0;
        std::uint32_t handed_down = all;  // its mappings below this index are in the path's tree
        std::uint32_t late = all;         // the tree of the others, in late_; all ones: none
    };

    Tree index(std::span<const std::uint32_t> mappings, LookOut& look);
    const Mapping* latest(const Tree& tree, Address address, Time time, std::uint32_t limit, Stretch& stretch) const;

    std::vector<Mapping> mappings_;
    std::vector<Space> spaces_;
    std::vector<Path> paths_;
    std::vector<Tree> late_;
    std::vector<Address> bounds_;           // of each tree: begins of its segments, sorted
    std::vector<std::uint32_t> node_ends_;  // of each tree: 2 x bounds nodes; the ends of their lists in listed_
    std::vector<std::uint32_t> listed_;     // indices of mappings
};

}  // namespace perfdata
