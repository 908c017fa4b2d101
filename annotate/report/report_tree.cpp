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

TreeGrower::TreeGrower(const Input& input)
    : counts_(input.counts),
      columns_(input.columns),
      row_place_(input.row_place),
      tree_place_(input.tree_place),
      least_(input.least),
      options_(input.options),
      rows_(input.rows),
      calls_(input.calls),
      tasks_(input.task_calls),
      can_prune_(input.rows_are_complete && &input.row_place == &input.tree_place &&
                 input.options.tree_style != TreeStyle::fractal),
      cells_(input.columns.size()),
      small_cells_(input.columns.size()),
      most_grown_(input.options.children ? most_of_children
                                         : std::clamp(input.most_nodes, most_of_children, most_of_self)) {}

void TreeGrower::grow(std::span<ReportRow* const> rows) {
    while (!rows.empty()) {
        std::size_t count = 1;
        while (count < rows.size() && rows[count]->task == rows[0]->task) ++count;
        if (grown_ > most_grown_) {
            without_ += count;
        } else {
            start(rows.first(count));
            for (std::size_t number = 0; number < count; ++number) grow_one(*this, number);
        }
        rows = rows.subspan(count);
    }
}

void TreeGrower::start(std::span<ReportRow* const> rows) {
    auto& [number, growing, growing_of, nodes, ends] = started_;
    ++number;
    for (const auto& old : growing) growing_of[old.row->place] = no_place;
    growing.clear();
    for (auto* row : rows) growing.push_back({row});
    for (std::uint32_t at = 0; at < growing.size(); ++at) {
        const auto place = growing[at].row->place;
        if (growing_of.size() <= place)
            growing_of.resize(std::max<std::size_t>(place + 1, 2 * growing_of.size()), no_place);
        growing_of[place] = at;
    }
    find_nodes(rows[0]->task);
}

void TreeGrower::grow_one(const TreeGrower& started, std::size_t number) {
    if (task_ != &started.started_ || task_number_ != started.started_.number) {
        task_ = &started.started_;
        task_number_ = task_->number;
        elsewhere_of_.clear();
    }
    grow_row(task_->growing[number]);
}

// Finds the nodes of the rows that grow, and the rows of the counts that end there.
void TreeGrower::find_nodes(std::uint32_t task) {
    const auto growing_at = [&](std::uint32_t node) -> Growing* {
        const auto place = row_place_of(node);
        if (place >= started_.growing_of.size() || started_.growing_of[place] == no_place) return nullptr;
        return &started_.growing[started_.growing_of[place]];
    };
    const auto each_end = [&](auto&& take) {
        for (const auto row : rows_.of(task)) {
            if (auto* growing = growing_at(counts_.sampled(end_of(row)))) take(*growing, row);
        }
    };
    // Count, then fill from behind: the ends of ranges become their begins.
    each_end([](Growing& growing, std::uint32_t) { ++growing.ends_begin; });
    std::uint32_t sum = 0;
    for (auto& growing : started_.growing) growing.ends_begin = growing.ends_end = sum += growing.ends_begin;
    started_.ends.resize(sum);
    each_end([&](Growing& growing, std::uint32_t row) { started_.ends[--growing.ends_begin] = row; });
    if (calls_ == nullptr) return;
    tasks_->load(task);
    const auto each_node = [&](auto&& take) {
        tasks_->each([&](std::uint32_t node, std::span<const EventCount>) {
            if (auto* growing = growing_at(node)) take(*growing, node);
        });
    };
    each_node([](Growing& growing, std::uint32_t) { ++growing.nodes_begin; });
    sum = 0;
    for (auto& growing : started_.growing) growing.nodes_begin = growing.nodes_end = sum += growing.nodes_begin;
    started_.nodes.resize(sum);
    each_node([&](Growing& growing, std::uint32_t node) { started_.nodes[--growing.nodes_begin] = node; });
}

void TreeGrower::grow_row(const Growing& growing) {
    if (grown_ > most_grown_) {
        ++without_;
        return;
    }
    prunes_ = can_prune_;
    const auto grown = grown_;
    const auto small = small_;
    if (grow_tree(growing)) return;
    // The tree is incomplete.
    if (prunes_) {
        // Small branches count until the limit is reached: in the order in which all callees would be branches.
        prunes_ = false;
        grown_ = grown;
        small_ = small;
        grow_tree(growing);
    }
    growing.row->tree = {};
    ++without_;
}

bool TreeGrower::grow_tree(const Growing& growing) {
    weights_.clear();
    paths_.clear();
    growing.row->tree.clear();
    std::vector<Step> steps;
    if (options_.tree == ReportTree::caller) {
        start_paths(growing, steps);
        if (calls_ != nullptr) start_down(growing, steps);
    } else if (calls_ != nullptr) {
        start_up(growing, steps);
    } else {
        start_up_self(growing, steps);
    }
    branch(steps, growing.row->tree);
    forget_elsewhere();
    return grown_ <= most_grown_;
}

