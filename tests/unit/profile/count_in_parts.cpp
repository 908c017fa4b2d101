// SPDX-License-Identifier: MIT
// Counts of parts that are counted at the same time are those of all records in a row.
#include "profile/count_in_parts.hpp"

#include <filesystem>
#include <new>
#include <thread>

#include "perfdata/core/stop_token.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/parted_recording.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

SampleCountOptions all_told_apart(bool chains) {
    SampleCountOptions options;
    options.by_pid = options.by_tid = options.by_cpu = options.by_cgroup = true;
    options.chains = chains;
    return options;
}

Frame page_of(const Frame& frame) {
    auto page = frame;
    page.offset &= ~std::uint64_t{0xfff};
    return page;
}

// Samples of many places in some MiB, of two events.
Blob samples_of_two_events() {
    Scene scene(std::endian::little, 2);
    for (std::uint32_t number = 0; number < 160'000; ++number) {
        scene.sample(0xffff800000000000 + 0x10 * (std::uint64_t{number} * number % 9001), 10 + number, CpuMode::kernel,
                     number % 2, 1 + number % 7);
    }
    return scene.build();
}

}  // namespace

TEST_CASE("Parts of each fixture are counted as the whole", "[profile][parts]") {
    std::size_t counted = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PERFDATA_FIXTURES)) {
        if (entry.path().extension() != ".data" || !entry.is_regular_file()) continue;
        INFO(entry.path().string());
        if (!Recording::from_memory(content_of_file(entry.path().string()))) continue;
        const PartedRecording opened(content_of_file(entry.path().string()));
        if (opened.marks.size() < 10) continue;
        for (const bool chains : {false, true}) {
            for (int how = 0; how < 4; ++how) {
                auto options = how % 2 == 0 ? SampleCountOptions() : all_told_apart(chains);
                options.chains = chains;
                if (how >= 2) options.fold = page_of;
                options.fold_callers = how != 3;
                options.mark_returns = chains && how == 1;
                if (how == 3) options.filter.cpus = {0};
                if (how == 2) options.max_stack = 3;
                if (!is_countable_in_parts(opened.recording, options)) continue;
                const auto whole = opened.whole(options);
                for (const std::size_t parts : {2u, 3u, 7u}) {
                    INFO("chains " << chains << " options " << how << " parts " << parts);
                    const auto counts = opened.in_parts(parts, options);
                    REQUIRE(counts);
                    check_same_counts(*counts, whole);
                    ++counted;
                }
            }
        }
    }
    CHECK(counted > 1000);
}

TEST_CASE("Parts are given up where limits of the whole may be reached", "[profile][parts]") {
    const auto file = content_of_file(PERFDATA_FIXTURES "/bpf/bpf_events.data");
    const PartedRecording unlimited(file);
    const auto check = [&](std::size_t Limits::*limit, bool chains, bool by_tid) {
        auto options = by_tid ? all_told_apart(chains) : SampleCountOptions();
        options.chains = chains;
        std::size_t given_up = 0, kept = 0;
        for (std::size_t most = 32; most < 200'000; most += 1 + most / 4) {
            INFO("limit " << most << " chains " << chains);
            Limits limits;
            limits.*limit = most;
            const PartedRecording opened(file, limits);
            const auto whole = opened.whole(options);
            for (const std::size_t parts : {2u, 5u}) {
                const auto counts = opened.in_parts(parts, options);
                counts ? ++kept : ++given_up;
                if (counts) check_same_counts(*counts, whole);
            }
        }
        CHECK(given_up > 0);
        CHECK(kept > 0);
    };
    SECTION("of nodes") {
        check(&Limits::chain_nodes, true, false);
    }
    SECTION("of places with chains") {
        check(&Limits::places, true, true);
    }
    SECTION("of places") {
        check(&Limits::places, false, true);
    }
    SECTION("of cells with chains") {
        check(&Limits::cells, true, true);
    }
    SECTION("of cells") {
        check(&Limits::cells, false, true);
    }
}

TEST_CASE("Cells of many events are those of the whole", "[profile][parts]") {
    Scene scene(std::endian::big, 40);
    for (std::uint32_t number = 0; number < 5'000; ++number) {
        scene.sample(0xffff800000000000 + 0x10 * (number % 100), 10 + number, CpuMode::kernel, number * number % 40, 3);
    }
    const PartedRecording opened(scene.build());
    for (const bool chains : {false, true}) {
        const auto options = all_told_apart(chains);
        const auto counts = opened.in_parts(3, options);
        REQUIRE(counts);
        check_same_counts(*counts, opened.whole(options));
    }
}

