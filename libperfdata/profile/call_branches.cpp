// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <tuple>

#include "perfdata/profile/call_filter.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/second_pass.hpp"

#include "call_table.hpp"
#include "stored_branches.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t call_stack = 1u << 11;  // PERF_SAMPLE_BRANCH_CALL_STACK: the stack is a call chain

// Branch types, from PERF_BR_* in perf_event.h.
enum class BranchKind : std::uint8_t { unknown, call, other };

BranchKind kind_of(const BranchEntry& entry) {
    const auto name = branch_type_name(entry.type);
    if (name == "CALL" || name == "IND_CALL" || name == "COND_CALL" || name == "SYSCALL") return BranchKind::call;
    return name.empty() || name == "EXTEND_ABI" ? BranchKind::unknown : BranchKind::other;
}

bool counts(const Event& event) {
    return event.sample.shape().has(SamplePart::branch_stack) && (event.attr.branch_sample_type & call_stack) == 0;
}

// Counts the distinct branches that begin or end in one of the functions.
class BranchCounter {
  public:
    struct Branch {
        std::uint32_t from = 0, to = 0;  // numbers of places in the CallTable
        bool entry = false, proven = false;

        bool operator==(const Branch&) const = default;
        std::uint64_t hash(const HashKey& key) const {
            return key(std::uint64_t{from} << 32 | to, (entry ? 2u : 0u) | (proven ? 1u : 0u));
        }
    };

    BranchCounter(const Recording& recording, const CodeVersions& versions, const SampleFilter& samples,
                  const CallFilter& filter, CallTable& table, const std::vector<std::uint32_t>& events)
        : versions_(versions),
          samples_(samples),
          filter_(filter),
          table_(table),
          recent_tasks_(versions.timeline().tasks()),
          columns_(events.size()) {
        const auto& all = recording.events().events();
        column_.assign(all.size(), not_counted);
        for (std::size_t column = 0; column < events.size(); ++column) {
            if (counts(all[events[column]])) column_[events[column]] = column;
        }
        if (!versions.index().jit().empty()) jit_ = &versions.index().jit();
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto column = column_[context.event];
        if (column == not_counted) return;
        const auto stack = sample.details().branch_stack();
        if (!stack) return;
        const auto& tasks = versions_.timeline().tasks();
        const auto id = tasks.has_guests() ? sample.id() : std::nullopt;
        constexpr auto nobody = ~std::uint32_t{0};
        const Moment moment{context.time, sample.pid().value_or(Pid{nobody}), id ? tasks.machine_of(*id) : host};
        const auto tid = sample.tid().value_or(Tid{nobody});
        const auto comm =
            samples_.needs_comm() ? recent_tasks_.comm_at(tid, moment.time, moment.machine) : std::string_view();
        if (samples_.drop_moment(moment.time, sample.cpu()) != FilterPart::none) return;
        const auto cgroup = samples_.by_cgroup ? sample.details().cgroup() : std::nullopt;
        if (samples_.drop_task({comm, moment.pid, tid, cgroup}) != FilterPart::none) return;
        if (samples_.drop_payload(context.event, sample, comm) != FilterPart::none) return;
        if (!samples_.code.empty() && !takes_code(moment, sample.ip(), sample.mode())) return;
        for (std::size_t at = 0; at < stack->size(); ++at) {
            const auto entry = (*stack)[at];
            if (!filter_.may_hold(entry.from) && !filter_.may_hold(entry.to)) continue;
            const auto kind = kind_of(entry);
            if (kind == BranchKind::other) continue;
            const auto to = place(moment, entry.to);
            if (table_.offset_of(to) != 0 || !table_.named(table_.end_of(to))) continue;
            const auto from = place(moment, entry.from);
            if (!table_.wanted(table_.end_of(from), table_.end_of(to))) continue;
            const bool enters = in_kernel(entry.to) && !in_kernel(entry.from);
            const auto number = branches_.intern({from, to, enters, kind == BranchKind::call});
            counts_.resize(branches_.size() * columns_);
            ++counts_[number * columns_ + column];
        }
    }

    void finish() {
        for (std::uint32_t number = 0; number < branches_.size(); ++number) {
            const auto& branch = branches_[number];
            const auto callee = table_.end_of(branch.to);
            for (const auto edge : {table_.edge(branch.from, callee, branch.entry),
                                    table_.edge_anywhere(branch.from, callee, branch.entry)}) {
                for (std::size_t column = 0; column < columns_; ++column) {
                    table_.branch(edge, column, counts_[number * columns_ + column], !branch.proven);
                }
            }
        }
    }

  private:
    static constexpr std::size_t not_counted = ~std::size_t{0};

    // Branch entries do not record the mode of the CPU. On all machines with branch stacks the upper half of the
    // addresses is the kernel's.
    static bool in_kernel(Address address) { return address.value >> 63 != 0; }

