// SPDX-License-Identifier: MIT
#include "branch_counts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/second_pass.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t is_call_stack = 1u << 11;  // PERF_SAMPLE_BRANCH_CALL_STACK: the stack is a call chain
constexpr std::uint32_t no_object = ~std::uint32_t{0};

bool has_branch_stack(const Event& event) {
    return event.sample.shape().has(SamplePart::branch_stack) && (event.attr.branch_sample_type & is_call_stack) == 0;
}

// BranchPlace is a byte of a file: equal files have one object.
struct BranchPlace {
    std::uint32_t object = no_object;
    std::uint64_t offset = 0;  // in the file

    bool operator==(const BranchPlace&) const = default;
};

struct TakenBranch {
    BranchPlace from, to;
    bool mispredicted = false;

    bool operator==(const TakenBranch&) const = default;
    std::uint64_t hash(const HashKey& key) const {
        const auto objects = std::uint64_t{from.object} << 32 | to.object;
        return key(key(from.offset, to.offset), objects ^ (mispredicted ? std::uint64_t{1} << 63 : 0));
    }
};

struct StraightRun {
    BranchPlace before;
    std::uint32_t object = no_object;
    std::uint64_t begin = 0, end = 0;

    bool operator==(const StraightRun&) const = default;
    std::uint64_t hash(const HashKey& key) const {
        return key(key(begin, end), key(before.offset, std::uint64_t{before.object} << 32 | object));
    }
};

struct SampledByte {
    BranchPlace place;
    std::uint32_t event = 0;

    bool operator==(const SampledByte&) const = default;
    std::uint64_t hash(const HashKey& key) const {
        return key(place.offset, std::uint64_t{place.object} << 32 | event);
    }
};

// Table counts distinct keys.
template <class Key>
struct BranchTable {
    InternTable<Key> keys;
    std::vector<std::uint64_t> hits;

    void add(const Key& key) {
        const auto number = keys.intern(key);
        if (number == hits.size()) hits.push_back(0);
        ++hits[number];
    }
};

class StackCounter {
  public:
    static constexpr bool samples_only = true;

