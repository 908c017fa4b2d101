// SPDX-License-Identifier: MIT
// Opening input that is unpacked or copied: who watches is told how far it is, and stops it soon.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <stop_token>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/crafted.hpp"
#include "support/files.hpp"
#include "support/looks.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// WatchedTold is what progress was told.
struct WatchedTold {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;

    Progress progress() {
        return [this](std::uint64_t read, std::uint64_t total) { all.emplace_back(read, total); };
    }
    // Returns a token that stops once progress was told so often.
    StopToken after(std::size_t times) {
        return StopToken([this, times] { return all.size() >= times; });
    }
};

std::string read_text(const Source& source) {
    return read_whole(source, ~std::uint64_t{0}).value();
}

// FullPipe is a pipe with some bytes in it, whose writer stays.
struct FullPipe {
    explicit FullPipe(std::string_view content) {
        REQUIRE(::pipe(ends) == 0);
        REQUIRE(::write(ends[1], content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    }
    FullPipe(const FullPipe&) = delete;
    FullPipe& operator=(const FullPipe&) = delete;
    ~FullPipe() {
        ::close(ends[0]);
        if (ends[1] >= 0) ::close(ends[1]);
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(ends[0]); }

    int ends[2] = {-1, -1};
};

}  // namespace

TEST_CASE("Unpacking tells how much of the packed input it has read", "[recording][source]") {
    const TempDir directory;
    const auto content = noise();
    const auto kind = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    const auto packed = compressed(kind, content);
    const auto path = directory.write("packed", packed);
    WatchedTold told;
    const auto source = open_source(path, {}, Content::any, {{}, told.progress()});
    REQUIRE(source);
    CHECK(read_text(**source) == as_text(content));
    REQUIRE(told.all.size() >= 4);
    CHECK(told.all.front() == std::pair(std::uint64_t{0}, std::uint64_t{packed.size()}));
    for (std::size_t at = 1; at < told.all.size(); ++at) {
        CHECK(told.all[at].first >= told.all[at - 1].first);
        CHECK(told.all[at].first <= packed.size());
        CHECK(told.all[at].second == packed.size());
    }
    CHECK(told.all.back().first > packed.size() / 2);

    // A source of the caller's in the same way.
    WatchedTold again;
    REQUIRE(unpacked(memory_source(packed), "memory", {}, Content::any, {{}, again.progress()}));
    CHECK(again.all.size() == told.all.size());
    CHECK(again.all.back().first > packed.size() / 2);
    CHECK(again.all.back().second == packed.size());
}

TEST_CASE("Unpacking stops wherever it is", "[recording][source]") {
    const TempDir directory;
    const bool zeros = GENERATE(false, true);  // 8 MiB of them are one packed block
    const auto path =
        directory.write("packed", compressed(Compression::gzip, zeros ? Blob(std::size_t{8} << 20) : noise()));
    for (const auto times : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
        WatchedTold told;
        const auto source = open_source(path, {}, Content::any, {told.after(times), told.progress()});
        REQUIRE_FALSE(source);
        CHECK(source.error().code == ErrorCode::cancelled);
        CHECK(source.error().where == path);
        CHECK(told.all.size() == times);
    }
}

TEST_CASE("A callback that throws while input is unpacked is no damage", "[recording][source]") {
    const TempDir directory;
    const auto path = directory.write("packed", compressed(Compression::gzip, noise()));
    int calls = 0;
    const Progress progress = [&](std::uint64_t, std::uint64_t) {
        if (++calls == 3) throw std::runtime_error("the disk of the log is full");
    };
    CHECK_THROWS_WITH(open_source(path, {}, Content::any, {{}, progress}), "the disk of the log is full");
    CHECK(calls == 3);
}

TEST_CASE("A pipe that has nothing to read does not keep who wants to stop", "[recording][source]") {
    const std::string content(GENERATE(std::size_t{0}, std::size_t{3}, std::size_t{5000}), 'x');
    const FullPipe pipe(content);
    std::stop_source stop;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto source = open_source(pipe.path(), {}, Content::any, {stop.get_token(), {}});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::cancelled);
}

TEST_CASE("A pipe is read to its end, however slowly it comes, with a total that is unknown", "[recording][source]") {
    FullPipe pipe("first,");
    std::jthread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(120));
        (void)!::write(pipe.ends[1], "second", 6);
        ::close(std::exchange(pipe.ends[1], -1));
    });
    WatchedTold told;
    const auto source = open_source(pipe.path(), {}, Content::any, {{}, told.progress()});
    REQUIRE(source);
    CHECK(read_text(**source) == "first,second");
    CHECK(told.all.size() >= 3);
    for (const auto& [read, total] : told.all) CHECK(total == 0);
}

