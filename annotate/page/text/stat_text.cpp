// SPDX-License-Identifier: MIT
// Counters as text and CSV. Follows tools/perf/util/stat-display.c of perf 6.1, to the letter: also where it is odd.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "perfdata/annotate/page/stat_page.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::size_t metric_width = 35, unit_width = 4, name_width = 32, short_name_width = 25, value_width = 18,
                      cache_width = 22;
// Bytes of a command line in the first title, and in others: each round may have one.
constexpr std::size_t most_in_title = 100'000, most_in_later_title = 512;
constexpr unsigned rounds_a_title = 25;

template <class... Arguments>
void put(std::string& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
}

void put_left(std::string& text, std::string_view content, std::size_t width) {
    text += content;
    text.append(width - std::min(width, content.size()), ' ');
}
void put_right(std::string& text, std::string_view content, std::size_t width) {
    text.append(width - std::min(width, content.size()), ' ');
    text += content;
}

std::string clock_text(Time time) {
    constexpr std::uint64_t second = 1'000'000'000;
    return fmt::format("{:6}.{:09}", time.nanoseconds / second, time.nanoseconds % second);
}

// How many fields of a line of CSV are empty if it goes on with a second metric.
std::size_t fields_before_metric(StatMode mode) {
    switch (mode) {
        case StatMode::socket:
        case StatMode::die:
        case StatMode::core:
        case StatMode::cache: return 5;
        case StatMode::none:
        case StatMode::thread:
        case StatMode::node: return 4;
        case StatMode::global: break;
    }
    return 3;
}

std::string_view place_title(StatMode mode) {
    switch (mode) {
        case StatMode::node: return " node   cpus             counts ";
        case StatMode::socket: return " socket cpus             counts ";
        case StatMode::die: return " die          cpus             counts ";
        case StatMode::core: return " core            cpus             counts ";
        case StatMode::cache: return " cache                  cpus             counts ";
        case StatMode::none: return " CPU                    counts ";
        case StatMode::thread: return "             comm-pid                  counts ";
        case StatMode::global: break;
    }
    return "             counts ";
}

// Of a metric CSV has digits and a point: perf cuts the rest.
std::string csv_number(const StatMetric& metric) {
    const auto text = fmt::format("{:.{}f}", metric.value, metric.decimals);
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
    return {text.begin(), std::ranges::find_if_not(text, is_digit)};
}

}  // namespace

StatText::StatText(const Sink& sink, std::optional<std::string> separator)
    : sink_(sink), separator_(std::move(separator)) {}

void StatText::add(const StatFacts& facts, const StatTable& round) {
    begin_round(facts, round);
    constexpr std::size_t block = 1 << 16;
    for (const auto& row : round.rows) {
        text_ += prefix_;
        add_row(facts, row);
        text_ += '\n';
        if (text_.size() < block) continue;
        sink_(text_);
        text_.clear();
    }
    end_round(facts);
    if (!text_.empty()) sink_(text_);
    text_.clear();
}

// Every row repeats names, so none is long.
const std::string& StatText::in_row(std::vector<Name>& names, std::size_t index, std::string_view text) {
    if (names.size() <= index) names.resize(index + 1);
    auto& name = names[index];
    // InLine looks no further, and says how much is left.
    const auto begin = text.substr(0, most_in_line + 1);
    if (name.size == text.size() && name.begin == begin) return name.shown;
    name.size = text.size();
    name.begin = begin;
    name.shown = printable(InLine(text));
    return name.shown;
}

void StatText::begin_round(const StatFacts& facts, const StatTable& round) {
    prefix_.clear();
    if (facts.interval == 0) {
        if (!is_csv()) add_title(facts);
        return;
    }
    prefix_ = clock_text(round.time);
    prefix_ += between();
    if (rounds_since_title_ == 0 && !is_csv()) {
        put(text_, "#           time{}unit events\n", place_title(facts.mode));
    }
    if (++rounds_since_title_ == rounds_a_title) rounds_since_title_ = 0;
}

void StatText::add_title(const StatFacts& facts) {
    std::string command;
    for (const auto& word : facts.command_line) {
        if (!command.empty()) command += ' ';
        if (command.size() + word.size() > (has_title_ ? most_in_later_title : most_in_title)) {
            command += "...";
            break;
        }
        command += printable(word);
    }
    put(text_, "\n Performance counter stats for '{}':\n\n", command.empty() ? "pipe" : command);
    // perf does not say what its numbers are of.
    const auto programs = has_title_ ? std::string() : stat_programs_text(facts);
    if (!programs.empty()) put(text_, " {}\n\n", programs);
    has_title_ = true;
}

