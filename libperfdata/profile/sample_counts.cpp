// SPDX-License-Identifier: MIT
#include "perfdata/profile/sample_counts.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/call_filter.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "kernel_epochs.hpp"
#include "marked_chains.hpp"
#include "row_table.hpp"

namespace perfdata {

SampledTask SampledTask::further() {
    static constexpr std::string_view name = "[further tasks]";
    SampledTask task;
    task.comm = name;
    task.cpu = ~std::uint32_t{0};
    task.label = further_label;
    return task;
}

std::uint64_t SampledTask::hash(const HashKey& key) const {
    const auto name = reinterpret_cast<std::uintptr_t>(comm.data());
    const auto under = reinterpret_cast<std::uintptr_t>(parent.data());
    const auto place = std::uint64_t{label} << 32 | cpu;
    return key(under == 0 ? name : key(name, under), std::uint64_t{pid.value} << 32 | tid.value, place, cgroup);
}

namespace {

// RecentFrames caches the numbers of recently used frames: most are used again soon. Each has one possible slot:
// addresses chosen to collide cost as much as without the cache.
template <class Key>
class RecentFrames {
  public:
    struct Entry {
        Key key{};
        std::uint32_t number = none;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    RecentFrames() : entries_(size) {}
    Entry& place(std::uint64_t hash) { return entries_[(hash * 0x9e3779b97f4a7c15u) >> (64 - bits)]; }

  private:
    static constexpr unsigned bits = 12;
    static constexpr std::size_t size = std::size_t{1} << bits;
    std::vector<Entry> entries_;
};

// SampledPlace is a frame that was sampled in a task.
struct SampledPlace {
    Frame frame;
    std::uint32_t task = 0;

    bool operator==(const SampledPlace&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), task); }
};

}  // namespace

// Each sample costs one look-up for its task, and for each frame of its chain one in the timeline and one in the chain
// table. Kernel addresses repeat soon, so a small cache precedes the timeline. Without chains a sample counts by frame
// and task; places of one function are added up at the end:
//
//     with chains       frames -> unfolded_ -> fold -> counts_.chains_ -> chain_rows_ (task, chain)
//                                           -> inlined functions -^
//     without chains    frame  -> places_ (task, frame) -> at the end: fold -> chain_rows_
class SampleCounter {
  public:
    static constexpr bool samples_only = true;

