// SPDX-License-Identifier: MIT
// Recordings with extreme numbers: sums that end at the largest number, which every command says, and time 0.
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/json.hpp"
#include "support/scene.hpp"
#include "support/text_parts.hpp"
#include "tool/run.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Two samples of one function, at time 0 and later.
Scene two_samples(std::uint64_t period) {
    Scene scene;
    scene.known({1, 1, {{0x1000, 0x100, "work", 1}}});
    scene.sample(0x1004, 0, CpuMode::kernel, 0, period).sample(0x1008, 300, CpuMode::kernel, 0, period);
    return scene;
}

const std::vector<std::vector<std::string>> counting_commands = {
    {"report", "FILE"},
    {"report", "--json", "FILE"},
    {"annotate", "FILE"},
    {"annotate", "--json", "FILE"},
    {"annotate", "--format", "lines", "FILE"},
    {"annotate", "-o", "x.html", "FILE"},
    {"export", "--format", "folded", "FILE"},
    {"export", "--format", "callgrind", "FILE"},
    {"export", "--format", "csv", "--table", "functions", "FILE"},
    {"export", "-o", "x.pb.gz", "FILE"},
    {"diff", "FILE", "FILE"},
};

std::vector<std::string> of(const std::string& file, std::vector<std::string> command) {
    for (auto& word : command) {
        if (word == "FILE") word = file;
    }
    command.insert(command.begin() + 1, "--strict");
    return command;
}

}  // namespace

TEST_CASE("Every command says that sums of periods end at the largest number", "[losses]") {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    for (const bool full : {true, false}) {
        const Place place;
        place.write("r.data", std::string(as_text(two_samples(full ? half : half / 16).build())));
        const std::vector<std::vector<std::string>> makers = {
            {"profile", "--strict", "-o", "p.profile.pb.gz", "r.data"},
            {"merge", "--strict", "--allow-duplicates", "-o", "m.profile.pb.gz", "p.profile.pb.gz", "p.profile.pb.gz"},
            {"export", "--strict", "--format", "speedscope", "r.data"},
            {"export", "--strict", "--format", "firefox", "r.data"}};
        const auto check = [&](const std::vector<std::string>& command) {
            const auto ended = place.run(command);
            INFO(in_words(command) << "\n" << ended.messages);
            CHECK(ended.status == (full ? 3 : 0));
            CHECK(has(ended.messages, "add up to 2^64-1 or more, and sums end there") == full);
        };
        for (const auto& command : makers) check(command);
        for (const auto* const file : {"r.data", "p.profile.pb.gz", "m.profile.pb.gz"}) {
            for (const auto& command : counting_commands) check(of(file, command));
        }
    }
}

TEST_CASE("pprof's files end at a smaller number, which is said", "[losses]") {
    const Place place;
    place.write("r.data", std::string(as_text(two_samples(std::uint64_t{1} << 62).build())));
    const auto ended = place.run({"export", "--strict", "-o", "x.pb.gz", "r.data"});
    CHECK(ended.status == 3);
    CHECK(has(ended.messages, "sums beyond 2^63-1, the largest of pprof, are cut to that"));
    CHECK(place.run({"export", "--strict", "--format", "folded", "r.data"}).status == 0);
    // A profile has the whole sums, but pprof reads other fields of it.
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"profile", "--strict", "-o", "p.profile.pb.gz", "r.data"},
             {"merge", "--strict", "--allow-duplicates", "-o", "m.profile.pb.gz", "p.profile.pb.gz"}}) {
        const auto made = place.run(command);
        INFO(in_words(command) << "\n" << made.messages);
        CHECK(made.status == 0);
        CHECK(has(made.messages, "note: sums beyond 2^63-1 are cut to that where pprof reads the file"));
    }
}

TEST_CASE("The summaries of profiles count full sums", "[profiles]") {
    const Place place;
    place.write("r.data", std::string(as_text(two_samples(std::uint64_t{1} << 63).build())));
    const auto made = place.run({"profile", "--json", "-o", "p.profile.pb.gz", "r.data"});
    CHECK(Json::parse(made.output)["diagnostics_total"].number() == 1);
    const auto merged = place.run({"merge", "--json", "-o", "m.profile.pb.gz", "p.profile.pb.gz"});
    CHECK(Json::parse(merged.output)["diagnostics_total"].number() == 1);
    place.write("list", "r.data\n");
    const auto batch = place.run({"batch", "--do", "profile", "--out", "out", "list"});
    INFO(batch.output << batch.messages);
    CHECK(has(batch.output, "\"losses\":1"));
}

TEST_CASE("A profile has the time of a first sample at time 0", "[profiles]") {
    const Place place;
    place.write("r.data", std::string(as_text(two_samples(1).build())));
    REQUIRE(place.run({"profile", "-o", "p.profile.pb.gz", "r.data"}).status == 0);
    for (const auto* const command : {"annotate", "report"}) {
        for (const auto* const file : {"r.data", "p.profile.pb.gz"}) {
            const auto ended = place.run({command, "--json", file});
            INFO(command << " " << file);
            const auto page = Json::parse(ended.output);
            CHECK(page["recording"]["first_time"].text() == "0.000000000");
            CHECK(page["recording"]["last_time"].text() == "0.000000300");
        }
    }
    for (const auto* const file : {"r.data", "p.profile.pb.gz"}) {
        REQUIRE(place.run({"export", "-o", file + std::string(".pb.gz"), file}).status == 0);
    }
    CHECK(same(place.read("r.data.pb.gz"), place.read("p.profile.pb.gz.pb.gz")));
}
