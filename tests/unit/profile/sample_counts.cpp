// SPDX-License-Identifier: MIT
#include "perfdata/profile/sample_counts.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Key = std::tuple<std::string, std::uint32_t, std::uint64_t, std::uint32_t, FrameKind>;
using CountsByPlace = std::map<Key, EventCounts>;

// Naive queries the timeline for every sample.
struct Naive {
    const Timeline& timeline;
    std::size_t events;
    CountsByPlace counts;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto where = timeline.frame_at({context.time, *sample.pid()}, *sample.ip(), sample.mode());
        const std::string comm(timeline.tasks().comm_at(*sample.tid(), context.time));
        REQUIRE((where.is_code() || where.is_nowhere()));
        const Key key{comm, sample.pid()->value, where.offset, where.index, where.kind};
        auto& cells = counts[key];
        cells.resize(events);
        cells[context.event] += {1, sample.period()};
    }
};

CountsByPlace counted(const SampleCounts& counts) {
    CountsByPlace by_place;
    for (std::size_t number = 0; number < counts.rows().size(); ++number) {
        const auto& row = counts.rows()[number];
        const auto& task = counts.tasks()[row.task];
        const auto& frame = counts.frames()[counts.chains()[row.chain].frame];
        add(by_place[{std::string(task.comm), task.pid.value, frame.offset, frame.index, frame.kind}],
            counts.cells(number));
    }
    return by_place;
}

}  // namespace

TEST_CASE("Samples are counted as a naive count does, while code comes and goes", "[profile][counts]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        Scene scene(seed % 2 == 0 ? std::endian::little : std::endian::big, 2);
        // Few addresses and many changes: each address belongs to many programs over time.
        std::uint64_t time = 10;
        std::uint32_t id = 1;
        std::vector<test::Program> loaded;
        for (int step = 0; step < 300; ++step, time += 1 + random.size(4)) {
            if (loaded.size() < 4 && random.size(4) == 0) {
                const auto address = 0x1000 + 0x100 * random.size(8);
                loaded.push_back({id, id, {{address, 0x100, "main", id}}});
                scene.loaded(live(time += 4), loaded.back());
                ++id;
            } else if (!loaded.empty() && random.size(6) == 0) {
                scene.unloaded(live(time += 4), loaded.back());
                loaded.pop_back();
            }
            scene.sample(0x1000 + 0x40 * random.size(40), time, CpuMode::kernel,
                         static_cast<std::uint32_t>(random.size(2)), 1 + random.size(9));
        }
        const auto recording = scene.open();
        const auto timeline = Timeline::build(recording).value();
        SampleCountOptions options;
        options.by_pid = true;
        const auto counts = SampleCounts::count(recording, timeline, options).value();
        Naive naive{timeline, 2, {}};
        Completeness completeness;
        REQUIRE(walk(recording, completeness, naive));
        CHECK(counted(counts) == naive.counts);
        CHECK(naive.counts.size() > 50);
        CHECK(hits(counts.totals()) == 300);
    }
}

TEST_CASE("One address counts for another program after each load", "[profile][counts]") {
    Scene scene;
    constexpr std::uint32_t programs = 50;
    for (std::uint32_t id = 1; id <= programs; ++id) {
        const test::Program program{id, id, {{0x1000, 0x40, "main", id}}};
        scene.loaded(live(id * 100), program);
        scene.sample(0x1004, id * 100 + 10).sample(0x1004, id * 100 + 11);
        scene.unloaded(live(id * 100 + 50), program);
        scene.sample(0x1004, id * 100 + 60);
    }
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    const auto counts = SampleCounts::count(recording, timeline).value();
    std::map<std::uint32_t, std::uint64_t> of_program;
    std::uint64_t gone = 0;
    for (std::size_t number = 0; number < counts.rows().size(); ++number) {
        const auto& frame = counts.frames()[counts.chains()[counts.rows()[number].chain].frame];
        if (frame.kind == FrameKind::code) {
            of_program[timeline.loads()[*timeline.code()[frame.index].load].id.value] += hits(counts.cells(number));
        } else {
            CHECK(frame.miss() == Miss::gone);
            gone += hits(counts.cells(number));
        }
    }
    CHECK(of_program.size() == programs);
    for (const auto& [id, count] : of_program) CHECK(count == 2);
    CHECK(gone == programs);
}

