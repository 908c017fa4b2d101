// SPDX-License-Identifier: MIT
#include "report_tree.hpp"

#include <algorithm>
#include <utility>

#include "format/percent_limit.hpp"

namespace perfdata {
namespace {

constexpr auto no_node = ChainNode::none;

// Limit the cells of all trees. Rows that count what they called need the square of the depth of chains without common
// nodes: each row has one as its tree. Other trees have no more nodes than the chains, which a memory limit bounds.
constexpr std::size_t most_of_children = std::size_t{1} << 18, most_of_self = std::size_t{1} << 21;

void subtract(std::span<EventCount> from, std::span<const EventCount> cells) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        from[column].hits -= cells[column].hits;
        from[column].periods -= cells[column].periods;
    }
}

}  // namespace

std::vector<std::uint32_t> outer_nodes(const SampleCounts& counts, const std::vector<std::uint32_t>& place) {
    const auto chains = counts.chains();
    const auto count = static_cast<std::uint32_t>(chains.size());
    const auto callees = callees_of(counts);
    std::uint32_t places = 0;
    for (const auto one : place) places = one == no_place ? places : std::max(places, one + 1);
    // Walk down from each root and back up. `innermost` holds the innermost node of each place on the path from the
    // root; leaving a node restores the previous value.
    std::vector<std::uint32_t> innermost(places + 1, no_node);  // the last is for no_place
    std::vector<std::uint32_t> outer(count, no_node);
    const auto at_place = [&](std::uint32_t node) -> std::uint32_t& {
        return innermost[std::min(place[chains[node].frame], places)];
    };
    for (std::uint32_t root = 0; root < count; ++root) {
        if (chains[root].caller != no_node) continue;
        for (auto node = root; node != no_node;) {
            outer[node] = std::exchange(at_place(node), node);
            auto next = callees.first[node];
            while (next == no_node) {
                at_place(node) = outer[node];
                if (node == root) break;
                next = callees.next[node];
                node = chains[node].caller;
            }
            node = next;
        }
    }
    return outer;
}

Callees callees_of(const SampleCounts& counts) {
    const auto chains = counts.chains();
    Callees callees;
    callees.first.assign(chains.size(), no_node);
    callees.next.assign(chains.size(), no_node);
    for (auto node = static_cast<std::uint32_t>(chains.size()); node-- != 0;) {
        const auto caller = chains[node].caller;
        if (caller == no_node) continue;
        callees.next[node] = callees.first[caller];
        callees.first[caller] = node;
    }
    return callees;
}

TaskCalls::TaskCalls(const SampleCounts& counts, const std::vector<std::size_t>& columns)
    : counts_(counts),
      columns_(columns),
      begin_(counts.tasks().size() + 1),
      stamp_(counts.chains().size()),
      ends_(counts.chains().size() * columns.size()),
      sum_(ends_.size()),
      inlined_(counts.has_inlined()),
      self_(inlined_ ? ends_.size() : 0),
      first_end_(inlined_ ? stamp_.size() : 0, no_node),
      next_end_(first_end_) {
    const auto rows = counts.rows();
    for (const auto& row : rows) ++begin_[row.task + 1];
    for (std::size_t task = 1; task < begin_.size(); ++task) begin_[task] += begin_[task - 1];
    rows_.resize(rows.size());
    auto at = begin_;
    for (std::uint32_t number = 0; number < rows.size(); ++number) rows_[at[rows[number].task]++] = number;
}

