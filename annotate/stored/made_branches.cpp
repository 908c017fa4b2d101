// SPDX-License-Identifier: MIT
#include "made_branches.hpp"

#include <algorithm>
#include <optional>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/second_pass.hpp"

#include "format/load_once.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t stack_of_calls = 1u << 11;  // PERF_SAMPLE_BRANCH_CALL_STACK: the stack is a call chain

// StoredBranch is a branch with its task and event: numbers in the tables of the counter.
struct StoredBranch {
    std::uint32_t task = 0, column = 0, from = 0, to = 0;
    bool entry = false, proven = false;

    bool operator==(const StoredBranch&) const = default;
    std::uint64_t hash(const HashKey& key) const {
        return key(std::uint64_t{from} << 32 | to, std::uint64_t{task} << 32 | column,
                   (entry ? 2u : 0u) | (proven ? 1u : 0u));
    }
};

// Tells calls from jumps, as far as the CPU says which is which: nothing for a jump.
std::optional<bool> proves_call(const BranchEntry& entry) {
    const auto name = branch_type_name(entry.type);
    if (name == "CALL" || name == "IND_CALL" || name == "COND_CALL" || name == "SYSCALL") return true;
    if (name.empty() || name == "EXTEND_ABI") return false;
    return {};
}

// Branch entries do not record the mode of the CPU. On all machines with branch stacks the upper half of the addresses
// is the kernel's.
bool is_kernel_half(Address address) {
    return address.value >> 63 != 0;
}

// Counts distinct branches. Each entry of a stack costs two look-ups; the table has as many rows as Limits::cells
// allow.
class StoredBranchCounter {
  public:
    static constexpr bool samples_only = true;

    StoredBranchCounter(const Making& making, const std::vector<std::uint32_t>& columns)
        : making_(making),
          timeline_(making.symbolizer.timeline()),
          filter_(making.options.filter),
          recent_tasks_(timeline_.tasks()),
          load_(making.symbolizer, CodeDetail::names, {making.options.watch.stop, {}}) {
        const auto& events = making.recording.events().events();
        column_.assign(events.size(), not_counted);
        for (std::size_t column = 0; column < columns.size(); ++column) {
            const auto& event = events[columns[column]];
            if (!event.sample.shape().has(SamplePart::branch_stack)) continue;
            if ((event.attr.branch_sample_type & stack_of_calls) != 0) continue;
            column_[columns[column]] = static_cast<std::uint32_t>(column);
        }
        if (!making.symbolizer.jit().empty()) jit_ = &making.symbolizer.jit();
        most_ = making.recording.limits().cells;
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto column = column_[context.event];
        if (column == not_counted || stopped_) return;
        const auto stack = sample.details().branch_stack();
        if (!stack || stack->size() == 0) return;
        const auto& tasks = timeline_.tasks();
        const auto id = tasks.has_guests() ? sample.id() : std::nullopt;
        constexpr auto nobody = ~std::uint32_t{0};
        const Moment moment{context.time, sample.pid().value_or(Pid{nobody}), id ? tasks.machine_of(*id) : host};
        const auto tid = sample.tid().value_or(Tid{nobody});
        const auto comm = recent_tasks_.comm_at(tid, moment.time, moment.machine);
        if (filter_.drop_moment(moment.time, sample.cpu()) != FilterPart::none) return;
        const auto cgroup = sample.details().cgroup();
        if (filter_.drop_task({comm, moment.pid, tid, filter_.by_cgroup ? cgroup : std::nullopt}) != FilterPart::none) {
            return;
        }
        if (filter_.drop_payload(context.event, sample, comm) != FilterPart::none) return;
        if (!filter_.code.empty() && !takes_code(moment, sample.ip(), sample.mode())) return;
        SampledTask task;
        task.comm = comm;
        task.pid = moment.pid;
        task.tid = tid;
        task.cpu = sample.cpu().value_or(nobody);
        task.cgroup = cgroup.value_or(0);
        const auto who = tasks_.intern_within(most_, task, SampledTask::further());
        for (std::size_t at = 0; at < stack->size() && !stopped_; ++at) count((*stack)[at], moment, who, column);
    }

    // The branches by number, how often each was seen, and what their numbers mean.
    const InternTable<StoredBranch>& branches() const { return branches_; }
    const std::vector<std::uint64_t>& times() const { return times_; }
    const Frame& frame(std::uint32_t number) const { return frames_[number]; }
    const SampledTask& task(std::uint32_t number) const { return tasks_[number]; }
    bool full() const { return full_; }
    bool stopped() const { return stopped_; }

  private:
    static constexpr std::uint32_t not_counted = ~std::uint32_t{0};

