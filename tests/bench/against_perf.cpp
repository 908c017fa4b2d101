// SPDX-License-Identifier: MIT
#include "against_perf.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "process.hpp"

namespace perfdata::bench {
namespace {

using Words = std::vector<std::string>;

Spread spread(std::vector<double> values) {
    std::ranges::sort(values);
    return {values[values.size() / 2], values.front(), values.back()};
}

std::string own_path() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

// Asks another process, so that its memory is not in the peaks of what this process starts.
std::string hottest_function_of(const std::string& path) {
    const auto command = "'" + own_path() + "' --hottest '" + path + "'";
    std::string name;
    auto* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
    for (int one = 0; (one = std::fgetc(pipe)) != EOF;) name += static_cast<char>(one);
    if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
    return name;
}

// Pair is one command of perf and ours, with equivalent output.
struct Pair {
    const char* what;
    Words perf, ours;
    double aim = 0, peak_aim = 0;
    bool threads = true;          // ours has -j
    const char* plain = nullptr;  // the plain loop for it; null: none
    std::string symbol = {};      // of annotate
};

// Aims are those of docs/performance.md.
std::vector<Pair> pairs_of(const std::string& path, const std::string& tool) {
    const auto recording = Recording::open(path).value();
    const bool chains = std::ranges::any_of(recording.events().events(), [](const Event& event) {
        return event.sample.shape().has(SamplePart::callchain);
    });
    std::vector<Pair> pairs = {
        {"open", {"perf", "report", "--header-only", "-i", path}, {tool, "info", path}, 5, 8, false, "open"},
        {"count records",
         {"perf", "report", "--stats", "-i", path},
         {tool, "info", "--completeness", path},
         0,
         0,
         false},
        {"report by symbol",
         {"perf", "report", "--stdio", "--no-children", "-g", "none", "-i", path},
         {tool, "report", "--allow-local", "--no-children", "-g", "none", "-i", path},
         12,
         64,
         true,
         "report"}};
    if (chains) {
        pairs.push_back({"report with callers",
                         {"perf", "report", "--stdio", "-i", path},
                         {tool, "report", "--allow-local", "-i", path},
                         30,
                         160,
                         true,
                         "children"});
        pairs.push_back({"report --no-children",
                         {"perf", "report", "--stdio", "--no-children", "-i", path},
                         {tool, "report", "--allow-local", "--no-children", "-i", path},
                         10,
                         160,
                         true,
                         "no-children"});
    }
    pairs.push_back({chains ? "script, chains" : "script",
                     {"perf", "script", "-i", path},
                     {tool, "script", "--allow-local", "-i", path},
                     chains ? 10.0 : 8.0,
                     64,
                     true,
                     "script"});
    if (const auto symbol = hottest_function_of(path); !symbol.empty()) {
        pairs.push_back({"annotate a function",
                         {"perf", "annotate", "--stdio", "-s", symbol, "-i", path},
                         {tool, "annotate", "--allow-local", "-s", symbol, "-i", path},
                         10,
                         48,
                         true,
                         "annotate",
                         symbol});
    }
    pairs.push_back(
        {"dump by time", {"perf", "report", "-D", "-i", path}, {tool, "dump", "--order", "time", path}, 20, 0, false});
    return pairs;
}

Words with_jobs(Words words, const char* jobs) {
    words.insert(words.end(), {"-j", jobs});
    return words;
}

// The plain loop for `open` is a program of its own.
Words plain_of(const Pair& pair) {
    const auto& path = pair.ours.back();
    if (pair.plain == std::string_view("open")) return {own_path() + "_open", path};
    Words words{own_path(), "--plain", pair.plain};
    if (pair.ours.at(1) == "annotate") words.insert(words.end(), {"--symbol", pair.symbol});
    words.push_back(path);
    return words;
}

// What runs behind perf takes longer: the system gives it memory that was not in use for a while. So `faster` compares
// perf with what runs next, and what is compared with ours runs behind ours and before it in turn. Of those the least
// times count: other load, and a hypervisor that takes memory back, only add to them.
Compared compare(const Pair& pair, int rounds) {
    std::vector<double> perf_seconds, seconds, faster, own_seconds, plain_seconds, own_wall, wall_of_two;
    Compared all;
    all.what = pair.what;
    all.aim = pair.aim;
    all.peak_aim = pair.peak_aim;
    const auto ours_on = [&](const char* jobs) { return run(pair.threads ? with_jobs(pair.ours, jobs) : pair.ours); };
    // Calls take(ours, other) with one run of each.
    const auto in_turn = [&](bool first, auto&& other, auto&& take) {
        auto before = first ? std::optional(other()) : std::nullopt;
        const auto ours = ours_on("1");
        take(ours, before ? *before : other());
    };
    for (int round = 0; round < rounds; ++round) {
        const auto perf = run(pair.perf);
        const auto ours = ours_on("1");
        if (!perf.ended_well || !ours.ended_well) throw std::runtime_error(std::string(pair.what) + " failed");
        perf_seconds.push_back(perf.cpu_seconds);
        seconds.push_back(ours.cpu_seconds);
        faster.push_back(perf.cpu_seconds / ours.cpu_seconds);
        all.perf_peak = std::max(all.perf_peak, perf.peak_mebibytes);
        all.peak = std::max(all.peak, ours.peak_mebibytes);
        constexpr int pairs_a_round = 4;
        for (int again = 0; again < pairs_a_round; ++again) {
            const bool first = again % 2 != 0;
            if (pair.plain != nullptr) {
                in_turn(
                    first, [&] { return run(plain_of(pair)); },
                    [&](const auto& own, const auto& plain) {
                        if (!plain.ended_well)
                            throw std::runtime_error(std::string(pair.what) + ": the plain loop failed");
                        own_seconds.push_back(own.cpu_seconds);
                        plain_seconds.push_back(plain.cpu_seconds);
                        all.plain_peak = std::max(all.plain_peak, plain.peak_mebibytes);
                    });
            }
            if (pair.threads) {
                in_turn(
                    first, [&] { return ours_on("2"); },
                    [&](const auto& own, const auto& two) {
                        own_wall.push_back(own.wall_seconds);
                        wall_of_two.push_back(two.wall_seconds);
                    });
            }
        }
    }
    all.perf_seconds = spread(perf_seconds);
    all.seconds = spread(seconds);
    all.faster = spread(faster);
    if (!own_wall.empty()) all.wall_gain = spread(own_wall).least / spread(wall_of_two).least;
    if (!own_seconds.empty()) {
        all.plain_seconds = spread(plain_seconds).least;
        all.of_plain = spread(own_seconds).least / all.plain_seconds;
    }
    return all;
}

std::string aim_text(double aim) {
    return aim == 0 ? std::string("-") : fmt::format("{:.0f}", aim);
}

std::string json_of(const Spread& spread) {
    return fmt::format(R"({{"median": {:.4f}, "least": {:.4f}, "most": {:.4f}}})", spread.median, spread.least,
                       spread.most);
}

std::string quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char one : text) {
        if (one == '"' || one == '\\') quoted += '\\';
        quoted += one;
    }
    return quoted + "\"";
}

}  // namespace

