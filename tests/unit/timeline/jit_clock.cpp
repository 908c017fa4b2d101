// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_clock.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

constexpr std::uint64_t use_clockid = std::uint64_t{1} << 25;

Event clocked_event(std::optional<std::int32_t> clockid, std::uint64_t sample_type = sample_bit::time) {
    Event made;
    made.attr.sample_type = sample_type;
    if (clockid) {
        made.attr.flags = use_clockid;
        made.attr.clockid = *clockid;
    }
    return made;
}

JitDumpHeader ticks() {
    JitDumpHeader header;
    header.flags = JitDumpHeader::arch_timestamp_flag;
    return header;
}

TimeConv conversion(std::uint64_t shift, std::uint64_t multiplier, std::uint64_t zero) {
    TimeConv made;
    made.shift = shift;
    made.multiplier = multiplier;
    made.zero = zero;
    return made;
}

std::string refused(const JitDumpHeader& header, const EventClock& events, ErrorCode code) {
    const auto clock = JitClock::match(header, events);
    REQUIRE_FALSE(clock);
    CHECK(clock.error().code == code);
    return clock.error().detail;
}

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("Times of clock monotonic are those of events of clock monotonic", "[timeline][jit]") {
    const auto events =
        EventClock::of(EventTable({clocked_event(1), clocked_event(1), clocked_event({}, sample_bit::ip)}));
    CHECK(events.clockid == 1);
    CHECK_FALSE(events.mixed);
    const auto clock = JitClock::match({}, events);
    REQUIRE(clock);
    CHECK(clock->comparable());
    CHECK(clock->time(12345) == Time{12345});
}

TEST_CASE("Other clocks are refused with the words that help", "[timeline][jit]") {
    const auto own = refused({}, EventClock::of(EventTable({clocked_event({})})), ErrorCode::mismatch);
    CHECK(says(own, "perf's own clock"));
    CHECK(says(own, "perf record -k mono"));
    const auto raw = refused({}, EventClock::of(EventTable({clocked_event(4)})), ErrorCode::mismatch);
    CHECK(says(raw, "clock monotonic_raw"));
    CHECK(says(raw, "perf record -k mono"));
    CHECK(says(refused({}, EventClock::of(EventTable({clocked_event(-7)})), ErrorCode::mismatch), "clock -7"));
    const auto mixed = EventClock::of(EventTable({clocked_event(1), clocked_event({})}));
    CHECK(mixed.mixed);
    CHECK(says(refused({}, mixed, ErrorCode::mismatch), "several clocks"));
    CHECK(says(refused(ticks(), mixed, ErrorCode::mismatch), "several clocks"));
    CHECK(says(refused(ticks(), EventClock::of(EventTable({clocked_event(1)})), ErrorCode::mismatch), "without -k"));
}

TEST_CASE("Ticks are converted to perf's clock with TIME_CONV", "[timeline][jit]") {
    const EventTable table({clocked_event({})});
    const auto clock = JitClock::match(ticks(), EventClock::of(table, conversion(10, 400, 1000000)));
    REQUIRE(clock);
    CHECK(clock->comparable());
    CHECK(clock->time(0) == Time{1000000});
    CHECK(clock->time(1024) == Time{1000400});
    CHECK(clock->time(2560) == Time{1001000});
    // The plain product of ticks and multiplier would overflow 64 bits.
    CHECK(clock->time(std::uint64_t{1} << 60) == Time{1000000 + 400 * (std::uint64_t{1} << 50)});
}

TEST_CASE("A counter of few bits is continued from where it was", "[timeline][jit]") {
    auto few = conversion(0, 1, 0);
    few.short_counter = TimeConv::Short{0x1fff0, 0xffff, true, true};
    const auto clock = JitClock::match(ticks(), EventClock::of(EventTable({clocked_event({})}), few));
    REQUIRE(clock);
    CHECK(clock->time(0xfff5) == Time{0x1fff5});
    CHECK(clock->time(0x0005) == Time{0x20005});
}

TEST_CASE("A conversion that converts nothing is missing", "[timeline][jit]") {
    const EventTable table({clocked_event({})});
    CHECK(says(refused(ticks(), EventClock::of(table), ErrorCode::missing), "TIME_CONV"));
    CHECK(says(refused(ticks(), EventClock::of(table, conversion(64, 1, 0)), ErrorCode::missing), "TIME_CONV"));
    CHECK(says(refused(ticks(), EventClock::of(table, conversion(1, 0, 0)), ErrorCode::missing), "TIME_CONV"));
    auto no_zero = conversion(1, 1, 0);
    no_zero.short_counter = TimeConv::Short{};
    CHECK(says(refused(ticks(), EventClock::of(table, no_zero), ErrorCode::missing), "TIME_CONV"));
}
