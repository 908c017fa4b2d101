// SPDX-License-Identifier: MIT
#include "tree_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

#include "format/percent.hpp"
#include "format/percent_limit.hpp"
#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::size_t margin = 12;
// Branches deeper than this are not indented further: a line would grow with its depth.
constexpr std::size_t most_levels = 64;
// Each chain of a flat or folded row has all its names: their number grows with the square of the depth.
constexpr std::size_t most_chain_names = std::size_t{1} << 24;

// Returns what continues below the node.
EventCounts below(const ReportNode& node) {
    auto cells = node.cells;
    for (std::size_t column = 0; column < cells.size(); ++column) {
        cells[column].hits -= node.ends[column].hits;
        cells[column].periods -= node.ends[column].periods;
    }
    return cells;
}

}  // namespace

void TreeText::write(const ReportRow& row, std::span<const std::size_t> columns) {
    columns_ = columns;
    if (report_.options.is_flat()) return chains(row.tree);
    const auto cells = report_.options.children ? row.total : row.self;
    EventCounts from(cells.begin(), cells.end());
    const auto* top = head(row.tree, cells);
    if (top == nullptr) {
        if (shown(row.tree, from).empty()) return;
        graph(row.tree, from, std::string(margin, ' '), 1);
    } else {
        if (top->below.empty()) return;  // it repeats the row
        const std::string prefix(margin + 3, ' ');
        text_ += fmt::format("{0:{1}}|\n{0:{1}}---{2}\n", "", margin, name(*top));
        top = run(top, prefix);
        // As in perf: shares stay those of the row, but counts are of what continues.
        const auto continuing = below(*top);
        for (std::size_t column = 0; column < from.size(); ++column) from[column].hits = continuing[column].hits;
        graph(top->below, from, prefix, 1);
    }
    text_ += '\n';
}

std::vector<std::string> TreeText::notes() const {
    const auto& options = report_.options;
    std::vector<std::string> notes;
    const auto what = options.is_flat() ? "Chains" : "Branches";
    if (report_.small_branches + chains_left_out_ != 0) {
        notes.push_back(
            fmt::format("{} with less than {} percent are left out (-g ...,0 shows all)", what, options.tree_limit));
    }
    if (entries_left_out_ != 0) {
        notes.push_back(fmt::format("{} {} are left out by the print limit of -g", entries_left_out_,
                                    options.is_flat() ? "chains" : "branches"));
    }
    if (chains_without_room_ != 0) {
        notes.push_back(fmt::format("{} chains are left out: they are too many and too long", chains_without_room_));
    }
    return notes;
}

void TreeText::line(std::string_view prefix, std::string_view text) {
    text_ += prefix;
    text_ += text;
    text_ += '\n';
}

// A node with all samples of its caller continues its caller's lines. Siblings get a line each, with their numbers.
void TreeText::graph(const Nodes& nodes, const EventCounts& from, const std::string& prefix, std::size_t level) {
    const auto& options = report_.options;
    const bool fractal = options.tree_style == TreeStyle::fractal;
    auto siblings = shown(nodes, from);
    if (options.tree_entries != 0 && siblings.size() > options.tree_entries) {
        entries_left_out_ += siblings.size() - options.tree_entries;
        siblings.resize(options.tree_entries);
    }
    auto rest = from;
    for (const auto* node : siblings) {
        for (std::size_t column = 0; column < rest.size(); ++column) {
            rest[column].hits -= node->cells[column].hits;
            rest[column].periods -= node->cells[column].periods;
        }
    }
    const bool counts = options.tree_value == TreeValue::count;
    const bool has_rest = fractal && !siblings.empty() && std::ranges::any_of(columns_, [&](std::size_t column) {
                              return rest[column].periods != 0 && (!counts || rest[column].hits != 0);
                          });
    for (std::size_t at = 0; at < siblings.size(); ++at) {
        const auto* node = siblings[at];
        const bool last = at + 1 == siblings.size() && !has_rest;
        line(prefix, "|");
        const auto number = fmt::format("--{}--", value(node->cells, from));
        const auto deep = level > most_levels ? fmt::format("[level {}] ", level) : std::string();
        line(prefix, fmt::format("{}{}{}{}", last ? ' ' : '|', number, deep, name(*node)));
        // As in perf, whatever the number; it has one event in a table.
        const auto width = columns_.size() == 1 ? std::size_t{10} : number.size();
        const auto inner = level > most_levels ? prefix : prefix + (last ? ' ' : '|') + std::string(width, ' ');
        node = run(node, inner);
        graph(node->below, below(*node), inner, level + 1);
    }
    if (has_rest) line(prefix, fmt::format(" --{}--[...]", value(rest, from)));
}

// Appends the nodes that have all samples of the node before, a line each. Returns the last of them.
const ReportNode* TreeText::run(const ReportNode* node, const std::string& prefix) {
    for (;;) {
        const auto next = shown(node->below, below(*node));
        if (next.size() != 1 || !is_same(*next.front(), *node)) return node;
        node = next.front();
        line(prefix, name(*node));
    }
}

