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
// In a space, the begins and ends of its mappings cut the addresses into segments; over these stands a segment tree,
// whose nodes list the mappings that cover them whole, in order of time:
//
//     1           {}              mappings by time: A over all four segments, B over the last three
//     2 3       {A}  {A B}
//     4 5 6 7  {} {B} {} {}       an address in segment 5: nodes 5, 2, 1; the latest of their lists is B
//
// find() takes O(log n) searches in short lists: tens of nanoseconds. A mapping and all that leads to it take about 100
// bytes, more only if many mappings overlap each other or generations of processes map without ever beginning a
// program.
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
        static constexpr std::uint32_t no_entry = ~std::uint32_t{0};
        struct Entry {
            std::uint32_t mapping;
            std::uint32_t before;  // in the same space
        };
        struct Space {
            SpaceIndex parent = none;
            std::uint32_t limit = 0;  // of the parent's mappings only those below this index are seen
            std::uint32_t latest = no_entry;
            std::uint32_t level = 0;  // of generations that were copied together
            std::uint32_t alike = 1;  // so many spaces of this level follow each other, up to this one
        };

        void enter(SpaceIndex space, std::uint32_t mapping);
        void gather(SpaceIndex child);

        std::vector<Mapping> mappings_;
        std::vector<Entry> entries_;
        std::vector<Space> spaces_;
        std::size_t copied_ = 0;
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
    struct Space {
        SpaceIndex parent = none;
        std::uint32_t limit = 0;
        std::uint32_t first_bound = 0;
        std::uint32_t bounds = 0;
    };

    void index(Space& space, std::span<const std::uint32_t> mappings);
    const Mapping* latest(const Space& space, Address address, Time time, std::uint32_t limit, Stretch& stretch) const;

    std::vector<Mapping> mappings_;
    std::vector<Space> spaces_;
    std::vector<Address> bounds_;           // of each space: where its segments begin, sorted
    std::vector<std::uint32_t> node_ends_;  // of each space: 2 x bounds nodes; where in listed_ their lists end
    std::vector<std::uint32_t> listed_;     // indices of mappings
};

}  // namespace perfdata
