// SPDX-License-Identifier: MIT
#include "call_costs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace perfdata {

void CostTable::finish(std::size_t size) {
    std::ranges::sort(costs_, {}, [](const Numbered& one) { return std::pair(one.number, one.cost.column); });
    begin_.assign(size + 1, 0);
    sorted_.reserve(costs_.size());
    for (const auto& [number, cost] : costs_) {
        ++begin_[number + 1];
        sorted_.push_back(cost);
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    costs_ = {};
}

CallCosts::CallCosts(const Exported& exported, std::size_t columns) : exported_(exported) {
    find_calls();
    mark_first();
    find_commands();
    below_.resize(exported.nodes.size());
    met_.resize(exported.nodes.size());
    of_column_.resize(known_.size());
    std::vector<Cell> cells;
    for (std::size_t row = 0; row < exported.rows.size(); ++row) {
        for (const auto& [column, count] : exported.rows[row].cells) {
            if (column < columns) cells.push_back({column, row, count});
        }
    }
    std::ranges::sort(cells, {}, [](const Cell& cell) { return std::pair(cell.column, cell.row); });
    for (std::size_t first = 0; first < cells.size();) {
        auto end = first;
        while (end < cells.size() && cells[end].column == cells[first].column) ++end;
        add_column(cells[first].column, std::span(cells).subspan(first, end - first));
        first = end;
    }
    place_costs_.finish(exported.places.size());
    call_costs_.finish(known_.size());
    sort_calls();
}

// Callers have lower numbers.
void CallCosts::find_calls() {
    const auto& nodes = exported_.nodes;
    call_of_node_.resize(nodes.size());
    outermost_.resize(nodes.size());
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        const auto caller = nodes[node].caller;
        outermost_[node] = caller == ExportNode::none ? node : outermost_[caller];
        if (caller == ExportNode::none) continue;
        call_of_node_[node] = known_.intern({nodes[caller].place, function_of(node)});
    }
}

// Visits callees behind their callers, and leaves them before the next callee: what was entered and not left is the
// stack of a node.
void CallCosts::mark_first() {
    const auto& nodes = exported_.nodes;
    std::vector<std::uint32_t> begin(nodes.size() + 2), callees(nodes.size());
    const auto slot = [&](std::uint32_t node) {
        return nodes[node].caller == ExportNode::none ? nodes.size() : std::size_t{nodes[node].caller};
    };
    for (std::uint32_t node = 0; node < nodes.size(); ++node) ++begin[slot(node) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    auto free = begin;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) callees[free[slot(node)]++] = node;

    first_call_.resize(nodes.size());
    first_function_.resize(nodes.size());
    std::vector<std::uint32_t> functions(exported_.functions.size()), calls(known_.size());  // how often on the stack
    struct Step {
        std::uint32_t node = 0;
        bool leaves = false;
    };
    std::vector<Step> todo;
    const auto visit_callees = [&](std::size_t of) {
        for (auto at = begin[of + 1]; at-- > begin[of];) todo.push_back({callees[at], false});
    };
    visit_callees(nodes.size());
    while (!todo.empty()) {
        const auto [node, leaves] = todo.back();
        todo.pop_back();
        const bool called = nodes[node].caller != ExportNode::none;
        auto& function = functions[function_of(node)];
        if (leaves) {
            --function;
            if (called) --calls[call_of_node_[node]];
            continue;
        }
        first_function_[node] = function++ == 0;
        first_call_[node] = !called || calls[call_of_node_[node]]++ == 0;
        todo.push_back({node, true});
        visit_callees(node);
    }
}

void CallCosts::find_commands() {
    std::map<std::string_view, std::uint32_t> known;
    for (const auto& task : exported_.tasks) {
        const auto [entry, is_new] = known.try_emplace(task.comm, static_cast<std::uint32_t>(commands_.size()));
        if (is_new) commands_.push_back(task.comm);
        command_of_task_.push_back(entry->second);
    }
    call_of_row_.reserve(exported_.rows.size());
    for (const auto& row : exported_.rows) {
        const auto place = static_cast<std::uint32_t>(places() + command_of_task_[row.task]);
        call_of_row_.push_back(known_.intern({place, function_of(outermost_[row.node])}));
    }
}

void CallCosts::add_to_call(std::uint32_t call, std::uint64_t passed, const EventCount& count) {
    auto& cost = of_column_[call];
    if (cost.passed == 0) met_calls_.push_back(call);
    cost.passed += passed;
    cost.count += count;
}

void CallCosts::add_column(std::uint32_t column, std::span<const Cell> cells) {
    std::vector<std::uint32_t> met;
    std::map<std::uint32_t, EventCount> of_places;
    for (const auto& cell : cells) {
        const auto& row = exported_.rows[cell.row];
        of_places[exported_.nodes[row.node].place] += cell.count;
        add_to_call(call_of_row_[cell.row], cell.count.hits, cell.count);
        below_[row.node] += cell.count;
        for (auto node = row.node; node != ExportNode::none && !met_[node]; node = exported_.nodes[node].caller) {
            met_[node] = true;
            met.push_back(node);
        }
    }
    for (const auto& [place, count] : of_places) place_costs_.add(place, {column, 0, count});
    std::ranges::sort(met, std::greater{});
    for (const auto node : met) {
        const auto count = below_[node];
        below_[node] = {};
        met_[node] = false;
        const auto caller = exported_.nodes[node].caller;
        if (caller == ExportNode::none) continue;
        below_[caller] += count;
        // A further passage of the same call is a further call of the same function.
        if (first_call_[node])
            add_to_call(call_of_node_[node], count.hits, first_function_[node] ? count : EventCount());
    }
    for (const auto call : met_calls_) {
        auto& cost = of_column_[call];
        cost.column = column;
        call_costs_.add(call, cost);
        cost = {};
    }
    met_calls_.clear();
}

void CallCosts::sort_calls() {
    number_.resize(known_.size());
    std::iota(number_.begin(), number_.end(), 0u);
    std::ranges::sort(number_, {},
                      [&](std::uint32_t call) { return std::pair(known_[call].place, known_[call].function); });
    calls_.reserve(number_.size());
    for (const auto call : number_) calls_.push_back(known_[call]);
}

}  // namespace perfdata
