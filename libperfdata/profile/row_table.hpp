// SPDX-License-Identifier: MIT
// The rows of SampleCounts while samples are counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {

// CellTable sums counts by place (or row) and column. Few columns are stored whole. Of many, only the cells that are in
// use are: a small file may declare many events, and most rows have samples of few of them. So a sample costs one
// look-up, and at most one cell.
class CellTable {
  public:
    static constexpr std::size_t few_columns = 8;

    explicit CellTable(std::size_t columns = 1) : columns_(columns) {}

    bool is_sparse() const { return columns_ > few_columns; }
    // Makes room for so many rows; add() requires it.
    void resize(std::size_t rows) {
        if (!is_sparse() && cells_.size() < rows * columns_) cells_.resize(rows * columns_);
    }
    void prefetch(std::uint32_t row) const {
        if (!is_sparse()) __builtin_prefetch(&cells_[row * columns_], 1);
    }
    void add(std::uint32_t row, std::size_t column, const EventCount& cell) {
        if (!is_sparse()) {
            cells_[row * columns_ + column] += cell;
            return;
        }
        const auto number = ids_.intern({row, static_cast<std::uint32_t>(column)});
        if (number == cells_.size()) cells_.emplace_back();
        cells_[number] += cell;
    }
    // each(take) calls take(row, column, cell) for all that may differ from 0: in any order of rows.
    template <class Take>
    void each(Take&& take) const {
        for (std::size_t at = 0; at < cells_.size(); ++at) {
            if (is_sparse()) {
                take(ids_[static_cast<std::uint32_t>(at)].row, std::size_t{ids_[static_cast<std::uint32_t>(at)].column},
                     cells_[at]);
            } else {
                take(static_cast<std::uint32_t>(at / columns_), at % columns_, cells_[at]);
            }
        }
    }
    // Gives the cells row by row. `begin` and `column` stay empty unless is_sparse().
    void give(std::size_t rows, EventCounts& cells, std::vector<std::uint32_t>& begin,
              std::vector<std::uint32_t>& column) && {
        if (!is_sparse()) {
            cells = std::move(cells_);
            return;
        }
        begin.assign(rows + 1, 0);
        for (const auto& id : ids_.keys()) ++begin[id.row + 1];
        for (std::size_t row = 0; row < rows; ++row) begin[row + 1] += begin[row];
        auto at = begin;
        cells.resize(cells_.size());
        column.resize(cells_.size());
        each([&](std::uint32_t row, std::size_t of, const EventCount& cell) {
            cells[at[row]] = cell;
            column[at[row]++] = static_cast<std::uint32_t>(of);
        });
    }

  private:
    struct CellId {
        std::uint32_t row = 0, column = 0;

        bool operator==(const CellId&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{row} << 32 | column); }
    };

    std::size_t columns_;
    InternTable<CellId> ids_;  // empty unless is_sparse()
    EventCounts cells_;
};

// RowTable numbers rows and stores their cells.
class RowTable {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit RowTable(std::size_t columns = 1) : cells_(columns) {}

    // Returns the number of the row; adds it if it is new.
    std::uint32_t number(const SampleCounts::Row& row) {
        if (first_.size() <= row.chain) first_.resize(std::max<std::size_t>(row.chain + 1, 2 * first_.size()));
        auto& first = first_[row.chain];
        if (first.number == none) {
            first = {row.task, append(row)};
            return first.number;
        }
        if (first.task == row.task) return first.number;
        auto& number = others_.number(row.hash(*hash_key_), [&](std::uint32_t known) { return rows_[known] == row; });
        if (number == HashSlots::free) number = append(row);
        return number;
    }

    // Returns the number of the row, or `none`.
    std::uint32_t find(const SampleCounts::Row& row) const {
        if (row.chain >= first_.size() || first_[row.chain].number == none) return none;
        if (first_[row.chain].task == row.task) return first_[row.chain].number;
        return others_.find(row.hash(*hash_key_), [&](std::uint32_t known) { return rows_[known] == row; });
    }

    // Prefetch what number() of a row of that chain reads first, and what add() to that row writes.
    void prefetch(std::uint32_t chain) const {
        if (chain < first_.size()) __builtin_prefetch(&first_[chain], 1);
    }
    void prefetch_cell(std::uint32_t number) const { cells_.prefetch(number); }
    void add(std::uint32_t number, std::size_t column, const EventCount& cell) { cells_.add(number, column, cell); }
    const CellTable& cells() const { return cells_; }
    std::span<const SampleCounts::Row> rows() const { return rows_; }
    void give(std::vector<SampleCounts::Row>& rows, EventCounts& cells, std::vector<std::uint32_t>& begin,
              std::vector<std::uint32_t>& column) && {
        rows = std::move(rows_);
        std::move(cells_).give(rows.size(), cells, begin, column);
    }

  private:
    std::uint32_t append(const SampleCounts::Row& row) {
        rows_.push_back(row);
        cells_.resize(rows_.size());
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }

    std::vector<SampleCounts::Row> rows_;
    CellTable cells_;
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