    StackCounter(const Recording& recording, const Symbolizer& symbolizer, const SampleFilter& filter)
        : symbolizer_(symbolizer),
          timeline_(symbolizer.timeline()),
          filter_(filter),
          recent_(timeline_.tasks()),
          events_(recording.events().events()) {
        if (!symbolizer.jit().empty()) jit_ = &symbolizer.jit();
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            if (filter.has_event(event) && has_branch_stack(events_[event])) stacks_ = true;
        }
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        if (context.event >= events_.size() || !filter_.has_event(context.event)) return;
        const auto id = timeline_.tasks().has_guests() ? sample.id() : std::nullopt;
        constexpr auto nobody = ~std::uint32_t{0};
        const Moment moment{context.time, sample.pid().value_or(Pid{nobody}),
                            id ? timeline_.tasks().machine_of(*id) : host};
        const auto tid = sample.tid().value_or(Tid{nobody});
        const auto comm = filter_.needs_comm() ? recent_.comm_at(tid, moment.time, moment.machine) : std::string_view();
        if (filter_.drop_moment(moment.time, sample.cpu()) != FilterPart::none) return;
        const auto cgroup = filter_.by_cgroup ? sample.details().cgroup() : std::nullopt;
        if (filter_.drop_task({comm, moment.pid, tid, cgroup}) != FilterPart::none) return;
        if (filter_.drop_payload(context.event, sample, comm) != FilterPart::none) return;
        if (!filter_.code.empty() && !takes_code(moment, sample.ip(), sample.mode())) return;
        if (!stacks_) return count_address(context.event, moment, sample.ip(), sample.mode());
        if (!has_branch_stack(events_[context.event])) {
            ++losses_.other_events;
            return;
        }
        const auto stack = sample.details().branch_stack();
        if (!stack || stack->size() == 0) {
            ++losses_.without_branches;
            return;
        }
        used_.resize(events_.size());
        used_[context.event] = true;
        count_stack(moment, *stack);
    }

    // Fills in all but the functions. Errors: cancelled.
    Result<void> finish(BranchCounts& counts, const CodeFilter& chosen, const Watch& watch);

  private:
    // Branch entries do not record the mode of the CPU. On all machines with branch stacks the upper half of the
    // addresses is the kernel's.
    static bool in_kernel(Address address) { return address.value >> 63 != 0; }

    bool takes_code(const Moment& moment, std::optional<Address> ip, CpuMode mode) {
        const auto frame =
            ip ? frame_at(timeline_, jit_, moment, *ip, mode, &recent_) : Frame::nowhere({}, Miss::no_address, mode);
        const auto number = sampled_.intern(frame);
        if (number == left_out_.size()) {
            left_out_.push_back(symbolizer_.functions().left_out(frame, filter_.code) != CodePart::none);
        }
        return !left_out_[number];
    }

    void count_address(std::uint32_t event, const Moment& moment, std::optional<Address> ip, CpuMode mode) {
        if (!ip || mode != CpuMode::user) return;
        const auto at = place(moment, *ip);
        if (at.object != no_object) addresses_.add({at, event});
    }

    // Newest first. A range begins where the branch before led to.
    template <class Stack>
    void count_stack(const Moment& moment, const Stack& stack) {
        std::optional<BranchPlace> end;  // nothing: unknown
        for (std::size_t index = 0; index < stack.size(); ++index) {
            const auto entry = stack[index];
            constexpr std::uint8_t spec_wrong_path = 1;
            if (entry.speculation == spec_wrong_path || entry.aborted || (entry.from.value | entry.to.value) == 0) {
                ++losses_.wrong_path;
                end.reset();
                continue;
            }
            const bool leaves = in_kernel(entry.to), enters = in_kernel(entry.from);
            const auto from = enters ? BranchPlace{} : place(moment, entry.from);
            const auto to = leaves ? BranchPlace{} : place(moment, entry.to);
            if (leaves || enters) ++losses_.kernel;
            const bool known = from.object != no_object || to.object != no_object;
            if (known && !leaves && !enters) branches_.add({from, to, entry.mispredicted});
            if (end && to.object != no_object) count_range(from, to, *end);
            end.reset();
            if (from.object != no_object) end = from;
        }
    }

    void count_range(const BranchPlace& before, const BranchPlace& begin, const BranchPlace& end) {
        if (begin.object != end.object) {
            ++losses_.across;
        } else if (end.offset < begin.offset) {
            ++losses_.backwards;
        } else if (end.offset - begin.offset > BranchCounts::longest_range) {
            ++losses_.too_long;
        } else {
            ranges_.add({before, begin.object, begin.offset, end.offset});
        }
    }

    BranchPlace place(const Moment& moment, Address address) {
        const auto frame = frame_at(timeline_, jit_, moment, address, CpuMode::user, &recent_);
        if (frame.kind != FrameKind::object) {
            ++losses_.elsewhere;
            return {};
        }
        const auto object = object_of(frame.index);
        ++objects_[object].hits;
        return {object, frame.offset};
    }

    // Files with equal build-ids are one.
    std::uint32_t object_of(std::uint32_t index) {
        const auto [known, is_new] = object_of_index_.try_emplace(index, 0u);
        if (!is_new) return known->second;
        const auto& recorded = symbolizer_.recorded_object(ObjectIndex{index});
        auto id = hex_bytes(recorded.build_id.bytes());
        const auto [entry, added] = objects_by_id_.try_emplace({id, id.empty() ? recorded.path : std::string()},
                                                               static_cast<std::uint32_t>(objects_.size()));
        if (added) objects_.push_back({recorded.path, std::move(id), ObjectIndex{index}});
        return known->second = entry->second;
    }

    std::uint32_t choose(const CodeFilter& chosen) const;

    const Symbolizer& symbolizer_;
    const Timeline& timeline_;
    const SampleFilter& filter_;
    RecentTasks recent_;
    const std::vector<Event>& events_;
    const JitCodes* jit_ = nullptr;
    bool stacks_ = false;
    std::vector<bool> used_;  // by event
    InternTable<Frame> sampled_;
    std::vector<bool> left_out_;  // by number in sampled_
    std::vector<BranchObject> objects_;
    // Trees: log n each, whatever names a file chooses.
    std::map<std::pair<std::string, std::string>, std::uint32_t> objects_by_id_;
    std::map<std::uint32_t, std::uint32_t> object_of_index_;
    BranchTable<TakenBranch> branches_;
    BranchTable<StraightRun> ranges_;
    BranchTable<SampledByte> addresses_;
    BranchLosses losses_;
};

std::uint32_t StackCounter::choose(const CodeFilter& chosen) const {
    auto best = no_object;
    for (std::uint32_t number = 0; number < objects_.size(); ++number) {
        if (!chosen.takes_object(objects_[number].path, CodeClass::user)) continue;
        if (best == no_object || objects_[number].hits > objects_[best].hits) best = number;
    }
    return best;
}

