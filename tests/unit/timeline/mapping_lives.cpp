// SPDX-License-Identifier: MIT
#include "perfdata/timeline/mapping_lives.hpp"

#include <chrono>
#include <map>
#include <set>

#include "catch.hpp"
#include "support/random.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// told(...) returns "/path FROM-UNTIL, ..." for the mappings of the address; without UNTIL: forever.
std::string told(const Timeline& timeline, std::uint64_t address, std::optional<Pid> pid = {}) {
    std::string text;
    for (const auto& [mapping, until] : mapping_lives(timeline.tasks(), {address}, pid)) {
        text += (text.empty() ? "" : ", ") + timeline.tasks().object(*mapping).path + " " +
                std::to_string(mapping->from.nanoseconds) + "-" +
                (until == Time::forever() ? "" : std::to_string(until.nanoseconds));
    }
    return text;
}

}  // namespace

TEST_CASE("A mapping lives until another lies over it, its process begins a program or ends", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x1000, 0}, "/first").map(20, 7, {0x1000, 0x100, 0}, "/over");
    world.exec(30, 7, "new").map(31, 7, {0x1000, 0x1000, 0}, "/third").map(15, 8, {0x1000, 0x1000, 0}, "/other");
    world.exit(40, 7, 7).exec(16, 9, "other").exit(17, 9, 9);
    const auto timeline = world.timeline();
    CHECK(told(timeline, 0x1000) == "/first 10-20, /other 15-, /over 20-30, /third 31-40");
    CHECK(told(timeline, 0x1800) == "/first 10-30, /other 15-, /third 31-40");
    CHECK(told(timeline, 0x1800, Pid{8}) == "/other 15-");
    CHECK(told(timeline, 0x2000).empty());
}

TEST_CASE("What another lay over from the very beginning never had the address for itself", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x1000, 0}, "/hidden").map(10, 7, {0x1000, 0x1000, 0}, "/over");
    world.map(20, 7, {0x1000, 0x1000, 0}, "/last");
    CHECK(told(world.timeline(), 0x1000) == "/hidden 10-20, /over 10-20, /last 20-");
}

TEST_CASE("The kernel's mappings live for ever, whatever process is asked for", "[timeline][tasks]") {
    World world;
    world.kernel_map({0x8000, 0x1000, 0}, "[nf_nat]").map(10, 7, {0x8000, 0x1000, 0}, "/a").exec(20, 7, "new");
    CHECK(told(world.timeline(), 0x8000, Pid{7}) == "[nf_nat] 0-, /a 10-20");
    CHECK(told(world.timeline(), 0x8000, Pid{8}) == "[nf_nat] 0-");
}

TEST_CASE("A mapping lives as long as a look at every time finds it", "[timeline][tasks][property]") {
    constexpr std::uint64_t end = 60;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        World world;
        std::map<std::uint32_t, std::set<std::uint64_t>> exits;
        std::map<std::uint32_t, bool> runs{{7, true}, {8, true}};
        for (std::uint64_t time = 1; time < end; time += 1 + random.below(3)) {
            const auto pid = static_cast<std::uint32_t>(7 + random.below(2));
            const auto other = 15 - pid;
            if (!runs[pid]) {
                if (!runs[other]) break;
                world.fork(time, pid, other);
                runs[pid] = true;
                continue;
            }
            switch (random.below(6)) {
                case 0: world.exec(time, pid, "x"); break;
                case 1:
                    world.exit(time, pid, pid);
                    exits[pid].insert(time);
                    runs[pid] = false;
                    break;
                default: world.map(time, pid, {0x1000 + 0x100 * random.below(3), 0x200, 0}, "/m"); break;
            }
        }
        const auto timeline = world.timeline();
        for (const auto& [mapping, until] : mapping_lives(timeline.tasks(), {0x1100})) {
            const auto has = [&](std::uint64_t time) {
                return timeline.tasks().mapping_at(mapping->pid, {0x1100}, {time}) == mapping;
            };
            const auto from = mapping->from.nanoseconds;
            if (!has(from)) continue;  // covered by another
            std::uint64_t gone = from;
            while (gone < end && has(gone) && !exits[mapping->pid.value].contains(gone)) ++gone;
            CHECK(until == (gone == end ? Time::forever() : Time{gone}));
        }
    }
}

TEST_CASE("The time for the history of an address grows with the mappings there, not with their square",
          "[timeline][tasks][speed]") {
    constexpr std::uint64_t count = 100000;
    World world;
    for (std::uint64_t at = 1; at <= count; ++at) world.map(at, 7, {0x1000, 0x1000, 0}, "/m");
    const auto timeline = world.timeline();
    const auto begin = std::chrono::steady_clock::now();
    const auto lives = mapping_lives(timeline.tasks(), {0x1000});
    // A quadratic algorithm takes more than ten minutes.
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
    REQUIRE(lives.size() == count);
    CHECK(lives.front().until == Time{2});
    CHECK(lives.back().until == Time::forever());
}