    SampleCounter(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options)
        : timeline_(timeline),
          options_(options),
          jit_(options.jit != nullptr && !options.jit->empty() ? options.jit : nullptr),
          epochs_(timeline, options.versions),
          recent_tasks_(timeline.tasks()),
          deferred_(options.chains ? DeferredChains::read(recording, options.stop) : DeferredChains()),
          inlines_(options.chains && options.inlines && options.functions != nullptr),
          unwinder_(unwinder_for(recording, options)),
          counters_(recording, &timeline.tasks()),
          column_(recording.events().events().size(), not_counted) {
        counts_.chain_losses_.max_stack = options.max_stack;
        auto& events = counts_.events_;
        events = options.filter.events;
        std::erase_if(events, [&](std::uint32_t event) { return event >= column_.size(); });
        if (events.empty()) {
            events.resize(column_.size());
            std::iota(events.begin(), events.end(), 0u);
        }
        for (std::size_t column = 0; column < events.size(); ++column) column_[events[column]] = column;
        chain_rows_ = RowTable(events.size());
        place_cells_ = CellTable(events.size());
        is_used_.resize(events.size());
        const auto& limits = recording.limits();
        most_cells_ = most_cells_limit_ = limits.cells;
        most_nodes_ = limits.chain_nodes;
        // Whoever asks for the counts may need a cell for each row and event. A small file may declare many events: its
        // samples bound the rows.
        constexpr std::size_t cells_a_sample = 16, nodes_a_sample = 64;
        if (place_cells_.is_sparse()) {
            samples_ = samples_of(timeline.completeness());
            most_cells_ = std::min(limits.cells, std::max(few_cells, cells_a_sample * samples_));
            most_nodes_ = std::min(most_nodes_, std::max(few_cells, nodes_a_sample * samples_) / events.size());
        }
        // Each place may be sampled, and is then a node of its own.
        most_frames_ = std::max(std::min(limits.places, most_nodes_), least);
        places_limit_ = std::max(limits.places, least);
        bound_rows(events.size());
        counts_.totals_.resize(events.size());
        counts_.considered_.resize(events.size());
        counts_.dropped_ = DroppedBy(events.size());
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        // The counters of a sample share its chain.
        passes_.reset();
        node_ = none;
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            if (const auto column = column_[event]; column != not_counted) take(context, sample, column, period);
        });
    }

    // Returns the progress of the walk.
    Progress progress() {
        if (!options_.progress) return {};
        return [this](std::uint64_t read, std::uint64_t total) {
            told_ = {read, total};
            options_.progress(read, total);
        };
    }

    // Returns nothing if it was asked to stop.
    std::optional<SampleCounts> finish() && {
        if (stopped_) return {};
        if (!options_.chains) {
            count_waiting();
            if (!fold_places()) return {};
        }
        if (stopped_) return {};
        mark_chains(options_, counts_.chains_.nodes(), counts_.frames_.keys(), counts_.events_.size(), counts_.tasks_,
                    chain_rows_);
        std::move(chain_rows_).give(counts_.rows_, counts_.cells_, counts_.cell_begin_, counts_.cell_column_);
        // Free the tables: what follows needs memory, too.
        chain_rows_ = RowTable();
        unfolded_ = {};
        folded_ = {};
        kept_ = {};
        left_out_ = {};
        inlined_ = {};
        inlined_at_ = {};
        counts_.frames_.seal();
        counts_.chains_.seal();
        counts_.tasks_.seal();
        counts_.counter_losses_ = counters_.losses();
        return std::move(counts_);
    }

  private:
    static constexpr std::size_t few_cells = std::size_t{1} << 20;
    static constexpr std::size_t least = 64;  // always keep a few, so that some places are told apart
    static constexpr std::size_t not_counted = ~std::size_t{0};
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t most_waiting = 64;
    static constexpr Pid nobody{~std::uint32_t{0}};
    static constexpr std::uint8_t not_asked = 0xff;

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
        const auto drop = [&](FilterPart part) {
            if (part != FilterPart::none) counts_.dropped_.of(part)[column] += cell;
            return part != FilterPart::none;
        };
        if (drop(filter.drop_moment(context.time, sample.cpu()))) return;
        counts_.considered_[column] += cell;
        note_used(column);
        const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
        if (drop(filter.drop_task({comm, moment_.pid, tid, cgroup}))) return;
        // Counters of a group share the payload of the event that was sampled.
        if (drop(filter.drop_payload(context.event, sample, comm)) || drop(drop_code(sample))) return;
        note_time(sample.time());
        counts_.totals_[column] += cell;
        const auto label = options_.label ? options_.label(context.event, sample.details().raw(), moment_) : 0u;
        if (label != 0) note_labelled();
        const auto who = task(sample, tid, comm, label);
        if (who == further_) ++counts_.in_further_tasks_;
        if (options_.chains) {
            if (node_ == none) node_ = chain(sample);
            const auto number = row({who, node_});
            chain_rows_.add(number, column, cell);
            if (options_.each) {
                const auto& counted = chain_rows_.rows()[number];
                options_.each({column, counted.task, counted.chain, period, sample.time()});
            }
        } else {
            waiting_.push_back(waiting(sample, who));
            waiting_.back().column = static_cast<std::uint32_t>(column);
            waiting_.back().cell = cell;
            if (waiting_.size() == most_waiting) count_waiting();
        }
    }

    // Lets so many rows be that each can have a cell for so many events.
    void bound_rows(std::size_t events) {
        const auto most = std::max(most_cells_ / std::max<std::size_t>(events, 1), least);
        most_rows_ = most;
        most_places_ = options_.chains ? places_limit_ : std::min(places_limit_, most);
        most_tasks_ = std::min(most_places_, most);  // each may need a row for Miss::not_kept
    }

    // Labels are many: each value of a tracepoint may be one, and needs its row. Only reports have them, and no columns
    // for events without samples.
    void note_used(std::size_t column) {
        if (is_used_[column]) return;
        is_used_[column] = true;
        ++used_;
        if (is_labelled_) bound_rows(used_);
    }
    void note_labelled() {
        if (is_labelled_) return;
        is_labelled_ = true;
        constexpr std::size_t cells_a_sample = 128;
        if (place_cells_.is_sparse()) {
            most_cells_ = std::min(most_cells_limit_, std::max(few_cells, cells_a_sample * samples_));
        }
        bound_rows(used_);
    }

    static Shared<StackUnwinder> unwinder_for(const Recording& recording, const SampleCountOptions& options) {
        const auto in_stack = [](const Event& event) { return event.sample.shape().callers_in_stack(); };
        if (!options.chains || options.functions == nullptr) return nullptr;
        return std::ranges::any_of(recording.events().events(), in_stack) ? options.functions->unwinder(options.stop)
                                                                          : nullptr;
    }

    static std::size_t samples_of(const Completeness& completeness) {
        const auto found = completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
        return found == completeness.records.end() ? 0 : static_cast<std::size_t>(found->second.total());
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
        // Samples of one thread are mostly adjacent.
        if (!(task == last_task_) || counts_.tasks_.size() == 0) {
            last_task_ = task;
            const bool is_full = counts_.tasks_.size() >= most_tasks_;
            last_task_number_ = counts_.tasks_.intern_within(most_tasks_, task, SampledTask::further());
            if (is_full && counts_.tasks_[last_task_number_].is_further()) further_ = last_task_number_;
        }
        return last_task_number_;
    }

    // Returns the part of the filter that leaves out the sampled code.
    template <class Order>
    FilterPart drop_code(const BasicSample<Order>& sample) {
        if (options_.filter.code.empty() || options_.functions == nullptr) return FilterPart::none;
        // Without chains recent_kernel_ numbers places, not frames.
        const auto ip = sample.ip();
        const bool in_places = !options_.chains && ip && is_host_kernel(sample.mode());
        const auto number = unfolded_number(in_places ? looked_up(kernel_frame(*ip)) : look_up(sample));
        if (number >= left_out_.size()) left_out_.resize(unfolded_.size(), not_asked);
        auto& part = left_out_[number];
        if (part == not_asked && !load(unfolded_[number], CodeDetail::names)) return FilterPart::none;
        if (part == not_asked) {
            part = static_cast<std::uint8_t>(options_.functions->left_out(unfolded_[number], options_.filter.code));
        }
        return filter_part(CodePart{part});
    }

    // Returns the number of the sample's chain: its address, called by the rest of its call chain.
    template <class Order>
    std::uint32_t chain(const BasicSample<Order>& sample) {
        const auto ip = sample.ip();
        std::uint32_t node = ChainNode::none;
        std::size_t nodes = 0, recorded = 1;
        path_folded_ = false;
        const auto before = counts_.chains_.size();
        if (options_.chains) {
            addresses_.clear();
            is_deep_ = false;
            const bool whole = for_each_frame(sample, deferred_, [&](Address address, CpuMode at) {
                if (addresses_.size() >= options_.max_stack) {
                    ++counts_.chain_losses_.deep;
                    is_deep_ = true;
                    return false;
                }
                addresses_.emplace_back(address, at);
                return true;
            });
            if (!whole) ++counts_.chain_losses_.broken;
            // The innermost frame is the sampled address itself.
            const std::size_t first = !addresses_.empty() && ip && addresses_.front().first == *ip ? 1 : 0;
            looked_up_.clear();
            for (std::size_t at = first; at < addresses_.size(); ++at) {
                looked_up_.push_back(look_up(addresses_[at].first, addresses_[at].second));
            }
            add_user_stack(sample);
            for (const auto& one : looked_up_) {
                if (one.number == none) unfolded_.prefetch_key(one.hash);
            }
            if (counts_.chains_.size() + looked_up_.size() > most_nodes_) {
                if (!looked_up_.empty()) ++counts_.chain_losses_.cut;
                looked_up_.clear();
            }
            recorded += looked_up_.size();
            // Outermost first: a sample often shares outer callers with the one before it.
            bool same = true;
            std::size_t depth = 0;
            for (auto at = looked_up_.size(); at-- > 0;) {
                const auto unfolded = unfolded_number(looked_up_[at]);
                auto number = options_.fold_callers ? chain_number(unfolded) : caller_number(unfolded);
                // First the frame, then what was inlined there.
                std::size_t inlined = 0;
                for (bool asked = inlined_.size() == 0;;) {
                    same = same && depth < last_chain_.size() && last_chain_[depth].frame == number;
                    node = same ? last_chain_[depth].node : counts_.chains_.intern({node, number});
                    if (!same) {
                        last_chain_.resize(depth);
                        last_chain_.push_back({number, node});
                    }
                    ++depth;
                    if (!asked) inlined = inlined_path(unfolded, returns_to(at + first), depth, at);
                    asked = true;
                    if (inlined == 0) break;
                    number = inlined_path_[--inlined];
                }
            }
            nodes = depth;
        }
        const auto unfolded = unfolded_number(look_up(sample));
        node = counts_.chains_.intern({node, chain_number(unfolded)});
        for (auto inlined = inlined_path(unfolded, false, nodes + 1, 0); inlined-- > 0;) {
            node = counts_.chains_.intern({node, inlined_path_[inlined]});
        }
        if (path_folded_) ++counts_.chain_losses_.folded;
        note_inlined(recorded, counts_.chains_.size() - before);
        return node;
    }

    // Keeps account of new nodes: a small file may have dozens of inlined functions at each address, and every chain
    // may be a new one. Chains of programs share nearly all of their nodes.
    void note_inlined(std::size_t recorded, std::size_t added) {
        constexpr std::size_t a_frame = 4;
        inlined_left_ += a_frame * recorded;
        if (added > recorded) inlined_left_ -= std::min(inlined_left_, added - recorded);
    }

    // Returns true for the return address of a call. The first address of a context is where something was interrupted,
    // and addresses behind addresses_, which were unwound, lie in the call.
    bool returns_to(std::size_t at) const {
        return at != 0 && at < addresses_.size() && addresses_[at - 1].second == addresses_[at].second;
    }

    // Finds what is inlined at an unfolded frame: the first so many of inlined_path_, innermost first. Leaves it out if
    // there is no room for it in the chain, which has so many nodes up to the frame, or in the table, for it and for
    // the nodes to come, or if inlined functions have too many nodes for what was recorded.
    std::size_t inlined_path(std::uint32_t unfolded, bool returns, std::size_t nodes, std::size_t nodes_to_come) {
        const auto& known = inlined_at_[returns ? 1 : 0];
        auto inlined = unfolded < known.size() ? known[unfolded] : none;
        if (inlined == none) return 0;
        inlined_path_.clear();
        for (; inlined != none; inlined = inlined_.nodes()[inlined].caller) {
            inlined_path_.push_back(inlined_.nodes()[inlined].frame);
        }
        const auto more = inlined_path_.size() + nodes_to_come;
        if (nodes + more <= SampleCounts::most_with_inlined && counts_.chains_.size() + more < most_nodes_ &&
            inlined_path_.size() <= inlined_left_) {
            return inlined_path_.size();
        }
        path_folded_ = true;
        return 0;
    }

    // Asks what is inlined at an unfolded frame. Most have nothing: only where some have, chains look it up.
    void ask_inlined(std::uint32_t unfolded) {
        if (!inlines_ || !load(unfolded_[unfolded], CodeDetail::inlined)) return;
        for (const bool returns : {false, true}) {
            calls_.clear();
            options_.functions->add_inlined(unfolded_[unfolded], returns, calls_);
            if (calls_.empty()) continue;
            auto& known = inlined_at_[returns ? 1 : 0];
            if (unfolded >= known.size()) known.resize(unfolded_.size(), none);
            known[unfolded] = none;
            for (const auto& call : calls_) {
                known[unfolded] = inlined_.intern({known[unfolded], counts_.frames_.intern(call)});
            }
            counts_.has_inlined_ = true;
        }
    }

    // Adds the callers in a copy of the user stack to looked_up_, behind the kernel's part of the chain.
    template <class Order>
    void add_user_stack(const BasicSample<Order>& sample) {
        const auto state = user_state(sample);
        if (!state) return;
        if (unwinder_ == nullptr) return counts_.chain_losses_.stacks.add_not_unwound();
        unwound_.clear();
        const auto room = options_.max_stack - std::min<std::size_t>(addresses_.size(), options_.max_stack);
        const auto unwound = unwinder_->unwind(moment_, *state, room, unwound_);
        counts_.chain_losses_.stacks.add(*state, unwound);
        if (unwound.end == StackEnd::frame_limit && !is_deep_) ++counts_.chain_losses_.deep;
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

    // LookedUp is a frame with its number in unfolded_, or with its hash.
    struct LookedUp {
        Frame frame;
        std::uint32_t number = none;  // if known
        std::uint64_t hash = 0;       // of the frame, if the number is unknown
    };

    template <class Order>
    LookedUp look_up(const BasicSample<Order>& sample) {
        if (const auto ip = sample.ip()) return look_up(*ip, sample.mode());
        return looked_up(no_address(sample.mode()));
    }

    LookedUp look_up(Address address, CpuMode mode) {
        if (is_host_kernel(mode)) {
            auto& recent = recent_kernel(address, 0);
            if (recent.number == none) recent.number = unfolded_number(kernel_frame(address));
            return {{}, recent.number};
        }
        return looked_up(frame_at(timeline_, jit_, moment_, address, mode, &recent_tasks_));
    }
    LookedUp looked_up(const Frame& frame) const {
        const auto hash = unfolded_.hash(frame);
        unfolded_.prefetch(hash);
        return {frame, none, hash};
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

    // Returns the number of the row; beyond the limit, of the task's row for Miss::not_kept.
    std::uint32_t row(const SampleCounts::Row& row) {
        if (chain_rows_.rows().size() < most_rows_) return chain_rows_.number(row);
        if (const auto known = chain_rows_.find(row); known != RowTable::none) return known;
        const auto frame = counts_.frames_.intern(nowhere(Miss::not_kept, CpuMode::unknown));
        return chain_rows_.number({row.task, counts_.chains_.intern({ChainNode::none, frame})});
    }

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
        return looked_up.number != none ? looked_up.number : unfolded_number(looked_up.frame, looked_up.hash);
    }
    std::uint32_t unfolded_number(const Frame& frame) { return unfolded_number(frame, unfolded_.hash(frame)); }
    std::uint32_t unfolded_number(const Frame& frame, std::uint64_t hash) {
        return unfolded_.intern_within(most_frames_, frame, hash, nowhere(Miss::not_kept, frame.mode));
    }

    // Returns the number of the folded frame in the counts.
    std::uint32_t chain_number(const LookedUp& looked_up) { return chain_number(unfolded_number(looked_up)); }
    std::uint32_t chain_number(std::uint32_t number) {
        if (number >= folded_.size()) folded_.resize(unfolded_.size(), none);
        auto& folded = folded_[number];
        if (folded == none) {
            folded = fold(unfolded_[number]);
            if (!is_kept(number)) ask_inlined(number);
        }
        return folded;
    }

    // Returns the number of the unfolded frame in the counts.
    std::uint32_t caller_number(std::uint32_t number) {
        if (number >= kept_.size()) kept_.resize(unfolded_.size(), none);
        auto& kept = kept_[number];
        if (kept == none) {
            if (options_.by_name) (void)load(unfolded_[number], CodeDetail::names);
            kept = counts_.frames_.intern(unfolded_[number]);
            if (number >= folded_.size() || folded_[number] == none) ask_inlined(number);
        }
        return kept;
    }
    bool is_kept(std::uint32_t number) const { return number < kept_.size() && kept_[number] != none; }

    // Reads the file behind a frame before it is asked for. Returns false if it was asked to stop.
    bool load(const Frame& frame, CodeDetail detail) {
        if (options_.functions == nullptr || stopped_ || !is_watched_ || frame.kind != FrameKind::object)
            return !stopped_;
        auto& known = loaded_[detail == CodeDetail::inlined ? 1 : 0];
        if (frame.index >= known.size()) known.resize(frame.index + std::size_t{1});
        if (!known[frame.index]) stopped_ = !options_.functions->load(frame, detail, {options_.stop, again()});
        known[frame.index] = true;
        return !stopped_;
    }

    // Tells the progress of the walk once more.
    Progress again() const {
        if (!options_.progress) return {};
        return [this](std::uint64_t, std::uint64_t) { options_.progress(told_.first, told_.second); };
    }

    std::uint32_t fold(const Frame& frame) {
        if (options_.by_name && !load(frame, CodeDetail::names)) return counts_.frames_.intern(frame);
        return counts_.frames_.intern(options_.fold ? options_.fold(frame) : frame);
    }

    std::uint32_t place_number(const SampledPlace& place, std::uint64_t hash) {
        const SampledPlace other{nowhere(Miss::not_kept, CpuMode::unknown), place.task};
        const auto number = places_.intern_within(most_places_, place, hash, other);
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
            if (stopped_ || (number % places_a_look == 0 && options_.stop.stop_requested())) return false;
            const auto folded = chain_number(looked_up(places[number].frame));
            if (node.size() <= folded) node.resize(counts_.frames_.size(), none);
            if (node[folded] == none) node[folded] = counts_.chains_.intern({ChainNode::none, folded});
            row.push_back(chain_rows_.number({places[number].task, node[folded]}));
        }
        place_cells_.each([&](std::uint32_t place, std::size_t column, const EventCount& cell) {
            chain_rows_.add(row[place], column, cell);
        });
        return true;
    }

    void note_time(std::optional<Time> time) {
        if (!time) return;
        if (!counts_.first_time_ || *time < *counts_.first_time_) counts_.first_time_ = time;
        if (!counts_.last_time_ || *time > *counts_.last_time_) counts_.last_time_ = time;
    }

    const Timeline& timeline_;
    const SampleCountOptions& options_;
    const JitCodes* jit_;  // null: none
    KernelEpochs epochs_;
    RecentTasks recent_tasks_;
    RecentFrames<KernelPlace> recent_kernel_;
    DeferredChains deferred_;
    bool inlines_ = false;
    Shared<StackUnwinder> unwinder_;     // null: no stacks, or nothing unwinds them
    std::vector<UnwoundFrame> unwound_;  // of the current sample
    CounterSamples counters_;
    std::optional<bool> passes_;       // the current sample passes only_calls; empty: not asked
    std::uint32_t node_ = none;        // of the current sample's chain, once it is counted
    bool is_deep_ = false;             // the recorded chain of the current sample has more than max_stack
    std::vector<std::size_t> column_;  // by event
    // From Limits.
    std::size_t most_frames_ = 0, most_places_ = 0, most_nodes_ = 0, most_rows_ = 0, most_tasks_ = 0, most_cells_ = 0;
    std::size_t most_cells_limit_ = 0, places_limit_ = 0;  // Limits::cells and Limits::places
    std::size_t samples_ = 0;                              // of the recording; only if there are many events
    bool is_labelled_ = false;                             // a sample has a label
    std::vector<bool> is_used_;                            // by column: has samples
    std::size_t used_ = 0;                                 // how many
    std::uint32_t further_ = none;                         // the task for those beyond most_tasks_, once there is one
    Moment moment_;
    SampledTask last_task_;
    std::uint32_t last_task_number_ = 0;
    InternTable<Frame> unfolded_;
    std::vector<std::uint32_t> folded_;   // by number in unfolded_: number of the folded frame, or none
    std::vector<std::uint32_t> kept_;     // likewise: number of the frame itself
    std::vector<std::uint8_t> left_out_;  // likewise: the CodePart that leaves it out; or not_asked
    // Inlined functions, as chains below no caller: frames share these. By number in unfolded_, for sampled addresses
    // and for those that calls return to: the innermost one, or none; without those behind the last that has some.
    ChainTable inlined_;
    std::array<std::vector<std::uint32_t>, 2> inlined_at_;
    std::vector<Frame> calls_;                 // one answer of FunctionIndex
    std::vector<std::uint32_t> inlined_path_;  // frames, of one answer of inlined_path()
    // How many nodes of inlined functions may be added to the table: some, and more with each recorded frame.
    std::size_t inlined_left_ = std::size_t{1} << 18;
    bool path_folded_ = false;  // the current sample's chain lacks inlined calls: there is no room
    RowTable chain_rows_;
    // Without chains:
    InternTable<SampledPlace> places_;
    CellTable place_cells_;  // by place and counted event
    std::vector<Waiting> waiting_;
    std::vector<LookedUp> looked_up_;  // addresses_ without the sampled one
    std::vector<std::pair<Address, CpuMode>> addresses_;
    struct Level {
        std::uint32_t frame, node;
    };
    std::vector<Level> last_chain_;  // of the previous sample, outermost first, without the sampled address
    const bool is_watched_ = options_.stop.stop_possible() || options_.progress;
    bool stopped_ = false;
    std::pair<std::uint64_t, std::uint64_t> told_;  // the last progress
    std::array<std::vector<bool>, 2> loaded_;       // by ObjectIndex: names, and what is inlined
    SampleCounts counts_;
};

void SampleCounts::sort_by_column(std::vector<std::uint32_t>& cells) const {
    std::ranges::sort(cells, {}, [this](std::uint32_t at) { return cell_column_[at]; });
}

Result<SampleCounts> SampleCounts::count(const Recording& recording, const Timeline& timeline,
                                         const SampleCountOptions& options) {
    return catch_bad_alloc([&]() -> Result<SampleCounts> {
        SampleCounter counter(recording, timeline, options);
        Completeness seen;  // the timeline's pass has counted all records already
        // What a counter grew by depends on the order of its values.
        const bool ordered = CounterSamples::are_in(recording.events());
        if (auto walked = walk(recording, seen, counter,
                               {.order = ordered ? RecordOrder::time : RecordOrder::file,
                                .stop = options.stop,
                                .progress = counter.progress(),
                                .times = ordered ? timeline.times() : nullptr});
            !walked) {
            return fail(walked.error());
        }
        auto counts = std::move(counter).finish();
        if (!counts) return fail(ErrorCode::cancelled, Error::no_offset, "counts", "asked to stop");
        return std::move(*counts);
    });
}

}  // namespace perfdata
