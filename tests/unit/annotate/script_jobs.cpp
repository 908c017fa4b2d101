// SPDX-License-Identifier: MIT
// The text of perfdata script is the same whatever the number of threads, and threads end as the call does.
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "script/script.hpp"
#include "script/script_batch.hpp"
#include "script/script_lines.hpp"
#include "script/script_tally.hpp"
#include "support/files.hpp"
#include "support/scene.hpp"
#include "support/sketch.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Scripted {
    Recording recording;
    Timeline timeline;
    Symbolizer names;

    static SymbolizerOptions nothing_else() {
        SymbolizerOptions sources;
        sources.finder.offline = true;
        sources.jit.as_recorded = false;
        return sources;
    }
    explicit Scripted(Recording of)
        : recording(std::move(of)),
          timeline(Timeline::build(recording).value()),
          names(Symbolizer::open(recording, timeline, nothing_else())) {}

    ScriptOptions options(std::size_t jobs, const std::string& fields) const {
        ScriptOptions options;
        options.jobs = jobs;
        if (!fields.empty()) REQUIRE(options.fields.choose(fields));
        REQUIRE(options.fields.fit(recording, true));
        return options;
    }
    std::string text(std::size_t jobs, const std::string& fields = {}) const {
        return written(options(jobs, fields)).first;
    }
    std::string text_and_counts(std::size_t jobs) const { return text_and_counts(options(jobs, {})); }
    std::string text_and_counts(const ScriptOptions& options) const {
        const auto [text, counts] = written(options);
        return text + counts;
    }
    std::pair<std::string, std::string> written(const ScriptOptions& options) const {
        std::string text;
        std::atomic<int> inside = 0;
        bool alone = true;
        auto counts = write_script(recording, names, options, [&](std::string_view part) {
            alone = alone && inside.fetch_add(1) == 0;
            text += part;
            inside.fetch_sub(1);
        });
        REQUIRE(counts);
        CHECK(alone);
        return {text, described(*counts)};
    }
    static std::string described(const ScriptCounts& counts) {
        std::string text = std::to_string(counts.samples);
        const auto add = [&](std::uint64_t count) { text += " " + std::to_string(count); };
        for (const auto dropped : counts.dropped) add(dropped);
        for (const auto count : {counts.broken_chains, counts.deep_chains, counts.folded_chains, counts.stacks.stacks(),
                                 counts.stacks.lost(), counts.stacks.incomplete(), counts.counter_losses.all()}) {
            add(count);
        }
        for (const auto& [size, number] : counts.stacks.short_copies()) add(size + number);
        text += counts.unnamed_kernel ? " unnamed" : "";
        for (const auto* names : {&counts.absent_symbols, &counts.absent_objects, &counts.other_symbols,
                                  &counts.other_objects, &counts.inlined_symbols}) {
            for (const auto& name : *names) text += " " + name;
            text += ";";
        }
        return text;
    }
};

// Samples of two processes with chains through mapped and unmapped memory, and through the kernel; every 64th is deep.
Blob many_chains(std::uint64_t count) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, 0x10000, 0x10000, "/bin/one", 1).mmap(2, 0x20000, 0x10000, "/bin/two", 1);
    for (std::uint64_t at = 0; at < count; ++at) {
        const auto pid = static_cast<std::uint32_t>(1 + at % 2);
        std::vector<std::uint64_t> chain{static_cast<std::uint64_t>(ChainContext::kernel),
                                         0xffffffff81000000 + at % 501, static_cast<std::uint64_t>(ChainContext::user),
                                         0x10000 * pid + at * 7 % 0x10000, 0x7000 + at % 1000};
        if (at % 64 == 0) chain.insert(chain.end(), 200, 0x7000 + at);
        sketch.chain(0x10000 * pid + at % 999, pid, 1000 + at, chain);
    }
    return sketch.build();
}

Blob many_samples(std::uint64_t count) {
    Scene scene;
    for (std::uint64_t at = 0; at < count; ++at) scene.sample(0x1000 + at % 97, 1'000'000 + at * 10);
    return scene.build();
}

}  // namespace

TEST_CASE("A script is the same on any number of threads", "[annotate][script][fixtures]") {
    for (const std::string name : {"bpf/bpf_many.data", "bpf/bpf_events.data", "stacks/x86_plain.data",
                                   "jit/tinyjit.data", "records/s390_tp.data"}) {
        INFO(name);
        const Scripted scripted(Recording::open(fixture(name)).value());
        const auto alone = scripted.text(1);
        CHECK(!alone.empty());
        CHECK(scripted.text(2) == alone);
        CHECK(scripted.text(7) == alone);
        CHECK(scripted.text(3, "comm,pid,tid,time,event,ip,sym,symoff,dso") ==
              scripted.text(1, "comm,pid,tid,time,event,ip,sym,symoff,dso"));
    }
}

TEST_CASE("JSON and counts of a script are the same on any number of threads", "[annotate][script][fixtures]") {
    for (const std::string name :
         {"bpf/bpf_many.data", "stacks/x86_plain.data", "stacks/x86_short.data", "records/s390_tp.data"}) {
        INFO(name);
        const Scripted scripted(Recording::open(fixture(name)).value());
        for (const bool json : {false, true}) {
            auto options = scripted.options(1, {});
            options.json = json;
            options.most_frames = 5;
            options.filter.times = {{Time{}, Time::forever()}};
            options.filter.code.symbols = {"main", "no_such_function"};
            const auto some = scripted.text_and_counts(options);
            options.filter.code.symbols.clear();
            const auto all = scripted.text_and_counts(options);
            options.jobs = 3;
            CHECK(scripted.text_and_counts(options) == all);
            options.filter.code.symbols = {"main", "no_such_function"};
            CHECK(scripted.text_and_counts(options) == some);
        }
    }
}

