// SPDX-License-Identifier: MIT
// Long calls stop when they are asked to, and tell how far they are.
#include <algorithm>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/report/report.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Listings stop when they are asked to", "[annotate][stop]") {
    const AnnotatedScene real(Recording::open(fixture("bpf/bpf_many.data")).value());
    const auto profile = Profile::count(real.recording, real.timeline).value();
    std::vector<std::uint64_t> told;
    ListingOptions options;
    options.arch = "x86_64";
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
        told.push_back(done);
        CHECK(all == profile.functions().size());
    };
    for (const unsigned jobs : {1u, 3u}) {
        options.jobs = jobs;
        told.clear();
        const auto whole = annotate_all(profile.functions(), real.symbolizer, options);
        REQUIRE(whole);
        CHECK(whole->size() == profile.functions().size());
        CHECK(told.size() == profile.functions().size());
        CHECK(std::ranges::is_sorted(told));
        CHECK(whole->front().instructions.size() == 42);
    }
    for (const unsigned jobs : {1u, 3u}) {
        options.jobs = jobs;
        std::size_t asked = 0;
        options.stop = StopToken([&] { return ++asked > 3; });
        if (jobs > 1) options.stop = StopToken([] { return true; });
        const auto stopped = annotate_all(profile.functions(), real.symbolizer, options);
        REQUIRE(!stopped);
        CHECK(stopped.error().code == ErrorCode::cancelled);
    }
}

TEST_CASE("A report stops when it is asked to", "[annotate][stop]") {
    const AnnotatedScene real(Recording::open(fixture("records/group_chains.data")).value());
    ReportOptions options;
    options.children = true;
    const auto counts =
        SampleCounts::count(real.recording, real.timeline, count_options(options, real.symbolizer)).value();
    const auto whole = Report::make(real.recording, counts, real.symbolizer, options, {});
    REQUIRE(whole);
    CHECK(whole->rows.size() == Report::make(real.recording, counts, real.symbolizer, options).rows.size());
    const auto stopped = Report::make(real.recording, counts, real.symbolizer, options, StopToken([] { return true; }));
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("Counting stops even behind its last sample", "[annotate][stop]") {
    const AnnotatedScene real(Recording::open(fixture("bpf/bpf_many.data")).value());
    bool walked = false;
    SampleCountOptions options;
    // The walk is short: it asks at most once.
    options.fold = [&](const Frame& frame) {
        walked = true;
        return frame;
    };
    options.stop = StopToken([&] { return true; });
    const auto stopped = SampleCounts::count(real.recording, real.timeline, options);
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    CHECK(!walked);
}

TEST_CASE("The first pass of an ordered walk stops when it is asked to", "[annotate][stop]") {
    const auto recording = Recording::open(fixture("records/switch.data")).value();
    const OrderedStream whole(recording);
    CHECK(!whole.stopped());
    OrderedStream stopped(recording, StopToken([] { return true; }));
    if (stopped.stopped()) {
        RecordView record;
        Time time;
        CHECK(!stopped.next(record, time));
    }
    Completeness completeness;
    WalkOptions options;
    options.order = RecordOrder::time;
    options.stop = StopToken([] { return true; });
    const auto walked = walk(
        recording, completeness, []<class Order>(const RecordContext&, const BasicSample<Order>&) {}, options);
    if (!walked) CHECK(walked.error().code == ErrorCode::cancelled);
}

TEST_CASE("Loading symbols stops between files", "[annotate][stop]") {
    const auto recording = Recording::open(fixture("records/multi.data")).value();
    const auto timeline = Timeline::build(recording).value();
    std::size_t asked = 0;
    SymbolizerOptions options;
    options.finder.offline = true;
    options.stop = StopToken([&] { return ++asked != 0; });
    const auto symbolizer = Symbolizer::open(recording, timeline, options);
    std::vector<std::uint64_t> told;
    symbolizer.prepare(2, {}, [&](std::uint64_t done, std::uint64_t) { told.push_back(done); });
    const auto all = told.size();
    CHECK(std::ranges::is_sorted(told));
    told.clear();
    symbolizer.prepare(2, StopToken([] { return true; }),
                       [&](std::uint64_t done, std::uint64_t) { told.push_back(done); });
    CHECK(told.empty());
    CHECK(all > 0);
}
