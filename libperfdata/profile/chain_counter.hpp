// SPDX-License-Identifier: MIT
// Counts samples by their call chains.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "caller_paths.hpp"
#include "counted_rows.hpp"
#include "frame_lookup.hpp"
#include "frame_numbers.hpp"
#include "recent_chains.hpp"

namespace perfdata {

// Each frame of a chain costs one look-up in the timeline and one in the chain table:
//
//     frames -> frames_ -> fold -> chains -> rows (task, chain)
//                       -> inlined functions -^
//
// A few samples wait until the memory that they need is there.
class ChainCounter {
  public:
    // All must outlive it. `unwinder`: null if there are no stacks, or nothing unwinds them. `in_order`: each sample
    // counts at once.
    ChainCounter(FrameLookup& lookup, const KernelEpochs& epochs, FrameNumbers& frames, CountedRows& counted,
                 const SampleCountOptions& options, const DeferredChains& deferred, Shared<StackUnwinder> unwinder,
                 bool in_order)
        : lookup_(lookup),
          recent_kernel_(epochs),
          frames_(frames),
          counted_(counted),
          options_(options),
          deferred_(deferred),
          unwinder_(std::move(unwinder)),
          in_order_(in_order),
          paths_(frames, counted, options.mark_returns) {}

    // begin_sample() forgets the chain of the sample before: the counters of one sample share its chain.
    void begin_sample() { node_ = none; }

    // take(...) counts the sample in a column.
    template <class Order>
    void take(const BasicSample<Order>& sample, const Moment& moment, std::uint32_t task, std::uint32_t column,
              const EventCount& cell) {
        moment_.time = moment.time;  // one by one: it was just written so
        moment_.pid = moment.pid;
        moment_.machine = moment.machine;
        if (!in_order_ && !is_near_limit()) {
            wait_for_chain(sample, true);
            auto& one = waiting_.back();
            one.task = task;
            one.column = column;
            one.cell = cell;
            if (waiting_.size() == most_waiting || looked_up_.size() >= most_waiting_frames) {
                count_waiting();
            }
            return;
        }
        count_waiting();
        if (node_ == none) {
            wait_for_chain(sample, false);
            prefetch_keys();
            node_ = chain(waiting_.back());
            forget_waiting();
        }
        const auto number = counted_.row({task, node_});
        counted_.rows().add(number, column, cell);
        if (options_.each) {
            const auto& counted = counted_.rows().rows()[number];
            options_.each({column, counted.task, counted.chain, cell.periods, sample.time()});
        }
    }

    // Counts the samples that wait. As in PlaceCounter, each step handles several samples while the memory of later
    // ones is fetched.
    void count_waiting() {
        if (waiting_.empty()) return;
        prefetch_keys();
        for (const auto& one : waiting_) {
            if (one.sampled.number == none) frames_.prefetch_key(one.sampled.hash);
        }
        auto& chains = counted_.chains();
        for (auto& one : waiting_) {
            for (auto at = one.end; at-- > one.begin;) {
                looked_up_[at].number = unfolded_number(looked_up_[at]);
                frames_.prepare(looked_up_[at].number, true);
            }
            one.sampled.number = unfolded_number(one.sampled);
            frames_.prepare(one.sampled.number, false);
            if (one.shared.frames != 0) continue;  // the outermost frame of its own has callers
            const auto outermost = one.begin != one.end ? frames_.known_caller(looked_up_[one.end - 1].number)
                                                        : frames_.known_folded(one.sampled.number);
            if (outermost != none) chains.prefetch({ChainNode::none, outermost});
        }
        frames_.prefetch_prepared();
        auto& rows = counted_.rows();
        for (auto& one : waiting_) {
            one.node = chain(one);
            rows.prefetch(one.node);
        }
        for (auto& one : waiting_) {
            one.row = counted_.row({one.task, one.node});
            rows.prefetch_cell(one.row);
        }
        for (const auto& one : waiting_) rows.add(one.row, one.column, one.cell);
        frames_.forget_prepared();
        forget_waiting();
    }

    // number(sample, moment) returns the number of the sampled frame.
    template <class Order>
    std::uint32_t number(const BasicSample<Order>& sample, const Moment& moment) {
        moment_.time = moment.time;  // one by one: it was just written so
        moment_.pid = moment.pid;
        moment_.machine = moment.machine;
        return unfolded_number(look_up_sampled(sample.ip(), sample.mode()));
    }

    std::size_t longest() const { return longest_; }  // chain, without what was inlined

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t no_slot = CallerPaths::no_slot;
    static constexpr std::size_t most_waiting = 16, most_waiting_frames = 2048;

