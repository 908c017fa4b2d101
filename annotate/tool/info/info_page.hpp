// SPDX-License-Identifier: MIT
// The content of perfdata info, independent of its format.
#pragma once

#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/feature/clock_data.hpp"
#include "perfdata/wire/feature/describe.hpp"
#include "perfdata/wire/feature/sample_time.hpp"

namespace perfdata::tool {

// ShownFeature is a feature and its error, if any. Features with unknown numbers are not examined.
struct ShownFeature {
    FeatureSection section;
    std::optional<Error> problem;

    bool known() const { return !feature_name(section.number).empty(); }
    bool is(Feature feature) const { return section.number == static_cast<unsigned>(feature); }
};

// RecordedTimes is when samples were taken, as far as the header says.
struct RecordedTimes {
    SampleTimes samples;             // of SAMPLE_TIME
    std::optional<ClockData> clock;  // of CLOCK_DATA: the event clock's time of day
    bool clock_is_empty = false;     // the section exists, but is all zeros

    bool known() const { return samples.known(); }
    Time duration() const {
        return {samples.last > samples.first ? samples.last.nanoseconds - samples.first.nanoseconds : 0};
    }
    // wall(time) returns a text such as "2026-11-20T10:11:12.123456789Z", empty without a clock.
    std::optional<std::string> wall(Time time) const;
};

// InfoPage has read the features once; the recording must outlive it.
struct InfoPage {
    // `scan` walks all records. Without it they are counted for the line of losses, if the file has at most
    // most_counted bytes and its records do not exceed count_budget; the other work does not grow with them.
    InfoPage(const Recording& recording, bool verbose, bool scan, Progress progress = {});

    const Recording& recording;
    bool verbose = false;  // long lists in full
    bool scanned = false;  // all records were walked for the completeness
    Completeness completeness;
    std::optional<Completeness> counted;  // without `scanned`: of the losses of the recorder, and nothing else
    FeatureContext context;
    RecordedTimes times;
    std::map<std::uint32_t, std::string> pmu_names;  // by attr.type, of PMU_MAPPINGS
    std::vector<ShownFeature> features;
    std::uint64_t bpf_programs = 0;
    std::uint64_t btf_blobs = 0;
    bool bpf_lists = false;  // `perfdata bpf` lists some of these programs, as far as the header tells

    // losses() returns where the losses of the recorder are counted; null: nowhere.
    const Completeness* losses() const { return scanned ? &completeness : counted ? &*counted : nullptr; }
    static constexpr std::uint64_t most_counted = std::uint64_t{64} << 20;
    static constexpr WalkBudget count_budget = {
        .records = 4'000'000, .damaged = 100'000, .unpacked_bytes = most_counted};

    void write_json(const Sink& sink) const;
    void write_text(const Sink& sink) const;
};

// feature_label(number) returns its name, or the number.
std::string feature_label(unsigned number);

// open_feature(...) passes the payload to a body Result<T>(Cursor).
template <class Body>
auto open_feature(const Recording& recording, const FeatureSection& feature, Body&& body)
    -> decltype(body(std::declval<Cursor>())) {
    const auto bytes = recording.read_feature(feature);
    // A feature without a payload is shown as absent.
    if (!bytes && bytes.error().code == ErrorCode::out_of_memory) throw std::bad_alloc();
    if (!bytes) return fail(bytes.error());
    const auto where = "feature " + feature_label(feature.number);
    return body(Cursor(*bytes, recording.order(), {.where = where, .offset = feature.section.offset}));
}

}  // namespace perfdata::tool
