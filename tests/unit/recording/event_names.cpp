// SPDX-License-Identifier: MIT
// Names of events, and the names that a user may give them.
#include "perfdata/recording/event_names.hpp"

#include <algorithm>
#include <set>

#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "support/build.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Indexes = std::vector<std::uint32_t>;

// Flags of perf_event_attr.
constexpr std::uint64_t exclude_user = 1u << 4, exclude_kernel = 1u << 5, exclude_hv = 1u << 6, precise = 1u << 15,
                        exclude_host = 1u << 19, exclude_guest = 1u << 20;

Attr attr_of(std::uint32_t type, std::uint64_t config, std::uint64_t flags = exclude_guest) {
    Attr attr = sampling_attr(sample_bit::ip | sample_bit::identifier);
    attr.type = type;
    attr.config = config;
    attr.flags = flags;
    return attr;
}

Event event(std::string name, const Attr& attr = attr_of(0, 0)) {
    Event made;
    made.name = std::move(name);
    made.attr = attr;
    return made;
}

std::vector<std::string> names_of(const std::vector<Event>& events) {
    std::vector<std::string> names;
    for (const auto& one : events) names.push_back(one.name);
    return names;
}

}  // namespace

TEST_CASE("Names that perf makes have its modifiers", "[recording][event_names]") {
    const auto name = [](std::uint64_t flags) { return made_event_name(attr_of(0, 0, flags)); };
    CHECK(name(exclude_guest) == "cycles");
    CHECK(name(0) == "cycles:HG");
    CHECK(name(exclude_host) == "cycles:G");
    CHECK(name(exclude_kernel | exclude_hv) == "cycles:u");
    CHECK(name(exclude_user) == "cycles:kh");
    CHECK(name(exclude_user | exclude_kernel) == "cycles:h");
    CHECK(name(exclude_kernel | exclude_hv | exclude_guest) == "cycles:uH");
    CHECK(name(exclude_kernel | exclude_hv | exclude_host) == "cycles:uG");
    CHECK(name(2 * precise) == "cycles:pp");
    CHECK(name(3 * precise | exclude_kernel | exclude_hv) == "cycles:uppp");
    CHECK(name(precise | exclude_guest) == "cycles:pH");
    // Tracepoints have no such names.
    CHECK(made_event_name(attr_of(2, 17, 0)) == "type 2 config 0x11");
}

TEST_CASE("Caches, raw events and breakpoints have perf's names", "[recording][event_names]") {
    const auto name = [](std::uint32_t type, std::uint64_t config) {
        return default_event_name(attr_of(type, config));
    };
    CHECK(name(3, 0x000000) == "L1-dcache-loads");
    CHECK(name(3, 0x010000) == "L1-dcache-load-misses");
    CHECK(name(3, 0x000101) == "L1-icache-stores");
    CHECK(name(3, 0x010202) == "LLC-prefetch-misses");
    CHECK(name(3, 0x010003) == "dTLB-load-misses");
    CHECK(name(3, 0x000006) == "node-loads");
    CHECK(name(3, 0x000007) == "type 3 config 0x7");
    CHECK(name(3, 0x020000) == "type 3 config 0x20000");
    CHECK(name(3, 0x000300) == "type 3 config 0x300");
    CHECK(name(4, 0x1a8) == "raw 0x1a8");
    auto breakpoint = attr_of(5, 0);
    breakpoint.config1 = 0x404038;
    breakpoint.bp_type = 2;
    CHECK(default_event_name(breakpoint) == "mem:0x404038:w");
    breakpoint.bp_type = 7;
    CHECK(default_event_name(breakpoint) == "mem:0x404038:rwx");
    CHECK(name(9, 1) == "type 9 config 0x1");
}

TEST_CASE("No two events of a recording have one name", "[recording][event_names]") {
    const auto events = name_events({event("cycles"), event("cycles:u"), event("cycles"), event(""), event("x"),
                                     event("x#1"), event("x"), event("", attr_of(0, 1))});
    CHECK(names_of(events) == std::vector<std::string>{"cycles#1", "cycles:u", "cycles#2", "cycles#3", "x#1'", "x#1",
                                                       "x#2", "instructions"});
    CHECK(events[0].perf_name == "cycles");
    CHECK(events[3].perf_name == "cycles");
    CHECK(events[4].perf_name == "x");
    CHECK(events[7].perf_name == "instructions");
    CHECK(name_events({}).empty());
    // Hostile names that imitate ours.
    std::vector<Event> hostile;
    std::string name = "x";
    for (int count = 0; count < 40; ++count) {
        hostile.push_back(event("x"));
        hostile.push_back(event(name += count == 0 ? "#1" : "'"));
        hostile.push_back(event(name));
    }
    const auto named = names_of(name_events(std::move(hostile)));
    CHECK(std::set<std::string>(named.begin(), named.end()).size() == named.size());
}

