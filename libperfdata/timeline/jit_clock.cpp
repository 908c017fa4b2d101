// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_clock.hpp"

#include "perfdata/wire/feature/clockid.hpp"

namespace perfdata {
namespace {

constexpr std::string_view clock_place = "clock of the jitdump";

std::string used(const EventClock& events) {
    if (events.mixed) return "several clocks";
    if (!events.clockid) return "perf's own clock";
    const auto name = clock_name(static_cast<std::uint32_t>(*events.clockid));
    return "clock " + (name.empty() ? std::to_string(*events.clockid) : std::string(name));
}

// Without its zero, a conversion of a counter gives only differences.
bool usable(const TimeConv& conversion) {
    return conversion.shift < 64 && conversion.multiplier != 0 &&
           (!conversion.short_counter || conversion.short_counter->user_time_zero);
}

}  // namespace

EventClock EventClock::of(const EventTable& events, std::optional<TimeConv> conversion) {
    EventClock clock;
    clock.conversion = std::move(conversion);
    bool first = true;
    for (const auto& event : events.events()) {
        if (!event.attr.has(sample_bit::time)) continue;
        const auto chosen = event.attr.use_clockid() ? std::optional(event.attr.clockid) : std::nullopt;
        clock.mixed = clock.mixed || (!first && chosen != clock.clockid);
        clock.clockid = chosen;
        first = false;
    }
    return clock;
}

Result<JitClock> JitClock::match(const JitDumpHeader& header, const EventClock& events) {
    JitClock clock;
    clock.comparable_ = true;
    if (!header.arch_timestamps()) {
        if (!events.mixed && events.clockid == EventClock::monotonic) return clock;
        return fail(ErrorCode::mismatch, Error::no_offset, std::string(clock_place),
                    "its times are of clock monotonic, those of the recording of " + used(events) +
                        ", and cannot be compared: record with `perf record -k mono`");
    }
    if (events.mixed || events.clockid) {
        return fail(ErrorCode::mismatch, Error::no_offset, std::string(clock_place),
                    "its times are ticks of a CPU's counter, which can be converted to perf's own clock only; the "
                    "recording's are of " +
                        used(events) + ": record without -k");
    }
    if (!events.conversion || !usable(*events.conversion)) {
        return fail(ErrorCode::missing, Error::no_offset, std::string(clock_place),
                    "its times are ticks of a CPU's counter, and the recording has no TIME_CONV record to convert "
                    "them with: have the compiler write times of clock monotonic, and record with `perf record -k "
                    "mono`");
    }
    clock.conversion_ = events.conversion;
    return clock;
}

Time JitClock::time(std::uint64_t stamp) const {
    if (!conversion_) return {stamp};
    if (const auto& counter = conversion_->short_counter; counter && counter->user_time_short) {
        stamp = counter->cycles + ((stamp - counter->cycles) & counter->mask);
    }
    const auto shift = conversion_->shift;
    const auto whole = stamp >> shift;
    const auto part = stamp & ((std::uint64_t{1} << shift) - 1);
    return {conversion_->zero + whole * conversion_->multiplier + (part * conversion_->multiplier >> shift)};
}

}  // namespace perfdata