std::span<const EventCount> TreeGrower::ends(std::uint32_t row) {
    const auto cells = counts_.cells(row);
    for (std::size_t column = 0; column < cells_.size(); ++column) cells_[column] = cells[columns_[column]];
    return cells_;
}

// Adds the samples in the function itself, as paths from the outermost caller.
void TreeGrower::start_paths(const Growing& growing, std::vector<Step>& steps) {
    for (auto at = growing.ends_begin; at < growing.ends_end; ++at) {
        const auto cells = ends(task_->ends[at]);
        if (!counts_.has_inlined() && hits(cells) == 0) continue;
        const auto begin = paths_.size();
        for (auto node = end_of(task_->ends[at]); node != no_node; node = counts_.chains()[node].caller)
            paths_.push_back(node);
        std::reverse(paths_.begin() + static_cast<std::ptrdiff_t>(begin), paths_.end());
        paths_.push_back(no_node);
        steps.push_back({place_of(paths_[begin]), static_cast<std::uint32_t>(begin), weigh(cells), Step::Way::path});
    }
}

// Adds the samples in callees, from the outermost call down, without those that start_paths() shows.
void TreeGrower::start_down(const Growing& growing, std::vector<Step>& steps) {
    for (auto at = growing.ends_begin; at < growing.ends_end; ++at) {
        const auto cells = ends(task_->ends[at]);
        if (!counts_.has_inlined() && hits(cells) == 0) continue;
        const auto end = end_of(task_->ends[at]);
        const auto sampled = counts_.sampled(end);
        const auto outer = calls_->outer[sampled];
        const auto first = outer == no_node ? sampled : outer;
        for (auto node = end;; node = counts_.chains()[node].caller) {
            note_elsewhere(node, cells);
            if (node == first) break;
        }
    }
    for (auto at = growing.nodes_begin; at < growing.nodes_end; ++at) {
        const auto node = task_->nodes[at];
        if (calls_->outer[node] == no_node) down(node, tasks_->index(node), place_of(node), steps);
    }
}

// Adds all samples, from the innermost call up.
void TreeGrower::start_up(const Growing& growing, std::vector<Step>& steps) {
    const auto columns = columns_.size();
    for (auto at = growing.nodes_begin; at < growing.nodes_end; ++at) {
        const auto above = calls_->outer[task_->nodes[at]];
        if (above != no_node) note_elsewhere(above, tasks_->sum(task_->nodes[at]));
    }
    // Samples in what was inlined begin there, unless that is of the same row.
    for (auto at = growing.ends_begin; at < growing.ends_end && counts_.has_inlined(); ++at) {
        const auto end = end_of(task_->ends[at]);
        const auto sampled = counts_.sampled(end);
        bool same = end == sampled;
        for (auto node = end; node != sampled && !same; node = counts_.chains()[node].caller) {
            same = row_place_of(node) == growing.row->place;
        }
        if (same) continue;
        const auto cells = ends(task_->ends[at]);
        note_elsewhere(sampled, cells);
        steps.push_back({place_of(end), end, weigh(cells), Step::Way::up});
    }
    for (auto at = growing.nodes_begin; at < growing.nodes_end; ++at) {
        const auto node = task_->nodes[at];
        const auto index = tasks_->index(node);
        const auto weight = weigh(tasks_->sum_at(index));
        subtract_elsewhere(index, std::span(weights_).subspan(weight, columns));
        steps.push_back({place_of(node), node, weight, Step::Way::up});
    }
}

void TreeGrower::start_up_self(const Growing& growing, std::vector<Step>& steps) {
    for (auto at = growing.ends_begin; at < growing.ends_end; ++at) {
        const auto cells = ends(task_->ends[at]);
        if (!counts_.has_inlined() && hits(cells) == 0) continue;
        const auto end = end_of(task_->ends[at]);
        steps.push_back({place_of(end), end, weigh(cells), Step::Way::up});
    }
}

