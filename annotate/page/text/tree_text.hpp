// SPDX-License-Identifier: MIT
// The tree below a row of a report as text, in the layout of perf report --stdio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/report/report.hpp"

#include "page/report_words.hpp"

namespace perfdata {

// TreeText appends trees to a text. Both must outlive it, and so must the report.
class TreeText {
  public:
    TreeText(const Report& report, std::string& text) : report_(report), text_(text) {}

    // write(row, columns) appends the tree with the numbers of these events, side by side.
    void write(const ReportRow& row, std::span<const std::size_t> columns);

    // notes() returns what the trees so far left out.
    std::vector<std::string> notes() const;

  private:
    using Nodes = std::vector<ReportNode>;
    // Chain is a chain of a flat or folded row: its last node, and the entry of the node before it.
    struct Chain {
        const ReportNode* node;
        std::uint32_t before;
    };

    void graph(const Nodes& nodes, const EventCounts& from, const std::string& prefix, std::size_t level);
    void chains(const Nodes& nodes);
    void chain(const std::vector<Chain>& entries, std::uint32_t entry);
    void line(std::string_view prefix, std::string_view text);
    // head(nodes, row) returns the only node at the top if it has all samples of the row; else null.
    const ReportNode* head(const Nodes& nodes, std::span<const EventCount> row) const;
    const ReportNode* run(const ReportNode* node, const std::string& prefix);
    std::vector<const ReportNode*> shown(const Nodes& nodes, const EventCounts& from) const;
    bool is_enough(std::span<const EventCount> cells, const EventCounts& from) const;
    bool is_same(const ReportNode& one, const ReportNode& other) const;
    std::string value(std::span<const EventCount> cells, const EventCounts& from) const;
    std::string name(const ReportNode& node);

    const Report& report_;
    std::string& text_;
    std::span<const std::size_t> columns_;
    TreeRoom room_;
    std::uint64_t entries_left_out_ = 0;  // by ReportOptions::tree_entries
    std::uint64_t chains_left_out_ = 0;   // too small
    std::uint64_t chains_without_room_ = 0;
    std::size_t names_ = 0;  // in chains
};

}  // namespace perfdata
