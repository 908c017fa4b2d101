// SPDX-License-Identifier: MIT
#include "perfdata/profile/profile.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/second_pass.hpp"

#include "narrow_counter.hpp"
#include "shown_order.hpp"

namespace perfdata {

struct FrameHash {
    const HashKey* key = &HashKey::process();

    std::size_t operator()(const Frame& frame) const noexcept { return static_cast<std::size_t>(frame.hash(*key)); }
};

// Groups counts by address into functions. Looks up each distinct address once.
class ProfileMaker {
  public:
    ProfileMaker(const Timeline& timeline, const CodeVersions* versions) : timeline_(timeline), versions_(versions) {}

    Profile make(const SampleCounts& counts) && {
        profile_.events_ = counts.events();
        profile_.totals_ = counts.totals();
        profile_.considered_ = counts.considered();
        profile_.dropped_ = counts.dropped();
        profile_.counter_losses_ = counts.counter_losses();
        profile_.first_time_ = counts.first_time();
        profile_.last_time_ = counts.last_time();
        for (std::size_t row = 0; row < counts.rows().size(); ++row) {
            const auto& chain = counts.chains()[counts.rows()[row].chain];
            take(counts.frames()[chain.frame], counts.cells(row));
        }
        sort();
        list_unnamed_objects();
        return std::move(profile_);
    }

  private:
    void take(const Frame& frame, std::span<const EventCount> cells) {
        const auto begin = function_of(frame);
        if (!begin) return miss(frame, cells);
        const auto [found, added] = number_.try_emplace(*begin, profile_.functions_.size());
        if (added) profile_.functions_.push_back({version_of(*begin), EventCounts(cells.size()), {}});
        auto& function = profile_.functions_[found->second];
        add(function.total, cells);
        // Frames of the kernel and of files count their offset from the start of the object.
        function.offsets.push_back({frame.offset - begin->offset, EventCounts(cells.begin(), cells.end())});
    }

    std::optional<Frame> function_of(const Frame& frame) const {
        if (frame.is_code()) {
            auto begin = frame;
            begin.offset = 0;
            begin.mode = CpuMode::kernel;
            return begin;
        }
        if (versions_ == nullptr) return {};
        const auto& index = versions_->index();
        if (!index.named(frame)) return {};
        auto begin = index.function(frame);
        begin.version = frame.version;
        return begin;
    }

    CodeVersion version_of(const Frame& function) const {
        if (versions_ != nullptr) {
            auto version = versions_->version(function, function.version);
            version.function.version = 0;  // versions share one function
            return version;
        }
        const auto& code = timeline_.code()[function.index];
        return {function, code.range.size, code.range.begin, 0, code.from, code.until};
    }

    void miss(const Frame& frame, std::span<const EventCount> cells) {
        const auto nameless = versions_ != nullptr ? versions_->index().nameless(frame) : std::nullopt;
        if (!nameless) return add(profile_.misses_[reason(frame)], cells);
        add(profile_.unnamed_[nameless->why], cells);
        if (nameless->object.empty()) return;
        auto& count = objects_[{nameless->why, nameless->object, nameless->kind}];
        count = add_up_to_most(count, hits(cells));
    }

    void list_unnamed_objects() {
        for (const auto& [which, count] : objects_) {
            const auto& [why, object, kind] = which;
            profile_.unnamed_objects_[why].push_back({std::string(object), kind, count});
        }
        for (auto& [why, objects] : profile_.unnamed_objects_) {
            std::ranges::stable_sort(objects, std::greater(), &UnnamedObject::hits);
        }
    }

    // Returns the miss; without names, the one that Timeline::locate() would give.
    Miss reason(const Frame& frame) const {
        const auto miss = frame.miss();
        const bool nowhere = frame.is_nowhere();
        if (versions_ != nullptr || (nowhere && (miss == Miss::no_address || miss == Miss::not_kept))) return miss;
        switch (frame.mode) {
            case CpuMode::user: return Miss::user;
            case CpuMode::guest_user:
            case CpuMode::guest_kernel: return Miss::guest;
            case CpuMode::kernel: return nowhere ? miss : Miss::kernel;
            default: return nowhere ? miss : Miss::unknown_mode;
        }
    }

