// SPDX-License-Identifier: MIT
// Compares the samples of the corpus with the output of perf 7.2's `perf script` and `perf report`.
#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

#include "perfdata/recording/event_names.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "folder.hpp"
#include "known.hpp"

namespace corpus {
namespace {

using perfdata::BasicSample;
using perfdata::RecordContext;
using perfdata::Recording;

// A sample as perf script shows it. Fields that perf does not print for an event are zero on both sides.
struct Line {
    std::uint64_t microseconds = 0;
    std::int64_t tid = 0;
    std::uint32_t cpu = 0;
    std::string event;
    std::uint64_t ip = 0;

    auto operator<=>(const Line&) const = default;
    std::string text() const {
        return std::to_string(microseconds) + " tid " + std::to_string(tid) + " cpu " + std::to_string(cpu) + " " +
               event + " ip " + std::to_string(ip);
    }
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// time_end(line) returns the position behind the colon of "144680.762701:", npos without such a word.
std::size_t time_end(const std::string& line) {
    constexpr std::size_t decimals = 6;
    for (std::size_t point = 1; point + decimals + 1 < line.size(); ++point) {
        if (line[point] != '.' || !is_digit(line[point - 1]) || line[point + decimals + 1] != ':') continue;
        if (std::all_of(line.begin() + static_cast<std::ptrdiff_t>(point) + 1,
                        line.begin() + static_cast<std::ptrdiff_t>(point + decimals) + 1, is_digit)) {
            return point + decimals + 2;
        }
    }
    return std::string::npos;
}

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// last_word(text) removes the last word from the text and returns it.
std::string last_word(std::string& text) {
    text = trimmed(text);
    const auto begin = text.find_last_of(' ');
    const auto word = begin == std::string::npos ? text : text.substr(begin + 1);
    text.resize(text.size() - word.size());
    return word;
}

// Parses "    sleep   12290 [003] 2267356.917992:           cycles:      7f86ae1495da [unknown] (/lib64/ld-2.15.so)",
// or a line that ends after the event if lines of a call chain follow.
Line parse(const std::string& line) {
    INFO(line);
    Line result;
    const auto end = time_end(line);
    REQUIRE(end != std::string::npos);
    auto head = line.substr(0, end - 1);
    const auto time = last_word(head);
    const auto point = time.find('.');
    result.microseconds = std::stoull(time) * 1'000'000 + std::stoull(time.substr(point + 1));
    auto word = last_word(head);
    if (word.front() == '[') {
        result.cpu = static_cast<std::uint32_t>(std::stoul(word.substr(1)));
        word = last_word(head);
    }
    result.tid = std::stoll(word);
    const auto tail = trimmed(line.substr(end));
    const auto colon = tail.find(": ");
    result.event = tail.substr(0, colon == std::string::npos ? tail.size() - 1 : colon);
    if (colon != std::string::npos) result.ip = std::stoull(trimmed(tail.substr(colon + 1)), nullptr, 16);
    return result;
}

struct Printed {
    std::vector<Line> samples;
    bool complete = true;  // no lines were cut off
};

Printed printed(const IndexRow& row) {
    Printed result;
    bool chain_begins = false;
    for (const auto& line : lines(row.perf72("script"))) {
        if (line.starts_with("# fields: ")) {
            const auto total = std::stoull(line.substr(line.find("total lines ") + 12));
            const auto kept = std::stoull(line.substr(line.find("first ") + 6));
            result.complete = total <= kept;
        } else if (line.starts_with("#") || line.empty()) {
            continue;
        } else if (line.front() == '\t' || time_end(line) == std::string::npos) {
            // The innermost frame is the sample's address.
            if (chain_begins) result.samples.back().ip = std::stoull(trimmed(line), nullptr, 16);
            chain_begins = false;
        } else {
            result.samples.push_back(parse(line));
            chain_begins = result.samples.back().ip == 0;
        }
    }
    // The last sample's chain may be incomplete.
    if (!result.complete && !result.samples.empty()) result.samples.pop_back();
    return result;
}

// Names that perf makes from the attr are compared without modifiers: perf 6.13 changed those for guests.
bool is_made_up(const perfdata::Event& event) {
    return event.perf_name == perfdata::made_event_name(event.attr);
}

// our_name(event), their_name(recording, name): the names to compare.
std::string our_name(const perfdata::Event& event) {
    return is_made_up(event) ? perfdata::default_event_name(event.attr) : event.name;
}

std::string without_modifiers(const std::string& name) {
    const auto colon = name.rfind(':');
    if (colon == std::string::npos || name.find_first_not_of("ukhHGp", colon + 1) != std::string::npos) return name;
    return name.substr(0, colon);
}

std::string their_name(const Recording& recording, const std::string& name) {
    const auto& events = recording.events().events();
    return std::ranges::any_of(events, is_made_up) ? without_modifiers(name) : name;
}

// Collect gathers samples in perf's form.
struct Collect {
    const Recording& recording;
    std::vector<Line> samples;
    std::map<std::string, std::uint64_t> periods;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        Line line;
        line.microseconds = context.time.nanoseconds / 1000;
        if (const auto tid = sample.tid()) line.tid = static_cast<std::int32_t>(tid->value);
        line.cpu = sample.cpu().value_or(0);
        line.event = our_name(recording.events().events()[context.event]);
        if (const auto ip = sample.ip()) line.ip = ip->value;
        // For samples with branches perf report counts the branches, not the period.
        const auto branches = sample.details().branch_stack();
        periods[line.event] += branches ? branches->size() : sample.period();
        samples.push_back(std::move(line));
    }
};

Collect collected(const Recording& recording) {
    Collect collect{recording, {}, {}};
    perfdata::Completeness completeness;
    REQUIRE(perfdata::walk(recording, completeness, collect));
    std::ranges::sort(collect.samples);
    return collect;
}

TEST_CASE("perf 7.2 prints the same samples", "[perf72]") {
    std::size_t compared = 0;
    for (const auto& row : index_rows()) {
        if (!exists(row.perf72("script"))) continue;
        INFO(row.file);
        auto theirs = printed(row);
        const auto recording = Recording::open(row.path().string());
        REQUIRE(recording);
        auto ours = collected(*recording).samples;
        for (auto& line : theirs.samples) line.event = their_name(*recording, line.event);
        // If the whole call chain would come from unwinding the user stack, perf prints neither chain nor address.
        if (std::ranges::any_of(theirs.samples, [](const Line& line) { return line.ip == 0; })) {
            for (auto* samples : {&ours, &theirs.samples}) {
                for (auto& line : *samples) line.ip = 0;
                std::ranges::sort(*samples);
            }
        }
        std::ranges::sort(theirs.samples);
        if (!theirs.complete && !theirs.samples.empty()) {
            // perf prints in order of time, so it kept everything before its last time.
            const auto last = theirs.samples.back().microseconds;
            const auto cut = [&](const Line& line) { return line.microseconds >= last; };
            std::erase_if(theirs.samples, cut);
            std::erase_if(ours, cut);
        }
        std::vector<Line> only_ours, only_theirs;
        std::ranges::set_difference(ours, theirs.samples, std::back_inserter(only_ours));
        std::ranges::set_difference(theirs.samples, ours, std::back_inserter(only_theirs));
        const auto text = [](std::size_t count, const std::vector<Line>& lines) {
            return std::to_string(lines.size()) + " of " + std::to_string(count) +
                   " not the other's, first: " + (lines.empty() ? "-" : lines.front().text());
        };
        check_agreement(row.file, "samples",
                        only_ours.empty() && only_theirs.empty()
                            ? "equal"
                            : text(ours.size(), only_ours) + "; " + text(theirs.samples.size(), only_theirs),
                        "equal");
        compared += ours.size();
    }
    std::cout << compared << " samples compared with perf script of perf 7.2\n";
    CHECK(compared != 0);
}

// sum_of(title, periods) adds up the periods of the events in perf's title: "cycles" or "anon group { a, b }".
std::uint64_t sum_of(const std::string& title, const std::map<std::string, std::uint64_t>& periods) {
    const auto brace = title.find("{ ");
    if (brace == std::string::npos) return periods.contains(title) ? periods.at(title) : 0;
    std::uint64_t sum = 0;
    for (const auto& part : split(title.substr(brace + 2, title.rfind(" }") - brace - 2), ',')) {
        sum += sum_of(trimmed(part), periods);
    }
    return sum;
}

// perf prints "# Samples: 755  of event 'cycles'" and "# Event count (approx.): 99021". The sum is exact; the number of
// samples is rounded.
TEST_CASE("perf 7.2 adds up the same periods", "[perf72]") {
    std::size_t compared = 0;
    for (const auto& row : index_rows()) {
        const auto recording = Recording::open(row.path().string());
        if (!recording || !exists(row.perf72("report"))) continue;
        INFO(row.file);
        const auto periods = collected(*recording).periods;
        std::string ours, theirs, title;
        for (const auto& line : lines(row.perf72("report"))) {
            constexpr std::string_view count = "# Event count (approx.): ";
            const auto quote = line.find('\'');
            if (line.starts_with("# Samples: ")) {
                title = line.substr(quote + 1, line.rfind('\'') - quote - 1);
                if (title.find('{') == std::string::npos) title = their_name(*recording, title);
            } else if (line.starts_with(count)) {
                ours += title + "=" + std::to_string(sum_of(title, periods)) + " ";
                theirs += title + "=" + line.substr(count.size()) + " ";
                ++compared;
            }
        }
        check_agreement(row.file, "totals", ours, theirs);
    }
    CHECK(compared != 0);
}

}  // namespace
}  // namespace corpus