    void count(const BranchEntry& entry, const Moment& moment, std::uint32_t who, std::uint32_t column) {
        const auto proven = proves_call(entry);
        if (!proven) return;
        const auto to = place(moment, entry.to);
        if (!begins_function(to)) return;
        const bool enters = is_kernel_half(entry.to) && !is_kernel_half(entry.from);
        const StoredBranch branch{who, column, place(moment, entry.from), to, enters, *proven};
        const auto known = branches_.size();
        if (known >= most_) {
            full_ = true;
            return;
        }
        const auto number = branches_.intern(branch);
        if (number == times_.size()) times_.push_back(0);
        ++times_[number];
    }

    // Tests each distinct frame once.
    bool takes_code(const Moment& moment, std::optional<Address> ip, CpuMode mode) {
        const auto frame = ip ? frame_at(timeline_, jit_, moment, *ip, mode, &recent_tasks_)
                              : Frame::nowhere({}, Miss::no_address, mode);
        const auto number = sampled_.intern(frame);
        if (number == left_out_.size()) {
            const auto& functions = making_.symbolizer.functions();
            left_out_.push_back(functions.left_out(frame, filter_.code) != CodePart::none);
        }
        return !left_out_[number];
    }

    std::uint32_t place(const Moment& moment, Address address) {
        const auto mode = is_kernel_half(address) ? CpuMode::kernel : CpuMode::user;
        auto frame = frame_at(timeline_, jit_, moment, address, mode, &recent_tasks_);
        if (mode == CpuMode::kernel) {
            constexpr std::uint32_t most_versions = 0xffff;
            const auto version = making_.symbolizer.versions().number_at(address, moment.time);
            frame.version = static_cast<std::uint16_t>(std::min(version, most_versions));
        }
        return frames_.intern(frame);
    }

    bool begins_function(std::uint32_t number) {
        if (number >= begins_.size()) begins_.resize(frames_.size(), not_asked);
        auto& known = begins_[number];
        if (known != not_asked) return known == 1;
        auto frame = frames_[number];
        frame.version = 0;
        if (!load_(frame)) {
            stopped_ = true;
            return false;
        }
        const auto& functions = making_.symbolizer.functions();
        const bool code = frame.is_code();
        const bool begins =
            code ? frame.offset == 0 : functions.named(frame) && functions.function(frame).offset == frame.offset;
        known = begins ? 1 : 0;
        return begins;
    }

    static constexpr std::uint8_t not_asked = 0xff;

    const Making& making_;
    const Timeline& timeline_;
    const SampleFilter& filter_;
    RecentTasks recent_tasks_;
    LoadOnce load_;
    const JitCodes* jit_ = nullptr;
    std::vector<std::uint32_t> column_;  // by event
    std::size_t most_ = 0;
    InternTable<Frame> frames_, sampled_;
    std::vector<std::uint8_t> begins_;  // by number in frames_
    std::vector<bool> left_out_;        // by number in sampled_
    InternTable<SampledTask> tasks_;
    InternTable<StoredBranch> branches_;
    std::vector<std::uint64_t> times_;  // by number in branches_
    bool full_ = false, stopped_ = false;
};

}  // namespace

Result<void> add_branches(Making& making, MadeFrames& frames, MadeTasks& tasks,
                          const std::vector<std::uint32_t>& columns,
                          const std::vector<stored::Ref<stored::Event>>& events) {
    if (!CallEdges::has_branches(making.recording)) return {};
    StoredBranchCounter counter(making, columns);
    Completeness seen;  // the timeline's pass has counted all records already
    const auto& watch = making.options.watch;
    if (auto walked =
            walk(making.recording, seen, counter, {.order = {}, .stop = watch.stop, .progress = watch.progress});
        !walked) {
        return fail(walked.error());
    }
    const auto same = check_second_pass(samples_seen(seen), making.recording, making.symbolizer.timeline());
    if (!same) return fail(same.error());
    if (counter.stopped()) return Making::cancelled();
    const auto all = counter.branches().keys();
    for (std::size_t number = 0; number < all.size(); ++number) {
        if (making.stopped()) return Making::cancelled();
        const auto& branch = all[number];
        stored::Branch row;
        row.task = tasks.of(counter.task(branch.task));
        row.event = events[branch.column];
        row.from = frames.of(counter.frame(branch.from));
        row.to = frames.of(counter.frame(branch.to));
        row.entry = branch.entry;
        row.proven = branch.proven;
        row.times = counter.times()[number];
        making.model.branches.push_back(row);
    }
    if (counter.full()) {
        making.partial("branches", "there were more distinct branches than there is room for: some do not count");
    }
    return {};
}

}  // namespace perfdata