std::string hottest_function(const std::string& path) {
    const auto recording = Recording::open(path).value();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline);
    const auto profile = Profile::count(recording, symbolizer.versions()).value();
    for (const auto& function : profile.functions()) {
        const auto name = symbolizer.name(function.version.function);
        if (name.kind == CodeClass::user && symbolizer.image(function.version)) return std::string(name.symbol);
    }
    return {};
}

std::vector<Compared> against_perf(const std::string& path, const std::string& tool, int rounds) {
    std::vector<Compared> table;
    for (const auto& pair : pairs_of(path, tool)) table.push_back(compare(pair, rounds));
    return table;
}

double gain_of_two(const std::string& path, int rounds) {
    std::vector<double> gains;
    for (int round = 0; round < rounds; ++round) {
        const auto one = run({own_path(), "--plain", "report", path});
        const auto* const both = R"("$0" --plain report "$1" & "$0" --plain report "$1" & wait)";
        const auto two = run({"sh", "-c", both, own_path(), path});
        gains.push_back(2 * one.wall_seconds / two.wall_seconds);
    }
    return spread(gains).median;
}

void print(const std::string& path, const std::vector<Compared>& table) {
    fmt::print(
        "\n{}: whole commands. CPU seconds (least to most), peak MiB; wall: time of -j 1 / of -j 2;\n"
        "of plain: CPU time as a part of that of the plain loop for the same (plain_loops.hpp), both the least of "
        "some; plain: its peak\n",
        path);
    fmt::print("  {:<21} {:>9} {:>22} {:>7} {:>5} {:>6} {:>8} {:>10} {:>9} {:>6} {:>5}\n", "", "perf s", "ours s",
               "faster", "aim", "wall", "of plain", "perf MiB", "ours MiB", "plain", "aim");
    for (const auto& row : table) {
        const auto ours =
            fmt::format("{:.4f} ({:.4f}-{:.4f})", row.seconds.median, row.seconds.least, row.seconds.most);
        const auto ratio = [](double value) { return value == 0 ? std::string("-") : fmt::format("{:.2f}", value); };
        fmt::print("  {:<21} {:>9.4f} {:>22} {:>6.1f}x {:>5} {:>6} {:>8} {:>10.1f} {:>9.1f} {:>6} {:>5}\n", row.what,
                   row.perf_seconds.median, ours, row.faster.median, aim_text(row.aim), ratio(row.wall_gain),
                   ratio(row.of_plain), row.perf_peak, row.peak,
                   row.plain_peak == 0 ? "-" : fmt::format("{:.0f}", row.plain_peak), aim_text(row.peak_aim));
    }
    std::fflush(stdout);
}