Result<void> StackCounter::finish(BranchCounts& counts, const CodeFilter& chosen, const Watch& watch) {
    counts.has_branches = stacks_;
    counts.losses = losses_;
    const auto best = choose(chosen);
    // Of several events without branch stacks one counts: the one with most samples in the object.
    std::map<std::uint32_t, std::uint64_t> of_event;
    for (std::uint32_t number = 0; number < addresses_.keys.size(); ++number) {
        const auto& key = addresses_.keys[number];
        if (key.place.object == best) of_event[key.event] += addresses_.hits[number];
    }
    std::uint32_t event = RecordContext::no_event;
    for (const auto& [index, hits] : of_event) {
        if (event == RecordContext::no_event || hits > of_event[event]) event = index;
    }
    for (std::uint32_t index = 0; index < events_.size(); ++index) {
        if (stacks_ ? index < used_.size() && used_[index] : index == event) {
            counts.events.push_back(events_[index].name);
        }
    }
    for (std::uint32_t number = 0; number < objects_.size(); ++number) {
        if (number != best) counts.losses.other_objects += objects_[number].hits;
    }
    if (best != no_object) std::rotate(objects_.begin(), objects_.begin() + best, objects_.begin() + best + 1);
    if (!objects_.empty())
        std::ranges::stable_sort(objects_.begin() + 1, objects_.end(), std::greater{}, &BranchObject::hits);
    if (best == no_object) return {};
    counts.objects = std::move(objects_);
    const auto index = counts.objects.front().index;
    const Frame anywhere{0, static_cast<std::uint32_t>(index), FrameKind::object, CpuMode::user};
    if (auto loaded = symbolizer_.load(anywhere, CodeDetail::names, watch); !loaded) return loaded;
    const auto found = symbolizer_.file(index);
    if (!found) {
        counts.miss = found.error();
        return {};
    }
    counts.file = (*found)->file;
    counts.debug = (*found)->debug;
    const auto address = [&](const BranchPlace& place) {
        if (place.object != best) return BranchCount::outside;
        const auto vaddr = counts.file->vaddr(place.offset);
        if (!vaddr) ++counts.losses.unmapped;
        return vaddr.value_or(BranchCount::outside);
    };
    for (std::uint32_t number = 0; number < branches_.keys.size(); ++number) {
        const auto& key = branches_.keys[number];
        if (key.from.object != best && key.to.object != best) continue;
        const auto hits = branches_.hits[number];
        const auto from = address(key.from), to = address(key.to);
        if ((from & to) == BranchCount::outside) continue;
        counts.branches.push_back({from, to, hits, key.mispredicted ? hits : 0});
    }
    for (std::uint32_t number = 0; number < ranges_.keys.size(); ++number) {
        const auto& key = ranges_.keys[number];
        if (key.object != best) continue;
        const auto begin = address({best, key.begin}), end = address({best, key.end});
        if (begin == BranchCount::outside || end == BranchCount::outside) continue;
        counts.ranges.push_back({address(key.before), begin, end, ranges_.hits[number]});
    }
    for (std::uint32_t number = 0; number < addresses_.keys.size(); ++number) {
        const auto& key = addresses_.keys[number];
        if (key.place.object != best) continue;
        if (key.event != event) {
            counts.losses.other_events += addresses_.hits[number];
        } else if (const auto at = address(key.place); at != BranchCount::outside) {
            counts.addresses.push_back({at, addresses_.hits[number]});
        }
    }
    return {};
}

// Sorts and adds up what is equal: places of two segments may have one address, predicted and mispredicted branches are
// two keys.
template <class Count, class Add>
void sort_and_merge(std::vector<Count>& counts, Add add) {
    std::ranges::sort(counts, {}, [](const Count& count) { return count.place(); });
    std::size_t kept = 0;
    for (std::size_t index = 0; index < counts.size(); ++index) {
        if (kept != 0 && counts[kept - 1].place() == counts[index].place()) {
            add(counts[kept - 1], counts[index]);
        } else {
            counts[kept++] = counts[index];
        }
    }
    counts.resize(kept);
}

}  // namespace

BranchFunctions::BranchFunctions(const BranchCounts& counts, const Symbolizer& symbolizer)
    : file_(counts.file.get()),
      index_(counts.objects.empty() ? ObjectIndex{} : counts.objects.front().index),
      symbolizer_(symbolizer) {
    if (file_ == nullptr) return;
    for (const auto& section : file_->sections()) {
        if (section.executable()) borders_.insert(borders_.end(), {section.address, section.address + section.size});
    }
    std::ranges::sort(borders_);
}