void TaskCalls::load(std::uint32_t task) {
    const auto chains = counts_.chains();
    const auto columns = columns_.size();
    ++current_;
    touched_.clear();
    std::vector<std::size_t> pieces;  // starts in touched_: each piece begins with the end of a chain
    for (auto at = begin_[task]; at < begin_[task + 1]; ++at) {
        const auto number = rows_[at];
        const auto end = counts_.rows()[number].chain;
        if (stamp_[end] != current_) pieces.push_back(touched_.size());
        for (auto node = end; node != no_node && stamp_[node] != current_; node = chains[node].caller) {
            stamp_[node] = current_;
            touched_.push_back(node);
            const auto first = static_cast<std::ptrdiff_t>(node * columns);
            std::fill_n(ends_.begin() + first, columns, EventCount{});
            if (!inlined_) continue;
            std::fill_n(self_.begin() + first, columns, EventCount{});
            first_end_[node] = no_node;
        }
        const auto cells = counts_.cells(number);
        for (std::size_t column = 0; column < columns; ++column) {
            ends_[end * columns + column] += cells[columns_[column]];
        }
        if (!inlined_) continue;
        const auto sampled = counts_.sampled(end);
        for (std::size_t column = 0; column < columns; ++column) {
            self_[sampled * columns + column] += cells[columns_[column]];
        }
        // A task has one row for each chain.
        next_end_[end] = std::exchange(first_end_[sampled], end);
    }
    for (const auto node : touched_) {
        for (auto cell = node * columns; cell < (node + 1) * columns; ++cell) sum_[cell] = ends_[cell];
    }
    // A node's callees are before it in its own piece, or in later pieces.
    auto end = touched_.size();
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        for (auto at = *piece; at < end; ++at) {
            const auto caller = chains[touched_[at]].caller;
            if (caller == no_node) continue;
            for (std::size_t column = 0; column < columns; ++column) {
                sum_[caller * columns + column] += sum_[touched_[at] * columns + column];
            }
        }
        end = *piece;
    }
}

TreeGrower::TreeGrower(const SampleCounts& counts, const std::vector<std::size_t>& columns,
                       const std::vector<std::uint32_t>& row_place, const std::vector<std::uint32_t>& tree_place,
                       const EventCounts& least, const ReportOptions& options, std::size_t most_nodes, TaskCalls& calls)
    : counts_(counts),
      columns_(columns),
      row_place_(row_place),
      tree_place_(tree_place),
      least_(least),
      options_(options),
      calls_(calls),
      callees_(callees_of(counts)),
      outer_(outer_nodes(counts, row_place)),
      outermost_(outer_.size()),
      not_here_(counts.chains().size() * columns.size()),
      most_grown_(options.children ? most_of_children : std::clamp(most_nodes, most_of_children, most_of_self)) {
    // Callers precede their callees.
    for (std::uint32_t node = 0; node < outer_.size(); ++node) {
        outermost_[node] = outer_[node] == no_node ? node : outermost_[outer_[node]];
    }
}

void TreeGrower::grow(std::span<ReportRow* const> rows) {
    while (!rows.empty()) {
        std::size_t count = 1;
        while (count < rows.size() && rows[count]->task == rows[0]->task) ++count;
        grow_task(rows.first(count));
        rows = rows.subspan(count);
    }
}

void TreeGrower::grow_task(std::span<ReportRow* const> rows) {
    std::vector<ReportRow*> growing;
    std::vector<std::uint32_t> number_of;  // by place: its number in `growing`
    for (auto* row : rows) {
        if (!row_is_enough(*row)) {
            ++small_;
            continue;
        }
        if (number_of.size() <= row->place) number_of.resize(row->place + 1, no_place);
        number_of[row->place] = static_cast<std::uint32_t>(growing.size());
        growing.push_back(row);
    }
    if (growing.empty()) return;
    if (grown_ > most_grown_) {
        without_ += growing.size();
        return;
    }
    calls_.load(rows[0]->task);
    std::vector<std::vector<std::uint32_t>> nodes(growing.size());
    for (const auto node : calls_.touched()) {
        const auto place = row_place_of(node);
        if (place < number_of.size() && number_of[place] != no_place) nodes[number_of[place]].push_back(node);
    }
    for (std::size_t number = 0; number < growing.size(); ++number) grow_row(*growing[number], nodes[number]);
}