TEST_CASE("A script does not depend on how much of it is kept", "[annotate][script]") {
    const auto file = many_chains(20'000);
    const Scripted scripted(Recording::from_memory(file).value());
    const auto text = scripted.text_and_counts(1);
    // The last one; the file offsets are those that a Sketch gives.
    CHECK(text.find("\n\tffffffff810001cc [unknown] ([unknown])\n\t            22d9 [unknown] (/bin/two)\n"
                    "\t            73e7 [unknown] ([unknown])\n\n20000 0 0") != std::string::npos);
    CHECK(scripted.text_and_counts(4) == text);
    // A table of some places is dropped thousands of times.
    for (const std::size_t places : {1u, 50u}) {
        OpenOptions few;
        few.limits.places = places;
        const Scripted small(Recording::from_memory(file, few).value());
        CHECK(small.text_and_counts(1) == text);
        CHECK(small.text_and_counts(3) == text);
    }
}

TEST_CASE("A script of damaged records is the same on any number of threads", "[annotate][script]") {
    auto file = many_chains(5'000);
    // The magic and the sections before the records stay as they are.
    for (auto at = file.size() / 8; at < file.size(); at += 997) file[at] ^= std::byte{0xff};
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const Scripted scripted(Recording::from_memory(file).value());
    const auto alone = scripted.text_and_counts(1);
    CHECK(!alone.empty());
    CHECK(scripted.text_and_counts(2) == alone);
    CHECK(scripted.text_and_counts(7) == alone);
}

TEST_CASE("Room for inlined functions that is guessed is checked", "[annotate][script]") {
    InlinedRoom known, guessed;
    known.begin(1000);
    for (auto* room : {&known, &guessed}) {
        CHECK(room->has(1000));
        room->take(1000);
        room->add(1);
        CHECK(room->has(64));
        room->take(64);
    }
    CHECK(!known.has(1));
    CHECK(guessed.has(1));
    CHECK(known.left() == 0);
    CHECK(guessed.left() == -1000);
    CHECK(guessed.was_right(1000));
    CHECK(!guessed.was_right(999));
    guessed.add(1);
    CHECK(!guessed.was_right(999));  // what came later does not help
    CHECK(guessed.left() == -936);
}

TEST_CASE("Hexadecimal digits of a script are those of fmt", "[annotate][script]") {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xf}, std::uint64_t{0x10},
                                      std::uint64_t{0xabcdef}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
        std::string text(16, '?');
        put_hex(text.data(), value);
        CHECK(text == fmt::format("{:16x}", value));
    }
}

TEST_CASE("Many batches of a script are written in the order of the samples", "[annotate][script]") {
    const auto file = many_samples(20'000);
    const Scripted scripted(Recording::from_memory(file).value());
    const auto text = scripted.text(5, "time");
    REQUIRE(text == scripted.text(1, "time"));
    std::string expected;
    for (std::uint64_t at = 0; at < 20'000; ++at) {
        auto micros = std::to_string((1'000'000 + at * 10) / 1000);
        expected += "    0." + std::string(6 - micros.size(), '0') + micros + ": \n";
    }
    CHECK(text == expected);
}

TEST_CASE("What a thread of a script throws reaches the caller", "[annotate][script]") {
    const auto file = many_samples(20'000);
    const Scripted scripted(Recording::from_memory(file).value());
    const auto options = scripted.options(4, {});
    const auto none =
        write_script(scripted.recording, scripted.names, options, [](std::string_view) { throw std::bad_alloc(); });
    REQUIRE(!none);
    CHECK(none.error().code == ErrorCode::out_of_memory);
    int calls = 0;
    CHECK_THROWS_AS(write_script(scripted.recording, scripted.names, options,
                                 [&](std::string_view) {
                                     if (++calls == 3) throw std::runtime_error("full");
                                 }),
                    std::runtime_error);
    CHECK(calls == 3);
}

TEST_CASE("A script on several threads stops when it is asked to", "[annotate][script][stop]") {
    const auto file = many_samples(20'000);
    const Scripted scripted(Recording::from_memory(file).value());
    auto options = scripted.options(4, {});
    options.stop = StopToken([] { return true; });
    const auto stopped = write_script(scripted.recording, scripted.names, options, [](std::string_view) {});
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

// A reader may put each record where the one before it was.
TEST_CASE("A batch of samples copies each record, and that of several counters once", "[script][jobs]") {
    std::vector<std::byte> record(16, std::byte{1});
    RecordView view;
    view.bytes = Bytes(record);
    const auto sample = [&](std::uint32_t counted, bool again) { return RawSample{view, 0, counted, 0, {}, again}; };
    ScriptBatch batch;
    REQUIRE(batch.add(sample(0, false)));
    REQUIRE(batch.add(sample(1, true)));
    std::ranges::fill(record, std::byte{2});
    REQUIRE(batch.add(sample(2, false)));
    const auto& samples = batch.samples();
    REQUIRE(samples.size() == 3);
    CHECK(samples[0].record.bytes[15] == std::byte{1});
    CHECK(samples[1].record.bytes.data() == samples[0].record.bytes.data());
    CHECK(samples[2].record.bytes[15] == std::byte{2});
    // The first of a batch has a copy in any case.
    batch.clear();
    REQUIRE(batch.add(sample(3, true)));
    CHECK(batch.samples()[0].record.bytes.data() != record.data());
    CHECK(batch.samples()[0].record.bytes[0] == std::byte{2});
}
