// SPDX-License-Identifier: MIT
// Calls that begin or end in one of a few functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/intern_table.hpp"

namespace perfdata {

// CallTable numbers places, their functions, and the calls between them that have a listed function at either end.
class CallTable {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    CallTable(const CodeVersions& versions, std::span<const CodeVersion> functions, std::size_t columns);

    // Returns the number of a place: its function and the offset in it.
    std::uint32_t place(const Frame& frame);
    std::uint32_t end_of(std::uint32_t place) const { return places_[place].end; }
    std::uint64_t offset_of(std::uint32_t place) const { return places_[place].offset; }
    bool named(std::uint32_t end) const { return ends_[end].named; }
    // Returns the index of the function in the list, or `none`.
    std::uint32_t listed(std::uint32_t end) const { return listed_[end]; }
    bool wanted(std::uint32_t caller, std::uint32_t callee) const {
        return listed_[caller] != none || listed_[callee] != none;
    }

    // Return the number of a call: from one place, or from anywhere in the function of that place.
    std::uint32_t edge(std::uint32_t place, std::uint32_t callee, bool entry);
    std::uint32_t edge_anywhere(std::uint32_t place, std::uint32_t callee, bool entry);

    EventCounts& with_callees(std::uint32_t listed) { return functions_[listed].with_callees; }
    std::span<EventCount> below(std::uint32_t edge) { return std::span(below_).subspan(edge * columns_, columns_); }
    void branch(std::uint32_t edge, std::size_t column, std::uint64_t count, bool may_be_jump);

    std::vector<FunctionCalls> finish() &&;

    // Returns the byte before a return address: the last one of the call instruction.
    static Frame before(Frame frame) {
        if (frame.offset != 0) --frame.offset;
        return frame;
    }

  private:
    struct Place {
        std::uint32_t end = 0;
        std::uint64_t offset = 0;

        bool operator==(const Place&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(offset, end); }
    };
    struct Edge {
        std::uint32_t caller = 0, callee = 0;
        std::uint64_t offset = 0;
        bool entry = false;

        bool operator==(const Edge&) const = default;
        std::uint64_t hash(const HashKey& key) const {
            return key(offset, std::uint64_t{caller} << 32 | callee, entry ? 1u : 0u);
        }
    };

    std::uint32_t end(const CallEnd& end);
    std::uint32_t number(const Edge& edge);
    CallEdge result(std::uint32_t edge) const;
    void sort();

    const CodeVersions& versions_;
    std::size_t columns_;
    InternTable<Place> places_;
    InternTable<CallEnd> ends_;          // each version of a function is an end of its own
    std::vector<std::uint32_t> listed_;  // by end
    InternTable<CallEnd> asked_for_;     // the listed functions, in their order
    InternTable<Edge> edges_;
    EventCounts below_;                    // by edge and event
    std::vector<std::uint64_t> branches_;  // likewise
    std::vector<bool> may_be_jump_;        // by edge
    std::vector<FunctionCalls> functions_;
};

}  // namespace perfdata