void TreeGrower::grow_row(ReportRow& row, std::span<const std::uint32_t> nodes) {
    if (grown_ > most_grown_) {
        ++without_;
        return;
    }
    weights_.clear();
    paths_.clear();
    std::vector<Step> steps;
    if (options_.tree == ReportTree::caller) {
        start_paths(nodes, steps);
        if (options_.children) start_down(nodes, steps);
    } else if (options_.children) {
        start_up(nodes, steps);
    } else {
        start_up_self(nodes, steps);
    }
    branch(steps, row.tree);
    if (grown_ > most_grown_) {  // the tree is incomplete
        row.tree = {};
        ++without_;
    }
    const auto columns = columns_.size();
    for (const auto node : not_here_nodes_) {
        std::fill_n(not_here_.begin() + static_cast<std::ptrdiff_t>(node * columns), columns, EventCount{});
    }
    not_here_nodes_.clear();
}

// Adds the samples in the function itself, as paths from the outermost caller.
void TreeGrower::start_paths(std::span<const std::uint32_t> nodes, std::vector<Step>& steps) {
    for (const auto node : nodes) {
        calls_.each_end(node, [&](std::uint32_t end) {
            const auto begin = paths_.size();
            for (auto at = end; at != no_node; at = counts_.chains()[at].caller) paths_.push_back(at);
            std::reverse(paths_.begin() + static_cast<std::ptrdiff_t>(begin), paths_.end());
            paths_.push_back(no_node);
            steps.push_back(
                {place_of(paths_[begin]), static_cast<std::uint32_t>(begin), weigh(calls_.ends(end)), Step::Way::path});
        });
    }
}

// Adds the samples in callees, from the outermost call down, without those that start_paths() shows.
void TreeGrower::start_down(std::span<const std::uint32_t> nodes, std::vector<Step>& steps) {
    const auto columns = columns_.size();
    std::vector<std::uint32_t> outermost;
    for (const auto node : nodes) {
        const auto first = outermost_[node];
        if (first == node) outermost.push_back(node);
        calls_.each_end(node, [&](std::uint32_t end) {
            const auto shown = calls_.ends(end);
            for (auto at = end;; at = counts_.chains()[at].caller) {
                not_here_nodes_.push_back(at);
                for (std::size_t column = 0; column < columns; ++column) {
                    not_here_[at * columns + column] += shown[column];
                }
                if (at == first) break;
            }
        });
    }
    for (const auto node : outermost) {
        const auto weight = weigh(calls_.sum(node));
        subtract(std::span(weights_).subspan(weight, columns), std::span(not_here_).subspan(node * columns, columns));
        steps.push_back({place_of(node), node, weight, Step::Way::down});
    }
}

// Adds all samples, from the innermost call up.
void TreeGrower::start_up(std::span<const std::uint32_t> nodes, std::vector<Step>& steps) {
    const auto columns = columns_.size();
    for (const auto node : nodes) {
        const auto above = outer_[node];
        if (above == no_node) continue;
        not_here_nodes_.push_back(above);
        const auto sum = calls_.sum(node);
        for (std::size_t column = 0; column < columns; ++column) not_here_[above * columns + column] += sum[column];
    }
    // Samples in what was inlined begin there, unless that is of the same row.
    for (const auto node : nodes) {
        calls_.each_end(node, [&](std::uint32_t end) {
            for (auto at = end; at != node; at = counts_.chains()[at].caller) {
                if (row_place_of(at) == row_place_of(node)) return;
            }
            if (end == node) return;
            not_here_nodes_.push_back(node);
            const auto shown = calls_.ends(end);
            for (std::size_t column = 0; column < columns; ++column)
                not_here_[node * columns + column] += shown[column];
            steps.push_back({place_of(end), end, weigh(shown), Step::Way::up});
        });
    }
    for (const auto node : nodes) {
        const auto weight = weigh(calls_.sum(node));
        subtract(std::span(weights_).subspan(weight, columns), std::span(not_here_).subspan(node * columns, columns));
        steps.push_back({place_of(node), node, weight, Step::Way::up});
    }
}