TEST_CASE("Filters by CPU and time leave out, those by thread only hide", "[profile][counts]") {
    Scene scene;
    scene.sample(0x1000, 10).sample(0x1000, 20).sample(0x1000, 30);
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    SampleCountOptions options;
    options.filter.times = {{{20}}};
    options.filter.tids = {4711};
    const auto counts = SampleCounts::count(recording, timeline, options).value();
    CHECK(hits(counts.considered()) == 2);
    CHECK(hits(counts.totals()) == 0);
    CHECK(counts.rows().empty());
    CHECK(hits(counts.dropped().of(FilterPart::time)) == 1);
    CHECK(hits(counts.dropped().of(FilterPart::tid)) == 2);
    options.filter.tids.clear();
    options.filter.times = {{{20}, {29}}};
    CHECK(hits(SampleCounts::count(recording, timeline, options).value().totals()) == 1);
    options.filter.cpus = {77};
    CHECK(hits(SampleCounts::count(recording, timeline, options).value().considered()) == 0);
}

TEST_CASE("A sample that several parts of a filter leave out counts for the first of them", "[profile][filter]") {
    SampleFilter filter;
    CHECK(filter.drop_moment({5}, {}) == FilterPart::none);
    CHECK(filter.drop_task({"", {1}, {2}, {}}) == FilterPart::none);
    filter.times = {{{1}, {2}}, {{3}, {4}}};
    filter.cpus = {0};
    CHECK(filter.drop_moment({0}, 0) == FilterPart::time);
    CHECK(filter.drop_moment({5}, 1) == FilterPart::time);
    CHECK(filter.drop_moment({4}, 1) == FilterPart::cpu);
    CHECK(filter.drop_moment({4}, {}) == FilterPart::cpu);
    for (const std::uint64_t time : {1u, 2u, 3u, 4u}) CHECK(filter.drop_moment({time}, 0) == FilterPart::none);
    CHECK_FALSE(filter.needs_comm());
    filter.comms = {"cc"};
    filter.pids = {1};
    filter.tids = {2, 3};
    filter.by_cgroup = true;
    filter.cgroups = {7};
    CHECK(filter.needs_comm());
    CHECK(filter.drop_task({"ld", {9}, {9}, 9}) == FilterPart::comm);
    CHECK(filter.drop_task({"cc", {9}, {9}, 9}) == FilterPart::pid);
    CHECK(filter.drop_task({"cc", {1}, {9}, 9}) == FilterPart::tid);
    CHECK(filter.drop_task({"cc", {1}, {3}, 9}) == FilterPart::cgroup);
    CHECK(filter.drop_task({"cc", {1}, {3}, {}}) == FilterPart::cgroup);
    CHECK(filter.drop_task({"cc", {1}, {3}, 7}) == FilterPart::none);
    CHECK(filter.drop_task({"c", {1}, {3}, 7}) == FilterPart::comm);
}

TEST_CASE("Places beyond the limit are counted together", "[profile][counts]") {
    Scene scene;
    constexpr std::uint64_t samples = 1000, least = 64;
    for (std::uint64_t number = 0; number < samples; ++number) {
        scene.sample(0xffff800000000000 + 0x10 * (number % 200), 10 + number);
    }
    const auto file = scene.build();
    Limits limits;
    SECTION("of places") {
        limits.places = least;
    }
    SECTION("of counts") {
        limits.cells = least;
    }
    const auto recording = Recording::from_memory(file, {limits}).value();
    const auto timeline = Timeline::build(recording).value();
    const auto counts = SampleCounts::count(recording, timeline).value();
    CHECK(hits(counts.totals()) == samples);
    CHECK(counts.rows().size() == least + 1);
    std::uint64_t all = 0, together = 0;
    for (std::size_t number = 0; number < counts.rows().size(); ++number) {
        const auto& frame = counts.frames()[counts.chains()[counts.rows()[number].chain].frame];
        const bool kept = frame.kind != FrameKind::nowhere || frame.miss() != Miss::not_kept;
        all += hits(counts.cells(number));
        if (!kept) together += hits(counts.cells(number));
        if (kept) CHECK(hits(counts.cells(number)) == 5);  // known tasks remain separate
    }
    CHECK(all == samples);
    CHECK(together == samples - least * 5);

    const auto profile = Profile::count(recording, timeline).value();
    REQUIRE(profile.misses().contains(Miss::not_kept));
    CHECK(hits(profile.misses().at(Miss::not_kept)) == together);
}