const BranchFunction& BranchFunctions::at(std::uint64_t vaddr) {
    if (vaddr == known_) return last_;
    known_ = vaddr;
    last_ = {};
    const auto offset = file_ == nullptr ? std::nullopt : file_->file_offset(vaddr);
    if (!offset) return last_;
    const Frame frame{*offset, static_cast<std::uint32_t>(index_), FrameKind::object, CpuMode::user};
    const auto name = symbolizer_.name(frame);
    const auto extent = symbolizer_.extent(frame);
    last_ = {extent.begin, vaddr - (frame.offset - extent.begin.offset), extent.size, name.symbol};
    const auto border = std::ranges::upper_bound(borders_, last_.begin);
    if (border == borders_.end() || *border - last_.begin >= last_.size) return last_;
    last_.size = *border - last_.begin;
    if (vaddr >= *border) last_ = {};
    return last_;
}

Result<BranchCounts> BranchCounts::count(const Recording& recording, const Symbolizer& symbolizer,
                                         const BranchCountOptions& options) {
    return catch_bad_alloc([&]() -> Result<BranchCounts> {
        BranchCounts counts;
        auto filter = options.filter;
        CodeFilter chosen;
        chosen.objects = std::exchange(filter.code.objects, {});
        StackCounter counter(recording, symbolizer, filter);
        Completeness seen;  // the timeline's pass has counted all records already
        if (auto walked =
                walk(recording, seen, counter, {.order = {}, .stop = options.stop, .progress = options.progress});
            !walked) {
            return fail(walked.error());
        }
        const auto whole = check_second_pass(samples_seen(seen), recording, symbolizer.timeline());
        if (!whole) return fail(whole.error());
        const Watch watch{options.stop, options.progress};
        if (auto finished = counter.finish(counts, chosen, watch); !finished) return fail(finished.error());
        sort_and_merge(counts.branches, [](BranchCount& sum, const BranchCount& more) {
            sum.taken += more.taken;
            sum.mispredicted += more.mispredicted;
        });
        std::ranges::sort(counts.addresses, {}, &AddressCount::address);
        BranchFunctions functions(counts, symbolizer);
        constexpr std::uint64_t ranges_a_look = 4096;
        std::uint64_t look = 0;
        bool stopped = false;
        std::erase_if(counts.ranges, [&](const RangeCount& range) {
            if (++look % ranges_a_look == 0 && options.stop.stop_requested()) stopped = true;
            if (stopped) return true;
            const auto begin = functions.at(range.begin).begin;
            const bool same = begin == functions.at(range.end).begin;
            if (!same) counts.losses.across += range.hits;
            return !same;
        });
        if (stopped) return fail(ErrorCode::cancelled, Error::no_offset, "export", "asked to stop");
        sort_and_merge(counts.ranges, [](RangeCount& sum, const RangeCount& more) { sum.hits += more.hits; });
        return counts;
    });
}

std::vector<std::string> BranchCounts::notes(std::string_view format) const {
    std::vector<std::string> notes;
    const auto add = [&](std::uint64_t count, std::string_view text) {
        if (count != 0) notes.push_back(fmt::format("{} {}", count, text));
    };
    if (objects.empty()) {
        notes.push_back(
            fmt::format("{}: no samples in user code of a program or library are chosen: nothing is written", format));
        return notes;
    }
    const auto path = shown(objects.front().path);
    if (!file) {
        const auto why = miss.value_or(SymbolMiss::not_found);
        const auto help = remedy(why);
        notes.push_back(fmt::format("{}: {}: {}, so that nothing is known of its addresses{}{}", format, path,
                                    explain(why), help.empty() ? "" : "; ", help));
        return notes;
    }
    if (objects.size() > 1) {
        notes.push_back(fmt::format("{}: this is of {} only; {} {} of {} other {} left out (choose with --dso)", format,
                                    path, losses.other_objects, has_branches ? "ends of branches" : "samples",
                                    objects.size() - 1, objects.size() == 2 ? "file is" : "files are"));
    }
    if (!has_branches) {
        notes.push_back(fmt::format(
            "{}: no branch stacks were recorded (perf record -b, or -j any,u): counts are samples by address", format));
    }
    add(losses.without_branches, "samples have an empty branch stack: they do not count");
    add(losses.other_events, "samples of other events do not count (choose with --event)");
    add(losses.kernel, "branches from or to the kernel do not count");
    add(losses.wrong_path, "branches that the processor took back, or without addresses, do not count");
    add(losses.backwards, "ranges between branches end before they begin: they do not count");
    add(losses.across, "ranges between branches end in another function: they do not count");
    add(losses.too_long, "ranges between branches are too long: they do not count");
    add(losses.unmapped, "places are in no segment of the file: they do not count");
    return notes;
}

}  // namespace perfdata
