// SPDX-License-Identifier: MIT
//
//     recording   | part 0        | part 1        | part 2        |     between marks of the timeline's pass
//                       |               |               |
//                 SampleCounter   SampleCounter   SampleCounter         one thread each
//                       |               |               |
//                 CountedRows <-- add()         CountedRows <-- add()   neighbours, in the order of the parts
//
// The counts are those of one counter, number by number. Where they might be others they are thrown away: limits bound
// the whole recording, so a place or node beyond them depends on all that came before. Counting starts anew then, which
// at most doubles its time: the parts give up as soon as together they have more than a limit.
//
// Memory: the parts together hold at most what the limits allow one counter, and the sum of two parts at most that once
// more. What they have in common (kernel, libraries) is there once for each part.
#include "count_in_parts.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "perfdata/core/parallel.hpp"
#include "perfdata/recording/time_order.hpp"
#include "perfdata/timeline/second_pass.hpp"

namespace perfdata {
namespace {

// PartsInCommon is what the threads tell each other.
struct PartsInCommon {
    std::atomic<bool> given_up = false;
    std::atomic<std::uint64_t> read = 0;  // bytes
    std::atomic<std::size_t> frames = 0, places = 0, nodes = 0, rows = 0;

    SampleCounter::Sizes add(const SampleCounter::Sizes& more) {
        return {frames += more.frames, places += more.places, nodes += more.nodes, rows += more.rows};
    }
};

// Returns true if one counter might have reached a limit. A part has no more than `most_tasks()` and so on.
bool is_beyond(const SampleCounter::Sizes& sizes, const CountedRows& limits) {
    return sizes.frames >= limits.most_frames() || sizes.places >= limits.most_places() ||
           sizes.nodes >= limits.most_nodes() || sizes.rows >= limits.most_rows();
}

// CountedPart counts one part, on any thread.
class CountedPart {
  public:
    CountedPart(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options,
                const SampleCounter::InCommon& shared, PartsInCommon& common, WalkPart part)
        : recording_(recording), common_(common), options_(options), part_(part), caller_(std::this_thread::get_id()) {
        options_.stop = StopToken([&common, stop = options.stop] {
            return common.given_up.load(std::memory_order_relaxed) || stop.stop_requested();
        });
        options_.progress = [this, tell = options.progress](std::uint64_t read, std::uint64_t total) {
            note(read, total, tell);
        };
        counter_.emplace(recording, timeline, options_, shared);
    }
    CountedPart(const CountedPart&) = delete;
    CountedPart& operator=(const CountedPart&) = delete;

    void count() {
        Completeness seen;
        counted_ = walk(recording_, seen, *counter_,
                        {.order = {}, .stop = options_.stop, .progress = counter_->progress(), .part = &part_});
        samples_ = samples_seen(seen);
        if (counted_ && !counter_->end()) counted_ = fail(ErrorCode::cancelled, Error::no_offset, "counts", "");
        if (!counted_) common_.given_up = true;
    }

    const Result<void>& counted() const { return counted_; }
    std::uint64_t samples() const { return samples_; }
    SampleCounter& counter() { return *counter_; }
    void free() { counter_.reset(); }

  private:
    void note(std::uint64_t read, std::uint64_t total, const Progress& tell) {
        const auto sizes = counter_->sizes();
        if (is_beyond(common_.add(sizes - noted_), counter_->counted())) common_.given_up = true;
        noted_ = sizes;
        const auto all = common_.read += read - std::exchange(read_, read);
        if (tell && std::this_thread::get_id() == caller_) tell(all, total);
    }

