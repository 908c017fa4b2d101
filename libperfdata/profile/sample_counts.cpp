// SPDX-License-Identifier: MIT
#include "perfdata/profile/sample_counts.hpp"

#include <algorithm>
#include <optional>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/second_pass.hpp"

#include "count_in_parts.hpp"
#include "sample_counter.hpp"
#include "stored_counter.hpp"

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

void SampleCounts::sort_by_column(std::vector<std::uint32_t>& cells) const {
    std::ranges::sort(cells, {}, [this](std::uint32_t at) { return cell_column_[at]; });
}

Result<SampleCounts> SampleCounts::count(const Recording& recording, const Timeline& timeline,
                                         const SampleCountOptions& options) {
    return catch_bad_alloc([&]() -> Result<SampleCounts> {
        if (recording.is_profile()) return count_stored(recording, timeline, options);
        const SampleCounter::InCommon shared(recording, timeline, options);
        if (const auto begins = part_begins(recording, timeline, options); !begins.empty()) {
            if (auto counts = count_in_parts(recording, timeline, options, shared, begins)) return std::move(*counts);
        }
        SampleCounter counter(recording, timeline, options, shared);
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
        if (auto same = check_second_pass(samples_seen(seen), recording, timeline); !same)
            return fail(std::move(same.error()));
        if (!counter.end()) return fail(ErrorCode::cancelled, Error::no_offset, "counts", "asked to stop");
        return std::move(counter).finish(options);
    });
}

}  // namespace perfdata
