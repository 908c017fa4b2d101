// SPDX-License-Identifier: MIT
// perfdata_bench [--rounds N] [--tool PERFDATA [--json RESULTS]] FILE...: CPU time and memory of reading a recording
// with the library, as multiples of the yardstick, and of the perfdata tool against perf.
//
// All loops run in each round, so that other load affects them alike. Prints the medians of the ratios to the yardstick
// of the same round, with a warm page cache. --check runs every loop once and only compares their sums.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"

#include "against_perf.hpp"
#include "plain_loops.hpp"
#include "process.hpp"
#include "tasks.hpp"
#include "tool/huge_pages.hpp"
#include "yardstick.hpp"

namespace perfdata::bench {
namespace {

struct Options {
    int rounds = 9;
    bool check = false;
    std::string only;     // name of a task: run only it, once; to measure its memory
    std::string tool;     // empty: no comparison with perf
    std::string hottest;  // a recording: only print its hottest function
    std::string plain;    // name of a plain loop: run only it
    std::string json;     // a file for what is compared with perf, too; empty: none
    std::string symbol;   // of --plain annotate
    std::vector<std::string> files;
};

double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Input is a recording and its yardstick.
struct Input {
    Plan plan;
    bool packed = false;
    double mebibytes = 0;
    std::vector<double> peaks = {};  // MiB

