// SPDX-License-Identifier: MIT
// Addresses of stacks, each with what was inlined there.
#pragma once

#include <cstdint>
#include <vector>

#include "perfdata/profile/intern_table.hpp"

#include "exported.hpp"

namespace perfdata {

// PprofLocations joins the nodes of inlined functions with the node of the code that contains them: a profile has one
// location for all of them.
//
//     nodes        main+0x20 <- parse (inlined) <- skip (inlined)
//     location     main+0x20: skip, parse, main
class PprofLocations {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // Part is a place and what it is inlined into: the end of the list of a location.
    struct Part {
        std::uint32_t into = none;  // index in parts(), a lower one; none: the place is not inlined
        std::uint32_t place = 0;    // index in Exported::places

        bool operator==(const Part&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{into} << 32 | place); }
    };

    // `exported` must outlive it.
    explicit PprofLocations(const Exported& exported) : exported_(exported) {
        const auto& nodes = exported.nodes;
        part_.reserve(nodes.size());
        code_.reserve(nodes.size());
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
            const auto& [caller, place] = nodes[node];
            const bool inlined = exported.places[place].inlined && caller != ExportNode::none;
            code_.push_back(inlined ? code_[caller] : node);
            part_.push_back(parts_.intern({inlined ? part_[caller] : none, place}));
        }
        ids_.resize(parts_.size());
        for (const auto& row : exported.rows) ids_[part_[row.node]] = 1;
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
            if (code_[node] == node && nodes[node].caller != ExportNode::none) ids_[part_[nodes[node].caller]] = 1;
        }
        std::uint64_t last = 0;
        for (auto& id : ids_) {
            if (id != 0) id = ++last;
        }
    }

    // each_of_stack(node, visit) calls visit(id) for the locations of a stack, innermost first, until it returns false.
    template <class Visit>
    void each_of_stack(std::uint32_t node, Visit&& visit) const {
        for (; node != ExportNode::none; node = exported_.nodes[code_[node]].caller) {
            if (!visit(ids_[part_[node]])) return;
        }
    }

    // each(visit) calls visit(id, part) for all locations. Ids begin with 1.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::uint32_t part = 0; part < ids_.size(); ++part) {
            if (ids_[part] != 0) visit(ids_[part], parts_[part]);
        }
    }

    const Part& part(std::uint32_t number) const { return parts_[number]; }

  private:
    const Exported& exported_;
    InternTable<Part> parts_;
    std::vector<std::uint32_t> part_, code_;  // by node: its part, and the node of the code that contains it
    std::vector<std::uint64_t> ids_;          // by part; 0: only a part of other locations
};

}  // namespace perfdata
