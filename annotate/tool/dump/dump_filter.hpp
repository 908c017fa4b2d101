// SPDX-License-Identifier: MIT
// Selects the records that perfdata dump shows.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/walk.hpp"

namespace perfdata::tool {

// parse_record_type("KSYMBOL") accepts names with or without PERF_RECORD_, in any case, and numbers. Errors: malformed.
Result<std::uint32_t> parse_record_type(const std::string& text);

struct DumpFilter {
    std::set<std::uint32_t> types;   // empty: all
    std::set<std::uint32_t> events;  // indices, empty: all
    std::vector<TimeRange> times;    // empty: all

    bool type_wanted(const RecordView& record) const { return types.empty() || types.contains(record.header().type); }
    bool wanted(const RecordContext& context) const { return wanted(context, context.event); }
    bool wanted(const RecordContext& context, std::uint32_t event) const {
        const auto has_time = [&](const TimeRange& range) { return range.contains(context.time); };
        return type_wanted(context.view) && (times.empty() || std::ranges::any_of(times, has_time)) &&
               (events.empty() || events.contains(event));
    }
};

}  // namespace perfdata::tool