void TreeGrower::start_up_self(std::span<const std::uint32_t> nodes, std::vector<Step>& steps) {
    for (const auto node : nodes) {
        calls_.each_end(node, [&](std::uint32_t end) {
            steps.push_back({place_of(end), end, weigh(calls_.ends(end)), Step::Way::up});
        });
    }
}

void TreeGrower::branch(std::vector<Step>& steps, std::vector<ReportNode>& below) {
    const auto columns = columns_.size();
    std::ranges::sort(steps, {}, &Step::place);
    const auto least = least_of(sum_of(steps));
    const auto weights = weights_.size();
    for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
        while (end < steps.size() && steps[end].place == steps[begin].place) ++end;
        const auto same = std::span<const Step>(steps).subspan(begin, end - begin);
        auto cells = sum_of(same);
        if (!enough(cells, least)) {
            if (hits(cells) != 0) ++small_;
            continue;
        }
        if ((grown_ += columns) > most_grown_) return;
        ReportNode node{steps[begin].place, cells, std::move(cells), {}};
        std::vector<Step> next;
        for (const auto& step : same) follow(step, next);
        subtract(node.ends, sum_of(next));
        branch(next, node.below);
        weights_.resize(weights);
        below.push_back(std::move(node));
    }
    std::ranges::sort(below, [](const ReportNode& a, const ReportNode& b) {
        for (std::size_t column = 0; column < a.cells.size(); ++column) {
            if (a.cells[column].periods != b.cells[column].periods) {
                return a.cells[column].periods > b.cells[column].periods;
            }
        }
        return a.place < b.place;
    });
}

EventCounts TreeGrower::sum_of(std::span<const Step> steps) const {
    EventCounts sum(columns_.size());
    for (const auto& step : steps) add(sum, std::span(weights_).subspan(step.weight, columns_.size()));
    return sum;
}

EventCounts TreeGrower::least_of(const EventCounts& cells) const {
    if (options_.tree_style != TreeStyle::fractal) return least_;
    EventCounts least;
    for (const auto& cell : cells) least.push_back({0, least_periods(cell.periods, options_.tree_limit, Rounded::up)});
    return least;
}

void TreeGrower::follow(const Step& step, std::vector<Step>& next) {
    const auto columns = columns_.size();
    if (step.way == Step::Way::up) {
        const auto caller = counts_.chains()[step.node].caller;
        if (caller != no_node) next.push_back({place_of(caller), caller, step.weight, step.way});
    } else if (step.way == Step::Way::path) {
        const auto node = paths_[step.node + 1];
        if (node != no_node) next.push_back({place_of(node), step.node + 1, step.weight, step.way});
    } else {
        for (auto callee = callees_.first[step.node]; callee != no_node; callee = callees_.next[callee]) {
            if (!calls_.holds(callee)) continue;
            const auto weight = weigh(calls_.sum(callee));
            const auto elsewhere = std::span<const EventCount>(not_here_).subspan(callee * columns, columns);
            subtract(std::span(weights_).subspan(weight, columns), elsewhere);
            next.push_back({place_of(callee), callee, weight, step.way});
        }
    }
}

std::uint32_t TreeGrower::weigh(std::span<const EventCount> cells) {
    const auto at = weights_.size();
    weights_.insert(weights_.end(), cells.begin(), cells.end());
    return static_cast<std::uint32_t>(at);
}

bool TreeGrower::enough(std::span<const EventCount> cells, const EventCounts& least) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        if (cells[column].periods >= least[column].periods) return true;
    }
    return false;
}

// Returns true if the tree of the row may have a branch.
bool TreeGrower::row_is_enough(const ReportRow& row) const {
    return options_.tree_style == TreeStyle::fractal || enough(options_.children ? row.total : row.self, least_);
}

}  // namespace perfdata
