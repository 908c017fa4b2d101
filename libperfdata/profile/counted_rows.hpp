// SPDX-License-Identifier: MIT
// SampleCounts while they are made, of records or of a profile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "marked_chains.hpp"
#include "row_table.hpp"

namespace perfdata {

// CountedRows has the tasks, chains, rows and sums, and keeps them within the limits.
class CountedRows {
  public:
    static constexpr std::size_t not_counted = ~std::size_t{0};
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    CountedRows(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options)
        : chains_wanted_(options.chains), column_(recording.events().events().size(), not_counted) {
        counts_.chain_losses_.max_stack = options.max_stack;
        auto& events = counts_.events_;
        events = options.filter.events;
        std::erase_if(events, [&](std::uint32_t event) { return event >= column_.size(); });
        if (events.empty()) {
            events.resize(column_.size());
            std::iota(events.begin(), events.end(), 0u);
        }
        for (std::size_t column = 0; column < events.size(); ++column) column_[events[column]] = column;
        rows_ = RowTable(events.size());
        is_used_.resize(events.size());
        const auto& limits = recording.limits();
        most_cells_ = most_cells_limit_ = limits.cells;
        most_nodes_ = limits.chain_nodes;
        // Whoever asks for the counts may need a cell for each row and event. A small file may declare many events: its
        // samples bound the rows.
        constexpr std::size_t cells_a_sample = 16, nodes_a_sample = 64;
        if (is_sparse()) {
            samples_ = samples_of(timeline.completeness());
            most_cells_ = std::min(limits.cells, std::max(few_cells, cells_a_sample * samples_));
            most_nodes_ = std::min(most_nodes_, std::max(few_cells, nodes_a_sample * samples_) / events.size());
        }
        // Each place may be sampled, and is then a node of its own.
        most_frames_ = std::max(std::min(limits.places, most_nodes_), least);
        if (options.mark_returns) most_frames_ = std::min<std::size_t>(most_frames_, ChainNode::returns_mark - 1);
        places_limit_ = std::max(limits.places, least);
        bound_rows(events.size());
        counts_.totals_.resize(events.size());
        counts_.considered_.resize(events.size());
        counts_.dropped_ = DroppedBy(events.size());
    }

    // column(event) returns the column of an event, or not_counted.
    std::size_t column(std::uint32_t event) const { return column_[event]; }
    std::size_t columns() const { return counts_.events_.size(); }
    bool is_sparse() const { return rows_.cells().is_sparse(); }
    std::size_t most_frames() const { return most_frames_; }
    std::size_t most_places() const { return most_places_; }
    std::size_t most_nodes() const { return most_nodes_; }
    std::size_t most_rows() const { return most_rows_; }
    std::size_t most_tasks() const { return most_tasks_; }
    std::size_t tasks() const { return counts_.tasks_.size(); }

    InternTable<Frame>& frames() { return counts_.frames_; }
    ChainTable& chains() { return counts_.chains_; }
    const ChainTable& chains() const { return counts_.chains_; }
    ChainLosses& losses() { return counts_.chain_losses_; }
    void note_inlined() { counts_.has_inlined_ = true; }

    // drop(part, column, cell) counts what that part of the filter leaves out. Returns false for no part.
    bool drop(FilterPart part, std::size_t column, const EventCount& cell) {
        if (part == FilterPart::none) return false;
        counts_.dropped_.of(part)[column] += cell;
        any_dropped_ = true;
        return true;
    }
    bool any_dropped() const { return any_dropped_; }
    // consider(column, cell) counts what passes the events, times and CPUs. If nothing else is filtered, it need not be
    // called: count_all() says so.
    void consider(std::size_t column, const EventCount& cell) {
        counts_.considered_[column] += cell;
        note_used(column);
    }
    void count(std::size_t column, const EventCount& cell) {
        counts_.totals_[column] += cell;
        note_used(column);
    }
    void count_all() { counts_.considered_ = counts_.totals_; }
    void note_time(std::optional<Time> time) {
        if (!time) return;
        if (!counts_.first_time_ || *time < *counts_.first_time_) counts_.first_time_ = time;
        if (!counts_.last_time_ || *time > *counts_.last_time_) counts_.last_time_ = time;
    }

    // Labels are many: each value of a tracepoint may be one, and needs its row. Only reports have them, and no columns
    // for events without samples.
    void note_labelled() {
        if (is_labelled_) return;
        is_labelled_ = true;
        constexpr std::size_t cells_a_sample = 128;
        if (is_sparse()) {
            most_cells_ = std::min(most_cells_limit_, std::max(few_cells, cells_a_sample * samples_));
        }
        bound_rows(used_);
    }

