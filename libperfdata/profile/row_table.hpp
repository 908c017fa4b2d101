// SPDX-License-Identifier: MIT
// The rows of SampleCounts while samples are counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {

// RowTable numbers rows and stores their cells.
class RowTable {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit RowTable(std::size_t columns = 1) : columns_(columns) {}

    // Returns the number of the row; adds it if it is new.
    std::uint32_t number(const SampleCounts::Row& row) {
        if (first_.size() <= row.chain) first_.resize(std::max<std::size_t>(row.chain + 1, 2 * first_.size()));
        auto& first = first_[row.chain];
        if (first.number == none) {
            first = {row.task, add(row)};
            return first.number;
        }
        if (first.task == row.task) return first.number;
        auto& number = others_.number(row.hash(*hash_key_), [&](std::uint32_t known) { return rows_[known] == row; });
        if (number == HashSlots::free) number = add(row);
        return number;
    }

    // Returns the number of the row, or `none`.
    std::uint32_t find(const SampleCounts::Row& row) const {
        if (row.chain >= first_.size() || first_[row.chain].number == none) return none;
        if (first_[row.chain].task == row.task) return first_[row.chain].number;
        return others_.find(row.hash(*hash_key_), [&](std::uint32_t known) { return rows_[known] == row; });
    }

    EventCount* cells(std::uint32_t number) { return &cells_[number * columns_]; }
    std::span<const SampleCounts::Row> rows() const { return rows_; }
    void give(std::vector<SampleCounts::Row>& rows, EventCounts& cells) && {
        rows = std::move(rows_);
        cells = std::move(cells_);
    }

  private:
    std::uint32_t add(const SampleCounts::Row& row) {
        rows_.push_back(row);
        cells_.resize(rows_.size() * columns_);
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }

    std::size_t columns_;
    std::vector<SampleCounts::Row> rows_;
    EventCounts cells_;
    // The first row of a chain, found without a search: most chains have one task only.
    struct First {
        std::uint32_t task = 0;
        std::uint32_t number = none;
    };
    std::vector<First> first_;  // by chain
    HashSlots others_;          // rows that are not the first of their chain; cost: see HashSlots
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