void StatText::end_round(const StatFacts& facts) {
    if (facts.interval != 0 || is_csv()) return;
    put(text_, "\n {:17.9f} seconds time elapsed\n\n", facts.elapsed / 1e9);
}

void StatText::add_place(const StatFacts& facts, const StatRow& row) {
    const auto& place = row.place;
    const auto numbered = [&](std::string_view before, std::int32_t number, std::size_t width) {
        text_ += before;
        put_left(text_, fmt::format("{}", number), is_csv() ? 0 : width);
        text_ += between();
    };
    const auto cpus = [&] {
        put_right(text_, fmt::format("{}", row.cpus), is_csv() ? 0 : 4);
        text_ += between();
    };
    switch (facts.mode) {
        case StatMode::global: return;
        case StatMode::none:
            if (place.cpu >= 0) numbered("CPU", place.cpu, 7);
            return;
        case StatMode::socket: numbered("S", place.socket, 5); return cpus();
        case StatMode::node: numbered("N", place.node, 5); return cpus();
        case StatMode::die: numbered(fmt::format("S{}-D", place.socket), place.die, 8); return cpus();
        case StatMode::core: numbered(fmt::format("S{}-D{}-C", place.socket, place.die), place.core, 8); return cpus();
        case StatMode::cache:
            // perf 6.6: the columns of 6.1 have none.
            put_left(text_, fmt::format("S{}-D{}-L{}-ID{}", place.socket, place.die, place.cache_level, place.cache),
                     is_csv() ? 0 : cache_width);
            text_ += between();
            return cpus();
        case StatMode::thread: break;
    }
    const auto& thread = facts.threads[static_cast<std::size_t>(place.thread)];
    put_right(text_, in_row(comms_, static_cast<std::size_t>(place.thread), thread.comm), is_csv() ? 0 : 16);
    text_ += '-';
    put_left(text_, fmt::format("{}", thread.tid), is_csv() ? 0 : 8);
    text_ += between();
}

void StatText::add_row(const StatFacts& facts, const StatRow& row) {
    const auto& event = facts.events[row.event];
    add_place(facts, row);
    const bool counted = row.state == StatState::counted;
    if (counted) {
        const int decimals = std::floor(event.scale) == event.scale ? 0 : 2;
        put_right(text_, fmt::format("{:.{}f}", row.amount, decimals), is_csv() ? 0 : value_width);
    } else {
        put_right(text_, row.state == StatState::not_counted ? "<not counted>" : "<not supported>",
                  is_csv() ? 0 : value_width);
    }
    text_ += between();
    put_left(text_, in_row(units_, row.event, event.unit), is_csv() ? 0 : unit_width);
    text_ += between();
    put_left(text_, in_row(names_, row.event, event.name), is_csv() ? 0 : counted ? name_width : short_name_width);
    if (is_csv()) add_times(row);
    add_metric(row.metric ? &*row.metric : nullptr);
    if (row.second) {
        add_next_line(facts, row);
        add_metric(&*row.second);
    }
    if (!is_csv()) add_times(row);
}

// In CSV perf divides whole numbers.
void StatText::add_times(const StatRow& row) {
    const auto& [running, enabled] = std::pair(row.running, row.enabled);
    if (is_csv()) {
        const auto whole = running == enabled ? 100 : enabled == 0 ? 0 : 100 * running / enabled;
        put(text_, "{}{}{}{}.00", *separator_, running, *separator_, whole);
    } else if (running != enabled) {
        const auto share = enabled == 0 ? 0 : 100.0 * static_cast<double>(running) / static_cast<double>(enabled);
        put(text_, "  ({:.2f}%)", share);
    }
}

void StatText::add_metric(const StatMetric* metric) {
    if (is_csv()) {
        put(text_, "{}{}{}{}", *separator_, metric == nullptr ? "" : csv_number(*metric), *separator_,
            metric == nullptr ? "" : metric->unit);
    } else if (metric == nullptr) {
        text_.append(metric_width, ' ');
    } else {
        const auto value = fmt::format("{:{}.{}f}{}", metric->value, metric->width, metric->decimals, metric->suffix);
        const auto used = std::size_t{3} + value.size() + 1;
        put(text_, " # {} ", value);
        put_left(text_, metric->unit, metric_width - std::min(metric_width, used));
    }
}

void StatText::add_next_line(const StatFacts& facts, const StatRow& row) {
    text_ += '\n';
    text_ += prefix_;
    add_place(facts, row);
    if (is_csv()) {
        for (std::size_t field = 0; field < fields_before_metric(facts.mode); ++field) text_ += *separator_;
    } else {
        constexpr std::size_t before_metric = 49, wider_by_cpu = 8;
        text_.append(before_metric + (facts.mode == StatMode::none ? wider_by_cpu : 0), ' ');
    }
}

}  // namespace perfdata
