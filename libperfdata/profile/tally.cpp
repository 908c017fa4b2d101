// SPDX-License-Identifier: MIT
#include "perfdata/profile/tally.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "perfdata/core/guarded.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"

namespace perfdata {

std::uint64_t Runner::hash() const {
    const auto name = reinterpret_cast<std::uintptr_t>(comm.data());
    return (name ^ std::uint64_t{pid.value} << 32 ^ tid.value) * 0x9ddfea08eb382d69u ^ std::uint64_t{cpu} << 48 ^
           cgroup;
}

namespace {

// KernelEpochs divides time into stretches in which nothing came to lie or went in kernel space.
class KernelEpochs {
  public:
    KernelEpochs(const Timeline& timeline, const CodeVersions* versions) {
        const auto add = [&](Time time) {
            // What ends at a time may or may not count as there at that very time: either way it is an epoch apart.
            changes_.push_back(time);
            if (time != Time::forever()) changes_.push_back({time.nanoseconds + 1});
        };
        for (const auto& code : timeline.code()) {
            add(code.from);
            add(code.until);
        }
        for (const auto& mapping : timeline.tasks().mappings()) {
            const auto kind = timeline.tasks().object(mapping).kind;
            if (kind == ObjectKind::kernel || kind == ObjectKind::module) add(mapping.from);
        }
        if (versions != nullptr) {
            const auto changes = versions->changes();
            changes_.insert(changes_.end(), changes.begin(), changes.end());
        }
        std::ranges::sort(changes_);
        const auto repeated = std::ranges::unique(changes_);
        changes_.erase(repeated.begin(), repeated.end());
    }

    // at(time) is the number of its stretch.
    std::uint32_t at(Time time) {
        if (time < from_ || time >= until_) {
            const auto next = std::ranges::upper_bound(changes_, time);
            epoch_ = static_cast<std::uint32_t>(next - changes_.begin());
            from_ = next == changes_.begin() ? Time{} : *std::prev(next);
            until_ = next == changes_.end() ? Time::forever() : *next;
        }
        return epoch_;
    }

  private:
    std::vector<Time> changes_;
    std::uint32_t epoch_ = 0;
    Time from_, until_;  // of epoch_; at first of none
};

// RecentFrames remembers the numbers of frames that were asked for lately: most are asked for again soon.
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

// RowTable is rows with their cells.
class RowTable {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit RowTable(std::size_t columns = 1) : columns_(columns) {}

    std::uint32_t number(const Tally::Row& row) {
        if (first_.size() <= row.chain) first_.resize(std::max<std::size_t>(row.chain + 1, 2 * first_.size()));
        auto& first = first_[row.chain];
        if (first.number == none) {
            first = {row.runner, add(row)};
            return first.number;
        }
        if (first.runner == row.runner) return first.number;
        auto& number = others_.number(row.hash(), [&](std::uint32_t known) { return rows_[known] == row; });
        if (number == HashSlots::free) number = add(row);
        return number;
    }
    // prefetch(row) has the memory of a later number(row) fetched meanwhile.
    void prefetch(const Tally::Row& row) const {
        if (row.chain < first_.size()) __builtin_prefetch(&first_[row.chain]);
        others_.prefetch(row.hash());
    }

    Cell* cells(std::uint32_t number) { return &cells_[number * columns_]; }
    std::span<const Tally::Row> rows() const { return rows_; }
    void give(std::vector<Tally::Row>& rows, Cells& cells) && {
        rows = std::move(rows_);
        cells = std::move(cells_);
    }

  private:
    std::uint32_t add(const Tally::Row& row) {
        rows_.push_back(row);
        cells_.resize(rows_.size() * columns_);
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }

    std::size_t columns_;
    std::vector<Tally::Row> rows_;
    Cells cells_;
    // Most chains are of one runner only.
    struct First {
        std::uint32_t runner = 0;
        std::uint32_t number = none;
    };
    std::vector<First> first_;  // by chain
    HashSlots others_;          // all rows that are not the first of their chain
};

}  // namespace

// Each sample costs one lookup for its runner, and for each frame of its chain one in the timeline and one in the
// table of chains. Addresses of the kernel repeat soon, so a small cache stands before the timeline.
class TallyCounter {
  public:
    TallyCounter(const Recording& recording, const Timeline& timeline, const TallyOptions& options)
        : timeline_(timeline),
          options_(options),
          epochs_(timeline, options.versions),
          deferred_(options.chains ? DeferredChains::read(recording) : DeferredChains()),
          column_(recording.events().events().size(), not_counted) {
        auto& events = tally_.events_;
        events = options.events;
        std::erase_if(events, [&](std::uint32_t event) { return event >= column_.size(); });
        if (events.empty()) {
            events.resize(column_.size());
            std::iota(events.begin(), events.end(), 0u);
        }
        for (std::size_t column = 0; column < events.size(); ++column) column_[events[column]] = column;
        chain_rows_ = RowTable(events.size());
        frame_rows_ = RowTable(events.size());
        tally_.totals_.resize(events.size());
        tally_.considered_.resize(events.size());
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto column = column_[context.event];
        if (column == not_counted) return;
        moment_ = {context.time, sample.pid().value_or(nobody), machine_of(sample)};
        const auto tid = sample.tid().value_or(Tid{nobody.value});
        const bool needs_comm = options_.by_comm || !options_.comms.empty();
        const auto comm =
            needs_comm ? timeline_.tasks().comm_at(tid, context.time, moment_.machine) : std::string_view();
        if (!considered(sample, context.time)) return;
        const Cell cell{1, sample.period()};
        tally_.considered_[column] += cell;
        if (!wanted(tid, comm)) return;
        note_time(sample.time());
        tally_.totals_[column] += cell;
        const auto who = runner(sample, tid, comm);
        if (options_.chains) {
            chain_rows_.cells(chain_rows_.number({who, chain(sample)}))[column] += cell;
        } else {
            waiting_.push_back({look_up(sample), who, static_cast<std::uint32_t>(column), cell});
            if (waiting_.size() == most_waiting) count_waiting();
        }
    }