void TreeGrower::branch(std::vector<Step>& steps, std::vector<ReportNode>& below) {
    const auto columns = columns_.size();
    // Often all are of one place. With this and Callees::has_others_, Report::make() with callers takes 0.90 of the
    // instructions.
    if (!std::ranges::is_sorted(steps, {}, &Step::place)) std::ranges::sort(steps, {}, &Step::place);
    const bool fractal = options_.tree_style == TreeStyle::fractal;
    EventCounts all(fractal ? columns : 0);
    if (fractal) sum_into(all, steps);
    const auto least = least_of(all);
    const auto weights = weights_.size();
    for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
        while (end < steps.size() && steps[end].place == steps[begin].place) ++end;
        const auto same = std::span<const Step>(steps).subspan(begin, end - begin);
        group_cells_.assign(columns, {});
        sum_into(group_cells_, same);
        if (!enough(group_cells_, least)) {
            if (hits(group_cells_) != 0) ++small_;
            continue;
        }
        if ((grown_ += columns) > most_grown_) return;
        ReportNode node{steps[begin].place, group_cells_, group_cells_, {}};
        std::vector<Step> next;
        EventCounts continuing(columns);
        ++branching_;
        for (const auto& step : same) follow(step, next, continuing);
        sum_into(continuing, next);
        subtract(node.ends, continuing);
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

void TreeGrower::sum_into(EventCounts& sum, std::span<const Step> steps) const {
    for (const auto& step : steps) {
        const auto cells = cells_of(step);
        for (std::size_t column = 0; column < cells.size(); ++column) sum[column] += cells[column];
    }
}

EventCounts TreeGrower::least_of(const EventCounts& cells) const {
    if (options_.tree_style != TreeStyle::fractal) return least_;
    EventCounts least;
    for (const auto& cell : cells) least.push_back({0, least_periods(cell.periods, options_.tree_limit, Rounded::up)});
    return least;
}

void TreeGrower::follow(const Step& step, std::vector<Step>& next, EventCounts& small) {
    if (step.way == Step::Way::up) {
        const auto caller = counts_.chains()[step.node].caller;
        if (caller != no_node) next.push_back({place_of(caller), caller, step.weight, step.way});
        return;
    }
    if (step.way == Step::Way::path) {
        const auto node = paths_[step.node + 1];
        if (node != no_node) next.push_back({place_of(node), step.node + 1, step.weight, step.way});
        return;
    }
    const auto& tasks = *tasks_;
    const auto own = step.way == Step::Way::down ? step.weight : tasks.index(step.node);
    calls_->callees.each(step.node, [&](std::uint32_t callee) {
        if (!tasks.holds(callee)) return;
        const auto index = callee == step.node + 1 ? own + 1 : tasks.index(callee);
        const auto place = place_of(callee);
        if (!is_small(place)) return down(callee, index, place, next);
        // Most callees: a branch of this place has no more than the row of the place. With this,
        // Report::make() with callers takes 0.94 of the instructions.
        auto cells = tasks.sum_at(index);
        if (is_elsewhere(index)) {
            std::ranges::copy(cells, small_cells_.begin());
            subtract_elsewhere(index, small_cells_);
            cells = small_cells_;
        }
        for (std::size_t column = 0; column < cells.size(); ++column) small[column] += cells[column];
        if (hits(cells) == 0) return;
        if (seen_.size() <= place) seen_.resize(std::max<std::size_t>(place + 1, 2 * seen_.size()));
        if (std::exchange(seen_[place], branching_) != branching_) ++small_;
    });
}

void TreeGrower::down(std::uint32_t node, std::uint32_t index, std::uint32_t place, std::vector<Step>& steps) {
    if (!is_elsewhere(index)) {
        steps.push_back({place, node, index, Step::Way::down});
        return;
    }
    const auto weight = weigh(tasks_->sum_at(index));
    subtract_elsewhere(index, std::span(weights_).subspan(weight, columns_.size()));
    steps.push_back({place, node, weight, Step::Way::down_less});
}

void TreeGrower::note_elsewhere(std::uint32_t node, std::span<const EventCount> cells) {
    if (elsewhere_of_.empty()) elsewhere_of_.resize(tasks_->size());
    const auto index = tasks_->index(node);
    if (elsewhere_of_[index] == 0) {
        elsewhere_nodes_.push_back(index);
        elsewhere_of_[index] = static_cast<std::uint32_t>(elsewhere_nodes_.size());
        elsewhere_.resize(elsewhere_.size() + cells.size());
    }
    auto* into = &elsewhere_[(elsewhere_of_[index] - std::size_t{1}) * cells.size()];
    for (std::size_t column = 0; column < cells.size(); ++column) into[column] += cells[column];
}

void TreeGrower::subtract_elsewhere(std::uint32_t index, std::span<EventCount> from) const {
    if (!is_elsewhere(index)) return;
    const auto at = (elsewhere_of_[index] - std::size_t{1}) * from.size();
    subtract(from, std::span(elsewhere_).subspan(at, from.size()));
}

void TreeGrower::forget_elsewhere() {
    for (const auto index : elsewhere_nodes_) elsewhere_of_[index] = 0;
    elsewhere_nodes_.clear();
    elsewhere_.clear();
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
