// SPDX-License-Identifier: MIT
// Samples counted by task (command, process, CPU...), place and callers, before anything is named.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/chain_table.hpp"
#include "perfdata/profile/counted_sample.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/profile/dropped_by.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/unwound_stacks.hpp"

namespace perfdata {

class CallFilter;
class FunctionIndex;
class JitCodes;
struct Moment;

// SampledTask is the task of a sample, as far as SampleCountOptions asks for it: other members keep their defaults.
struct PERFDATA_EXPORT SampledTask {
    // Lives as long as the timeline; equal comms have equal data(). Empty if unknown: then `tid` identifies the thread.
    std::string_view comm;
    Pid pid{0};                // 0 unless by_pid
    Tid tid{0};                // 0 unless by_tid, or the comm is unknown
    std::uint32_t cpu = 0;     // all ones: not recorded
    std::uint64_t cgroup = 0;  // see Tasks::cgroup(); 0: not recorded
    std::string_view parent;   // of SampleCountOptions::parent; equal ones have equal data(). Empty: none
    std::uint32_t label = 0;   // of SampleCountOptions::label; 0 without it

    // further() returns what stands for all tasks beyond the limits: its comm is "[further tasks]", its CPU not
    // recorded.
    static SampledTask further();
    // Returns true for further().
    bool is_further() const { return label == further_label; }
    static constexpr std::uint32_t further_label = ~std::uint32_t{0};

    bool operator==(const SampledTask& other) const {
        return comm.data() == other.comm.data() && pid == other.pid && tid == other.tid && cpu == other.cpu &&
               cgroup == other.cgroup && parent.data() == other.parent.data() && label == other.label;
    }
    // Returns the hash of all members, of texts by their data().
    std::uint64_t hash(const HashKey& key) const;
};

// SampleCountOptions is what tells tasks and chains apart, which samples count, and who watches.
struct SampleCountOptions {
    // What distinguishes tasks.
    bool by_comm = true, by_pid = false, by_tid = false, by_cpu = false, by_cgroup = false;
    // Count call chains with their deferred parts, and with what `functions` unwinds of copied user stacks; false: the
    // sampled address only.
    bool chains = false;
    // The number of frames to count of a chain, innermost first. Many samples may share one deferred user part, which
    // may have 8,000 addresses; the kernel's own bound is 127 unless kernel.perf_event_max_stack is raised.
    std::uint32_t max_stack = 1024;
    // Returns the frame to count instead, for example the start of its function: fewer distinct chains cost less time
    // and memory. Called once per distinct frame. Empty: counts every address as it is.
    Callback<Frame(const Frame&)> fold;
    bool fold_callers = true;  // false: fold the sampled address only; callers keep theirs
    // Returns the name of a frame that makes the samples in it and below it a task of their own; empty: the frame does
    // not. If a chain has several such frames, the innermost counts, or the outermost. Called once per distinct frame.
    Callback<std::string_view(const Frame&)> parent;
    bool outermost_parent = false;
    // Returns a number that tells samples apart by what their event wrote, for example by a field of a tracepoint; 0 if
    // there is nothing to tell. Gets the index in recording.events(), PERF_SAMPLE_RAW, empty if it was not recorded,
    // and when and where the sample was taken. Called once per sample that counts, in the order of the file.
    Callback<std::uint32_t(std::uint32_t, std::optional<Bytes>, const Moment&)> label;
    // Is told of each sample once it counts, in the order in which the recording is read: once per counted cell. With
    // `chains` only. `parent` and `ignore_callees` change tasks and chains later, and must be empty.
    Callback<void(const CountedSample&)> each;
    // Returns true for frames whose callees do not count: of the chains through such frames the outermost of them is
    // the innermost frame. Called once per distinct frame. Parents are found before.
    Callback<bool(const Frame&)> ignore_callees;
    bool inlines = false;  // chains have frames of inlined calls, too; requires `functions`
    // Tell apart chains in which a frame is the address behind a call from those in which it is where something was
    // interrupted: see ChainNode::returns_mark. Who asks for it takes the mark off before using the frame's number.
    // Goes with neither `inlines`, `parent` nor `ignore_callees`.
    bool mark_returns = false;
    const CallFilter* only_calls = nullptr;  // ignore samples that do not pass; null: count all
    const JitCodes* jit = nullptr;           // code from jitdumps; empty() counts as none
    const CodeVersions* versions = nullptr;  // distinguish versions of kernel code: Frame::version
    SampleFilter filter;                     // which samples count; callers do not matter to it
    // Names code, and unwinds copies of user stacks. SampleFilter::code and `inlines` require it. Null: stacks are not
    // unwound.
    const FunctionIndex* functions = nullptr;
    StopToken stop;
    Progress progress = {};
    // `fold`, `parent`, `ignore_callees`, or who asks the counts name code, with `functions`: the files are read while
    // counting, which can be stopped.
    bool by_name = false;
    // On so many threads: the counts are the same for any number. Parts of the recording are counted at the same time,
    // each with tables of its own, if it is large and undamaged, its records are in one file and not compressed, Limits
    // are not lowered, and neither `label` nor `each` wants samples in order. Threads call copies of `fold` at the same
    // time. `progress` is called on the calling thread; it begins anew if parts might miss a limit of the whole.
    unsigned jobs = 1;
};

// ChainLosses counts the samples whose call chains are incomplete.
struct ChainLosses {
    std::uint64_t cut = 0;        // counted without callers: more distinct chains than Limits::chain_nodes
    std::uint64_t broken = 0;     // without the user part: it was deferred and never recorded
    std::uint64_t deep = 0;       // more than max_stack frames
    std::uint64_t folded = 0;     // without some inlined functions: as `cut`, or beyond SampleCounts::most_with_inlined
    std::uint32_t max_stack = 0;  // as in the options
    UnwoundStacks stacks;         // copies of user stacks
};

// SampleCounts does not change once counted. Its size grows with the distinct tasks and chains, not with the recording.
class PERFDATA_EXPORT SampleCounts {
  public:
    // Of a chain with so many nodes, what was inlined at further frames is left out: in a crafted file any frame may
    // have dozens, and whoever follows a chain needs stack or memory for each.
    static constexpr std::size_t most_with_inlined = 2048;

