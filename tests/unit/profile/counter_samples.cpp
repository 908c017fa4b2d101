// SPDX-License-Identifier: MIT
#include "perfdata/profile/counter_samples.hpp"

#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/counter_scene.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// What a recording by leader sampling counts: hits and periods by event.
struct LedCounts {
    explicit LedCounts(const Recording& recording, SampleCountOptions options = {})
        : timeline(Timeline::build(recording).value()),
          counts(SampleCounts::count(recording, timeline, options).value()) {}

    Timeline timeline;
    SampleCounts counts;
};

using Steps = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

// Asks a CounterSamples of that size directly.
struct StepsOf {
    StepsOf(const Recording& recording, std::size_t most) : counters(recording.events(), most) {
        Completeness seen;
        REQUIRE(walk(recording, seen, *this));
    }
    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        counters.each(context.event, sample, context.time,
                      [&](std::uint32_t event, std::uint64_t period) { steps.emplace_back(event, period); });
    }

    CounterSamples counters;
    Steps steps;
};

}  // namespace

TEST_CASE("A sample with counter values is one of each counter that grew", "[profile][counters]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CounterScene scene(3, false, order);
    scene.sample('a', {100, 7, 0}).sample('b', {180, 7, 0}).sample('b', {300, 9, 0});
    const auto recording = scene.open();
    CHECK(CounterSamples::are_in(recording.events()));
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{3, 300}, {2, 9}, {0, 0}});
    CHECK(led.counts.counter_losses() == CounterLosses{});
    REQUIRE(led.counts.rows().size() == 2);
    CHECK(EventCounts(led.counts.cells(0).begin(), led.counts.cells(0).end()) == EventCounts{{1, 100}, {1, 7}, {}});
    CHECK(EventCounts(led.counts.cells(1).begin(), led.counts.cells(1).end()) == EventCounts{{2, 200}, {1, 2}, {}});
    const auto profile = Profile::count(recording, led.timeline).value();
    CHECK(profile.totals() == led.counts.totals());
}

TEST_CASE("Only one member of a group is counted if the filter asks for it", "[profile][counters]") {
    CounterScene scene;
    scene.sample('a', {100, 7}).sample('b', {180, 7}).sample('b', {300, 9});
    const auto recording = scene.open();
    SampleCountOptions options;
    options.filter.events = {1};
    CHECK(LedCounts(recording, options).counts.totals() == EventCounts{{2, 9}});
    // A filter of times leaves out samples, but the values before it are known.
    options.filter.events = {0};
    options.filter.times = {{Time{103}, Time{103}}};
    CHECK(LedCounts(recording, options).counts.totals() == EventCounts{{1, 120}});
}

TEST_CASE("Counters grow in order of time, whatever the order of the file is", "[profile][counters]") {
    CounterScene scene;
    scene.sample_at(300, 'b', {300, 9}).sample_at(100, 'a', {100, 7}).sample_at(200, 'a', {180, 7});
    const auto recording = scene.open();
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{3, 300}, {2, 9}});
    CHECK(led.counts.counter_losses() == CounterLosses{});
}

TEST_CASE("Each thread of an inherited event has its own values", "[profile][counters]") {
    CounterScene own(2, true), shared(2, false);
    for (auto* scene : {&own, &shared}) {
        scene->sample('a', {100, 10}, 42).sample('a', {30, 3}, 43).sample('a', {150, 12}, 42).sample('a', {50, 3}, 43);
    }
    const auto inherited = own.open();
    const LedCounts led(inherited);
    CHECK(led.counts.totals() == EventCounts{{4, 200}, {3, 15}});
    CHECK(led.counts.counter_losses() == CounterLosses{});
    // Else these are values of one counter, which goes back.
    const auto one = shared.open();
    CHECK(LedCounts(one).counts.counter_losses().went_back == 4);
}

TEST_CASE("A thread begins anew with the number of one that was there before", "[profile][counters]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CounterScene scene(2, true, order);
    scene.sample('a', {100, 10}, 42).sample('a', {150, 12}, 42).forked(42).sample('b', {160, 3}, 42);
    scene.sample('b', {170, 3}, 42).sample('a', {20, 1}, 43).forked(43).sample('b', {5, 1}, 43);
    const auto recording = scene.open();
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{6, 150 + 170 + 20 + 5}, {5, 12 + 3 + 1 + 1}});
    CHECK(led.counts.counter_losses() == CounterLosses{});
    // Without tasks a thread is its number, as to perf: 160 - 150, 3 after 12, 5 after 20, 1 after 1.
    const StepsOf numbers(recording, 100);
    CHECK(numbers.counters.losses().went_back == 2);
    CHECK(numbers.steps.size() == 10);
}

TEST_CASE("A counter that all threads share goes on when a thread begins", "[profile][counters]") {
    CounterScene scene(2, false);
    scene.sample('a', {100, 10}, 42).forked(42).sample('a', {150, 12}, 42);
    const auto recording = scene.open();
    CHECK(LedCounts(recording).counts.totals() == EventCounts{{2, 150}, {2, 12}});
}