    const Recording& recording_;
    PartsInCommon& common_;
    SampleCountOptions options_;  // with copies of the callbacks, for one thread
    WalkPart part_;
    std::thread::id caller_;
    std::optional<SampleCounter> counter_;
    SampleCounter::Sizes noted_;
    std::uint64_t read_ = 0, samples_ = 0;
    Result<void> counted_ = fail(ErrorCode::cancelled, Error::no_offset, "counts", "not begun");
};

// Returns true if one counter would have reached no limit of inlined functions either. It would have spent no more in a
// part than this part's own counter, which knows fewer nodes.
bool is_within_budgets(std::span<const std::unique_ptr<CountedPart>> parts) {
    using Budget = FrameNumbers::InlinedBudget;
    std::size_t left = Budget::first;  // at least, at the begin of the part
    for (const auto& part : parts) {
        const auto budget = part->counter().inlined_budget();
        if (budget.reached || left + budget.least < Budget::first + SampleCounts::most_with_inlined) return false;
        left = left + budget.last - Budget::first;
    }
    return true;
}

// Returns true if what UnwoundStacks tells apart does not depend on the order of the stacks.
bool has_few_sizes(std::span<const std::unique_ptr<CountedPart>> parts) {
    std::set<std::uint64_t> sizes;
    for (const auto& part : parts) {
        for (const auto& [size, stacks] : part->counter().counted().losses().stacks.short_copies()) sizes.insert(size);
    }
    return sizes.size() < UnwoundStacks::most_sizes;
}

// Adds neighbours to each other until the first part has all. Returns false if it was asked to stop. Each round halves
// the parts, on as many threads: what they have in common is not added as often as there are parts, one by one.
bool add_up(std::span<const std::unique_ptr<CountedPart>> parts, const StopToken& stop) {
    std::atomic<bool> stopped = false;
    for (std::size_t step = 1; step < parts.size(); step *= 2) {
        std::atomic<std::size_t> next = 0;
        const auto pairs = (parts.size() - step + 2 * step - 1) / (2 * step);
        on_threads(pairs, [&] {
            for (auto pair = next++; pair < pairs && !stopped; pair = next++) {
                const auto at = pair * 2 * step;
                // Nothing is looked for in what is added itself in the next round, nor in the sum of all.
                const bool is_last = pair % 2 != 0 || 2 * step >= parts.size();
                if (!parts[at]->counter().counted().add(parts[at + step]->counter().counted(), is_last, stop)) {
                    stopped = true;
                }
                parts[at + step]->free();
            }
        });
        if (stopped) return false;
    }
    return true;
}

bool unwinds(const Recording& recording, const SampleCountOptions& options) {
    const auto in_stack = [](const Event& event) { return event.sample.shape().callers_in_stack(); };
    return options.chains && options.functions != nullptr && std::ranges::any_of(recording.events().events(), in_stack);
}

}  // namespace

bool is_countable_in_parts(const Recording& recording, const SampleCountOptions& options) {
    if (recording.is_profile() || options.label || options.each) return false;
    const auto& events = recording.events();
    if (CounterSamples::are_in(events) || !detail::all_have_times(events)) return false;
    // Else each part would look for the architecture, in all of the recording.
    return !unwinds(recording, options) || !recording.arch().empty();
}

std::vector<RecordMark> part_begins(const Recording& recording, const Timeline& timeline,
                                    const SampleCountOptions& options) {
    // What a part needs of its own is worth some milliseconds of counting.
    constexpr std::uint64_t least_bytes = std::uint64_t{4} << 20;
    if (options.jobs < 2 || timeline.times() == nullptr || !is_countable_in_parts(recording, options)) return {};
    // Who lowers these has little memory: what parts have in common would be there for each, on heaps of their threads.
    const auto& limits = recording.limits();
    const Limits usual;
    if (limits.places < usual.places || limits.chain_nodes < usual.chain_nodes || limits.cells < usual.cells) return {};
    const auto data = recording.data();
    // Each part that unwinds has an unwinder of its own, which keeps much.
    constexpr std::uint64_t most_unwinding = 4;
    const auto most = unwinds(recording, options) ? std::min<std::uint64_t>(options.jobs, most_unwinding)
                                                  : std::uint64_t{options.jobs};
    const auto parts = std::min<std::uint64_t>(most, data.size / least_bytes);
    std::vector<RecordMark> begins;
    auto marks = timeline.times()->marks();
    for (std::uint64_t part = 1; part < parts; ++part) {
        const auto wanted = data.offset + data.size / parts * part;
        const auto found = std::ranges::lower_bound(marks, wanted, {}, &RecordMark::offset);
        if (found == marks.end()) break;
        begins.push_back(*found);
        marks = marks.subspan(static_cast<std::size_t>(found - marks.begin()) + 1);
    }
    return begins;
}

std::optional<Result<SampleCounts>> count_in_parts(const Recording& recording, const Timeline& timeline,
                                                   const SampleCountOptions& options,
                                                   const SampleCounter::InCommon& shared,
                                                   std::span<const RecordMark> begins) {
    PartsInCommon common;
    const auto stopped = [] { return fail(ErrorCode::cancelled, Error::no_offset, "counts", "asked to stop"); };
    // Memory that does not suffice for several counters may do for one.
    try {
        std::vector<std::unique_ptr<CountedPart>> parts;
        for (std::size_t part = 0; part <= begins.size(); ++part) {
            WalkPart stretch;
            if (part != 0) stretch.begin = begins[part - 1];
            if (part != begins.size()) stretch.end = begins[part];
            parts.push_back(std::make_unique<CountedPart>(recording, timeline, options, shared, common, stretch));
        }
        std::atomic<std::size_t> next = 0;
        on_threads(parts.size(), [&] {
            for (auto part = next++; part < parts.size() && !common.given_up; part = next++) {
                try {
                    parts[part]->count();
                } catch (const ThreadEnd&) {
                    throw;
                } catch (...) {
                    common.given_up = true;
                    throw;
                }
            }
        });
        if (options.stop.stop_requested()) return stopped();
        if (common.given_up || !is_within_budgets(parts) || !has_few_sizes(parts)) return {};
        auto& all = parts.front()->counter().counted();
        SampleCounter::Sizes sizes;
        std::size_t longest = SampleCounts::most_with_inlined;
        std::uint64_t samples = 0;
        for (const auto& part : parts) {
            samples += part->samples();
            sizes += part->counter().sizes();
            longest = std::max(longest, part->counter().longest_chain());
        }
        if (is_beyond(sizes, all)) return {};
        if (auto same = check_second_pass(samples, recording, timeline); !same) return fail(std::move(same.error()));
        if (!add_up(parts, options.stop)) return stopped();
        // A counter leaves callers out where they might not have room.
        if (all.tasks() >= all.most_tasks() || all.chains().size() + longest >= all.most_nodes()) return {};
        return std::move(parts.front()->counter()).finish(options);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

}  // namespace perfdata
