// SPDX-License-Identifier: MIT
// Costs of places and of calls, from stacks: what call graph formats want.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/profile/intern_table.hpp"

#include "exported.hpp"

namespace perfdata {

// ColumnCost is what one event costs at one place, or in one call.
struct ColumnCost {
    std::uint32_t column = 0;  // index in Exported::events
    std::uint64_t passed = 0;  // of a call: samples whose stack has it, each once; of a place: 0
    EventCount count;
};

// CostTable has the costs of numbered things, by event, without those that are 0.
class CostTable {
  public:
    void add(std::uint32_t number, const ColumnCost& cost) { costs_.push_back({number, cost}); }
    // finish(size) ends adding. Numbers are below the size; a number has each column once.
    void finish(std::size_t size);

    // of(number) returns the costs by column; empty: none.
    std::span<const ColumnCost> of(std::size_t number) const {
        return std::span(sorted_).subspan(begin_[number], begin_[number + 1] - begin_[number]);
    }

  private:
    struct Numbered {
        std::uint32_t number = 0;
        ColumnCost cost;
    };

    std::vector<Numbered> costs_;
    std::vector<std::size_t> begin_;
    std::vector<ColumnCost> sorted_;
};

// CallCosts adds up an Exported, which must outlive it. A command calls the outermost functions of its stacks. So each
// function has callers, and its inclusive cost is the sum of the costs of all calls to it, also if it is the outermost
// one of some stacks only.
//
// Recursion: a stack a > b > a costs a once. The second call of a has passed samples, but no count, since the first
// call has them. A call from one place to one function that is in a stack twice has passed it once.
class CallCosts {
  public:
    // Call is a place that calls a function. Places from places() on are commands: see command().
    struct Call {
        std::uint32_t place = 0;     // index in Exported::places
        std::uint32_t function = 0;  // index in Exported::functions

        bool operator==(const Call&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{place} << 32 | function); }
    };

    // Takes time and memory in the size of the Exported: each event looks at the stacks with its samples.
    // Only the first so many columns count.
    CallCosts(const Exported& exported, std::size_t columns);

    // calls() returns distinct calls, in order of their places and functions, and of_call(index) the costs of one: none
    // if no sample that counts has it.
    std::span<const Call> calls() const { return calls_; }
    std::span<const ColumnCost> of_call(std::size_t index) const { return call_costs_.of(number_[index]); }
    // of_place(place) returns the costs of the place itself.
    std::span<const ColumnCost> of_place(std::size_t place) const { return place_costs_.of(place); }

    // commands() returns the distinct commands of the tasks. Command c calls from place places() + c.
    std::span<const std::string_view> commands() const { return commands_; }
    std::size_t places() const { return exported_.places.size(); }

  private:
    struct Cell {
        std::uint32_t column = 0;
        std::size_t row = 0;
        EventCount count;
    };

    void find_calls();
    void mark_first();
    void find_commands();
    void add_column(std::uint32_t column, std::span<const Cell> cells);
    void add_to_call(std::uint32_t call, std::uint64_t passed, const EventCount& count);
    void sort_calls();
    std::uint32_t function_of(std::uint32_t node) const {
        return exported_.places[exported_.nodes[node].place].function;
    }

    const Exported& exported_;
    InternTable<Call> known_;
    std::vector<std::uint32_t> call_of_node_;  // not of an outermost one
    std::vector<std::uint32_t> outermost_;     // by node
    std::vector<bool> first_call_,
        first_function_;  // by node: none of its callers is the same call, or in the same function
    std::vector<std::string_view> commands_;
    std::vector<std::uint32_t> command_of_task_;
    std::vector<std::uint32_t> call_of_row_;  // by the row's command
    // Of the column that is being added.
    std::vector<EventCount> below_;      // by node: of it and its callees
    std::vector<bool> met_;              // by node
    std::vector<ColumnCost> of_column_;  // by call
    std::vector<std::uint32_t> met_calls_;

    CostTable place_costs_, call_costs_;
    std::vector<Call> calls_;
    std::vector<std::uint32_t> number_;  // of calls_, in known_
};

}  // namespace perfdata