TEST_CASE("A large recording is counted on any number of threads alike", "[profile][parts]") {
    const PartedRecording opened(samples_of_two_events());
    SampleCountOptions options;
    options.fold = page_of;
    const auto whole = opened.whole(options);
    CHECK(hits(whole.totals()) == 160'000);
    for (const unsigned jobs : {2u, 3u, 7u}) {
        options.jobs = jobs;
        const auto parts = std::min<std::size_t>(jobs, opened.file.size() >> 22);
        REQUIRE(parts >= 2);
        CHECK(part_begins(opened.recording, opened.timeline, options).size() == parts - 1);
        check_same_counts(opened.whole(options), whole);
    }
    SECTION("not with what needs samples in order") {
        options.label = [](std::uint32_t, std::optional<Bytes>, const Moment&) { return 0u; };
        CHECK(part_begins(opened.recording, opened.timeline, options).empty());
    }
    SECTION("not where memory is scarce") {
        Limits limits;
        limits.chain_nodes /= 2;
        const PartedRecording scarce(opened.file, limits);
        CHECK(part_begins(scarce.recording, scarce.timeline, options).empty());
    }
    SECTION("progress is told by one thread and only grows") {
        std::uint64_t told = 0, times = 0;
        bool right = true;
        options.progress = [&, here = std::this_thread::get_id()](std::uint64_t read, std::uint64_t total) {
            right = right && read >= told && read <= total && std::this_thread::get_id() == here;
            told = read;
            ++times;
        };
        check_same_counts(opened.whole(options), whole);
        CHECK(right);
        CHECK(times > 2);
    }
    SECTION("stopped in any thread") {
        for (int after = 0; after < 40; after += 3) {
            std::atomic<int> asked = 0;
            options.stop = StopToken([&asked, after] { return ++asked > after; });
            const auto counts = SampleCounts::count(opened.recording, opened.timeline, options);
            if (!counts) CHECK(counts.error().code == ErrorCode::cancelled);
            if (after == 0) CHECK_FALSE(counts);
        }
    }
    SECTION("memory that lacks in another thread") {
        std::atomic<int> thrown = 0;
        options.fold = [&, here = std::this_thread::get_id()](const Frame& frame) {
            if (std::this_thread::get_id() != here && thrown++ == 0) throw std::bad_alloc();
            return page_of(frame);
        };
        check_same_counts(opened.whole(options), whole);
        options.fold = [](const Frame&) -> Frame { throw std::bad_alloc(); };
        const auto counts = SampleCounts::count(opened.recording, opened.timeline, options);
        REQUIRE_FALSE(counts);
        CHECK(counts.error().code == ErrorCode::out_of_memory);
    }
    SECTION("what a callback throws") {
        options.fold = [](const Frame&) -> Frame { throw 7; };
        CHECK_THROWS_AS(SampleCounts::count(opened.recording, opened.timeline, options), int);
    }
}

TEST_CASE("Damage leaves no marks, and a file that changed gives no counts", "[profile][parts]") {
    auto file = samples_of_two_events();
    auto damaged = file;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(file.size() / 2), 100, std::byte{0xff});
    const PartedRecording opened(damaged);
    SampleCountOptions options;
    options.jobs = 3;
    CHECK(opened.timeline.times()->marks().empty());
    CHECK(part_begins(opened.recording, opened.timeline, options).empty());

    PartedRecording changed(file);
    const auto begins = part_begins(changed.recording, changed.timeline, options);
    REQUIRE_FALSE(begins.empty());
    std::fill_n(changed.file.begin() + static_cast<std::ptrdiff_t>(begins[0].offset) - 40, 100, std::byte{0xff});
    const SampleCounter::InCommon shared(changed.recording, changed.timeline, options);
    CHECK_FALSE(count_in_parts(changed.recording, changed.timeline, options, shared, begins).has_value());
    for (const unsigned jobs : {1u, 3u}) {
        options.jobs = jobs;
        const auto counts = SampleCounts::count(changed.recording, changed.timeline, options);
        REQUIRE_FALSE(counts);
        CHECK(counts.error().code == ErrorCode::io);
    }
}

TEST_CASE("A stream goes on at each mark as one that read all before it", "[recording][parts]") {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PERFDATA_FIXTURES)) {
        if (entry.path().extension() != ".data" || !entry.is_regular_file()) continue;
        INFO(entry.path().string());
        const auto file = content_of_file(entry.path().string());
        const auto recording = Recording::from_memory(file);
        if (!recording || recording->is_profile()) continue;
        std::vector<std::pair<std::uint64_t, std::size_t>> all;  // offset and size
        std::vector<std::pair<std::size_t, RecordMark>> marks;   // how many records lie before it
        auto stream = recording->records();
        for (RecordView record; stream.next(record);) {
            all.emplace_back(record.offset, record.bytes.size());
            if (const auto mark = stream.mark()) marks.emplace_back(all.size(), *mark);
        }
        if (stream.problems().count() != 0) continue;
        for (std::size_t at = 0; at < marks.size(); at += 1 + marks.size() / 20) {
            const auto& [before, mark] = marks[at];
            auto rest = recording->records();
            rest.start_at(mark);
            std::size_t number = before, same = 0;
            for (RecordView record; rest.next(record); ++number) {
                if (number < all.size() && all[number] == std::pair(record.offset, record.bytes.size())) ++same;
            }
            CHECK(number == all.size());
            CHECK(same == all.size() - before);
        }
    }
}