    Tally finish() && {
        if (!options_.chains) {
            count_waiting();
            fold_frame_rows();
        }
        std::move(chain_rows_).give(tally_.rows_, tally_.cells_);
        return std::move(tally_);
    }

  private:
    static constexpr std::size_t not_counted = ~std::size_t{0};
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t most_waiting = 32;
    static constexpr Pid nobody{~std::uint32_t{0}};

    template <class Order>
    Machine machine_of(const BasicSample<Order>& sample) const {
        const auto& tasks = timeline_.tasks();
        const auto id = tasks.has_guests() ? sample.id() : std::nullopt;
        return id ? tasks.machine_of(*id) : host;
    }

    static bool among(const auto& chosen, const auto& value) {
        return chosen.empty() || std::ranges::find(chosen, value) != chosen.end();
    }

    template <class Order>
    bool considered(const BasicSample<Order>& sample, Time time) const {
        return (options_.cpus.empty() || among(options_.cpus, sample.cpu().value_or(nobody.value))) &&
               time >= options_.from && time <= options_.until;
    }

    bool wanted(Tid tid, std::string_view comm) const {
        return among(options_.comms, comm) && among(options_.pids, moment_.pid.value) &&
               among(options_.tids, tid.value);
    }

    template <class Order>
    std::uint32_t runner(const BasicSample<Order>& sample, Tid tid, std::string_view comm) {
        Runner runner;
        if (options_.by_comm) {
            runner.comm = comm;
            if (comm.empty()) runner.tid = tid;
        }
        if (options_.by_pid) runner.pid = moment_.pid;
        if (options_.by_tid) runner.tid = tid;
        if (options_.by_cpu) runner.cpu = sample.cpu().value_or(nobody.value);
        if (options_.by_cgroup) runner.cgroup = sample.details().cgroup().value_or(0);
        // Samples of one thread come in a row.
        if (!(runner == last_runner_) || tally_.runners_.size() == 0) {
            last_runner_ = runner;
            last_runner_number_ = tally_.runners_.intern(runner);
        }
        return last_runner_number_;
    }

    // chain() is the number of the sample's chain: its address, called by the rest of its call chain.
    template <class Order>
    std::uint32_t chain(const BasicSample<Order>& sample) {
        const auto ip = sample.ip();
        std::uint32_t node = ChainNode::none;
        if (options_.chains) {
            addresses_.clear();
            const bool whole = for_each_frame(
                sample, deferred_, [&](Address address, CpuMode at) { addresses_.emplace_back(address, at); });
            if (!whole) ++tally_.broken_chains_;
            if (addresses_.size() > options_.max_stack) addresses_.resize(options_.max_stack);
            // The innermost is the sampled address itself.
            const std::size_t first = !addresses_.empty() && ip && addresses_.front().first == *ip ? 1 : 0;
            looked_up_.clear();
            for (std::size_t at = first; at < addresses_.size(); ++at) {
                looked_up_.push_back(look_up(addresses_[at].first, addresses_[at].second));
            }
            // Outermost first: a sample often has the outer callers of the one before it.
            bool same = true;
            std::size_t depth = 0;
            for (auto at = looked_up_.size(); at-- > 0; ++depth) {
                const auto number = chain_number(looked_up_[at]);
                same = same && depth < last_chain_.size() && last_chain_[depth].frame == number;
                node = same ? last_chain_[depth].node : tally_.chains_.intern({node, number});
                if (!same) {
                    last_chain_.resize(depth);
                    last_chain_.push_back({number, node});
                }
            }
        }
        return tally_.chains_.intern({node, chain_number(look_up(sample))});
    }

    // LookedUp is a frame that is to be numbered among unfolded_.
    struct LookedUp {
        Frame frame;
        std::uint32_t number = none;  // if it is known already
    };

    template <class Order>
    LookedUp look_up(const BasicSample<Order>& sample) {
        const auto mode = sample.mode();
        if (const auto ip = sample.ip()) return look_up(*ip, mode);
        return {{0, static_cast<std::uint32_t>(Miss::no_address), FrameKind::nowhere, mode}};
    }

