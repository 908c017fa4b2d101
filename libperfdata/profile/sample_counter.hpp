// SPDX-License-Identifier: MIT
// Counts the samples of a recording.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/profile/call_filter.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "counted_rows.hpp"
#include "frame_numbers.hpp"
#include "kernel_epochs.hpp"
#include "recent_frames.hpp"
#include "row_table.hpp"

namespace perfdata {

// SampledPlace is a frame that was sampled in a task.
struct SampledPlace {
    Frame frame;
    std::uint32_t task = 0;

    bool operator==(const SampledPlace&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), task); }
};

// Each sample costs one look-up for its task, and for each frame of its chain one in the timeline and one in the chain
// table. Kernel addresses repeat soon, so a small cache precedes the timeline. Without chains a sample counts by frame
// and task; places of one function are added up at the end:
//
//     with chains       frames -> frames_ -> fold -> chains -> rows (task, chain)
//                                      -> inlined functions -^
//     without chains    frame  -> places_ (task, frame) -> at the end: fold -> rows
class SampleCounter {
  public:
    static constexpr bool samples_only = true;

    // Shared is what several counters of one recording have in common.
    struct Shared {
        Shared(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options)
            : epochs(timeline, options.versions),
              deferred(options.chains ? DeferredChains::read(recording, options.stop) : DeferredChains()) {}

        const KernelEpochs epochs;
        const DeferredChains deferred;
    };

