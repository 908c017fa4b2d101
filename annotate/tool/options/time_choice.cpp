// SPDX-License-Identifier: MIT
#include "time_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/feature/sample_time.hpp"

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

// Parses "12.5%" as 0.125. Nothing but a sign, digits and a point: no "nan", no "1e3".
std::optional<double> parse_part(std::string_view text) {
    if (!text.ends_with('%') || text.find_first_not_of("0123456789.") != text.size() - 1) return {};
    text.remove_suffix(1);
    const auto point = text.find('.');
    const auto whole_text = text.substr(0, point);
    const auto fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
    std::uint64_t whole = 0;
    const auto [end, problem] = std::from_chars(whole_text.data(), whole_text.data() + whole_text.size(), whole);
    if (problem != std::errc{} || end != whole_text.data() + whole_text.size() || whole > 100) return {};
    auto percent = static_cast<double>(whole);
    double unit = 0.1;
    for (const char digit : fraction) {
        if (digit == '.') return {};
        percent += unit * (digit - '0');
        unit /= 10;
    }
    return percent / 100;
}

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
    return fail(
        ErrorCode::malformed, Error::no_offset, "--time",
        fmt::format("{}{}{}; expected START,END in seconds such as 12.5,13.25, either of which may be left out, "
                    "or a part of the recording such as 10%-20% or 10%/2",
                    why, text.empty() ? "" : ": ", printable(text)));
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// Hands out the parts of a text that `separator` parts; not those that are empty.
template <class Take>
Result<void> each_part(std::string_view text, char separator, Take take) {
    while (!text.empty()) {
        const auto part = text.substr(0, text.find(separator));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        if (trimmed(part).empty()) continue;
        if (auto taken = take(trimmed(part)); !taken) return taken;
    }
    return {};
}

// Finds the first and the last time of samples.
class TimesOfSamples {
  public:
    static constexpr bool samples_only = true;

    template <class Order>
    void operator()(const RecordContext&, const BasicSample<Order>& sample) {
        const auto time = sample.time();
        if (!time) return;
        if (!times_) times_ = SampleTimes{*time, *time};
        times_->first = std::min(times_->first, *time);
        times_->last = std::max(times_->last, *time);
    }
    const std::optional<SampleTimes>& times() const { return times_; }

  private:
    std::optional<SampleTimes> times_;
};

Result<SampleTimes> times_of_samples(const Recording& recording) {
    if (const auto bytes = recording.read_feature(Feature::sample_time)) {
        const auto times =
            SampleTimes::decode(Cursor(*bytes, recording.order(), {.where = "SAMPLE_TIME", .offset = 0}));
        if (times && times->known() && times->first <= times->last) return *times;
    }
    TimesOfSamples found;
    Completeness seen;
    if (auto walked = walk(recording, seen, found, {}); !walked) return fail(walked.error());
    if (found.times()) return *found.times();
    return fail(ErrorCode::missing, Error::no_offset, "--time",
                "no sample has a time, so parts of the recording cannot be chosen by percent");
}

// Returns the ranges sorted, with those joined that overlap: each sample is compared with all of them.
std::vector<TimeRange> merged(std::vector<TimeRange> ranges) {
    std::ranges::sort(ranges, {}, &TimeRange::from);
    std::vector<TimeRange> apart;
    for (const auto& range : ranges) {
        if (apart.empty() || apart.back().until < range.from) {
            apart.push_back(range);
        } else {
            apart.back().until = std::max(apart.back().until, range.until);
        }
    }
    return apart;
}

}  // namespace

Result<Time> parse_time(const std::string& text) {
    if (const auto time = parse_seconds(text)) return *time;
    return fail(ErrorCode::malformed, Error::no_offset, "--at", "not a time: " + text + "; expected seconds: 12.5");
}

Result<TimeChoice> TimeChoice::parse(std::string_view text) {
    TimeChoice choice;
    const bool shares = text.find('%') != std::string_view::npos;
    const auto parsed = each_part(text, shares ? ',' : ' ', [&](std::string_view part) -> Result<void> {
        if (!shares) {
            const auto range = parse_range(part);
            if (!range) return fail(range.error());
            choice.ranges_.push_back(*range);
            return {};
        }
        const auto share = parse_share(part);
        if (!share) return fail(share.error());
        choice.shares_.push_back(*share);
        return {};
    });
    if (!parsed) return fail(parsed.error());
    if (choice.ranges_.empty() && choice.shares_.empty()) return wrong(text, "no time");
    return choice;
}

Result<TimeRange> TimeChoice::parse_range(std::string_view text) {
    const auto comma = text.find(',');
    const auto start = text.substr(0, comma);
    const auto end = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (start.empty() && end.empty()) return wrong(text, "no time");
    TimeRange range;
    if (!start.empty()) {
        const auto from = parse_seconds(start);
        if (!from) return wrong(text, "not a time");
        range.from = *from;
    }
    if (!end.empty()) {
        const auto until = parse_seconds(end);
        if (!until) return wrong(text, "not a time");
        range.until = *until;
    }
    if (range.from > range.until) return wrong(text, "the start is behind the end");
    return range;
}

// "10%-20%"; "10%/2" is the second tenth, and "10%" the first.
Result<TimeChoice::Share> TimeChoice::parse_share(std::string_view text) {
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        const auto from = parse_part(text.substr(0, dash));
        const auto until = parse_part(text.substr(dash + 1));
        if (!from || !until || *from > 1 || *until > 1) return wrong(text, "not a part of the recording");
        if (*from > *until) return wrong(text, "the start is behind the end");
        return Share{*from, *until};
    }
    const auto slash = text.find('/');
    const auto share = parse_part(text.substr(0, slash));
    std::uint32_t number = 1;
    if (slash != std::string_view::npos) {
        const auto rest = text.substr(slash + 1);
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (problem != std::errc{} || end != rest.data() + rest.size())
            return wrong(text, "not a part of the recording");
    }
    // Digits behind the point are not exact: the last third of 33.333...
    constexpr double nearly = 1e-9;
    if (!share || *share <= 0 || number == 0 || *share * number > 1 + nearly) {
        return wrong(text, "not a part of the recording");
    }
    return Share{*share * (number - 1), std::min(*share * number, 1.0)};
}

Result<std::vector<TimeRange>> TimeChoice::ranges(const Recording& recording) const {
    if (shares_.empty()) return merged(ranges_);
    const auto times = times_of_samples(recording);
    if (!times) return fail(times.error());
    const auto length = static_cast<double>(times->last.nanoseconds - times->first.nanoseconds);
    const auto at = [&](double share) {
        // A double may round the end up.
        const auto distance = static_cast<std::uint64_t>(std::llround(share * length));
        return Time{std::min(times->first.nanoseconds + distance, times->last.nanoseconds)};
    };
    std::vector<TimeRange> ranges;
    for (const auto& share : shares_) {
        TimeRange range{at(share.from), at(share.until)};
        // What is on the border belongs to the later part.
        if (range.until > range.from && range.until != times->last) --range.until.nanoseconds;
        ranges.push_back(range);
    }
    return merged(std::move(ranges));
}

Result<std::vector<TimeRange>> chosen_times(const Recording& recording, const std::string& time) {
    if (time.empty()) return std::vector<TimeRange>{};
    const auto choice = TimeChoice::parse(time);
    if (!choice) return fail(choice.error());
    return choice->ranges(recording);
}

}  // namespace perfdata::tool
