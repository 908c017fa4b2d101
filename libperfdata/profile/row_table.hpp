// SPDX-License-Identifier: MIT
// The rows of a tally while it is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/profile/tally.hpp"

namespace perfdata {

// RowTable is rows with their cells.
class RowTable {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit RowTable(std::size_t columns = 1) : columns_(columns) {}

    std::uint32_t number(const Tally::Row& row) {
        if (first_.size() <= row.chain) first_.resize(std::max<std::size_t>(row.chain + 1, 2 * first_.size()));
        auto& first = first_[row.chain];
        if (first.number == none) {
            first = {row.runner, add(row)};
            return first.number;
        }
        if (first.runner == row.runner) return first.number;
        auto& number = others_.number(row.hash(*hash_key_), [&](std::uint32_t known) { return rows_[known] == row; });
        if (number == HashSlots::free) number = add(row);
        return number;
    }

    // find(row) is its number, or none.
    std::uint32_t find(const Tally::Row& row) const {
        if (row.chain >= first_.size() || first_[row.chain].number == none) return none;
        if (first_[row.chain].runner == row.runner) return first_[row.chain].number;
        return others_.find(row.hash(*hash_key_), [&](std::uint32_t known) { return rows_[known] == row; });
    }

    Cell* cells(std::uint32_t number) { return &cells_[number * columns_]; }
    std::span<const Tally::Row> rows() const { return rows_; }
    void give(std::vector<Tally::Row>& rows, Cells& cells) && {
        rows = std::move(rows_);
        cells = std::move(cells_);
    }

  private:
    std::uint32_t add(const Tally::Row& row) {
        rows_.push_back(row);
        cells_.resize(rows_.size() * columns_);
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }

    std::size_t columns_;
    std::vector<Tally::Row> rows_;
    Cells cells_;
    // Most chains are of one runner only.
    struct First {
        std::uint32_t runner = 0;
        std::uint32_t number = none;
    };
    std::vector<First> first_;  // by chain
    HashSlots others_;          // all rows that are not the first of their chain; cost: see HashSlots
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
