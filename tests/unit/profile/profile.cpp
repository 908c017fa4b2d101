// SPDX-License-Identifier: MIT
#include "perfdata/profile/profile.hpp"

#include <stop_token>

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& first_program() {
    static const Program program{1, 1, {{0x1000, 0x40, "main", 1}, {0x2000, 0x40, "sub", 2}}};
    return program;
}
const Program& second() {
    static const Program program{2, 2, {{0x1000, 0x40, "other", 3}}};
    return program;
}

struct Counted {
    explicit Counted(Scene& scene, const ProfileOptions& options = {})
        : recording(scene.open()),
          timeline(Timeline::build(recording).value()),
          profile(Profile::count(recording, timeline, options).value()) {}

    const FunctionHits& function(std::size_t index) const {
        REQUIRE(index < profile.functions().size());
        return profile.functions()[index];
    }
    std::string symbol(std::size_t index) const {
        return std::string(timeline.code()[function(index).version.function.index].symbol);
    }
    EventCounts miss(Miss miss) const {
        const auto found = profile.misses().find(miss);
        return found == profile.misses().end() ? EventCounts{} : found->second;
    }

    Recording recording;
    Timeline timeline;
    Profile profile;
};

}  // namespace

TEST_CASE("Samples are counted by function and offset, hits and periods", "[profile]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    scene.known(first_program());
    scene.sample(0x2004, 10, CpuMode::kernel, 0, 100).sample(0x2004, 11, CpuMode::kernel, 0, 50);
    scene.sample(0x203f, 12, CpuMode::kernel, 0, 7).sample(0x1000, 13, CpuMode::kernel, 0, 1);
    const Counted counted(scene);
    REQUIRE(counted.profile.functions().size() == 2);
    CHECK(counted.symbol(0) == symbol_of(tag_of(2), "sub"));
    CHECK(counted.function(0).total == EventCounts{{3, 157}});
    REQUIRE(counted.function(0).offsets.size() == 2);
    CHECK(counted.function(0).offsets[0].offset == 4);
    CHECK(counted.function(0).offsets[0].cells == EventCounts{{2, 150}});
    CHECK(counted.function(0).offsets[1].offset == 0x3f);
    CHECK(counted.function(0).offsets[1].cells == EventCounts{{1, 7}});
    CHECK(counted.symbol(1) == symbol_of(tag_of(1), "main"));
    CHECK(counted.function(1).total == EventCounts{{1, 1}});
    CHECK(counted.profile.totals() == EventCounts{{4, 158}});
    CHECK(counted.profile.misses().empty());
}

TEST_CASE("A sample goes to who owned its address at its time", "[profile]") {
    Scene scene;
    scene.loaded(live(100), first_program()).unloaded(live(200), first_program()).loaded(live(300), second());
    for (const std::uint64_t time : {90u, 150u, 151u, 250u, 350u}) scene.sample(0x1008, time);
    const Counted counted(scene);
    REQUIRE(counted.profile.functions().size() == 2);
    CHECK(counted.symbol(0) == symbol_of(tag_of(1), "main"));
    CHECK(counted.function(0).total == EventCounts{{2, 2}});
    CHECK(counted.symbol(1) == symbol_of(tag_of(2), "other"));
    CHECK(counted.function(1).total == EventCounts{{1, 1}});
    CHECK(counted.miss(Miss::gone) == EventCounts{{2, 2}});
}

TEST_CASE("Samples without an owner are counted by reason", "[profile]") {
    Scene scene;
    scene.known(first_program());
    scene.sample(0x1000, 1, CpuMode::user, 0, 2).sample(0x9000, 1, CpuMode::kernel, 0, 3);
    scene.sample(0x9000, 1, CpuMode::hypervisor, 0, 5).sample(0x9000, 1, CpuMode::guest_user, 0, 7);
    scene.sample(0x9000, 1, CpuMode::guest_kernel, 0, 11).sample(0x9000, 1, CpuMode::unknown, 0, 13);
    const Counted counted(scene);
    CHECK(counted.profile.functions().empty());
    CHECK(counted.miss(Miss::user) == EventCounts{{1, 2}});
    CHECK(counted.miss(Miss::kernel) == EventCounts{{1, 3}});
    CHECK(counted.miss(Miss::hypervisor) == EventCounts{{1, 5}});
    CHECK(counted.miss(Miss::guest) == EventCounts{{2, 18}});
    CHECK(counted.miss(Miss::unknown_mode) == EventCounts{{1, 13}});
    CHECK(counted.profile.misses().size() == 5);
    CHECK(counted.profile.totals() == EventCounts{{6, 41}});
}