TEST_CASE("A FIFO without a writer does not keep who wants to stop", "[recording][source]") {
    const TempDir directory;
    const auto path = (directory.path() / "fifo").string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    WatchedTold told;
    const auto none = open_source(path, {}, Content::any, {told.after(2), told.progress()});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::cancelled);

    std::jthread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
        if (std::FILE* out = std::fopen(path.c_str(), "w")) {
            std::fputs("at last", out);
            std::fclose(out);
        }
    });
    WatchedTold waiting;
    const auto source = open_source(path, {}, Content::any, {{}, waiting.progress()});
    REQUIRE(source);
    CHECK(read_text(**source) == "at last");
}

TEST_CASE("Opening and reopening a packed recording is watched and stopped", "[recording][source]") {
    const TempDir directory;
    const auto plain = content_of_file(fixture("bpf/bpf_many.data"));
    const auto path = directory.write("perf.data.gz", compressed(Compression::gzip, plain));
    WatchedTold told;
    OpenOptions options;
    options.progress = told.progress();
    const auto recording = Recording::open(path, options);
    REQUIRE(recording);
    CHECK(recording->bytes() == plain.size());
    CHECK_FALSE(told.all.empty());

    WatchedTold again;
    CHECK(recording->reopen({{}, again.progress()}));
    CHECK(again.all == told.all);
    WatchedTold stopping;
    const auto stopped = recording->reopen({stopping.after(1), stopping.progress()});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    WatchedTold source_told;
    const auto source = Recording::from_source(memory_source(compressed(Compression::zstd, plain)), "far",
                                               {{}, source_told.after(1), source_told.progress()});
    REQUIRE_FALSE(source);
    CHECK(source.error() == Error{ErrorCode::cancelled, Error::no_offset, "far", "asked to stop"});
    // What is not unpacked is not watched.
    WatchedTold nothing;
    options.progress = nothing.progress();
    CHECK(Recording::open(fixture("bpf/bpf_many.data"), options));
    CHECK(nothing.all.empty());
}

TEST_CASE("The packed files of a directory are watched, too", "[recording][source]") {
    const TempDir directory;
    directory.write("data", content_of_file(fixture("bpf/bpf_many.data")));
    directory.write("data.0", compressed(Compression::gzip, {}));
    WatchedTold told;
    const auto stopped = Recording::open(directory.path().string(), {{}, told.after(1), told.progress()});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    CHECK(told.all.size() == 1);
}

TEST_CASE("The header of a pipe that never ends is left when asked to stop", "[recording][source]") {
    // "PERFILE2", the header's size; then records of an unknown type.
    Writer out(std::endian::little);
    out.u64(0x32454c4946524550).u64(16);
    for (int number = 0; number < 200'000; ++number) out.u32(200).u16(0).u16(16).u64(0);
    const auto bytes = std::move(out).take();
    WatchedTold told;
    const auto stopped = Recording::from_memory(bytes, {{}, told.after(3), told.progress()});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    REQUIRE(told.all.size() == 3);
    CHECK(told.all[0].second == 200'000 * 16);
    CHECK(Recording::from_memory(bytes));
}

TEST_CASE("Opening leaves a long list of event ids in its middle", "[recording][events]") {
    constexpr std::uint64_t count = 100'000;
    std::vector<std::uint64_t> ids;
    for (std::uint64_t number = 0; number < count; ++number) ids.push_back(1000 + number * 7919);
    const auto attr = sampling_attr(sample_bit::ip | sample_bit::identifier);
    Blob file;
    std::size_t least = 2 * count / 8192;  // each id is read, and then numbered
    if (GENERATE(false, true)) {
        // A pipe has one record for each event and names for ids.
        constexpr std::size_t a_record = 4000;
        Writer out(std::endian::little);
        out.u64(0x32454c4946524550).u64(16);
        file = std::move(out).take();
        const auto add = [&](const Blob& record) { file.insert(file.end(), record.begin(), record.end()); };
        for (std::size_t at = 0; at < count; at += a_record) {
            add(header_attr(std::endian::little, attr, attr.size,
                            {ids.begin() + static_cast<std::ptrdiff_t>(at),
                             ids.begin() + static_cast<std::ptrdiff_t>(at + a_record)}));
        }
    } else {
        file = RecordingBuilder()
                   .event(attr, ids)
                   .add(encode(Lost{{1}, 7}, {.order = std::endian::little, .trailer = {}, .misc = 0}))
                   .build();
    }
    check_stops(
        [&](const Watch& watch) {
            return Recording::from_memory(file, {{}, watch.stop, watch.progress});
        },
        least);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->diagnostics().empty());
    for (std::uint64_t number = 0; number < count; number += 997) CHECK(recording->events().find(ids[number]));
    CHECK_FALSE(recording->events().find(999));
}