TEST_CASE("Events are chosen by both spellings", "[recording][event_names]") {
    const auto events = name_events({event("", attr_of(0, 0, 0)), event("", attr_of(0, 0, exclude_kernel | exclude_hv)),
                                     event("cpu-clock/freq=999,call-graph=no/", attr_of(1, 0)),
                                     event("sched:sched_switch", attr_of(2, 300)), event("page-faults", attr_of(1, 2)),
                                     event("page-faults", attr_of(1, 2)), event("mine", attr_of(1, 2))});
    CHECK(events_called(events, "cycles:HG") == Indexes{0});
    CHECK(events_called(events, "cycles:u") == Indexes{1});
    CHECK(events_called(events, "cycles") == Indexes{0, 1});
    CHECK(events_called(events, "cpu-clock") == Indexes{2});
    CHECK(events_called(events, "cpu-clock/freq=999,call-graph=no/") == Indexes{2});
    CHECK(events_called(events, "sched:sched_switch") == Indexes{3});
    CHECK(events_called(events, "sched") == Indexes{3});
    CHECK(events_called(events, "sched_switch").empty());
    CHECK(events_called(events, "page-faults#2") == Indexes{5});
    CHECK(events_called(events, "page-faults") == Indexes{4, 5});
    CHECK(events_called(events, "mine") == Indexes{6});
    const auto same = name_events({event("cycles:u", attr_of(0, 0, exclude_kernel | exclude_hv)),
                                   event("cycles:u", attr_of(0, 0, exclude_kernel | exclude_hv))});
    for (const auto* second : {"cycles:u#2", "cycles#2"}) CHECK(events_called(same, second) == Indexes{1});
    CHECK(events_called(same, "cycles#3").empty());
    CHECK(events_called(same, "instructions#2").empty());
    CHECK(events_called(events, "cycles:k").empty());
    // The spelling of perf 6.13 and later.
    const auto newer = name_events({event("", attr_of(0, 0, exclude_guest)), event("", attr_of(0, 0, exclude_host)),
                                    event("", attr_of(0, 0, 2 * precise | exclude_guest))});
    CHECK(names_of(newer) == std::vector<std::string>{"cycles", "cycles:G", "cycles:ppH"});
    CHECK(events_called(newer, "cycles:H") == Indexes{0});
    CHECK(events_called(newer, "cycles:ppH") == Indexes{2});
    CHECK(events_called(newer, "cycles:pp") == Indexes{2});
    CHECK(events_called(newer, "cycles:G") == Indexes{1});
    CHECK(events_called(newer, "cycles:ppp").empty());
    CHECK(events_called(newer, "cycles:").empty());
    CHECK(events_called(newer, "cyclesH").empty());
    CHECK(events_called(events, "").empty());
    CHECK(events_called({}, "cycles").empty());
    // An exact name wins over one without modifiers.
    const auto both = name_events({event("cycles"), event("cycles:u")});
    CHECK(events_called(both, "cycles") == Indexes{0});
}

TEST_CASE("Events of one recording are told apart, whatever names them", "[recording][event_names]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    RecordingBuilder builder(order);
    builder.event(attr_of(0, 3, 0), {1}).event(attr_of(0, 3, exclude_kernel | exclude_hv), {2});
    builder.event(attr_of(2, 77, 0), {3});
    builder.add(encode(Lost{{1}, 7}, {.order = order, .trailer = {}, .misc = 0}));
    const auto bare = builder.build();
    const auto plain = Recording::from_memory(bare);
    REQUIRE(plain);
    CHECK(names_of(plain->events().events()) ==
          std::vector<std::string>{"cache-misses:HG", "cache-misses:u", "type 2 config 0x4d"});

    // Tracepoints are named by their formats.
    const std::string_view format = "name: sched_switch\nID: 77\nformat:\n\n";
    Writer data(order == std::endian::little ? std::endian::big : std::endian::little);
    data.text("\x17\x08\x44tracing").text("0.6").u8(0).u8(order == std::endian::little ? 1 : 0).u8(8).u32(4096);
    for (const auto* page : {"header_page", "header_event"}) data.text(page).u8(0).u64(0);
    data.u32(0).u32(1).text("sched").u8(0).u32(1).u64(format.size()).text(format);
    data.u32(0).u32(0).u64(0);
    builder.feature(Feature::tracing_data, data.take());
    const auto with_formats = builder.build();
    const auto traced = Recording::from_memory(with_formats);
    REQUIRE(traced);
    CHECK(traced->events().events()[2].name == "sched:sched_switch");

    // A recorded name has priority.
    builder.feature(Feature::event_desc,
                    event_desc(order, {{attr_of(0, 3), "mine", {1}}, {attr_of(0, 3), "mine", {2}}}));
    const auto described = builder.build();
    const auto named = Recording::from_memory(described);
    REQUIRE(named);
    CHECK(names_of(named->events().events()) == std::vector<std::string>{"mine#1", "mine#2", "sched:sched_switch"});
}
