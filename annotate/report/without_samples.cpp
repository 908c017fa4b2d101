// SPDX-License-Identifier: MIT
#include "without_samples.hpp"

#include <fmt/format.h>
#include <initializer_list>

#include "perfdata/recording/walk.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

std::uint64_t records_of(const Completeness& completeness, std::initializer_list<RecordType> types) {
    std::uint64_t sum = 0;
    for (const auto type : types) {
        const auto found = completeness.records.find(static_cast<std::uint32_t>(type));
        if (found != completeness.records.end()) sum += found->second.total();
    }
    return sum;
}

// what_else(...) describes recordings of tools other than perf record; empty for perf record's own.
std::string what_else(const Recording& recording, const Completeness& completeness) {
    const auto stats = records_of(completeness, {RecordType::stat});
    const bool has_feature = recording.feature(Feature::stat) != nullptr;
    if (records_of(completeness, {RecordType::stat, RecordType::stat_round}) == 0 &&
        (has_feature || records_of(completeness, {RecordType::stat_config}) != 0)) {
        return "this is a recording of `perf stat record` that ended before any counter was written; `perfdata info` "
               "shows what was to be counted";
    }
    if (stats != 0 || has_feature) {
        return fmt::format(
            "this is a recording of `perf stat record`: {} of counters, no samples; `perfdata stat` shows {}, "
            "`perfdata info` what was counted",
            how_many(stats, "value"), stats == 1 ? "it" : "them");
    }
    if (const auto sched = records_of(completeness, {RecordType::schedstat_cpu, RecordType::schedstat_domain});
        sched != 0) {
        return fmt::format(
            "this is a recording of `perf sched stats record`: {} of the scheduler's statistics, no samples; "
            "`perfdata dump` shows {}",
            how_many(sched, "record"), sched == 1 ? "it" : "them");
    }
    if (const auto traces = records_of(completeness, {RecordType::auxtrace, RecordType::aux}); traces != 0) {
        return fmt::format(
            "this is a recording of a hardware trace: {} of AUX data, which is not decoded here, no samples; "
            "`perfdata dump --aux PREFIX` writes it to files for a decoder",
            how_many(traces, "record"));
    }
    return {};
}

}  // namespace

std::string without_samples(const Recording& recording, const Completeness& completeness) {
    if (records_of(completeness, {RecordType::sample}) != 0) return {};
    if (auto what = what_else(recording, completeness); !what.empty()) return what;
    if (completeness.lost_samples != 0) {
        return fmt::format("this recording has no samples: the recorder lost all {}", completeness.lost_samples);
    }
    if (completeness.filtered_samples != 0) {
        return fmt::format("this recording has no samples: a BPF filter dropped all {} on purpose",
                           completeness.filtered_samples);
    }
    return "this recording has no samples; `perfdata info --completeness` shows what there is";
}

std::string without_counters(const Recording& recording, const Completeness& completeness) {
    if (const auto samples = records_of(completeness, {RecordType::sample}); samples != 0) {
        return fmt::format(
            "this recording has {}, and no counters of `perf stat record`; `perfdata report` shows where {} fell",
            how_many(samples, "sample"), samples == 1 ? "it" : "they");
    }
    return without_samples(recording, completeness);
}

Error explain_no_events(const Recording& recording, const std::string& file) {
    Completeness completeness;
    const auto nothing = [](const RecordContext&, const auto&) {};
    // Without a stop token the walk fails only if memory runs out.
    const auto walked = walk(recording, completeness, nothing);
    auto what = walked ? what_else(recording, completeness) : std::string();
    if (what.empty()) {
        what = "no events can be read, so no samples either; `perfdata info` and `perfdata dump` show what there is";
    }
    return {ErrorCode::missing, Error::no_offset, file, std::move(what)};
}

}  // namespace perfdata