    Totals yardstick() const { return packed ? packed_yardstick(plan) : bench::yardstick(plan); }
};

Input read_input(const std::string& path) {
    const auto recording = Recording::open(path);
    if (!recording) throw std::runtime_error(recording.error().message());
    if (recording->order().endian() != std::endian::little || recording->events().empty()) {
        throw std::runtime_error(path + ": the yardstick reads little-endian recordings of samples only");
    }
    Input input;
    input.packed = recording->feature(Feature::compressed) != nullptr;
    const auto data = recording->data();
    input.mebibytes = static_cast<double>(data.size) / (1 << 20);
    const auto& layout = recording->events().events().front().sample;
    const auto& offsets = layout.offsets();
    input.plan = {.path = path,
                  .begin = data.offset,
                  .end = data.offset + data.size,
                  .ip = offsets.ip,
                  .tid = offsets.tid,
                  .time = offsets.time,
                  .period = offsets.period,
                  .chain = layout.shape().has(SamplePart::callchain) ? layout.variable_offset() : 0};
    for (const auto& event : recording->events().events()) {
        const auto& other = event.sample.offsets();
        if (other.ip != offsets.ip || other.tid != offsets.tid || other.time != offsets.time ||
            event.sample.shape().has(SamplePart::read) ||
            event.sample.shape().has(SamplePart::callchain) != layout.shape().has(SamplePart::callchain)) {
            throw std::runtime_error(path + ": the yardstick needs events of one layout, without READ");
        }
        if (other.period != offsets.period) input.plan.period = 0;
    }
    return input;
}

void compare(const Task& task, const Totals& got, const Totals& expected) {
    const bool equal =
        task.fields ? got == expected : got.records == expected.records && got.samples == expected.samples;
    if (equal) return;
    throw std::runtime_error(std::string(task.name) +
                             " does not add up to what the yardstick does: " + std::to_string(got.records) +
                             " records, " + std::to_string(got.samples) + " samples instead of " +
                             std::to_string(expected.records) + ", " + std::to_string(expected.samples));
}

void check(const Input& input) {
    const auto expected = input.yardstick();
    for (const auto& task : tasks()) {
        if (!task.plain || !input.packed) compare(task, task.run(input.plan.path), expected);
    }
    std::printf("%s: %llu records, %llu samples: all loops agree\n", input.plan.path.c_str(),
                static_cast<unsigned long long>(expected.records), static_cast<unsigned long long>(expected.samples));
}

// Returns peaks of the resident memory by task; "Y" first. A child's peak starts at its parent's size, so call this
// before any measuring in this process.
std::vector<double> peaks(const std::string& path) {
    const auto peak = [&](std::string_view task) {
        return run({"/proc/self/exe", "--only", std::string(task), path}).peak_mebibytes;
    };
    std::vector<double> all = {peak("Y")};
    for (const auto& task : tasks()) all.push_back(task.plain ? 0 : peak(task.name));
    return all;
}

void measure(const Input& input, const Options& options) {
    std::vector<double> yards;
    std::vector<std::vector<double>> times(tasks().size());
    const auto expected = input.yardstick();
    for (int round = 0; round < options.rounds; ++round) {
        const auto timed = [](const std::function<Totals()>& loop, Totals& totals) {
            const auto begin = cpu_seconds();
            totals = loop();
            return cpu_seconds() - begin;
        };
        Totals totals;
        const auto yard = timed([&] { return input.yardstick(); }, totals);
        yards.push_back(yard);
        for (std::size_t index = 0; index < tasks().size(); ++index) {
            const auto& task = tasks()[index];
            if (task.plain && input.packed) continue;
            times[index].push_back(timed([&] { return task.run(input.plan.path); }, totals) / yard);
            compare(task, totals, expected);
        }
    }
    std::printf("\n%s: %.0f MiB%s, %llu records, %llu samples\n", input.plan.path.c_str(), input.mebibytes,
                input.packed ? " packed" : "", static_cast<unsigned long long>(expected.records),
                static_cast<unsigned long long>(expected.samples));
    std::printf("  %-14s %8s %8s %10s\n", "", "x Y", "at most", "peak MiB");
    std::printf("  %-14s %8.2f %8s %10.1f   %.1f ms, %.2f GB/s\n", input.packed ? "unpack + Y" : "Y", 1.0, "",
                input.peaks[0], median(yards) * 1e3, input.mebibytes * (1 << 20) / median(yards) * 1e-9);
    for (std::size_t index = 0; index < tasks().size(); ++index) {
        const auto& task = tasks()[index];
        if (times[index].empty()) continue;
        if (task.plain) {
            std::vector<double> ratios;
            for (std::size_t round = 0; round < times[index].size(); ++round) {
                ratios.push_back(times[index - 1][round] / times[index][round]);
            }
            std::printf("  %-14s %8.2f   %s takes %.2f times that\n", std::string(task.name).c_str(),
                        median(times[index]), std::string(tasks()[index - 1].name).c_str(), median(ratios));
            continue;
        }
        std::printf("  %-14s %8.2f %8.1f %10.1f\n", std::string(task.name).c_str(), median(times[index]),
                    input.packed ? task.most_packed : task.most, input.peaks[index + 1]);
    }
}

int run_only(const Options& options) {
    const auto& path = options.files.at(0);
    if (options.only == "Y") return read_input(path).yardstick().records != 0 ? 0 : 1;
    for (const auto& task : tasks()) {
        if (task.name == options.only) return task.run(path).records != 0 ? 0 : 1;
    }
    return 2;
}

int run_plain(const Options& options) {
    for (const auto& loop : plain_loops) {
        if (loop.name != options.plain) continue;
        const auto sums = loop.run({options.files.at(0), options.symbol});
        std::fprintf(stderr, "%llu samples, %llu rows, %llu lines\n", static_cast<unsigned long long>(sums.samples),
                     static_cast<unsigned long long>(sums.rows), static_cast<unsigned long long>(sums.lines));
        return 0;
    }
    return 2;
}

int usage() {
    std::fputs(
        "usage: perfdata_bench [--check] [--rounds N] [--only TASK] [--plain LOOP [--symbol NAME]]\n"
        "       [--tool PERFDATA [--json RESULTS]] FILE...\n",
        stderr);
    return 2;
}

int run_all(int count, char** words) {
    Options options;
    for (int at = 1; at < count; ++at) {
        const std::string word = words[at];
        const auto value = [&] { return std::string(++at < count ? words[at] : ""); };
        if (word == "--check") {
            options.check = true;
        } else if (word == "--rounds") {
            options.rounds = std::max(1, std::atoi(value().c_str()));
        } else if (word == "--only") {
            options.only = value();
        } else if (word == "--tool") {
            options.tool = value();
        } else if (word == "--hottest") {
            options.hottest = value();
        } else if (word == "--plain") {
            options.plain = value();
        } else if (word == "--symbol") {
            options.symbol = value();
        } else if (word == "--json") {
            options.json = value();
        } else if (word.starts_with("--")) {
            return usage();
        } else {
            options.files.push_back(word);
        }
    }
    if (!options.hottest.empty()) {
        const auto name = hottest_function(options.hottest);
        return std::fwrite(name.data(), 1, name.size(), stdout) == name.size() ? 0 : 1;
    }
    if (options.files.empty()) return usage();
    if (!options.plain.empty()) return run_plain(options);
    if (!options.only.empty()) return run_only(options);
    std::vector<Input> inputs;
    for (const auto& file : options.files) inputs.push_back(read_input(file));
    if (options.check) {
        for (const auto& input : inputs) check(input);
        return 0;
    }
    std::vector<Measured> results;
    for (auto& input : inputs) {
        input.peaks = peaks(input.plan.path);
        if (options.tool.empty()) continue;
        const auto& path = input.plan.path;
        auto table = against_perf(path, options.tool, std::max(1, options.rounds / 3));
        print(path, table);
        std::printf("  a second CPU is worth %.2f here: two plain loops at once, and one after the other\n",
                    gain_of_two(path, std::max(1, options.rounds / 3)));
        results.push_back({path, std::move(table)});
        against_report(path, options.tool, options.rounds);
    }
    if (!options.json.empty()) write_json(options.json, results);
    for (const auto& input : inputs) measure(input, options);
    return 0;
}

}  // namespace
}  // namespace perfdata::bench

int main(int count, char** words) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // show results at once, even in a file
#if defined(PERFDATA_HUGE_PAGES)
    perfdata::tool::use_huge_pages();
#endif
    try {
        return perfdata::bench::run_all(count, words);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "perfdata_bench: %s\n", problem.what());
        return 1;
    }
}