    // Decodes every sample once; one with counter values counts for each counter that grew, see CounterSamples. The
    // timeline must outlive the counts. Errors: `cancelled`, `out_of_memory`, see check_second_pass(); of a profile
    // also `unsupported` if an option needs single samples: `label`, `each`, and times or payload in the filter.
    //
    // A profile is counted as its recording was: it has the same rows in the same order. If several were merged, rows
    // are by content. Chains have no more frames than the profile keeps, and losses of its making are those of all
    // samples, whatever the filter is.
    static Result<SampleCounts> count(const Recording& recording, const Timeline& timeline,
                                      const SampleCountOptions& options = {});

    // Row is one task in one chain. The chain ends with the sampled function, or with what was inlined into it at the
    // sampled address, if the options ask for that: see sampled(). cells(row) has an EventCount for each counted event.
    struct Row {
        std::uint32_t task = 0;   // index in tasks()
        std::uint32_t chain = 0;  // index in chains(): the innermost node

        bool operator==(const Row&) const = default;

        // hash(key) returns the hash of both members.
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{task} << 32 | chain); }
    };
    std::span<const Row> rows() const { return {rows_.data(), rows_.size()}; }  // in order of their first sample
    // cells(row) returns the counts of rows()[row], by event; what it returns must not outlive this object.
    CellsOfRow cells(std::size_t row) const {
        if (cell_begin_.empty()) return CellsOfRow(std::span(cells_).subspan(row * events_.size(), events_.size()));
        EventCounts all(events_.size());
        for (auto at = cell_begin_[row]; at < cell_begin_[row + 1]; ++at) all[cell_column_[at]] = cells_[at];
        return CellsOfRow(std::move(all));
    }

    // each_cell(row, take) calls take(column, cell) for the cells of rows()[row] that have samples, in the order of
    // columns. Of many events most rows have samples of few.
    template <class Take>
    void each_cell(std::size_t row, Take&& take) const {
        if (cell_begin_.empty()) {
            for (std::size_t column = 0; column < events_.size(); ++column) {
                const auto& cell = cells_[row * events_.size() + column];
                if (cell.hits != 0) take(column, cell);
            }
            return;
        }
        auto order = std::vector<std::uint32_t>();
        for (auto at = cell_begin_[row]; at < cell_begin_[row + 1]; ++at) {
            if (cells_[at].hits != 0) order.push_back(at);
        }
        sort_by_column(order);
        for (const auto at : order) take(std::size_t{cell_column_[at]}, cells_[at]);
    }

    // Returns the event of each cell, as an index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }
    std::span<const SampledTask> tasks() const { return tasks_.keys(); }
    std::span<const ChainNode> chains() const { return chains_.nodes(); }
    std::span<const Frame> frames() const { return frames_.keys(); }
    // Returns false if no chain has a frame of an inlined function.
    bool has_inlined() const { return has_inlined_; }
    // Returns the node of the function that was sampled in a row's chain: without what was inlined into it.
    std::uint32_t sampled(std::uint32_t chain) const {
        if (!has_inlined_) return chain;
        while (frames_[chains_.nodes()[chain].frame].is_inlined()) chain = chains_.nodes()[chain].caller;
        return chain;
    }

    // Returns the sum of the cells of all rows.
    const EventCounts& totals() const { return totals_; }
    // Returns the counts before the filter's comms, pids, tids, cgroups and code apply: of all samples that pass its
    // events, times and CPUs.
    const EventCounts& considered() const { return considered_; }
    const DroppedBy& dropped() const { return dropped_; }
    // Return the times of the first and last counted sample; nothing if no sample has a time.
    std::optional<Time> first_time() const { return first_time_; }
    std::optional<Time> last_time() const { return last_time_; }
    // Returns what the call chains lost. Limits bound the counts in two more ways: places beyond Limits::places are one
    // frame, Miss::not_kept, and rows beyond Limits::cells are one such row for each task.
    const ChainLosses& chain_losses() const { return chain_losses_; }
    // Returns how many samples are in tasks beyond the limits, which count as SampledTask::further().
    std::uint64_t in_further_tasks() const { return in_further_tasks_; }
    // Returns what went wrong with the counter values in samples, whatever the filter is.
    const CounterLosses& counter_losses() const { return counter_losses_; }

  private:
    friend class CountedRows;

    // Sorts indices of sparse cells_ by their columns.
    void sort_by_column(std::vector<std::uint32_t>& cells) const;

    std::vector<std::uint32_t> events_;
    InternTable<SampledTask> tasks_;
    InternTable<Frame> frames_;
    ChainTable chains_;
    std::vector<Row> rows_;
    EventCounts cells_;
    // Of many events most rows have few, as those of a tracepoint's values: only these are in cells_. Else both empty.
    std::vector<std::uint32_t> cell_begin_;   // by row, and the end of the last row
    std::vector<std::uint32_t> cell_column_;  // by cell
    EventCounts totals_, considered_;
    std::uint64_t in_further_tasks_ = 0;
    DroppedBy dropped_;
    std::optional<Time> first_time_, last_time_;
    ChainLosses chain_losses_;
    bool has_inlined_ = false;
    CounterLosses counter_losses_;
};

}  // namespace perfdata