TEST_CASE("Values that go back count as samples with an unknown period", "[profile][counters][hostile]") {
    CounterScene scene;
    scene.sample('a', {100, 7}).sample('b', {60, 7}).sample('b', {90, 8});
    const auto recording = scene.open();
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{3, 130}, {2, 8}});
    CHECK(led.counts.counter_losses() == CounterLosses{0, 1, 0});
    const auto problems = led.counts.counter_losses().problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message() ==
          "counter values in samples: 1 less than the value before: their periods are unknown and count as 0");
}

TEST_CASE("Values of ids that no event has, or without ids, are counted and left out", "[profile][counters][hostile]") {
    CounterScene scene;
    scene.sample_of(101, 'a', {{100, Scene::first_id, 0}, {7, 999, 0}, {8, 1000, 0}});
    scene.sample_of(102, 'a', {});
    const auto recording = scene.open();
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{1, 100}, {}});
    CHECK(led.counts.counter_losses() == CounterLosses{2, 0, 0});

    CounterScene nameless(2, false, std::endian::little, read_bit::group);
    nameless.sample('a', {100, 7});
    const auto without_ids = nameless.open();
    // The first value is the sample's own.
    CHECK(LedCounts(without_ids).counts.totals() == EventCounts{{1, 100}, {}});
    CHECK(LedCounts(without_ids).counts.counter_losses() == CounterLosses{1, 0, 0});
}

TEST_CASE("A single counter's values count like a group's", "[profile][counters]") {
    CounterScene scene(1, false, std::endian::little, read_bit::id | read_bit::time_enabled | read_bit::time_running);
    scene.sample('a', {100}).sample('b', {180}).sample('b', {180});
    const auto recording = scene.open();
    CHECK(LedCounts(recording).counts.totals() == EventCounts{{2, 180}});
}

TEST_CASE("The table of counters has a limit", "[profile][counters][hostile]") {
    CounterScene scene(2, true);
    for (std::uint32_t tid = 1; tid <= 4; ++tid) scene.sample('a', {100, 7}, tid);
    scene.sample('a', {110, 8}, 1).sample('a', {110, 8}, 4);
    const auto recording = scene.open();
    const StepsOf limited(recording, 4);
    CHECK(limited.steps == Steps{{0, 100}, {1, 7}, {0, 100}, {1, 7}, {0, 10}, {1, 1}});
    CHECK(limited.counters.losses() == CounterLosses{0, 0, 6});
    const StepsOf enough(recording, 100);
    CHECK(enough.steps.size() == 12);
    CHECK(enough.counters.losses() == CounterLosses{});
}

TEST_CASE("Only so many values of one sample count", "[profile][counters][hostile]") {
    constexpr auto most = CounterSamples::most_in_sample;
    CounterScene scene;
    std::vector<SampleContent::Counter> counters;
    for (std::uint64_t at = 1; at <= 2000; ++at) counters.push_back({at, Scene::first_id, 0});
    scene.sample_of(101, 'a', counters);
    const auto recording = scene.open();
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{most, most}, {}});
    CHECK(led.counts.counter_losses() == CounterLosses{0, 0, 2000 - most});
}

TEST_CASE("Samples of recordings without counter values are themselves", "[profile][counters]") {
    const auto recording = Recording::open(fixture("records/multi.data")).value();
    CHECK_FALSE(CounterSamples::are_in(recording.events()));
    const StepsOf plain(recording, 0);
    CHECK(plain.steps.size() == 40);
}

TEST_CASE("A recording by leader sampling counts as perf does", "[profile][counters][fixtures]") {
    // perf report -n: 10 and 4 samples.
    const auto recording = Recording::open(fixture("records/group.data")).value();
    const LedCounts led(recording);
    CHECK(led.counts.totals() == EventCounts{{10, 50447286}, {4, 54}});
}

TEST_CASE("A ratio is of periods, and of nothing without a denominator", "[profile][ratio]") {
    const EventRatio ratio{"b/a", 1, 0};
    CHECK(ratio.of(EventCounts{{4, 200}, {3, 50}}) == EventRatio::Value{0.25, 3});
    CHECK(ratio.of(EventCounts{{4, 200}, {0, 0}}) == EventRatio::Value{0.0, 0});
    CHECK(ratio.of(EventCounts{{0, 0}, {3, 50}}) == EventRatio::Value{{}, 0});
    CHECK(ratio.of(EventCounts{{4, 0}, {3, 50}}) == EventRatio::Value{{}, 3});
    CHECK(ratio.of({}) == EventRatio::Value{{}, 0});
    const std::vector<std::size_t> columns{5, 1, 3};
    const auto moved = ratio.moved(columns);
    CHECK(moved.numerator == 1);
    CHECK(moved.denominator == EventRatio::no_column);
    CHECK(moved.of(EventCounts{{4, 200}, {3, 50}, {}}) == EventRatio::Value{{}, 0});
}