    void sort() {
        for (auto& function : profile_.functions_) {
            std::ranges::sort(function.offsets, {}, &OffsetHits::offset);
            // Merge the frames of one place in different modes of the CPU.
            std::vector<OffsetHits> merged;
            for (auto& hit : function.offsets) {
                if (merged.empty() || merged.back().offset != hit.offset) {
                    merged.push_back(std::move(hit));
                } else {
                    add(merged.back().cells, hit.cells);
                }
            }
            function.offsets = std::move(merged);
        }
        std::ranges::sort(profile_.functions_, std::greater(), hits_of);
        // Names are looked up for equal counts alone.
        auto& functions = profile_.functions_;
        for (auto begin = functions.begin(); begin != functions.end();) {
            const auto end =
                std::find_if(begin, functions.end(), [&](const auto& one) { return hits_of(one) != hits_of(*begin); });
            if (end - begin > 1) sort_by_name({begin, end});
            begin = end;
        }
    }

    static std::uint64_t hits_of(const FunctionHits& function) { return hits(function.total); }

    // Takes n log n, and a key for each of these functions, which have samples.
    void sort_by_name(std::span<FunctionHits> functions) const {
        const ShownOrder order(timeline_, versions_ == nullptr ? nullptr : &versions_->index());
        std::vector<std::pair<ShownOrder::Key, FunctionHits>> keyed;
        keyed.reserve(functions.size());
        for (auto& function : functions) {
            auto key = order.key(function.version);
            keyed.emplace_back(std::move(key), std::move(function));
        }
        std::ranges::sort(keyed, ShownOrder::before, &decltype(keyed)::value_type::first);
        std::ranges::transform(keyed, functions.begin(), [](auto& one) { return std::move(one.second); });
    }

    const Timeline& timeline_;
    const CodeVersions* versions_;
    std::unordered_map<Frame, std::size_t, FrameHash> number_;  // keyed hash: constant time per search
    std::map<std::tuple<Unnamed, std::string_view, CodeClass>, std::uint64_t> objects_;  // hits in unnamed code
    Profile profile_;
};

namespace {

SampleCountOptions counting_of(const ProfileOptions& options, const CodeVersions* versions) {
    SampleCountOptions counting;
    counting.by_comm = false;
    counting.filter = options.filter;
    counting.stop = options.stop;
    counting.progress = options.progress;
    counting.jobs = options.jobs;
    counting.versions = versions;
    if (versions != nullptr) counting.functions = &versions->index();
    counting.by_name = versions != nullptr;
    if (versions != nullptr && !versions->index().jit().empty()) counting.jit = &versions->index().jit();
    return counting;
}

Result<SampleCounts> count_narrowly(const Recording& recording, const CodeVersions& versions, const CodePlaces& places,
                                    const ProfileOptions& options) {
    const auto counting = counting_of(options, &versions);
    NarrowCounter counter(recording, versions.timeline(), counting, places);
    Completeness seen;  // the timeline's pass has counted all records already
    // What a counter grew by depends on the order of its values.
    const bool ordered = CounterSamples::are_in(recording.events());
    if (auto walked = walk(recording, seen, counter,
                           {.order = ordered ? RecordOrder::time : RecordOrder::file,
                            .stop = options.stop,
                            .progress = options.progress,
                            .times = ordered ? versions.timeline().times() : nullptr});
        !walked) {
        return fail(walked.error());
    }
    if (auto same = check_second_pass(samples_seen(seen), recording, versions.timeline()); !same) {
        return fail(std::move(same.error()));
    }
    return std::move(counter).finish();
}

Result<Profile> make(const Recording& recording, const Timeline& timeline, const ProfileOptions& options,
                     const CodeVersions* versions) {
    const auto counted = SampleCounts::count(recording, timeline, counting_of(options, versions));
    if (!counted) return fail(counted.error());
    return ProfileMaker(timeline, versions).make(*counted);
}

}  // namespace

Result<Profile> Profile::count(const Recording& recording, const Timeline& timeline, const ProfileOptions& options) {
    return catch_bad_alloc([&] { return make(recording, timeline, options, nullptr); });
}

Result<Profile> Profile::count(const Recording& recording, const CodeVersions& versions,
                               const ProfileOptions& options) {
    return catch_bad_alloc([&] { return make(recording, versions.timeline(), options, &versions); });
}

Result<Profile> Profile::count_within(const Recording& recording, const CodeVersions& versions,
                                      const CodePlaces& places, const ProfileOptions& options) {
    return catch_bad_alloc([&]() -> Result<Profile> {
        const auto counted = count_narrowly(recording, versions, places, options);
        if (!counted) return fail(counted.error());
        return ProfileMaker(versions.timeline(), &versions).make(*counted);
    });
}

}  // namespace perfdata