void against_report(const std::string& path, const std::string& tool, int rounds) {
    if (Recording::open(path).value().feature(Feature::bpf_prog_info) == nullptr) return;
    std::vector<double> report_times, times, ratios;
    for (int round = 0; round < rounds; ++round) {
        const auto report = run({tool, "report", "--allow-local", path});
        const auto annotate = run({tool, "annotate", "--allow-local", "--kind", "bpf", path});
        if (!report.ended_well || !annotate.ended_well) throw std::runtime_error("report or annotate failed");
        report_times.push_back(report.cpu_seconds);
        times.push_back(annotate.cpu_seconds);
        ratios.push_back(annotate.cpu_seconds / report.cpu_seconds);
    }
    fmt::print("  every BPF program annotated: {:.2f} s, {:.2f} of our report with callers, which takes {:.2f} s\n",
               spread(times).median, spread(ratios).median, spread(report_times).median);
}

void write_json(const std::string& file, const std::vector<Measured>& results) {
    std::string text = "[";
    for (const auto& [path, table] : results) {
        text += fmt::format("{}\n  {{\"recording\": {}, \"commands\": [", text.size() == 1 ? "" : ",", quoted(path));
        bool first = true;
        for (const auto& row : table) {
            text += fmt::format(
                "{}\n    {{\"command\": {}, \"perf_cpu_seconds\": {}, \"cpu_seconds\": {},\n     \"faster\": {}, "
                "\"faster_aim\": {}, \"wall_gain_of_2_jobs\": {:.3f}, \"of_plain_loop\": {:.3f},\n     "
                "\"perf_peak_mib\": {:.1f}, \"peak_mib\": "
                "{:.1f}, \"plain_peak_mib\": {:.1f}, \"peak_mib_aim\": {}}}",
                first ? "" : ",", quoted(row.what), json_of(row.perf_seconds), json_of(row.seconds),
                json_of(row.faster), row.aim, row.wall_gain, row.of_plain, row.perf_peak, row.peak, row.plain_peak,
                row.peak_aim);
            first = false;
        }
        text += "]}";
    }
    std::ofstream out(file);
    out << text << "\n]\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace perfdata::bench
