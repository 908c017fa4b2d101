// SPDX-License-Identifier: MIT
// Filters of a report keep the rows that the same filters of `perf report` keep, with the same samples and percentages.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "report_rows.hpp"
#include "tool/options/time_choice.hpp"

namespace oracle {
namespace {

using perfdata::SampleFilter;

// A filter, and perf's words for it.
struct Filter {
    std::string words;
    SampleFilter filter;
    bool of_threads = false;
};

// perf sums up samples of all threads that share a row and then asks the first thread: its rows must be of one each.
void compare(const std::filesystem::path& path, const Filter& by, bool relative) {
    INFO(by.words << (relative ? ", relative" : ", absolute"));
    const OurReport ours(path, false, {}, by.filter, relative);
    struct Cell {
        std::uint64_t hits = 0, periods = 0;
        std::string self;  // of the only row, else empty
    };
    std::map<Key, Cell> theirs;
    const auto words = by.words + " --percentage " + (relative ? "relative" : "absolute");
    for (const auto& row : perf_report(path, false, {}, words, by.of_threads)) {
        auto& cell = theirs[{ours.event(row.event), row.comm, row.object, row.symbol}];
        cell.self = cell.hits == 0 ? row.self : std::string();
        cell.hits += row.hits;
        cell.periods += row.periods;
    }
    CHECK(ours.self.size() == theirs.size());
    for (const auto& [key, cell] : theirs) {
        const auto& [event, comm, object, symbol] = key;
        INFO(event << ": " << comm << " " << object << " " << symbol);
        const auto found = ours.self.find(key);
        if (found == ours.self.end()) {
            FAIL_CHECK("only perf has it");
            continue;
        }
        CHECK(found->second.hits == cell.hits);
        CHECK(found->second.periods == cell.periods);
        if (!cell.self.empty()) CHECK(percent(found->second.periods, ours.whole.at(event)) == cell.self);
    }
}

// most(samples, of) returns the two values that most samples have.
template <class Sample, class Of>
auto most(const std::vector<Sample>& samples, Of of) {
    using Value = std::decay_t<std::invoke_result_t<Of, const Sample&>>;
    std::map<Value, std::size_t> counts;
    for (const auto& sample : samples) ++counts[std::invoke(of, sample)];
    std::vector<std::pair<std::size_t, Value>> order;
    for (const auto& [value, count] : counts) order.emplace_back(count, value);
    std::ranges::sort(order, std::greater());
    std::vector<Value> values;
    for (std::size_t at = 0; at < std::min<std::size_t>(2, order.size()); ++at) values.push_back(order[at].second);
    return values;
}

std::string seconds(std::uint64_t time) {
    const auto digits = std::to_string(1'000'000'000 + time % 1'000'000'000).substr(1);
    return std::to_string(time / 1'000'000'000) + "." + digits;
}

std::vector<Filter> filters(const std::filesystem::path& path) {
    const auto samples = perf_samples(path);
    REQUIRE(samples.size() > 3);
    std::vector<Filter> all;
    const auto add = [&](const std::string& words, auto choose, bool of_threads = false) {
        Filter by{words, {}, of_threads};
        choose(by.filter);
        all.push_back(std::move(by));
    };
    for (const auto pid : most(samples, &PerfSample::pid)) {
        add(
            "--pid " + std::to_string(pid), [&](SampleFilter& filter) { filter.pids = {pid}; }, true);
    }
    for (const auto tid : most(samples, &PerfSample::tid)) {
        add(
            "--tid " + std::to_string(tid), [&](SampleFilter& filter) { filter.tids = {tid}; }, true);
    }
    for (const auto cpu : most(samples, &PerfSample::cpu)) {
        add("-C " + std::to_string(cpu), [&](SampleFilter& filter) { filter.cpus = {cpu}; });
    }
    // Of one name alone perf makes a heading, and no column.
    const auto names = [](const char* option, const std::string& name) {
        return std::string(option) + " '" + name + ",no such'";
    };
    const auto rows = perf_report(path, false, {});
    for (const auto& comm : most(rows, &PerfRow::comm)) {
        add(names("--comms", comm), [&](SampleFilter& filter) { filter.comms = {comm}; });
    }
    for (const auto& object : most(rows, &PerfRow::object)) {
        add(names("--dsos", object), [&](SampleFilter& filter) { filter.code.objects = {object}; });
    }
    for (const auto& symbol : most(rows, [](const PerfRow& row) { return row.symbol.substr(4); })) {
        if (symbol.starts_with("0x")) continue;
        add(names("--symbols", symbol), [&](SampleFilter& filter) { filter.code.symbols = {symbol}; });
    }
    std::vector<std::uint64_t> times;
    for (const auto& sample : samples) times.push_back(sample.time);
    std::ranges::sort(times);
    const auto part = [&](std::size_t eighth) { return seconds(times[times.size() * eighth / 8]); };
    std::vector<std::string> ranges = {part(1) + "," + part(4), part(3) + ",", "," + part(6)};
    // perf takes no ranges that meet.
    if (times[times.size() * 4 / 8] < times[times.size() * 5 / 8]) {
        ranges.push_back(part(1) + "," + part(4) + " " + part(5) + "," + part(7));
    }
    const auto opened = Opened(path);
    if (opened.recording.read_feature(perfdata::Feature::sample_time)) {  // perf looks nowhere else
        for (const auto* share : {"10%-40%", "30%/2", "30%", "0%-10%,50%-70%", "50%-100%"}) ranges.emplace_back(share);
    }
    for (const auto& range : ranges) {
        add("--time '" + range + "'", [&](SampleFilter& filter) {
            filter.times = perfdata::tool::chosen_times(opened.recording, range).value();
        });
    }
    // All together.
    const auto comm = most(rows, &PerfRow::comm).front(), object = most(rows, &PerfRow::object).front();
    add(all.back().words + " " + names("--dsos", object) + " " + names("--comms", comm), [&](SampleFilter& filter) {
        filter.times = all.back().filter.times;
        filter.comms = {comm};
        filter.code.objects = {object};
    });
    return all;
}

bool tells_all(const std::filesystem::path& path) {
    namespace bit = perfdata::sample_bit;
    const Opened opened(path);
    return std::ranges::all_of(opened.recording.events().events(), [](const perfdata::Event& event) {
        return event.attr.has(bit::ip) && event.attr.has(bit::tid) && event.attr.has(bit::time) &&
               event.attr.has(bit::cpu);
    });
}

TEST_CASE("perf report keeps the same samples with the same filters", "[oracle][filters]") {
    std::size_t compared = 0;
    for (const auto& path : perf_fixtures()) {
        if (known_difference(path) != nullptr || !tells_all(path)) continue;
        // Of a pipe perf knows neither its CPUs nor its first and last time.
        if (Opened(path).recording.header().pipe) continue;
        DYNAMIC_SECTION(path.stem().string()) {
            const auto all = filters(path);
            for (const auto& by : all) {
                compare(path, by, false);
                // Times and CPUs change what percentages are of.
                if (!by.filter.comms.empty() || by.filter.times.empty()) compare(path, by, true);
            }
            std::cout << path.stem().string() << ": " << all.size() << " filters\n";
        }
        ++compared;
    }
    CHECK(compared >= 6);
}

}  // namespace
}  // namespace oracle
