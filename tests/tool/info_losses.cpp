// SPDX-License-Identifier: MIT
// Plain `perfdata info` says what the recorder lost, as the commands do that show samples.
#include <cstring>
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/sketch.hpp"
#include "tool/run.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Returns the line of the text that begins with these words, behind them.
std::string rest_of_line(const std::string& text, const std::string& words) {
    const auto found = text.find("\n" + words);
    if (found == std::string::npos) return {};
    const auto begin = found + 1 + words.size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("info says without --completeness how many samples were lost", "[info]") {
    const Place place;
    const auto lost = fixture("records/lost.data");
    const auto plain = place.run({"info", lost}), full = place.run({"info", "--completeness", lost});
    REQUIRE(plain.status == 0);
    const auto line = rest_of_line(plain.output, "losses       ");
    INFO(plain.output);
    CHECK(line.find(" lost (") != std::string::npos);
    CHECK(full.output.find("\n      " + line + "\n") != std::string::npos);
    CHECK(full.output.find("\nlosses ") == std::string::npos);
    CHECK(place.run({"report", "--offline", lost}).output.find(line) != std::string::npos);

    const auto json = Json::parse(place.run({"info", "--json", lost}).output);
    const auto all = Json::parse(place.run({"info", "--json", "--completeness", lost}).output);
    const auto& losses = json["completeness"]["losses"];
    for (const auto* count : {"samples", "lost_samples", "lost_elsewhere", "dropped_by_bpf_filter"}) {
        INFO(count);
        CHECK(losses[count].count() == all["completeness"]["losses"][count].count());
    }
    CHECK(losses["samples"].count() != 0);
    CHECK(losses["lost_samples"].count() + losses["lost_elsewhere"].count() != 0);
    CHECK(json["completeness"]["lost_samples"].is_null());
}

TEST_CASE("info has no line of losses where nothing was lost", "[info]") {
    const Place place;
    CHECK(place.run({"info", "in.data"}).output.find("\nlosses ") == std::string::npos);
    CHECK_FALSE(Json::parse(place.run({"info", "--json", "in.data"}).output)["completeness"].has("losses"));
}

TEST_CASE("info reads no more than the header of a large recording, and says so", "[info]") {
    Sketch sketch;
    sketch.comm(1, 1);
    auto blob = sketch.build();
    constexpr std::uint64_t size = (std::uint64_t{64} << 20) + 4096;
    // The header has offset and size of the records at 40 and 48. Behind the first there is a hole.
    std::uint64_t offset = 0;
    REQUIRE(blob.size() > 56);
    std::memcpy(&offset, blob.data() + 40, sizeof offset);
    const std::uint64_t records = size - offset;
    std::memcpy(blob.data() + 48, &records, sizeof records);
    const Place place;
    const auto file = place.write("large.data", std::string(perfdata::as_text(blob)));
    std::filesystem::resize_file(file, size);
    const auto said = place.run({"info", file});
    INFO(said.messages);
    CHECK(said.status == 0);
    CHECK(rest_of_line(said.output, "losses       ").starts_with("not counted"));
    CHECK(Json::parse(place.run({"info", "--json", file}).output)["completeness"]["losses"].is_null());
}

TEST_CASE("info gives up counting where records are damaged without end, however small the file is", "[info]") {
    constexpr std::size_t damaged = 110'000;
    // LOST without a body.
    const auto bare = record(RecordType::lost, {}, {});
    Blob all;
    all.reserve(damaged * bare.size());
    for (std::size_t at = 0; at < damaged; ++at) all.insert(all.end(), bare.begin(), bare.end());
    const Place place;
    const auto file = place.write("damaged.data", std::string(perfdata::as_text(Sketch().add(all).build())));
    const auto said = place.run({"info", file});
    INFO(said.messages);
    CHECK(said.status == 0);
    CHECK(rest_of_line(said.output, "losses       ") == "not counted here; --completeness reads all records");
    CHECK(Json::parse(place.run({"info", "--json", file}).output)["completeness"]["losses"].is_null());
}