    // last_task() returns the task of the last call of task(), whose number may be taken again; null: call task().
    const SampledTask* last_task() const { return last_task_number_ != further_ ? &last_task_ : nullptr; }
    std::uint32_t last_task_number() const { return last_task_number_; }
    // task(task, samples) returns the number of the task of so many samples.
    std::uint32_t task(const SampledTask& task, std::uint64_t samples) {
        if (last_task_number_ == none || !(task == last_task_)) intern_task(task);
        if (last_task_number_ == further_)
            counts_.in_further_tasks_ = add_up_to_most(counts_.in_further_tasks_, samples);
        return last_task_number_;
    }

    // Returns the number of the row; beyond the limit, of the task's row for Miss::not_kept.
    std::uint32_t row(const SampleCounts::Row& row) {
        if (rows_.rows().size() < most_rows_) return rows_.number(row);
        if (const auto known = rows_.find(row); known != RowTable::none) return known;
        const auto frame = counts_.frames_.intern(Frame::nowhere({}, Miss::not_kept, CpuMode::unknown));
        return rows_.number({row.task, counts_.chains_.intern({ChainNode::none, frame})});
    }
    RowTable& rows() { return rows_; }
    const RowTable& rows() const { return rows_; }

    // Adds the counts of the part of the recording behind what this has counted: see counted_part.cpp.
    bool add(const CountedRows& part, bool is_last, const StopToken& stop);

    // finish(options, losses) returns the counts. This is of no use then.
    SampleCounts finish(const SampleCountOptions& options, const CounterLosses& losses) && {
        mark_chains(options, counts_.chains_.nodes(), counts_.frames_.keys(), counts_.events_.size(), counts_.tasks_,
                    rows_);
        std::move(rows_).give(counts_.rows_, counts_.cells_, counts_.cell_begin_, counts_.cell_column_);
        // Free the tables: what follows needs memory, too.
        rows_ = RowTable();
        counts_.frames_.seal();
        counts_.chains_.seal();
        counts_.tasks_.seal();
        counts_.counter_losses_ = losses;
        return std::move(counts_);
    }

  private:
    static constexpr std::size_t few_cells = std::size_t{1} << 20;
    static constexpr std::size_t least = 64;  // always keep a few, so that some places are told apart

    [[gnu::noinline]] void intern_task(const SampledTask& task) {
        last_task_ = task;
        const bool is_full = counts_.tasks_.size() >= most_tasks_;
        last_task_number_ = counts_.tasks_.intern_within(most_tasks_, task, SampledTask::further());
        if ((is_full || task.is_further()) && counts_.tasks_[last_task_number_].is_further()) {
            further_ = last_task_number_;
        }
    }
    // Lets so many rows be that each can have a cell for so many events.
    void bound_rows(std::size_t events) {
        const auto most = std::max(most_cells_ / std::max<std::size_t>(events, 1), least);
        most_rows_ = most;
        most_places_ = chains_wanted_ ? places_limit_ : std::min(places_limit_, most);
        most_tasks_ = std::min(most_places_, most);  // each may need a row for Miss::not_kept
    }
    void note_used(std::size_t column) {
        if (is_used_[column] == 0) [[unlikely]]
            use(column);
    }
    [[gnu::noinline]] void use(std::size_t column) {
        is_used_[column] = 1;
        ++used_;
        if (is_labelled_) bound_rows(used_);
    }
    bool add_chains(const CountedRows& part, bool is_last, const StopToken& stop, std::vector<std::uint32_t>& numbers);
    void add_sums(const CountedRows& part);
    static std::size_t samples_of(const Completeness& completeness) {
        const auto found = completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
        return found == completeness.records.end() ? 0 : static_cast<std::size_t>(found->second.total());
    }

    bool chains_wanted_;
    std::vector<std::size_t> column_;  // by event
    // From Limits.
    std::size_t most_frames_ = 0, most_places_ = 0, most_nodes_ = 0, most_rows_ = 0, most_tasks_ = 0, most_cells_ = 0;
    std::size_t most_cells_limit_ = 0, places_limit_ = 0;  // Limits::cells and Limits::places
    std::size_t samples_ = 0;                              // of the recording; only if there are many events
    bool is_labelled_ = false;                             // a sample has a label
    std::vector<std::uint8_t> is_used_;                    // by column: 1 if it has samples
    std::size_t used_ = 0;                                 // how many
    std::uint32_t further_ = none;                         // the task for those beyond most_tasks_, once there is one
    SampledTask last_task_;
    std::uint32_t last_task_number_ = none;  // of last_task_; none: there is no task yet
    bool any_dropped_ = false;
    RowTable rows_;
    SampleCounts counts_;
};

}  // namespace perfdata