    // Returns true if the filter passes the sampled code. Tests each distinct frame once.
    bool takes_code(const Moment& moment, std::optional<Address> ip, CpuMode mode) {
        const auto& index = versions_.index();
        const auto frame =
            ip ? frame_at(versions_.timeline(), jit_, moment, *ip, mode) : Frame::nowhere({}, Miss::no_address, mode);
        const auto number = sampled_.intern(frame);
        if (number == left_out_.size()) left_out_.push_back(index.left_out(frame, samples_.code) != CodePart::none);
        return !left_out_[number];
    }

    std::uint32_t place(const Moment& moment, Address address) {
        const auto mode = in_kernel(address) ? CpuMode::kernel : CpuMode::user;
        auto frame = frame_at(versions_.timeline(), jit_, moment, address, mode);
        if (mode == CpuMode::kernel) {
            constexpr std::uint32_t most = 0xffff;
            frame.version = static_cast<std::uint16_t>(std::min(versions_.number_at(address, moment.time), most));
        }
        return table_.place(frame);
    }

    const CodeVersions& versions_;
    const SampleFilter& samples_;
    const CallFilter& filter_;
    CallTable& table_;
    RecentTasks recent_tasks_;
    std::size_t columns_;
    const JitCodes* jit_ = nullptr;
    std::vector<std::size_t> column_;  // by event
    InternTable<Frame> sampled_;
    std::vector<bool> left_out_;  // by number in sampled_
    InternTable<Branch> branches_;
    std::vector<std::uint64_t> counts_;  // by branch and event
};

// Counts the branches in the samples of a recording.
Result<void> count_branches(const Recording& recording, const CodeVersions& versions,
                            std::span<const CodeVersion> functions, const CallOptions& options, CallTable& table,
                            const std::vector<std::uint32_t>& events) {
    const CallFilter filter(versions, functions);
    BranchCounter counter(recording, versions, options.filter, filter, table, events);
    Completeness seen;  // the timeline's pass has counted all records already
    if (auto walked = walk(recording, seen, counter, {.order = {}, .stop = options.stop, .progress = options.progress});
        !walked) {
        return fail(walked.error());
    }
    if (auto same = check_second_pass(samples_seen(seen), recording, versions.timeline()); !same) return same;
    counter.finish();
    return {};
}

void merge(std::vector<CallEdge>& edges, std::vector<CallEdge>&& more) {
    const auto place = [](const CallEdge& edge) {
        const auto end = [](const CallEnd& of) {
            const auto& frame = of.function;
            return std::tuple(frame.kind, frame.index, frame.offset, frame.mode, frame.version, of.named);
        };
        return std::tuple(end(edge.caller), edge.offset, end(edge.callee), edge.entry);
    };
    // Sorting indices and searching them costs O(n log n), whatever branches a file claims.
    std::vector<std::size_t> sorted(edges.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    const auto by_place = [&](std::size_t at) { return place(edges[at]); };
    std::ranges::stable_sort(sorted, {}, by_place);
    for (auto& edge : more) {
        const auto found = std::ranges::lower_bound(sorted, place(edge), {}, by_place);
        if (found == sorted.end() || place(edges[*found]) != place(edge)) {
            edges.push_back(std::move(edge));
            continue;
        }
        const auto known = edges.begin() + static_cast<std::ptrdiff_t>(*found);
        // An edge from a call chain is certainly a call.
        known->branches = std::move(edge.branches);
        known->may_be_jump = edge.may_be_jump && hits(known->below) == 0;
    }
}

}  // namespace

bool CallEdges::has_branches(const Recording& recording) {
    return std::ranges::any_of(recording.events().events(), counts);
}

Result<void> CallEdges::add_branches(const Recording& recording, const CodeVersions& versions,
                                     std::span<const CodeVersion> functions, const CallOptions& options) {
    if (!has_branches(recording)) return {};
    if (events_.empty()) {
        events_ = options.filter.events;
        if (events_.empty()) {
            events_.resize(recording.events().events().size());
            std::iota(events_.begin(), events_.end(), 0u);
        }
        functions_.resize(functions.size());
        for (auto& function : functions_) function.with_callees.resize(events_.size());
    }
    CallTable table(versions, functions, events_.size());
    if (recording.is_profile()) {
        if (!options.filter.times.empty() || options.filter.payload) {
            return fail(ErrorCode::unsupported, Error::no_offset, recording.path(),
                        "a profile has neither times nor payload of samples: read the recording");
        }
        if (!count_stored_branches(recording, options.filter, table, events_, options.stop)) {
            return fail(ErrorCode::cancelled, Error::no_offset, "branches", "asked to stop");
        }
    } else if (auto counted = count_branches(recording, versions, functions, options, table, events_); !counted) {
        return counted;
    }
    auto counted = std::move(table).finish();
    for (std::size_t index = 0; index < functions_.size(); ++index) {
        merge(functions_[index].callers, std::move(counted[index].callers));
        merge(functions_[index].sites, std::move(counted[index].sites));
        merge(functions_[index].callees, std::move(counted[index].callees));
    }
    return {};
}

}  // namespace perfdata
