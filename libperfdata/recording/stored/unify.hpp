// SPDX-License-Identifier: MIT
// The engine of canonical() and merge(): makes one row of those that some rules take for the same, table by table, so
// that references to them become equal as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "row_refs.hpp"

namespace perfdata::stored {

// PlainRules take only equal rows for the same, and what describes or counts the same.
struct PlainRules {
    template <class Row>
    static void normalise(Row&) {}
    template <class Row>
    static const Row& key(const Row& row) {
        return row;
    }
    static auto key(const Cell& cell) { return std::tuple(cell.task, cell.node, cell.event); }
    static auto key(const Branch& branch) {
        return std::tuple(branch.task, branch.event, branch.from, branch.to, branch.entry, branch.proven);
    }
    // A function has each version once, and its lines.
    static auto key(const Version& row) { return std::tuple(row.function, row.number); }
    static auto key(const Lines& row) { return std::tuple(row.function); }
    template <class Row>
    static void combine(Row&, const Row&) {}
    static void combine(Version& into, const Version& other);
    static void combine(Lines& into, const Lines& other);
    static void combine(Cell& into, const Cell& other);
    static void combine(Branch& into, const Branch& other);
};

// Numbers are the new numbers of old rows.
using Numbers = PerTable<std::vector<std::uint32_t>>;

// Unifier renumbers a model bottom up. Rows that an earlier table lost must not be referred to.
template <class Rules>
class Unifier {
  public:
    explicit Unifier(Model& model) : model_(model) {}

    // keep(table marks): only these rows stay. Without it, all stay.
    void run(const PerTable<std::vector<bool>>* kept) {
        each_table(model_, [&]<class Row>(Table<Row>& table) {
            const auto* marks = kept == nullptr ? nullptr : &kept->template of<Row>();
            if constexpr (is_tree<Row>) {
                unify_tree(table, marks);
            } else {
                unify(table, marks);
            }
        });
        renumber(model_.facts);
    }
    template <class Row>
    void renumber(Row& row) const {
        each_ref(row, [&]<class Target>(Ref<Target>& ref) { ref = Ref<Target>(numbers_.of<Target>()[ref.number]); });
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    template <class Row>
    void prepare(Row& row) const {
        renumber(row);
        Rules::normalise(row);
    }

    template <class Row>
    void unify(Table<Row>& table, const std::vector<bool>* marks) {
        std::vector<std::uint32_t> order;
        order.reserve(table.size());
        for (std::uint32_t at = 0; at < table.size(); ++at) {
            if (marks != nullptr && !(*marks)[at]) continue;
            prepare(table[at]);
            order.push_back(at);
        }
        auto& numbers = numbers_.template of<Row>();
        numbers.assign(table.size(), none);
        Table<Row> kept;
        fold(table, order, kept, numbers);
        // What stands for several rows may belong elsewhere.
        if (!std::ranges::is_sorted(kept)) {
            std::vector<std::uint32_t> sorted(kept.size()), moved(kept.size());
            std::iota(sorted.begin(), sorted.end(), 0u);
            std::ranges::sort(sorted, [&](std::uint32_t a, std::uint32_t b) { return kept[a] < kept[b]; });
            Table<Row> again;
            again.reserve(kept.size());
            for (const auto at : sorted) {
                moved[at] = static_cast<std::uint32_t>(again.size());
                again.push_back(std::move(kept[at]));
            }
            kept = std::move(again);
            for (auto& number : numbers) {
                if (number != none) number = moved[number];
            }
        }
        table = std::move(kept);
    }

    // Rows of a tree are told apart by all of their members: those of one depth after the other.
    template <class Row>
    void unify_tree(Table<Row>& table, const std::vector<bool>* marks) {
        std::vector<std::uint32_t> depth(table.size());
        std::vector<std::vector<std::uint32_t>> levels;
        for (std::uint32_t at = 0; at < table.size(); ++at) {
            if (marks != nullptr && !(*marks)[at]) continue;
            if (const auto caller = above(std::as_const(table[at]))) depth[at] = depth[caller.number] + 1;
            if (levels.size() <= depth[at]) levels.resize(depth[at] + std::size_t{1});
            levels[depth[at]].push_back(at);
        }
        auto& numbers = numbers_.template of<Row>();
        numbers.assign(table.size(), none);
        Table<Row> kept;
        for (auto& level : levels) {
            for (const auto at : level) prepare(table[at]);
            fold(table, level, kept, numbers);
        }
        table = std::move(kept);
    }

    // Adds the rows to `kept`, one for each key.
    template <class Row>
    static void fold(Table<Row>& table, std::vector<std::uint32_t>& order, Table<Row>& kept,
                     std::vector<std::uint32_t>& numbers) {
        const auto before = [&](std::uint32_t a, std::uint32_t b) {
            if (const auto by = Rules::key(table[a]) <=> Rules::key(table[b]); by != 0) return by < 0;
            return table[a] < table[b];
        };
        if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
        for (std::size_t begin = 0; begin < order.size();) {
            auto end = begin + 1;
            while (end < order.size() && Rules::key(table[order[begin]]) == Rules::key(table[order[end]])) ++end;
            const auto number = static_cast<std::uint32_t>(kept.size());
            auto row = std::move(table[order[begin]]);
            for (auto at = begin; at < end; ++at) {
                if (at != begin) Rules::combine(row, table[order[at]]);
                numbers[order[at]] = number;
            }
            kept.push_back(std::move(row));
            begin = end;
        }
    }

    Model& model_;
    Numbers numbers_;
};

}  // namespace perfdata::stored