TEST_CASE("Every event has its own column, everywhere", "[profile]") {
    Scene scene(std::endian::little, 3);
    scene.known(first_program());
    scene.sample(0x1000, 1, CpuMode::kernel, 0, 10).sample(0x1000, 2, CpuMode::kernel, 2, 20);
    scene.sample(0x1004, 3, CpuMode::kernel, 2, 30).sample(0x9000, 4, CpuMode::kernel, 1, 40);
    const Counted counted(scene);
    CHECK(counted.profile.events() == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(counted.function(0).total == EventCounts{{1, 10}, {0, 0}, {2, 50}});
    REQUIRE(counted.function(0).offsets.size() == 2);
    CHECK(counted.function(0).offsets[0].cells == EventCounts{{1, 10}, {0, 0}, {1, 20}});
    CHECK(counted.function(0).offsets[1].cells == EventCounts{{0, 0}, {0, 0}, {1, 30}});
    CHECK(counted.miss(Miss::kernel) == EventCounts{{0, 0}, {1, 40}, {0, 0}});
    CHECK(counted.profile.totals() == EventCounts{{1, 10}, {1, 40}, {2, 50}});
}

TEST_CASE("The events option chooses and orders the columns", "[profile]") {
    Scene scene(std::endian::little, 3);
    scene.known(first_program());
    scene.sample(0x1000, 5, CpuMode::kernel, 0, 10).sample(0x1000, 1, CpuMode::kernel, 1, 20);
    scene.sample(0x1004, 9, CpuMode::kernel, 2, 30).sample(0x9000, 20, CpuMode::kernel, 1, 40);
    ProfileOptions options;
    options.filter.events = {2, 0};
    const Counted counted(scene, options);
    CHECK(counted.profile.events() == std::vector<std::uint32_t>{2, 0});
    CHECK(counted.profile.totals() == EventCounts{{1, 30}, {1, 10}});
    CHECK(counted.function(0).total == EventCounts{{1, 30}, {1, 10}});
    CHECK(counted.function(0).offsets[0].cells == EventCounts{{0, 0}, {1, 10}});
    CHECK(counted.profile.misses().empty());
    // Samples of other events are skipped, so their times do not count either.
    CHECK(counted.profile.first_time() == Time{5});
    CHECK(counted.profile.last_time() == Time{9});
}

TEST_CASE("All cells of functions and misses add up to the totals", "[profile]") {
    Scene scene(std::endian::little, 2);
    scene.loaded(live(100), first_program()).unloaded(live(400), first_program()).loaded(live(500), second());
    for (std::uint64_t number = 0; number < 600; ++number) {
        const auto mode = number % 11 == 0 ? CpuMode::user : CpuMode::kernel;
        scene.sample(0xff0 + number * 1237 % 0x1080, number, mode, number % 3 == 0 ? 1 : 0, number * number);
    }
    const Counted counted(scene);
    EventCounts sum;
    for (const auto& function : counted.profile.functions()) {
        EventCounts offsets;
        for (const auto& offset : function.offsets) add(offsets, offset.cells);
        CHECK(offsets == function.total);
        add(sum, function.total);
    }
    CHECK(counted.profile.functions().size() == 3);
    CHECK(counted.profile.misses().size() == 3);
    for (const auto& [miss, cells] : counted.profile.misses()) add(sum, cells);
    CHECK(sum == counted.profile.totals());
    CHECK(hits(sum) == 600);
}

TEST_CASE("An event without an ip misses with that reason", "[profile]") {
    constexpr auto type = Scene::sample_type & ~sample_bit::ip;
    Scene scene(std::endian::little, 1, type);
    scene.known(first_program()).sample(0x1000, 5).sample(0x1000, 6, CpuMode::user);
    const Counted counted(scene);
    CHECK(counted.profile.functions().empty());
    CHECK(counted.miss(Miss::no_address) == EventCounts{{2, 2}});
    CHECK(counted.profile.misses().size() == 1);
}

TEST_CASE("An event without periods counts the period it asked for, or one if it asked for a frequency", "[profile]") {
    auto by_period = sampling_attr(Scene::sample_type & ~sample_bit::period);
    by_period.sample_period = 4000;
    auto by_frequency = by_period;
    by_frequency.flags |= attr_flag::freq;
    Scene scene(std::endian::little, std::vector<Attr>{by_period, by_frequency});
    scene.known(first_program());
    for (const std::uint32_t event : {0u, 0u, 1u, 1u, 1u}) scene.sample(0x1000, 5, CpuMode::kernel, event, 99);
    const Counted counted(scene);
    CHECK(counted.function(0).total == EventCounts{{2, 8000}, {3, 3}});
}

TEST_CASE("Functions come most hits first, then by time, then by address", "[profile]") {
    const Program many{
        3, 3, {{0x5000, 16, "low", 1}, {0x6000, 16, "high", 2}, {0x7000, 16, "hot", 3}, {0x8000, 16, "cold", 4}}};
    Scene scene(std::endian::little, 2);
    scene.symbol(live(50), 0x9000, 16, symbol_of(tag_of(9), "later")).known(many);
    scene.sample(0x9000, 60).sample(0x9000, 60);
    scene.sample(0x6000, 60).sample(0x6000, 60, CpuMode::kernel, 1);
    scene.sample(0x5000, 60).sample(0x5000, 61);
    for (const std::uint32_t event : {0u, 1u, 1u}) scene.sample(0x7000, 60, CpuMode::kernel, event);
    scene.sample(0x8000, 60, CpuMode::kernel, 0, 1'000'000);  // one hit, whatever its period
    const Counted counted(scene);
    std::vector<std::uint64_t> order;
    for (const auto& function : counted.profile.functions()) {
        order.push_back(counted.timeline.code()[function.version.function.index].range.begin.value);
    }
    CHECK(order == std::vector<std::uint64_t>{0x7000, 0x5000, 0x6000, 0x9000, 0x8000});
}

TEST_CASE("First and last time are of samples, whatever their order", "[profile]") {
    Scene scene;
    scene.loaded(live(10), first_program());
    scene.sample(0x1000, 300)
        .sample(0x9000, 200, CpuMode::user)
        .sample(0x1000, 250)
        .unloaded(live(900), first_program());
    const Counted counted(scene);
    CHECK(counted.profile.first_time() == Time{200});
    CHECK(counted.profile.last_time() == Time{300});
}

TEST_CASE("Without samples, or without times in them, there is no first and last time", "[profile]") {
    Scene empty;
    const Counted none(empty);
    CHECK_FALSE(none.profile.first_time());
    CHECK_FALSE(none.profile.last_time());
    CHECK(none.profile.totals() == EventCounts{{0, 0}});
    CHECK(none.profile.functions().empty());
    Scene timeless(std::endian::little, 1, Scene::sample_type & ~sample_bit::time);
    timeless.known(first_program()).sample(0x1000, 5);
    const Counted counted(timeless);
    CHECK_FALSE(counted.profile.first_time());
    CHECK(counted.function(0).total == EventCounts{{1, 1}});  // at the time of the latest record: loaded by then
}

TEST_CASE("A sum of periods ends at the largest number", "[profile]") {
    Scene scene;
    scene.known(first_program()).sample(0x1000, 1, CpuMode::kernel, 0, ~std::uint64_t{0});
    scene.sample(0x1000, 1, CpuMode::kernel, 0, 3);
    CHECK(Counted(scene).function(0).total == EventCounts{{2, ~std::uint64_t{0}}});
}

TEST_CASE("EventCounts of unequal width add by column", "[profile]") {
    EventCounts sum{{1, 10}};
    add(sum, EventCounts{{2, 20}, {3, 30}});
    CHECK(sum == EventCounts{{3, 30}, {3, 30}});
    add(sum, EventCounts{{1, 1}});
    CHECK(sum == EventCounts{{4, 31}, {3, 30}});
    add(sum, {});
    CHECK(sum == EventCounts{{4, 31}, {3, 30}});
    CHECK(hits(sum) == 7);
    CHECK(hits({}) == 0);
}

TEST_CASE("count() stops when asked to", "[profile]") {
    Scene scene;
    for (int index = 0; index < 5000; ++index) scene.sample(1, 2);
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    std::stop_source stop;
    ProfileOptions options;
    options.stop = stop.get_token();
    CHECK(Profile::count(recording, timeline, options)->totals() == EventCounts{{5000, 5000}});
    stop.request_stop();
    const auto stopped = Profile::count(recording, timeline, options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}