TEST_CASE("Sums of periods do not wrap, so that no part is more than the whole", "[profile][counts]") {
    constexpr auto half = std::uint64_t{1} << 63, most = ~std::uint64_t{0};
    EventCount sum;
    for (const auto period : {half, half, std::uint64_t{5}}) sum += {1, period};
    CHECK(sum == EventCount{3, most});
    EventCounts total{{1, 7}};
    add(total, EventCounts{{1, most}, {2, 3}});
    CHECK(total == EventCounts{{2, most}, {2, 3}});
}

TEST_CASE("Samples lose their callers where chains are beyond the limit", "[profile][counts]") {
    const auto file = content_of_file(PERFDATA_FIXTURES "/bpf/bpf_events.data");
    const auto count = [&](std::size_t nodes, std::size_t places, std::uint64_t cells = Limits{}.cells) {
        Limits limits;
        limits.cells = cells;
        limits.chain_nodes = nodes;
        limits.places = places;
        const auto recording = Recording::from_memory(file, {limits}).value();
        const auto timeline = Timeline::build(recording).value();
        SampleCountOptions options;
        options.chains = true;
        return SampleCounts::count(recording, timeline, options).value();
    };
    const auto whole = count(1000000, 1000000);
    CHECK(whole.chain_losses().cut == 0);
    REQUIRE(whole.chains().size() > 300);
    const auto cut = count(200, 1000000);
    CHECK(cut.totals() == whole.totals());
    CHECK(cut.chain_losses().cut > 0);
    CHECK(cut.chain_losses().cut < hits(whole.totals()));
    CHECK(cut.chains().size() <= 200 + cut.frames().size());
    REQUIRE(whole.frames().size() > 100);
    const auto few = count(1000000, 64);
    CHECK(few.totals() == whole.totals());
    CHECK(few.frames().size() <= 64 + 8);  // plus one for the rest per CPU mode
    // Each task has a row for the rest.
    const auto rows = count(1000000, 1000000, 64);
    REQUIRE(whole.rows().size() > 100);
    CHECK(rows.totals() == whole.totals());
    CHECK(rows.rows().size() <= 64 + rows.tasks().size());
    EventCounts sum;
    for (std::size_t number = 0; number < rows.rows().size(); ++number) add(sum, rows.cells(number));
    CHECK(sum == whole.totals());
}

TEST_CASE("Each of many labels has its row, however many events a recording declares", "[profile][counts]") {
    constexpr std::uint32_t declared = 240, used = 100, samples = 20'000;
    Scene scene(std::endian::little, declared);
    for (std::uint32_t number = 0; number < samples; ++number) {
        scene.sample(0x1000, 10 + number, CpuMode::kernel, number % used, 1 + number % 7);
    }
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    for (const bool chains : {false, true}) {
        INFO("chains " << chains);
        std::uint32_t labels = 0;
        SampleCountOptions options;
        options.chains = chains;
        options.label = [&](std::uint32_t, std::optional<Bytes>, const Moment&) { return ++labels; };
        const auto counts = SampleCounts::count(recording, timeline, options).value();
        CHECK(counts.in_further_tasks() == 0);
        REQUIRE(counts.rows().size() == samples);
        std::size_t right = 0;
        for (std::size_t row = 0; row < samples; ++row) {
            const auto number = counts.tasks()[counts.rows()[row].task].label - 1;
            EventCounts cells(declared);
            cells[number % used] = {1, 1 + number % 7};
            if (std::ranges::equal(counts.cells(row), cells)) ++right;
        }
        CHECK(right == samples);
    }
}

TEST_CASE("Tasks beyond the limits count as further ones, which are told", "[profile][counts]") {
    Scene scene;
    for (std::uint32_t number = 0; number < 100; ++number) scene.sample(0x1000, 10 + number);
    OpenOptions open;
    open.limits.cells = 1;
    const auto recording = scene.open(open);
    const auto timeline = Timeline::build(recording).value();
    std::uint32_t labels = 0;
    SampleCountOptions options;
    options.label = [&](std::uint32_t, std::optional<Bytes>, const Moment&) { return ++labels; };
    const auto counts = SampleCounts::count(recording, timeline, options).value();
    // 64 are always kept.
    CHECK(counts.in_further_tasks() == 36);
    std::uint64_t further = 0;
    for (std::size_t row = 0; row < counts.rows().size(); ++row) {
        const auto& task = counts.tasks()[counts.rows()[row].task];
        if (!task.is_further()) continue;
        further += hits(counts.cells(row));
        CHECK(task.comm == "[further tasks]");
    }
    CHECK(further == 36);
}
