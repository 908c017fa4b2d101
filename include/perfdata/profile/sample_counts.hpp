// SPDX-License-Identifier: MIT
// All samples counted by who ran (command, process, CPU...), where, and called by whom; nothing named yet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/profile/chain_table.hpp"
#include "perfdata/profile/dropped_by.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/frame.hpp"

namespace perfdata {

class CallFilter;
class FunctionIndex;
class JitCodes;

// SampledTask is who was sampled, as far as it was asked for: the other members have their defaults.
struct SampledTask {
    // comm lives as long as the timeline; equal comms have equal data(). If it is not known, tid is there instead.
    std::string_view comm;
    Pid pid{0};
    Tid tid{0};
    std::uint32_t cpu = 0;  // all ones: not recorded
    std::uint64_t cgroup = 0;

    bool operator==(const SampledTask& other) const {
        return comm.data() == other.comm.data() && pid == other.pid && tid == other.tid && cpu == other.cpu &&
               cgroup == other.cgroup;
    }
    std::uint64_t hash(const HashKey& key) const;
};

struct SampleCountOptions {
    // What tells tasks apart.
    bool by_comm = true, by_pid = false, by_tid = false, by_cpu = false, by_cgroup = false;
    bool chains = false;  // count call chains, with their deferred parts; else only the sampled address
    // Count so many frames of a chain, the innermost. Many samples may share the user part of one, which may have 8,000
    // addresses; the kernel's own bound is 127 unless kernel.perf_event_max_stack is raised.
    std::uint32_t max_stack = 1024;
    // fold(frame) is what to count instead of a frame, the beginning of its function for example: fewer distinct
    // chains cost less time and memory. It is called once for each distinct frame. Empty: every address is itself.
    Callback<Frame(const Frame&)> fold;
    bool fold_callers = true;                // false: fold the sampled address only, callers keep theirs
    const CallFilter* only_calls = nullptr;  // samples that do not pass are not looked at: see CallFilter
    const JitCodes* jit = nullptr;           // code that the recording itself does not know; empty() counts as none
    const CodeVersions* versions = nullptr;  // tell versions of kernel code apart: Frame::version
    SampleFilter filter;
    const FunctionIndex* functions = nullptr;  // says what code is called: SampleFilter::code needs it
    std::stop_token stop;
    Progress progress = {};
};

// ChainLosses is what a counting of call chains left out, in samples.
struct ChainLosses {
    std::uint64_t cut = 0;     // lost their callers because there were more distinct ones than Limits::chain_nodes
    std::uint64_t broken = 0;  // lack the user part of their chain, which was deferred and never came
    std::uint64_t deep = 0;    // had more than max_stack frames
    std::uint32_t max_stack = 0;
};

// SampleCounts is const once counted. Its size grows with what is distinct, not with the recording.
class SampleCounts {
  public:
    // count(recording, timeline) decodes every sample once. The only errors are `cancelled` and
    // `out_of_memory`. The timeline must outlive
    // the counts.
    static Result<SampleCounts> count(const Recording& recording, const Timeline& timeline,
                                      const SampleCountOptions& options = {});

    // A Row is what one task did in one chain; cells(row) has an EventCount for each counted event.
    struct Row {
        std::uint32_t task = 0;
        std::uint32_t chain = 0;

        bool operator==(const Row&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{task} << 32 | chain); }
    };
    std::span<const Row> rows() const { return {rows_.data(), rows_.size()}; }
    std::span<const EventCount> cells(std::size_t row) const {
        return {cells_.data() + row * events_.size(), events_.size()};
    }

    // events() says which event each cell is of, by index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }
    std::span<const SampledTask> tasks() const { return tasks_.keys(); }
    std::span<const ChainNode> chains() const { return chains_.nodes(); }
    std::span<const Frame> frames() const { return frames_.keys(); }

    // totals() is the sum of the cells of all rows.
    const EventCounts& totals() const { return totals_; }
    // Returns the same for a filter of events, times and CPUs only.
    const EventCounts& considered() const { return considered_; }
    const DroppedBy& dropped() const { return dropped_; }
    // first_time(), last_time() are of the counted samples; empty if none has a time.
    std::optional<Time> first_time() const { return first_time_; }
    std::optional<Time> last_time() const { return last_time_; }
    // Places beyond Limits::places are one frame, Miss::not_kept; what would be more rows than Limits::cells allow is
    // in one such row for each task.
    const ChainLosses& chain_losses() const { return chain_losses_; }
    // stacks_not_unwound() is how many samples have callers in a copy of their user stack only, which is not unwound.
    std::uint64_t stacks_not_unwound() const { return stacks_not_unwound_; }

  private:
    friend class SampleCounter;

    std::vector<std::uint32_t> events_;
    InternTable<SampledTask> tasks_;
    InternTable<Frame> frames_;
    ChainTable chains_;
    std::vector<Row> rows_;
    EventCounts cells_;
    EventCounts totals_, considered_;
    DroppedBy dropped_;
    std::optional<Time> first_time_, last_time_;
    ChainLosses chain_losses_;
    std::uint64_t stacks_not_unwound_ = 0;
};

}  // namespace perfdata
