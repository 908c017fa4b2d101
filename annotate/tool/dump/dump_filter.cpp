// SPDX-License-Identifier: MIT
#include "dump_filter.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "format/words.hpp"

namespace perfdata::tool {
namespace {

std::optional<Time> parse_seconds(std::string_view text) {
    std::uint64_t whole = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (problem != std::errc{} || whole >= Time::forever().nanoseconds / 1'000'000'000) return {};
    std::uint64_t nanoseconds = whole * 1'000'000'000;
    const std::string_view fraction(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (fraction.empty()) return Time{nanoseconds};
    if (fraction.front() != '.' || fraction.size() > 10) return {};
    std::uint64_t unit = 100'000'000;
    for (const char digit : fraction.substr(1)) {
        if (digit < '0' || digit > '9') return {};
        nanoseconds += static_cast<std::uint64_t>(digit - '0') * unit;
        unit /= 10;
    }
    return Time{nanoseconds};
}

}  // namespace

Result<TimeRange> TimeRange::parse(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return fail(ErrorCode::malformed, Error::no_offset, "--time",
                    std::string(why) + ": " + std::string(text) +
                        "; expected START,END in seconds such as 12.5,13.25, either of which may be left out");
    };
    const auto comma = text.find(',');
    const auto start = text.substr(0, comma);
    const auto end = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (text.find('%') != std::string_view::npos) return wrong("parts of the recording cannot be chosen by percent");
    if (start.empty() && end.empty()) return wrong("no time");
    TimeRange range;
    if (!start.empty()) {
        const auto from = parse_seconds(start);
        if (!from) return wrong("not a time");
        range.from = *from;
    }
    if (!end.empty()) {
        const auto until = parse_seconds(end);
        if (!until) return wrong("not a time");
        range.until = *until;
    }
    if (range.from > range.until) return wrong("the start is behind the end");
    return range;
}

Result<Time> parse_time(const std::string& text) {
    if (const auto time = parse_seconds(text)) return *time;
    return fail(ErrorCode::malformed, Error::no_offset, "--at", "not a time: " + text + "; expected seconds: 12.5");
}

Result<std::uint32_t> parse_record_type(const std::string& text) {
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc{} && end == text.data() + text.size()) return number;

    std::string name = text;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    constexpr std::string_view prefix = "PERF_RECORD_";
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    constexpr auto last = static_cast<std::uint32_t>(RecordType::schedstat_domain);
    std::string known;
    for (std::uint32_t type = 1; type <= last; ++type) {
        const auto type_name = record_type_name(type);
        if (type_name.empty()) continue;
        if (type_name == name) return type;
        known += (known.empty() ? "" : " ") + std::string(type_name);
    }
    return fail(ErrorCode::malformed, Error::no_offset, "--type",
                "no type of record: " + printable(text) + "; it is a number or one of " + known);
}

}  // namespace perfdata::tool
