// SPDX-License-Identifier: MIT
// perfdata_bench_stacks [--rounds N] [--limit SECONDS] [--tool PERFDATA] LONG STORM: CPU time and memory of unwinding
// copied user stacks with the tool, against perf. LONG is a recording of one long process, STORM one of many short
// ones. Without a tool it only prints the bound: what unwinding needs at least, and what the library takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "process.hpp"
#include "stack_bound.hpp"

namespace perfdata::bench {
namespace {

struct Options {
    int rounds = 5;
    std::chrono::seconds limit{240};  // for one command of perf
    std::string tool;                 // empty: no comparison with perf
    std::vector<std::string> files;
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Pair is one command of perf and ours, which write the same, with the least ratio that is aimed at.
struct Pair {
    const char* what;
    std::vector<std::string> perf, ours;
    double aim;
};

std::vector<Pair> pairs_of(const std::string& path, const std::string& tool, bool storm) {
    const std::vector<std::string> perf_script{"perf", "script", "-i", path};
    const std::vector<std::string> perf_report{"perf", "report", "--stdio", "-i", path};
    const std::vector<std::string> script{tool, "script", "--allow-local", path};
    const std::vector<std::string> report{tool, "report", "--allow-local", path};
    const auto plain = [](std::vector<std::string> words) {
        words.insert(words.begin() + 2, "--no-inline");
        return words;
    };
    const double aim = storm ? 50 : 10;
    return {{"script --no-inline", plain(perf_script), plain(script), 3},
            {"report --no-inline", plain(perf_report), plain(report), 3},
            {"script", perf_script, script, aim},
            {"report", perf_report, report, aim}};
}

void against_perf(const std::string& path, const Options& options, bool storm) {
    std::printf("\n%s: CPU seconds and peak MiB\n", path.c_str());
    std::printf("  %-20s %10s %10s %10s %10s %10s %10s\n", "", "perf s", "ours s", "faster", "aim", "perf MiB",
                "ours MiB");
    for (const auto& pair : pairs_of(path, options.tool, storm)) {
        std::vector<double> perf_times, our_times, ratios;
        double perf_peak = 0, our_peak = 0;
        bool stopped = false;
        // Rounds of a perf that takes minutes would all say the same.
        for (int round = 0; round < options.rounds && !stopped; ++round) {
            const auto perf = run(pair.perf, options.limit);
            const auto ours = run(pair.ours, options.limit);
            if ((!perf.ended_well && !perf.stopped) || !ours.ended_well) {
                throw std::runtime_error(std::string(pair.what) + " failed");
            }
            stopped = perf.stopped;
            perf_times.push_back(perf.cpu_seconds);
            our_times.push_back(ours.cpu_seconds);
            ratios.push_back(perf.cpu_seconds / ours.cpu_seconds);
            perf_peak = std::max(perf_peak, perf.peak_mebibytes);
            our_peak = std::max(our_peak, ours.peak_mebibytes);
        }
        // Of rounds before one that was stopped nothing is lost: that one took longer than any of them.
        const auto ratio = stopped ? ratios.back() : median(ratios);
        std::printf(
            "  %-20s %s%9.2f %10.2f %s%8.1fx %9.0fx %10.1f %10.1f%s\n", pair.what, stopped ? ">" : " ",
            stopped ? perf_times.back() : median(perf_times), median(our_times), stopped ? ">" : " ", ratio, pair.aim,
            perf_peak, our_peak,
            stopped ? ("   perf was stopped after " + std::to_string(options.limit.count()) + " s").c_str() : "");
    }
}

void print_bound(const std::string& path) {
    const auto bound = stack_bound(path);
    const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
    const auto same = number(bound.same_frames);
    std::printf("\n%s: %llu stacks, %.1f frames a stack\n", path.c_str(), static_cast<unsigned long long>(bound.stacks),
                number(bound.frames) / number(bound.stacks));
    std::printf("  copied %.1f MiB; the frames of %.1f %% of the stacks read %.1f bytes each, %.2f %% of the copies\n",
                number(bound.copied_bytes) / (1 << 20), 100 * number(bound.same_stacks) / number(bound.stacks),
                number(bound.read_bytes) / same,
                100 * number(bound.read_bytes) /
                    (number(bound.copied_bytes) * number(bound.same_stacks) / number(bound.stacks)));
    std::printf("  %.2f rows looked up a frame, %llu rows made from call frame information\n",
                number(bound.rows_looked_up) / same, static_cast<unsigned long long>(bound.rows_made));
    std::printf("  reading and decoding %.1f ms (%.0f ns a frame), with unwinding %.1f ms: %.0f ns a frame for it\n",
                bound.walk_seconds * 1e3, bound.walk_seconds * 1e9 / number(bound.frames), bound.unwound_seconds * 1e3,
                (bound.unwound_seconds - bound.walk_seconds) * 1e9 / number(bound.frames));
}

int usage() {
    std::fputs("usage: perfdata_bench_stacks [--rounds N] [--limit SECONDS] [--tool PERFDATA] LONG STORM\n", stderr);
    return 2;
}

int run_all(int count, char** words) {
    Options options;
    for (int at = 1; at < count; ++at) {
        const std::string word = words[at];
        const auto value = [&] { return std::string(++at < count ? words[at] : ""); };
        if (word == "--rounds") {
            options.rounds = std::max(1, std::atoi(value().c_str()));
        } else if (word == "--limit") {
            options.limit = std::chrono::seconds(std::max(1, std::atoi(value().c_str())));
        } else if (word == "--tool") {
            options.tool = value();
        } else if (word.starts_with("--")) {
            return usage();
        } else {
            options.files.push_back(word);
        }
    }
    if (options.files.size() != 2) return usage();
    // First, while this process is small: the peak of a child begins with the size of its parent.
    if (!options.tool.empty()) {
        against_perf(options.files[0], options, false);
        against_perf(options.files[1], options, true);
    }
    for (const auto& file : options.files) print_bound(file);
    return 0;
}

}  // namespace
}  // namespace perfdata::bench

int main(int count, char** words) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // show results at once, even in a file
    try {
        return perfdata::bench::run_all(count, words);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "perfdata_bench_stacks: %s\n", problem.what());
        return 1;
    }
}