    // LookedUp is a frame with its number in frames_, or with its hash.
    struct LookedUp {
        LookedUp() {}  // with `= default`, emplace_back() would fill it with zeros first, and so below

        Frame frame;
        std::uint32_t number = none;  // if known
        bool returns = false;         // of callers: a call returns to it
        std::uint64_t hash = 0;       // of the frame, if the number is unknown
    };

    // WaitingChain is a sample whose chain was looked up, and that count_waiting() will count.
    struct WaitingChain {
        WaitingChain() {}

        std::size_t begin = 0, end = 0;  // of its callers in looked_up_, innermost first; without those that are shared
        RecentChains::Shared shared = {no_slot, 0};
        LookedUp sampled;  // valid if is_looked_up
        std::optional<Address> ip;
        CpuMode mode = CpuMode::unknown;
        bool is_looked_up = false;
        std::uint32_t task = 0, column = 0;
        EventCount cell;
        std::uint32_t node = none, row = none;  // once they are known
    };

    // What lies beyond a limit depends on what was counted before: where one may be reached by what waits, nothing
    // does.
    bool is_near_limit() const {
        constexpr std::size_t most_stack = 1u << 20;
        const auto slack = 2 * (most_waiting_frames + std::min<std::size_t>(options_.max_stack, most_stack)) +
                           most_waiting * SampleCounts::most_with_inlined;
        return frames_.size() + slack >= counted_.most_frames() ||
               counted_.chains().size() + slack >= counted_.most_nodes() ||
               counted_.rows().rows().size() + most_waiting >= counted_.most_rows();
    }

    // Looks up the frames of the sample's chain, and the sampled address if there is no limit near.
    template <class Order>
    void wait_for_chain(const BasicSample<Order>& sample, bool with_sampled) {
        const auto ip = sample.ip();
        auto& losses = counted_.losses();
        auto& one = waiting_.emplace_back();
        one.begin = looked_up_.size();
        one.ip = ip;
        one.mode = sample.mode();
        is_deep_ = false;
        // Each address is looked up where it is read: with that, and what is known inlined in FrameNumbers and
        // ChainTable, a report with callers takes 0.96 of the instructions.
        std::size_t recorded = 0;
        auto context = CpuMode::unknown;  // of the last address
        const auto visit = [&](Address address, CpuMode mode, Lasting* holds) {
            if (recorded == options_.max_stack) {
                ++losses.deep;
                is_deep_ = true;
                return false;
            }
            // The first address of a context is where something was interrupted; calls return to the others.
            const bool returns = recorded != 0 && mode == context;
            context = mode;
            // The innermost frame is the sampled address itself.
            if (recorded++ == 0 && ip == address) return true;
            auto& frame = looked_up_.emplace_back();
            look_up(address, mode, frame, holds);
            frame.returns = returns;
            return true;
        };
        if (with_sampled && may_share(sample)) {
            one.shared = recent_chains_.take(
                *sample.callchain(), one.mode, moment_.pid, sample.tid().value_or(Tid{}), moment_.time,
                options_.max_stack,
                [&](Address address, CpuMode mode, Lasting& holds) { visit(address, mode, &holds); });
        } else {
            const bool whole = for_each_frame(
                sample, deferred_, [&](Address address, CpuMode mode) { return visit(address, mode, nullptr); });
            if (!whole) ++losses.broken;
            add_user_stack(sample, recorded);
        }
        one.end = looked_up_.size();
        longest_ = std::max(longest_, one.end - one.begin + one.shared.frames);
        if (with_sampled) look_up_sampled(one);
    }

    // Returns whether RecentChains can take the sample's chain. Then its callers have all been recorded with it.
    template <class Order>
    bool may_share(const BasicSample<Order>& sample) const {
        const auto chain = sample.callchain();
        if (!chain || moment_.machine != host || sample.layout().shape().callers_in_stack()) return false;
        bool deferred = false;
        for (const std::uint64_t word : *chain)
            deferred = deferred || static_cast<ChainContext>(word) == ChainContext::user_deferred;
        return !deferred;
    }

    void look_up_sampled(WaitingChain& one) {
        one.sampled = look_up_sampled(one.ip, one.mode);
        one.is_looked_up = true;
    }

    void prefetch_keys() const {
        for (const auto& one : looked_up_) {
            if (one.number == none) frames_.prefetch_key(one.hash);
        }
    }

    void forget_waiting() {
        waiting_.clear();
        looked_up_.clear();
    }

