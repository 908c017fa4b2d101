// SPDX-License-Identifier: MIT
// A profile file in memory: tables of rows that refer to rows of tables before them.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "counts.hpp"
#include "facts.hpp"

namespace perfdata::stored {

template <class Row>
using Table = std::vector<Row>;

// Model is plain data. What read_profile() and canonical() return keeps these promises; everybody else relies on them:
//
// - A row refers to rows of earlier tables in the list below, and each reference is in range. Call::outer and
//   Node::caller refer to earlier rows of their own table.
// - Tables have their rows in ascending order, each once. So the same content has the same bytes.
// - texts[0] is the empty text.
// - Enumerations have values that exist. Chains and inlined calls are no deeper than most_depth.
// - Each function has its versions, from 0 on, and at most one row of lines. Cells are not 0, and no two have the same
//   task, node and event. Members that a comment above says "nothing" of, in some case, are nothing in that case.
struct Model {
    Facts facts;
    Table<Text> texts;
    Table<Source> sources;  // by content
    Table<Event> events;
    Table<Object> objects;
    Table<Load> loads;
    Table<Code> codes;
    Table<SourcePlace> places;
    Table<Call> calls;
    Table<Nameless> nameless;
    Table<Function> functions;
    Table<Version> versions;
    Table<Lines> lines;
    Table<Inlined> inlined;
    Table<Frame> frames;
    Table<Node> nodes;
    Table<Cgroup> cgroups;
    Table<Task> tasks;
    Table<Cell> cells;
    Table<Branch> branches;

    // tables() returns all of them, in their order: rows refer to earlier ones.
    auto tables() {
        return std::tie(texts, sources, events, objects, loads, codes, places, calls, nameless, functions, versions,
                        lines, inlined, frames, nodes, cgroups, tasks, cells, branches);
    }
    auto tables() const {
        return std::tie(texts, sources, events, objects, loads, codes, places, calls, nameless, functions, versions,
                        lines, inlined, frames, nodes, cgroups, tasks, cells, branches);
    }

    // at(ref) returns the row; the reference must not be nothing.
    template <class Row>
    const Row& at(Ref<Row> ref) const {
        return table<Row>()[ref.number];
    }
    // text(ref) returns the text; empty for nothing. It lives as long as the model stays where it is and as it is.
    std::string_view text(Ref<Text> ref) const {
        return ref ? std::string_view(texts[ref.number].bytes) : std::string_view();
    }

    // table<Row>() returns the table of these rows.
    template <class Row>
    Table<Row>& table() {
        return std::get<Table<Row>&>(tables());
    }
    template <class Row>
    const Table<Row>& table() const {
        return std::get<const Table<Row>&>(tables());
    }
    bool keeps(Dimension dimension) const { return (facts.keeps & bit(dimension)) != 0; }

    bool operator==(const Model&) const = default;
};

// most_depth is the most frames of a chain, and the most calls inlined into each other.
inline constexpr std::size_t most_depth = 65536 + 2048;

}  // namespace perfdata::stored
