// SPDX-License-Identifier: MIT
// The text of perfdata script is the same whatever the number of threads, and threads end as the call does.
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "script/script.hpp"
#include "support/files.hpp"
#include "support/scene.hpp"

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
        std::string text;
        std::atomic<int> inside = 0;
        bool alone = true;
        const auto counts = write_script(recording, names, options(jobs, fields), [&](std::string_view part) {
            alone = alone && inside.fetch_add(1) == 0;
            text += part;
            inside.fetch_sub(1);
        });
        REQUIRE(counts);
        CHECK(alone);
        return text;
    }
};

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

TEST_CASE("Many chunks of a script are written in the order of the samples", "[annotate][script]") {
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
