// SPDX-License-Identifier: MIT
// Selects the records that perfdata dump shows.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/walk.hpp"

namespace perfdata::tool {

// TimeRange includes both ends.
struct TimeRange {
    Time from;
    Time until = Time::forever();

    // parse("12.5,13.25") parses seconds like perf; either end may be omitted. Errors: malformed.
    static Result<TimeRange> parse(std::string_view text);
};

// parse_time("12.5") parses a time in seconds. Errors: malformed.
Result<Time> parse_time(const std::string& text);

// parse_record_type("KSYMBOL") accepts names with or without PERF_RECORD_, in any case, and numbers. Errors: malformed.
Result<std::uint32_t> parse_record_type(const std::string& text);

struct DumpFilter {
    std::set<std::uint32_t> types;   // empty: all
    std::set<std::uint32_t> events;  // indices, empty: all
    TimeRange time;

    bool type_wanted(const RecordView& record) const { return types.empty() || types.contains(record.header().type); }
    bool wanted(const RecordContext& context) const { return wanted(context, context.event); }
    bool wanted(const RecordContext& context, std::uint32_t event) const {
        return type_wanted(context.view) && context.time >= time.from && context.time <= time.until &&
               (events.empty() || events.contains(event));
    }
};

}  // namespace perfdata::tool