    LookedUp look_up(Address address, CpuMode mode) {
        // Of the host's kernel the answer depends on nothing but address and epoch.
        if (mode == CpuMode::kernel && moment_.machine == host) {
            const KernelPlace key{address, epochs_.at(moment_.time)};
            auto& recent = recent_kernel_.place(address.value);
            if (recent.number == none || !(recent.key == key)) {
                recent = {key, unfolded_.intern(kernel_frame(address))};
            }
            return {{}, recent.number};
        }
        const auto frame = frame_at(timeline_, options_.jit, moment_, address, mode);
        unfolded_.prefetch(frame);
        return {frame};
    }

    Frame kernel_frame(Address address) const {
        auto frame = frame_at(timeline_, options_.jit, moment_, address, CpuMode::kernel);
        if (options_.versions != nullptr) {
            constexpr std::uint32_t most = 0xffff;
            frame.version =
                static_cast<std::uint16_t>(std::min(options_.versions->number_at(address, moment_.time), most));
        }
        return frame;
    }

    std::uint32_t unfolded_number(const LookedUp& looked_up) {
        return looked_up.number != none ? looked_up.number : unfolded_.intern(looked_up.frame);
    }

    // chain_number(...) is the number of the folded frame in the tally.
    std::uint32_t chain_number(const LookedUp& looked_up) {
        const auto number = unfolded_number(looked_up);
        if (number >= folded_.size()) folded_.resize(unfolded_.size(), none);
        auto& folded = folded_[number];
        if (folded == none) folded = fold(unfolded_[number]);
        return folded;
    }

    std::uint32_t fold(const Frame& frame) {
        return tally_.frames_.intern(options_.fold ? options_.fold(frame) : frame);
    }

    // The tables are larger than the cache: a step for many samples at a time, while memory for the next is fetched.
    void count_waiting() {
        for (const auto& one : waiting_) {
            if (one.frame.number == none) unfolded_.prefetch_key(one.frame.frame);
        }
        for (auto& one : waiting_) {
            one.number = unfolded_number(one.frame);
            frame_rows_.prefetch({one.runner, one.number});
        }
        for (auto& one : waiting_) {
            one.number = frame_rows_.number({one.runner, one.number});
            __builtin_prefetch(frame_rows_.cells(one.number), 1);
        }
        for (const auto& one : waiting_) frame_rows_.cells(one.number)[one.column] += one.cell;
        waiting_.clear();
    }

    // Single frames are folded when all is counted, each but once, in the order of their samples.
    void fold_frame_rows() {
        std::vector<std::uint32_t> node(unfolded_.size(), none);
        const auto columns = tally_.events_.size();
        const auto rows = frame_rows_.rows();
        for (std::uint32_t number = 0; number < rows.size(); ++number) {
            const auto [runner, frame] = rows[number];
            if (node[frame] == none) node[frame] = tally_.chains_.intern({ChainNode::none, fold(unfolded_[frame])});
            auto* const sum = chain_rows_.cells(chain_rows_.number({runner, node[frame]}));
            const auto* const cells = frame_rows_.cells(number);
            for (std::size_t column = 0; column < columns; ++column) sum[column] += cells[column];
        }
    }

    void note_time(std::optional<Time> time) {
        if (!time) return;
        if (!tally_.first_time_ || *time < *tally_.first_time_) tally_.first_time_ = time;
        if (!tally_.last_time_ || *time > *tally_.last_time_) tally_.last_time_ = time;
    }

    const Timeline& timeline_;
    const TallyOptions& options_;
    KernelEpochs epochs_;
    struct KernelPlace {
        Address address;
        std::uint32_t epoch = 0;
        bool operator==(const KernelPlace&) const = default;
    };
    RecentFrames<KernelPlace> recent_kernel_;
    DeferredChains deferred_;
    std::vector<std::size_t> column_;  // of an event
    Moment moment_;
    Runner last_runner_;
    std::uint32_t last_runner_number_ = 0;
    InternTable<Frame> unfolded_;
    std::vector<std::uint32_t> folded_;  // by number in unfolded_: of the frame that counts instead; or none
    RowTable chain_rows_;
    RowTable frame_rows_;  // without chains: instead of a chain, number in unfolded_
    struct Waiting {
        LookedUp frame;
        std::uint32_t runner, column;
        Cell cell;
        std::uint32_t number = none;
    };
    std::vector<Waiting> waiting_;
    std::vector<LookedUp> looked_up_;  // addresses_, but for the sampled one
    std::vector<std::pair<Address, CpuMode>> addresses_;
    struct Level {
        std::uint32_t frame, node;
    };
    std::vector<Level> last_chain_;  // of the sample before, outermost first, but for the sampled address
    Tally tally_;
};

Result<Tally> Tally::count(const Recording& recording, const Timeline& timeline, const TallyOptions& options) {
    return guarded([&]() -> Result<Tally> {
        TallyCounter counter(recording, timeline, options);
        Completeness seen;  // the timeline's pass has counted all records already
        if (auto walked =
                walk(recording, seen, counter, {.order = {}, .stop = options.stop, .progress = options.progress});
            !walked) {
            return fail(walked.error());
        }
        return std::move(counter).finish();
    });
}

}  // namespace perfdata