const ReportNode* TreeText::head(const Nodes& nodes, std::span<const EventCount> row) const {
    const auto siblings = shown(nodes, EventCounts(row.begin(), row.end()));
    if (siblings.size() != 1) return nullptr;
    const bool all = std::ranges::all_of(
        columns_, [&](std::size_t column) { return siblings.front()->cells[column].periods == row[column].periods; });
    return all ? siblings.front() : nullptr;
}

// Returns the nodes to show, most first. Trees have the nodes that reach the limit in any event, most of all events
// first: a table of one event is another matter.
std::vector<const ReportNode*> TreeText::shown(const Nodes& nodes, const EventCounts& from) const {
    std::vector<const ReportNode*> found;
    const bool all = columns_.size() == report_.events.size();
    for (const auto& node : nodes) {
        if (all || is_enough(node.cells, from)) found.push_back(&node);
    }
    if (!all) {
        std::ranges::stable_sort(found, std::greater(),
                                 [&](const ReportNode* node) { return node->cells[columns_.front()].periods; });
    }
    return found;
}

bool TreeText::is_enough(std::span<const EventCount> cells, const EventCounts& from) const {
    const auto& options = report_.options;
    const bool fractal = options.tree_style == TreeStyle::fractal;
    return std::ranges::any_of(columns_, [&](std::size_t column) {
        const auto& whole = (fractal ? from : report_.whole)[column];
        const auto least = least_periods(whole.periods, options.tree_limit, fractal ? Rounded::up : Rounded::down);
        return cells[column].hits != 0 && cells[column].periods >= least;
    });
}

bool TreeText::is_same(const ReportNode& one, const ReportNode& other) const {
    return std::ranges::all_of(columns_, [&](std::size_t column) { return one.cells[column] == other.cells[column]; });
}

void TreeText::chains(const Nodes& nodes) {
    constexpr auto none = ~std::uint32_t{0};
    const auto& options = report_.options;
    std::vector<Chain> entries;
    std::vector<std::uint32_t> found;
    const auto collect = [&](auto& self, const Nodes& of, std::uint32_t before) -> void {
        for (const auto& node : of) {
            const auto entry = static_cast<std::uint32_t>(entries.size());
            entries.push_back({&node, before});
            if (is_enough(node.ends, report_.whole)) {
                found.push_back(entry);
            } else if (std::ranges::any_of(columns_, [&](auto column) { return node.ends[column].hits != 0; })) {
                ++chains_left_out_;
            }
            self(self, node.below, entry);
        }
    };
    collect(collect, nodes, none);
    std::ranges::stable_sort(found, [&](std::uint32_t a, std::uint32_t b) {
        for (const auto column : columns_) {
            const auto one = entries[a].node->ends[column].periods, other = entries[b].node->ends[column].periods;
            if (one != other) return one > other;
        }
        return false;
    });
    if (options.tree_entries != 0 && found.size() > options.tree_entries) {
        entries_left_out_ += found.size() - options.tree_entries;
        found.resize(options.tree_entries);
    }
    for (const auto entry : found) chain(entries, entry);
}

void TreeText::chain(const std::vector<Chain>& entries, std::uint32_t entry) {
    if (names_ > most_chain_names) {
        ++chains_without_room_;
        return;
    }
    const auto& ends = entries[entry].node->ends;
    std::vector<const ReportNode*> path;
    for (auto at = entry; at < entries.size(); at = entries[at].before) path.push_back(entries[at].node);
    names_ += path.size();
    const bool folded = report_.options.tree_style == TreeStyle::folded;
    const auto number = value(ends, report_.whole);
    text_ += folded ? number : fmt::format("{:11}{}\n", "", number);
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
        auto text = name(**node);
        if (folded) {
            // A semicolon in a name (of Java) would be taken for one between names.
            std::ranges::replace(text, ';', ':');
            text_ += node == path.rbegin() ? ' ' : ';';
            text_ += text;
        } else {
            text_ += fmt::format("{:16}{}\n", "", text);
        }
    }
    text_ += '\n';
}

std::string TreeText::value(std::span<const EventCount> cells, const EventCounts& from) const {
    const auto& options = report_.options;
    const auto& whole = options.tree_style == TreeStyle::fractal ? from : report_.whole;
    std::string text;
    for (const auto column : columns_) {
        if (!text.empty()) text += ' ';
        auto out = std::back_inserter(text);
        switch (options.tree_value) {
            case TreeValue::percent:
                fmt::format_to(out, "{}%", share_text(cells[column].periods, whole[column].periods));
                break;
            case TreeValue::period: fmt::format_to(out, "{}", cells[column].periods); break;
            case TreeValue::count: fmt::format_to(out, "{}", cells[column].hits); break;
        }
    }
    return text;
}

std::string TreeText::name(const ReportNode& node) {
    const auto text = tree_text(report_.tree_places[node.place], report_.options.tree_key);
    auto name = printable(InLine(text, InLine::Keep::beginning, room_.next()));
    room_.take(name.size());
    return name;
}

}  // namespace perfdata