    // All of them must outlive it.
    SampleCounter(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options,
                  const Shared& shared)
        : timeline_(timeline),
          options_(options),
          jit_(options.jit != nullptr && !options.jit->empty() ? options.jit : nullptr),
          epochs_(shared.epochs),
          recent_tasks_(timeline.tasks()),
          deferred_(shared.deferred),
          unwinder_(unwinder_for(recording, options)),
          counters_(recording, &timeline.tasks()),
          one_by_one_(options.each || options.label || CounterSamples::are_in(recording.events())),
          counted_(recording, timeline, options),
          frames_(options, counted_, inlined_of(options)),
          place_cells_(counted_.columns()) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        // The counters of a sample share its chain.
        passes_.reset();
        node_ = none;
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            const auto column = counted_.column(event);
            if (column != CountedRows::not_counted) take(context, sample, column, period);
        });
    }

    // Returns the progress of the walk.
    Progress progress() {
        if (!options_.progress) return {};
        return [this](std::uint64_t read, std::uint64_t total) {
            frames_.note_progress(read, total);
            options_.progress(read, total);
        };
    }

    // Counts what waits. Returns false if it was asked to stop.
    bool end() {
        if (frames_.stopped()) return false;
        if (options_.chains) {
            count_waiting_chains();
            return !frames_.stopped();
        }
        count_waiting();
        return fold_places() && !frames_.stopped();
    }
    // Behind end(): returns the counts of the options without those of a part. This is of no use then.
    SampleCounts finish(const SampleCountOptions& options) && {
        return std::move(counted_).finish(options, counters_.losses());
    }

    CountedRows& counted() { return counted_; }
    const CountedRows& counted() const { return counted_; }
    // How many there are, of what limits bound.
    struct Sizes {
        std::size_t frames = 0, places = 0, nodes = 0, rows = 0;

        Sizes& operator+=(const Sizes& other) {
            frames += other.frames;
            places += other.places;
            nodes += other.nodes;
            rows += other.rows;
            return *this;
        }
        Sizes operator-(const Sizes& other) const {
            return {frames - other.frames, places - other.places, nodes - other.nodes, rows - other.rows};
        }
    };
    Sizes sizes() const {
        return {frames_.size(), places_.size(), counted_.chains().size(), counted_.rows().rows().size()};
    }
    FrameNumbers::InlinedBudget inlined_budget() const { return frames_.budget(); }
    std::size_t longest_chain() const { return longest_chain_; }  // without what was inlined

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t most_waiting = 64;
    static constexpr std::size_t most_waiting_chains = 16, most_waiting_frames = 2048;
    static constexpr Pid nobody{~std::uint32_t{0}};

    template <class Order>
    void take(const RecordContext& context, const BasicSample<Order>& sample, std::size_t column,
              std::uint64_t period) {
        if (!passes_) passes_ = options_.only_calls == nullptr || options_.only_calls->passes(sample);
        if (!*passes_) return;
        moment_ = {context.time, sample.pid().value_or(nobody), machine_of(sample)};
        const auto tid = sample.tid().value_or(Tid{nobody.value});
        const auto& filter = options_.filter;
        const bool needs_comm = options_.by_comm || filter.needs_comm();
        const auto comm = needs_comm ? recent_tasks_.comm_at(tid, context.time, moment_.machine) : std::string_view();
        const EventCount cell{1, period};
        const auto drop = [&](FilterPart part) { return counted_.drop(part, column, cell); };
        if (drop(filter.drop_moment(context.time, sample.cpu()))) return;
        counted_.consider(column, cell);
        const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
        if (drop(filter.drop_task({comm, moment_.pid, tid, cgroup}))) return;
        // Counters of a group share the payload of the event that was sampled.
        if (drop(filter.drop_payload(context.event, sample, comm)) || drop(drop_code(sample))) return;
        counted_.note_time(sample.time());
        counted_.count(column, cell);
        const auto label = options_.label ? options_.label(context.event, sample.details().raw(), moment_) : 0u;
        if (label != 0) counted_.note_labelled();
        const auto who = task(sample, tid, comm, label);
        if (options_.chains) {
            take_chain(sample, who, static_cast<std::uint32_t>(column), cell);
        } else {
            waiting_.push_back(waiting(sample, who));
            waiting_.back().column = static_cast<std::uint32_t>(column);
            waiting_.back().cell = cell;
            if (waiting_.size() == most_waiting) count_waiting();
        }
    }

    static perfdata::Shared<StackUnwinder> unwinder_for(const Recording& recording, const SampleCountOptions& options) {
        const auto in_stack = [](const Event& event) { return event.sample.shape().callers_in_stack(); };
        if (!options.chains || options.functions == nullptr) return nullptr;
        return std::ranges::any_of(recording.events().events(), in_stack) ? options.functions->unwinder(options.stop)
                                                                          : nullptr;
    }

    FrameNumbers::AddInlined inlined_of(const SampleCountOptions& options) {
        if (!options.chains || !options.inlines || options.functions == nullptr) return {};
        return [this](std::uint32_t unfolded, bool returns, std::vector<Frame>& calls) {
            options_.functions->add_inlined(frames_[unfolded], returns, calls);
        };
    }

    template <class Order>
    Machine machine_of(const BasicSample<Order>& sample) const {
        const auto& tasks = timeline_.tasks();
        const auto id = tasks.has_guests() ? sample.id() : std::nullopt;
        return id ? tasks.machine_of(*id) : host;
    }

    template <class Order>
    std::uint32_t task(const BasicSample<Order>& sample, Tid tid, std::string_view comm, std::uint32_t label) {
        SampledTask task;
        task.label = label;
        if (options_.by_comm) {
            task.comm = comm;
            if (comm.empty()) task.tid = tid;
        }
        if (options_.by_pid) task.pid = moment_.pid;
        if (options_.by_tid) task.tid = tid;
        if (options_.by_cpu) task.cpu = sample.cpu().value_or(nobody.value);
        if (options_.by_cgroup) task.cgroup = sample.details().cgroup().value_or(0);
        return counted_.task(task, 1);
    }

    // Returns the part of the filter that leaves out the sampled code.
    template <class Order>
    FilterPart drop_code(const BasicSample<Order>& sample) {
        if (options_.filter.code.empty() || options_.functions == nullptr) return FilterPart::none;
        // Without chains recent_kernel_ numbers places, not frames.
        const auto ip = sample.ip();
        const bool in_places = !options_.chains && ip && is_host_kernel(sample.mode());
        return frames_.left_out(unfolded_number(in_places ? looked_up(kernel_frame(*ip)) : look_up(sample)));
    }

    // LookedUp is a frame with its number in frames_, or with its hash.
    struct LookedUp {
        Frame frame;
        std::uint32_t number = none;  // if known
        bool returns = false;         // of callers: see returns_to()
        std::uint64_t hash = 0;       // of the frame, if the number is unknown
    };

    // WaitingChain is a sample whose chain was looked up, and that count_waiting_chains() will count.
    struct WaitingChain {
        std::size_t begin = 0, end = 0;  // of its callers in looked_up_, innermost first
        LookedUp sampled;                // valid if is_looked_up
        std::optional<Address> ip;
        CpuMode mode = CpuMode::unknown;
        bool is_looked_up = false;
        std::uint32_t task = 0, column = 0;
        EventCount cell;
        std::uint32_t node = none, row = none;  // once they are known
    };

    template <class Order>
    void take_chain(const BasicSample<Order>& sample, std::uint32_t task, std::uint32_t column,
                    const EventCount& cell) {
        if (!one_by_one_ && !is_near_limit()) {
            wait_for_chain(sample, true);
            auto& one = waiting_chains_.back();
            one.task = task;
            one.column = column;
            one.cell = cell;
            if (waiting_chains_.size() == most_waiting_chains || looked_up_.size() >= most_waiting_frames) {
                count_waiting_chains();
            }
            return;
        }
        count_waiting_chains();
        if (node_ == none) {
            wait_for_chain(sample, false);
            prefetch_keys();
            node_ = chain(waiting_chains_.back());
            forget_waiting_chains();
        }
        const auto number = counted_.row({task, node_});
        counted_.rows().add(number, column, cell);
        if (options_.each) {
            const auto& counted = counted_.rows().rows()[number];
            options_.each({column, counted.task, counted.chain, cell.periods, sample.time()});
        }
    }

    // What lies beyond a limit depends on what was counted before: where one may be reached by what waits, nothing
    // does.
    bool is_near_limit() const {
        constexpr std::size_t most_stack = 1u << 20;
        const auto slack = 2 * (most_waiting_frames + std::min<std::size_t>(options_.max_stack, most_stack)) +
                           most_waiting_chains * SampleCounts::most_with_inlined;
        return frames_.size() + slack >= counted_.most_frames() ||
               counted_.chains().size() + slack >= counted_.most_nodes() ||
               counted_.rows().rows().size() + most_waiting_chains >= counted_.most_rows();
    }

    // Looks up the frames of the sample's chain, and the sampled address if there is no limit near.
    template <class Order>
    void wait_for_chain(const BasicSample<Order>& sample, bool with_sampled) {
        const auto ip = sample.ip();
        auto& losses = counted_.losses();
        auto& one = waiting_chains_.emplace_back();
        one.begin = looked_up_.size();
        one.ip = ip;
        one.mode = sample.mode();
        addresses_.clear();
        is_deep_ = false;
        const bool whole = for_each_frame(sample, deferred_, [&](Address address, CpuMode at) {
            if (addresses_.size() >= options_.max_stack) {
                ++losses.deep;
                is_deep_ = true;
                return false;
            }
            addresses_.emplace_back(address, at);
            return true;
        });
        if (!whole) ++losses.broken;
        // The innermost frame is the sampled address itself.
        const std::size_t first = !addresses_.empty() && ip && addresses_.front().first == *ip ? 1 : 0;
        for (std::size_t at = first; at < addresses_.size(); ++at) {
            looked_up_.push_back(look_up(addresses_[at].first, addresses_[at].second));
            looked_up_.back().returns = returns_to(at);
        }
        add_user_stack(sample);
        one.end = looked_up_.size();
        longest_chain_ = std::max(longest_chain_, one.end - one.begin);
        if (with_sampled) look_up_sampled(one);
    }

    void look_up_sampled(WaitingChain& one) {
        one.sampled = one.ip ? look_up(*one.ip, one.mode) : looked_up(no_address(one.mode));
        one.is_looked_up = true;
    }

    void prefetch_keys() const {
        for (const auto& one : looked_up_) {
            if (one.number == none) frames_.prefetch_key(one.hash);
        }
    }

    void forget_waiting_chains() {
        waiting_chains_.clear();
        looked_up_.clear();
    }

    // As in count_waiting(), each step handles several samples while the memory of later ones is fetched.
    void count_waiting_chains() {
        if (waiting_chains_.empty()) return;
        prefetch_keys();
        for (const auto& one : waiting_chains_) {
            if (one.sampled.number == none) frames_.prefetch_key(one.sampled.hash);
        }
        auto& chains = counted_.chains();
        for (auto& one : waiting_chains_) {
            for (auto at = one.end; at-- > one.begin;) {
                looked_up_[at].number = unfolded_number(looked_up_[at]);
                frames_.prepare(looked_up_[at].number, true);
            }
            one.sampled.number = unfolded_number(one.sampled);
            frames_.prepare(one.sampled.number, false);
            const auto outermost = one.begin != one.end ? frames_.known_caller(looked_up_[one.end - 1].number)
                                                        : frames_.known_folded(one.sampled.number);
            if (outermost != none) chains.prefetch({ChainNode::none, outermost});
        }
        frames_.prefetch_prepared();
        auto& rows = counted_.rows();
        for (auto& one : waiting_chains_) {
            one.node = chain(one);
            rows.prefetch(one.node);
        }
        for (auto& one : waiting_chains_) {
            one.row = counted_.row({one.task, one.node});
            rows.prefetch_cell(one.row);
        }
        for (const auto& one : waiting_chains_) rows.add(one.row, one.column, one.cell);
        frames_.forget_prepared();
        forget_waiting_chains();
    }

    // Returns the number of the sample's chain: its address, called by the rest of its call chain.
    std::uint32_t chain(WaitingChain& waiting) {
        std::uint32_t node = ChainNode::none;
        auto& chains = counted_.chains();
        auto& losses = counted_.losses();
        frames_.begin_chain();
        const auto before = chains.size();
        auto callers = std::span(looked_up_).subspan(waiting.begin, waiting.end - waiting.begin);
        if (chains.size() + callers.size() > counted_.most_nodes()) {
            if (!callers.empty()) ++losses.cut;
            callers = {};
        }
        // Outermost first: a sample often shares outer callers with the one before it.
        bool same = true;
        std::size_t depth = 0;
        for (auto at = callers.size(); at-- > 0;) {
            const auto unfolded = unfolded_number(callers[at]);
            const bool returns = callers[at].returns;
            auto number = frames_.caller(unfolded);
            if (options_.mark_returns && returns) number |= ChainNode::returns_mark;
            // First the frame, then what was inlined there.
            std::size_t inlined = 0;
            for (bool asked = !frames_.has_inlined();;) {
                same = same && depth < last_chain_.size() && last_chain_[depth].frame == number;
                node = same ? last_chain_[depth].node : chains.intern({node, number});
                if (!same) {
                    last_chain_.resize(depth);
                    last_chain_.push_back({number, node});
                }
                ++depth;
                if (!asked) inlined = frames_.inlined_path(unfolded, returns, depth, at);
                asked = true;
                if (inlined == 0) break;
                number = frames_.path()[--inlined];
            }
        }
        if (!waiting.is_looked_up) look_up_sampled(waiting);
        const auto unfolded = unfolded_number(waiting.sampled);
        node = chains.intern({node, frames_.folded(unfolded)});
        for (auto inlined = frames_.inlined_path(unfolded, false, depth + 1, 0); inlined-- > 0;) {
            node = chains.intern({node, frames_.path()[inlined]});
        }
        if (frames_.path_folded()) ++losses.folded;
        frames_.note_chain(1 + callers.size(), chains.size() - before);
        return node;
    }

    // Returns true for the return address of a call. The first address of a context is where something was interrupted,
    // and addresses behind addresses_, which were unwound, lie in the call.
    bool returns_to(std::size_t at) const {
        return at != 0 && at < addresses_.size() && addresses_[at - 1].second == addresses_[at].second;
    }

    // Adds the callers in a copy of the user stack to looked_up_, behind the kernel's part of the chain.
    template <class Order>
    void add_user_stack(const BasicSample<Order>& sample) {
        const auto state = user_state(sample);
        if (!state) return;
        auto& losses = counted_.losses();
        if (unwinder_ == nullptr) return losses.stacks.add_not_unwound();
        unwound_.clear();
        const auto room = options_.max_stack - std::min<std::size_t>(addresses_.size(), options_.max_stack);
        const auto unwound = unwinder_->unwind(moment_, *state, room, unwound_);
        losses.stacks.add(*state, unwound);
        if (unwound.end == StackEnd::frame_limit && !is_deep_) ++losses.deep;
        // Where user space was interrupted, the innermost frame is the sampled address itself.
        const bool sampled = addresses_.empty() && !unwound_.empty() && sample.ip() == unwound_.front().address;
        for (std::size_t at = sampled ? 1 : 0; at < unwound_.size(); ++at) {
            looked_up_.push_back(looked_up(unwound_[at].frame));
        }
    }

    struct KernelPlace {
        Address address;
        std::uint32_t epoch = 0;
        std::uint32_t task = 0;  // 0 with chains
        bool operator==(const KernelPlace&) const = default;
    };

    template <class Order>
    LookedUp look_up(const BasicSample<Order>& sample) {
        if (const auto ip = sample.ip()) return look_up(*ip, sample.mode());
        return looked_up(no_address(sample.mode()));
    }

    LookedUp look_up(Address address, CpuMode mode) {
        if (is_host_kernel(mode)) {
            auto& recent = recent_kernel(address, 0);
            if (recent.number == none) recent.number = frames_.unfolded(kernel_frame(address));
            return {{}, recent.number, false, 0};
        }
        return looked_up(frame_at(timeline_, jit_, moment_, address, mode, &recent_tasks_));
    }
    LookedUp looked_up(const Frame& frame) const {
        const auto hash = frames_.hash(frame);
        frames_.prefetch(hash);
        return {frame, none, false, hash};
    }

    // Waiting is a sample that count_waiting() will count in places_.
    struct Waiting {
        SampledPlace place;
        std::uint32_t number = none;  // of the place, if known
        std::uint64_t hash = 0;       // of the place, if the number is unknown
        // For a kernel place: the cache entry that receives the number, unless it holds another key by then.
        RecentFrames<KernelPlace>::Entry* recent = nullptr;
        KernelPlace key;
        std::uint32_t column = 0;
        EventCount cell;
    };

    template <class Order>
    Waiting waiting(const BasicSample<Order>& sample, std::uint32_t task) {
        const auto mode = sample.mode();
        const auto ip = sample.ip();
        Waiting one;
        if (ip && is_host_kernel(mode)) {
            auto& recent = recent_kernel(*ip, task);
            one.number = recent.number;
            if (one.number != none) return one;
            one.recent = &recent;
            one.key = recent.key;
            one.place = {kernel_frame(*ip), task};
        } else {
            one.place = {ip ? frame_at(timeline_, jit_, moment_, *ip, mode, &recent_tasks_) : no_address(mode), task};
        }
        one.hash = places_.hash(one.place);
        places_.prefetch(one.hash);
        return one;
    }

    static Frame nowhere(Miss miss, CpuMode mode) { return Frame::nowhere({}, miss, mode); }
    static Frame no_address(CpuMode mode) { return nowhere(Miss::no_address, mode); }

    // A frame of the host's kernel depends on nothing but address and epoch.
    bool is_host_kernel(CpuMode mode) const { return mode == CpuMode::kernel && moment_.machine == host; }
    // Returns the cache entry to use. Its number is `none` if it held another place.
    RecentFrames<KernelPlace>::Entry& recent_kernel(Address address, std::uint32_t task) {
        const KernelPlace key{address, epochs_.at(moment_.time), task};
        auto& recent = recent_kernel_.place(address.value);
        if (!(recent.key == key)) recent = {key, none};
        return recent;
    }

    Frame kernel_frame(Address address) {
        auto frame = frame_at(timeline_, jit_, moment_, address, CpuMode::kernel, &recent_tasks_);
        if (options_.versions != nullptr) {
            constexpr std::uint32_t most = 0xffff;
            frame.version =
                static_cast<std::uint16_t>(std::min(options_.versions->number_at(address, moment_.time), most));
        }
        return frame;
    }

    std::uint32_t unfolded_number(const LookedUp& looked_up) {
        return looked_up.number != none ? looked_up.number : frames_.unfolded(looked_up.frame, looked_up.hash);
    }

    std::uint32_t place_number(const SampledPlace& place, std::uint64_t hash) {
        const SampledPlace other{nowhere(Miss::not_kept, CpuMode::unknown), place.task};
        const auto number = places_.intern_within(counted_.most_places(), place, hash, other);
        place_cells_.resize(places_.size());
        return number;
    }

    // The tables are larger than the cache: each step handles many samples while the memory of later ones is fetched.
    void count_waiting() {
        for (const auto& one : waiting_) {
            if (one.number == none) places_.prefetch_key(one.hash);
        }
        for (auto& one : waiting_) {
            if (one.number == none) one.number = place_number(one.place, one.hash);
            if (one.recent != nullptr && one.recent->key == one.key) one.recent->number = one.number;
            place_cells_.prefetch(one.number);
        }
        for (const auto& one : waiting_) place_cells_.add(one.number, one.column, one.cell);
        waiting_.clear();
    }

    // Folds each frame only once. That names them, and may take long: returns false if it was asked to stop.
    bool fold_places() {
        constexpr std::size_t places_a_look = 256;
        std::vector<std::uint32_t> node;  // by number of the folded frame
        const auto places = places_.keys();
        std::vector<std::uint32_t> row;  // by number of the place
        row.reserve(places.size());
        for (std::size_t number = 0; number < places.size(); ++number) {
            if (frames_.stopped() || (number % places_a_look == 0 && options_.stop.stop_requested())) return false;
            const auto folded = frames_.folded(frames_.unfolded(places[number].frame));
            if (node.size() <= folded) node.resize(counted_.frames().size(), none);
            if (node[folded] == none) node[folded] = counted_.chains().intern({ChainNode::none, folded});
            row.push_back(counted_.rows().number({places[number].task, node[folded]}));
        }
        place_cells_.each([&](std::uint32_t place, std::size_t column, const EventCount& cell) {
            counted_.rows().add(row[place], column, cell);
        });
        return true;
    }

    const Timeline& timeline_;
    const SampleCountOptions& options_;
    const JitCodes* jit_;  // null: none
    KernelEpochs epochs_;
    RecentTasks recent_tasks_;
    RecentFrames<KernelPlace> recent_kernel_;
    const DeferredChains& deferred_;
    perfdata::Shared<StackUnwinder> unwinder_;  // null: no stacks, or nothing unwinds them
    std::vector<UnwoundFrame> unwound_;         // of the current sample
    CounterSamples counters_;
    std::optional<bool> passes_;  // the current sample passes only_calls; empty: not asked
    std::uint32_t node_ = none;   // of the current sample's chain, once it is counted
    bool is_deep_ = false;        // the recorded chain of the current sample has more than max_stack
    std::size_t longest_chain_ = 0;
    const bool one_by_one_;  // samples with chains must not wait
    Moment moment_;
    CountedRows counted_;
    FrameNumbers frames_;
    // Without chains:
    InternTable<SampledPlace> places_;
    CellTable place_cells_;  // by place and counted event
    std::vector<Waiting> waiting_;
    std::vector<LookedUp> looked_up_;  // callers of waiting_chains_
    std::vector<WaitingChain> waiting_chains_;
    std::vector<std::pair<Address, CpuMode>> addresses_;
    struct Level {
        std::uint32_t frame, node;
    };
    std::vector<Level> last_chain_;  // of the previous sample, outermost first, without the sampled address
};

}  // namespace perfdata