    // Returns the number of the sample's chain: its address, called by the rest of its call chain.
    std::uint32_t chain(WaitingChain& waiting) {
        auto& chains = counted_.chains();
        auto& losses = counted_.losses();
        frames_.begin_chain();
        const auto before = chains.size();
        auto own = std::span(looked_up_).subspan(waiting.begin, waiting.end - waiting.begin);
        auto shared = waiting.shared;
        if (chains.size() + shared.frames + own.size() > counted_.most_nodes()) {
            if (shared.frames + own.size() != 0) ++losses.cut;
            own = {};
            shared = {no_slot, 0};
        }
        const auto callers = paths_.find(shared.slot, shared.frames, own.size(), [&](std::size_t at) {
            return std::pair(unfolded_number(own[at]), own[at].returns);
        });
        if (!waiting.is_looked_up) look_up_sampled(waiting);
        const auto unfolded = unfolded_number(waiting.sampled);
        auto node = chains.intern({callers.node, frames_.folded(unfolded)});
        for (auto inlined = frames_.inlined_path(unfolded, false, callers.depth + 1, 0); inlined-- > 0;) {
            node = chains.intern({node, frames_.path()[inlined]});
        }
        if (frames_.path_folded()) ++losses.folded;
        frames_.note_chain(1 + shared.frames + own.size(), chains.size() - before);
        return node;
    }

    // Adds the callers in a copy of the user stack to looked_up_, behind the `recorded` addresses of the kernel's part
    // of the chain. Their addresses lie in the call.
    template <class Order>
    void add_user_stack(const BasicSample<Order>& sample, std::size_t recorded) {
        const auto state = user_state(sample);
        if (!state) return;
        auto& losses = counted_.losses();
        if (unwinder_ == nullptr) return losses.stacks.add_not_unwound();
        unwound_.clear();
        const auto room = options_.max_stack - std::min<std::size_t>(recorded, options_.max_stack);
        const auto unwound = unwinder_->unwind(moment_, *state, room, unwound_);
        losses.stacks.add(*state, unwound);
        if (unwound.end == StackEnd::frame_limit && !is_deep_) ++losses.deep;
        // Where user space was interrupted, the innermost frame is the sampled address itself.
        const bool sampled = recorded == 0 && !unwound_.empty() && sample.ip() == unwound_.front().address;
        for (std::size_t at = sampled ? 1 : 0; at < unwound_.size(); ++at) {
            wait_for(unwound_[at].frame, looked_up_.emplace_back());
        }
    }

    LookedUp look_up_sampled(std::optional<Address> ip, CpuMode mode) {
        LookedUp one;
        if (ip) {
            look_up(*ip, mode, one);
        } else {
            wait_for(FrameLookup::no_address(mode), one);
        }
        return one;
    }
    // Also says when that holds, if it is asked to.
    void look_up(Address address, CpuMode mode, LookedUp& one, Lasting* holds = nullptr) {
        if (!FrameLookup::is_host_kernel(moment_, mode))
            return wait_for(lookup_.at(moment_, address, mode, holds), one);
        auto& recent = recent_kernel_.at(address, moment_.time, 0);
        if (recent.number == none) recent.number = frames_.unfolded(lookup_.at(moment_, address, mode));
        one.number = recent.number;
        if (holds != nullptr) *holds = recent_kernel_.last();
    }
    // Fetches the memory that the number of the frame needs.
    void wait_for(const Frame& frame, LookedUp& one) const {
        one.frame = frame;
        one.hash = frames_.hash(frame);
        frames_.prefetch(one.hash);
    }

    std::uint32_t unfolded_number(const LookedUp& looked_up) {
        return looked_up.number != none ? looked_up.number : frames_.unfolded(looked_up.frame, looked_up.hash);
    }

    FrameLookup& lookup_;
    RecentKernel recent_kernel_;
    FrameNumbers& frames_;
    CountedRows& counted_;
    const SampleCountOptions& options_;
    const DeferredChains& deferred_;
    Shared<StackUnwinder> unwinder_;
    const bool in_order_;
    Moment moment_;                      // of the current sample
    std::uint32_t node_ = none;          // of the current sample's chain, once it is counted
    std::vector<UnwoundFrame> unwound_;  // of the current sample
    bool is_deep_ = false;               // the recorded chain of the current sample has more than max_stack
    std::size_t longest_ = 0;
    std::vector<LookedUp> looked_up_;  // callers of waiting_
    std::vector<WaitingChain> waiting_;
    RecentChains recent_chains_;
    CallerPaths paths_;
};

}  // namespace perfdata
