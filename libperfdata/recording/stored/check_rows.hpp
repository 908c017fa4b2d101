// SPDX-License-Identifier: MIT
// The promises of a model (see Model) that reading must check, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "row_reader.hpp"
#include "row_refs.hpp"

namespace perfdata::stored {

// RowChecker looks at each row of a model that is being read, table by table. What breaks a promise throws BadRow.
class RowChecker {
  public:
    explicit RowChecker(const Model& model) : model_(model) {}

    // check(row) looks at a row that will be the next of its table.
    template <class Row>
    void check(const Row& row) {
        const auto& table = model_.table<Row>();
        each_ref(row, [&]<class Target>(const Ref<Target>& ref) {
            if (ref.number >= model_.table<Target>().size()) throw BadRow{"it refers to a row that is not there"};
        });
        if constexpr (is_tree<Row>) check_depth(row);
        if (!table.empty() && !(table.back() < row)) throw BadRow{"rows are not in their order"};
        look_at(row);
    }
    // finish() looks at what concerns whole tables, and at the facts.
    void finish() const;

  private:
    template <class Row>
    void check_depth(const Row& row) {
        auto& depths = depth_of(row);
        const auto caller = above(row);
        const auto depth = caller ? depths[caller.number] + 1 : 1;
        if (depth > most_depth) throw BadRow{"a chain is too deep"};
        depths.push_back(static_cast<std::uint32_t>(depth));
    }
    std::vector<std::uint32_t>& depth_of(const Call&) { return call_depths_; }
    std::vector<std::uint32_t>& depth_of(const Node&) { return node_depths_; }

    template <class Row>
    void look_at(const Row&) const {}
    void look_at(const Source& row) const;
    void look_at(const Event& row) const;
    void look_at(const Object& row) const;
    void look_at(const Load& row) const;
    void look_at(const Call& row) const;
    void look_at(const Function& row) const;
    void look_at(const Version& row) const;
    void look_at(const Lines& row) const;
    void look_at(const Inlined& row) const;
    void look_at(const Frame& row) const;
    void look_at(const Node& row) const;
    void look_at(const Cell& row) const;
    void look_at(const Branch& row) const;

    const Model& model_;
    std::vector<std::uint32_t> call_depths_, node_depths_;
};

}  // namespace perfdata::stored
