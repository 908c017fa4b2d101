// SPDX-License-Identifier: MIT
// A first pass on several threads sees, counts and notes what one thread does.
#include "recording/first_pass.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/reading.hpp"
#include "support/scene.hpp"
#include "support/twin.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// SideBand keeps what a visitor of a first pass sees.
struct SideBand {
    std::vector<std::string> seen;

    template <class Record>
    requires requires { Record::min_bytes; }
    void operator()(const RecordContext& context, const Record&) {
        const auto& view = context.view;
        seen.push_back(std::to_string(view.offset) + " " + std::to_string(context.time.nanoseconds) + " " +
                       std::to_string(context.event) + " " + std::string(as_text(view.bytes)));
    }
};

struct PassSeen {
    std::vector<std::string> side_band, completeness, ordered;
    std::size_t marks = 0, told = 0, idle = 0;
};

std::vector<std::string> text_of(const Completeness& completeness) {
    std::vector<std::string> lines;
    const auto add = [&](const auto&... numbers) { lines.push_back(((std::to_string(numbers) + " ") + ...)); };
    const auto& bytes = completeness.bytes;
    add(bytes.total, bytes.records, bytes.outside_records, bytes.unread);
    for (const auto& [type, counts] : completeness.records) add(type, counts.decoded, counts.skipped, counts.damaged);
    add(completeness.lost_events, completeness.lost_samples, completeness.filtered_samples,
        completeness.stacks_not_unwound, completeness.diagnostics.count(), completeness.counts_losses ? 1 : 0);
    for (const auto& [event, losses] : completeness.losses) add(event, losses.samples, losses.lost, losses.by_filter);
    for (const auto& problem : completeness.diagnostics.kept()) lines.push_back(problem.message());
    return lines;
}

PassSeen pass_on(unsigned jobs, std::uint64_t part_bytes, const Recording& recording) {
    PassSeen seen;
    SideBand side_band;
    Completeness completeness;
    std::atomic<std::size_t> idle = 0;
    FirstPassOptions options;
    options.progress = [&](std::uint64_t, std::uint64_t) { ++seen.told; };
    options.parts = {.stop = {}, .jobs = jobs, .others_idle = [&] { ++idle; }, .part_bytes = part_bytes};
    auto times = first_pass(recording, completeness, side_band, options).value();
    seen.marks = times.marks().size();
    seen.idle = idle;
    OrderedStream stream(recording, Shared<const TimeOrder>::make(std::move(times)));
    RecordView record;
    for (Time time; stream.next(record, time);) {
        seen.ordered.push_back(std::to_string(record.offset) + " " + std::to_string(time.nanoseconds));
    }
    seen.side_band = std::move(side_band.seen);
    seen.completeness = text_of(completeness);
    return seen;
}

// Returns how many parts were joined.
std::size_t check_same_pass(const Recording& recording, std::uint64_t part_bytes) {
    const auto want = pass_on(1, part_bytes, recording);
    const auto got = pass_on(3, part_bytes, recording);
    CHECK(first_difference(got.side_band, want.side_band) == "");
    CHECK(first_difference(got.completeness, want.completeness) == "");
    CHECK(first_difference(got.ordered, want.ordered) == "");
    if (want.marks != 0) CHECK(got.marks != 0);
    CHECK(got.idle == 1);
    CHECK(want.idle == 1);
    return got.told - std::min(got.told, want.told);
}

}  // namespace

TEST_CASE("Parts of each fixture read at the same time are the whole", "[recording][first_pass]") {
    std::size_t joined = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PERFDATA_FIXTURES)) {
        if (entry.path().extension() != ".data" || !entry.is_regular_file()) continue;
        const auto path = entry.path().string();
        INFO(path);
        const auto file = content_of_file(path);
        const auto recording = Recording::from_memory(file);
        if (!recording || recording->is_profile()) continue;
        joined += check_same_pass(*recording, 8 * 1024);
        check_same_pass(*recording, 1000);
        check_same_pass(Recording::open(path).value(), 40'000);
    }
    CHECK(joined > 100);
}

TEST_CASE("Parts of a recording of the other byte order are the whole", "[recording][first_pass][twins]") {
    const auto file = big_endian_twin(content_of_file(PERFDATA_FIXTURES "/bpf/bpf_many.data"));
    CHECK(check_same_pass(Recording::from_memory(file).value(), 4096) > 5);
}

TEST_CASE("Damage is told alike by any number of threads", "[recording][first_pass]") {
    const auto whole = content_of_file(PERFDATA_FIXTURES "/bpf/bpf_events.data");
    const auto data = Recording::from_memory(whole).value().data();
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        auto file = whole;
        for (auto changes = 1 + random.below(3); changes != 0; --changes) {
            file[data.offset + random.size(data.size)] = static_cast<std::byte>(random.u8());
        }
        const auto recording = Recording::from_memory(file);
        if (recording) check_same_pass(*recording, 2048);
    }
}

TEST_CASE("A hole of terabytes costs what it costs one thread", "[recording][first_pass]") {
    const TempDir directory;
    const auto path = directory.write("perf.data", content_of_file(PERFDATA_FIXTURES "/bpf/bpf_many.data"));
    constexpr std::uint64_t data_size = std::uint64_t{1} << 40, size_at = 48;  // in the header
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(size_at).write(reinterpret_cast<const char*>(&data_size), sizeof data_size);
    file.close();
    std::error_code unsupported;
    std::filesystem::resize_file(path, 2 * data_size, unsupported);
    if (unsupported) return;  // a file system of small files
    check_same_pass(Recording::open(path).value(), std::uint64_t{64} << 10);
}

TEST_CASE("A long stretch without samples ends what others read", "[recording][first_pass]") {
    Scene scene;
    for (std::uint32_t number = 0; number < 3000; ++number) {
        if (number < 1000 || number > 2000) scene.sample(0x1000 + number, 10 + number);
        scene.symbol({10 + number}, 0xffff800000000000 + number * 0x100, 0x80, "bpf_prog_0000000000000001_f");
    }
    const auto file = scene.build();
    const auto recording = Recording::from_memory(file).value();
    check_same_pass(recording, 1024);
    CHECK(check_same_pass(recording, 64 * 1024) > 1);
}

TEST_CASE("Who stops a first pass stops all its threads", "[recording][first_pass]") {
    Scene scene;
    for (std::uint32_t number = 0; number < 300'000; ++number) scene.sample(0x1000 + number, 10 + number);
    const auto file = scene.build();
    const auto recording = Recording::from_memory(file).value();
    for (const int looks : {0, 1, 5}) {
        std::atomic<int> left = looks, idle = 0;
        const auto timeline = Timeline::build(
            recording,
            {.stop = StopToken([&left] { return left-- <= 0; }), .jobs = 3, .others_idle = [&idle] { ++idle; }});
        REQUIRE_FALSE(timeline);
        CHECK(timeline.error().code == ErrorCode::cancelled);
        CHECK(idle == 1);
    }
    CHECK(Timeline::build(recording, {.stop = {}, .jobs = 3}).value().completeness().bytes.unread == 0);
}

TEST_CASE("What a callback throws in another thread comes from the pass itself", "[recording][first_pass]") {
    Scene scene;
    for (std::uint32_t number = 0; number < 300'000; ++number) scene.sample(0x1000 + number, 10 + number);
    const auto file = scene.build();
    const auto recording = Recording::from_memory(file).value();
    struct Thrown {};
    const StopToken stop([]() -> bool { throw Thrown(); });
    CHECK_THROWS_AS(Timeline::build(recording, {.stop = stop, .jobs = 3}), Thrown);
}
