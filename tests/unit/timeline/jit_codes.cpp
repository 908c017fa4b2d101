// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_codes.hpp"

#include "perfdata/timeline/jit_clock.hpp"

#include "catch.hpp"
#include "support/jitdump.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

JitCode jit_code_of(const JitDumpWriter& dump) {
    EventClock events;
    events.clockid = EventClock::monotonic;
    return JitCode::build(JitDump::open(memory_source(dump.blob()), "dump").value(),
                          JitClock::match({}, events).value());
}

std::string at(const JitCodes& codes, const Timeline& timeline, std::uint32_t pid, std::uint64_t address,
               std::uint64_t time) {
    const auto place = codes.find(timeline.tasks(), {pid}, {address}, {time});
    if (!place) return "-";
    return std::string(codes.function(place->function).name) + "+" + std::to_string(place->offset);
}

}  // namespace

TEST_CASE("JIT code belongs to the process that left the dump, and to what it forked", "[timeline][jit]") {
    JitDumpWriter first(std::endian::little), second(std::endian::little);
    first.load({10, 0x1000, "early", "\xc3\xc3\xc3\xc3", 1});
    first.load({30, 0x1000, "late", "\xc3\xc3\xc3\xc3", 2});
    second.load({10, 0x1000, "of_another", "\xc3\xc3\xc3\xc3", 1});
    JitCodes codes;
    CHECK(codes.empty());
    codes.add({7}, jit_code_of(first));
    codes.add({9}, jit_code_of(second));

    World world;
    world.fork(20, 8, 7).fork(25, 88, 8).fork(20, 6, 7).exec(22, 6, "other").fork(40, 70, 7);
    const auto timeline = world.timeline();
    CHECK(at(codes, timeline, 7, 0x1002, 15) == "early+2");
    CHECK(at(codes, timeline, 7, 0x1002, 30) == "late+2");
    CHECK(at(codes, timeline, 9, 0x1003, 50) == "of_another+3");
    CHECK(at(codes, timeline, 5, 0x1000, 50) == "-");
    // A child has the code that existed at its fork, whatever its parent compiles later.
    CHECK(at(codes, timeline, 8, 0x1000, 50) == "early+0");
    CHECK(at(codes, timeline, 88, 0x1001, 50) == "early+1");
    CHECK(at(codes, timeline, 70, 0x1001, 50) == "late+1");
    // exec removes the code.
    CHECK(at(codes, timeline, 6, 0x1000, 21) == "early+0");
    CHECK(at(codes, timeline, 6, 0x1000, 50) == "-");
    CHECK(&codes.code(0) == codes.codes()[0].get());
    CHECK(&codes.code(2) == codes.codes()[1].get());
}
