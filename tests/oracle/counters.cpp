// SPDX-License-Identifier: MIT
// Compares `perfdata stat` with `perf stat report`, line by line: of fixtures, of recordings made here, and of crafted
// ones with counters that this machine may not have.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "perfdata/annotate/page/stat_page.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/shell.hpp"
#include "unit/annotate/counted.hpp"

namespace oracle {
namespace {

using namespace perfdata;
using test::Counted;

struct CountersMode {
    const char* option;
    std::optional<StatMode> mode;
};
constexpr CountersMode counters_modes[] = {
    {"", {}},
    {"--no-aggr", StatMode::none},
    {"--per-socket", StatMode::socket},
    {"--per-die", StatMode::die},
    {"--per-core", StatMode::core},
    {"--per-node", StatMode::node},
};

// Returns what perf prints of a recording, which goes to its standard error. What it says of this machine, and of
// options that do not fit, is left out.
std::vector<std::string> perf_counters(const std::filesystem::path& path, const std::string& separator,
                                       const std::string& mode) {
    const auto command = fmt::format("LC_ALL=C PERF_CONFIG=/dev/null perf stat {} report {} -i '{}' 2>&1 </dev/null",
                                     separator.empty() ? "" : "-x '" + separator + "'", mode, path.string());
    const auto output = test::shell_output(command);
    INFO(command << "\n" << output.text);
    REQUIRE(output.status == 0);
    auto lines = output.lines();
    constexpr std::string_view hint = "Some events weren't counted. Try disabling the NMI watchdog:";
    if (const auto found = std::ranges::find(lines, hint); found != lines.end()) lines.erase(found, found + 4);
    // Crafted attrs are full of bits, so perf does not take names from EVENT_DESC.
    std::erase(lines, "Reserved bits are set unexpectedly. Please update perf tool.");
    std::erase(lines, "warning: processing task data, aggregation mode not set");
    return lines;
}

std::vector<std::string> our_counters(const Recording& recording, const std::string& separator,
                                      std::optional<StatMode> mode) {
    test::ShellOutput written;
    const Sink sink = [&](std::string_view part) { written.text += part; };
    StatText page(sink, separator.empty() ? std::nullopt : std::optional(separator));
    const auto reading = read_stat(recording, {mode, {}, {}},
                                   [&](const StatFacts& facts, const StatTable& table) { page.add(facts, table); });
    REQUIRE(reading);
    CHECK(reading->completeness.lossless());
    return written.lines();
}

void compare_counters(const std::filesystem::path& path) {
    const auto recording = Recording::open(path.string()).value();
    for (const auto& [option, mode] : counters_modes) {
        for (const std::string separator : {"", ","}) {
            INFO(path << " " << option << " " << separator);
            const auto theirs = perf_counters(path, separator, option);
            const auto ours = our_counters(recording, separator, mode);
            REQUIRE(!theirs.empty());
            CHECK(ours.size() == theirs.size());
            for (std::size_t line = 0; line < std::min(ours.size(), theirs.size()); ++line) {
                CHECK(ours[line] == theirs[line]);
            }
        }
    }
}

void compare_counters(Counted& counted) {
    const test::TempDir folder;
    compare_counters(folder.write("counted.data", counted.bytes()));
}

// CPUs that this machine has: perf asks it where they are, even if it reads a recording.
std::vector<std::uint16_t> known_cpus() {
    std::vector<std::uint16_t> cpus;
    const auto count = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    for (std::uint16_t cpu = 0; cpu < count; ++cpu) cpus.push_back(cpu);
    return cpus;
}

struct CounterKind {
    std::uint32_t type;
    std::uint64_t config;
    const char* name;
};
constexpr std::uint64_t cache_miss = 0x10000;
constexpr CounterKind counter_kinds[] = {
    {0, 0, "cycles"},
    {0, 1, "instructions"},
    {0, 2, "cache-references"},
    {0, 3, "cache-misses"},
    {0, 4, "branches"},
    {0, 5, "branch-misses"},
    {0, 6, "bus-cycles"},
    {0, 7, "stalled-cycles-frontend"},
    {0, 8, "stalled-cycles-backend"},
    {1, 0, "cpu-clock"},
    {1, 1, "task-clock"},
    {1, 2, "page-faults"},
    {1, 4, "cpu-migrations"},
    {3, 0, "L1-dcache-loads"},
    {3, 0 | cache_miss, "L1-dcache-load-misses"},
    {3, 1, "L1-icache-loads"},
    {3, 1 | cache_miss, "L1-icache-load-misses"},
    {3, 2, "LLC-loads"},
    {3, 2 | cache_miss, "LLC-load-misses"},
    {3, 3, "dTLB-loads"},
    {3, 3 | cache_miss, "dTLB-load-misses"},
    {3, 4, "iTLB-loads"},
    {3, 4 | cache_miss, "iTLB-load-misses"},
    {3, 5, "branch-loads"},
    {4, 0x10, "cpu/cycles-t/"},
    {4, 0x11, "cpu/cycles-ct/"},
    {4, 0x12, "cpu/tx-start/"},
    {4, 0x13, "cpu/el-start/"},
    {4, 0x20, "topdown-total-slots"},
    {4, 0x21, "topdown-slots-retired"},
    {4, 0x22, "topdown-fetch-bubbles"},
    {4, 0x23, "topdown-recovery-bubbles"},
    {4, 0x24, "topdown-retiring"},
    {4, 0x25, "topdown-bad-spec"},
    {4, 0x26, "topdown-fe-bound"},
    {4, 0x27, "topdown-be-bound"},
};

// Values of some events, chosen by the seed: units, scales, modes of the CPU, counters that share their hardware or
// never ran, and events without values.
Counted random_counters(std::uint64_t seed) {
    test::Random random(seed);
    Counted counted;
    const bool of_cpus = random.below(4) != 0;
    const auto cpus = of_cpus ? known_cpus() : std::vector<std::uint16_t>{0xffff};
    const std::uint64_t interval = random.below(2) == 0 ? 0 : 100;
    std::vector<std::uint64_t> first_ids;
    std::vector<const char*> names;
    std::vector<bool> has_values;
    std::uint64_t next_id = 1;
    const bool with_user = random.below(3) == 0;
    for (const auto& kind : counter_kinds) {
        if (random.below(5) == 0) continue;
        constexpr std::uint64_t exclude_kernel = 1 << 5;
        std::vector<std::uint64_t> ids;
        first_ids.push_back(next_id);
        for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) ids.push_back(next_id++);
        counted.event(kind.type, kind.config, kind.name, ids, with_user && random.below(2) == 0 ? exclude_kernel : 0);
        names.push_back(kind.name);
        has_values.push_back(random.below(8) != 0);
    }
    for (std::size_t event = 0; event < first_ids.size(); ++event) {
        counted.name(first_ids[event], names[event]);
        const auto choice = random.below(6);
        if (choice == 0) counted.msec(first_ids[event]);
        if (choice == 1) counted.unit(first_ids[event], "Joules").scale(first_ids[event], 2.3283064365386962890625e-10);
        if (choice == 2) counted.unit(first_ids[event], "MiB").scale(first_ids[event], 64);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    std::vector<std::uint32_t> dies;
    for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
        places.emplace_back(static_cast<std::uint32_t>(random.below(3)),
                            static_cast<std::uint32_t>(random.below(cpus.size())));
        dies.push_back(static_cast<std::uint32_t>(random.below(2)));
    }
    counted.topology(places, dies).nodes({{0, "0"}, {1, "1-3"}}).command({"perf", "stat", "record", "-a b"});
    counted.threads({{0xffffffff, ""}}).cpus(cpus);
    counted.config(of_cpus ? std::array{test::aggr::none, test::aggr::global, test::aggr::core}[random.below(3)]
                           : test::aggr::global,
                   interval);
    struct Now {
        std::uint64_t value = 0, enabled = 0, running = 0;
    };
    std::vector<Now> now(next_id);
    const std::uint64_t rounds = interval == 0 ? 1 : 30;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        for (std::size_t event = 0; event < first_ids.size(); ++event) {
            if (!has_values[event]) continue;
            for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
                const auto id = first_ids[event] + cpu;
                auto& last = now[id];
                const auto enabled = 1'000'000 + random.below(100'000'000);
                const auto shares = random.below(8);
                last.enabled += enabled;
                last.running += shares == 0 ? enabled / 3 : shares == 1 && round == 1 ? 0 : enabled;
                last.value += random.below(std::uint64_t{1} << (1 + random.below(40)));
                counted.value(id, cpus[cpu] == 0xffff ? Counted::any : cpus[cpu], 0, last.value, last.enabled,
                              last.running);
            }
        }
        counted.round(round * 100'123'456, interval == 0);
    }
    return counted;
}

}  // namespace

TEST_CASE("Counters of fixtures are those of perf stat report", "[counters]") {
    std::size_t compared = 0;
    for (const auto& path : perf_fixtures()) {
        if (!path.filename().string().starts_with("stat")) continue;
        compare_counters(path);
        ++compared;
    }
    CHECK(compared >= 3);
}

TEST_CASE("Counters of all kinds are those of perf stat report", "[counters]") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        INFO("seed " << seed);
        auto counted = random_counters(seed);
        compare_counters(counted);
    }
}

TEST_CASE("Counters of threads are those of perf stat report", "[counters]") {
    Counted counted;
    counted.clock({1, 2, 3}).event(attr_type::software, 2, "page-faults", {4, 5, 6}).msec(1);
    counted.name(1, "task-clock").name(4, "page-faults");
    counted.threads({{70, "first"}, {8, "second"}, {123456, "fifteen_letters"}}).cpus({0xffff});
    counted.config(test::aggr::thread).command({"perf"});
    for (std::uint64_t id = 1; id <= 6; ++id) {
        counted.value(id, Counted::any, static_cast<std::uint32_t>((id - 1) % 3), id * id * 1000, 5000, 5000);
    }
    counted.round(1'000'000, true);
    compare_counters(counted);
}

TEST_CASE("Counters recorded here are those of perf stat report", "[counters]") {
    const test::TempDir folder;
    const auto path = folder.path() / "counted.data";
    bool any = false;
    for (const auto* options :
         {"", "-I 20", "-a", "-a -A -I 20 -e cpu-clock,page-faults,context-switches", "-a --per-core",
          "-a --per-socket -I 20", "-d -d", "-e task-clock:u,page-faults:u,cs"}) {
        const auto command =
            fmt::format("perf stat record {} -o '{}' -- sh -c 'ls -lR /usr/include; sleep 0.05' >'{}' 2>&1", options,
                        path.string(), (folder.path() / "log").string());
        if (std::system(command.c_str()) != 0) {
            WARN("perf stat record is not allowed here: nothing compared: " << options);
            continue;
        }
        any = true;
        INFO(command);
        compare_counters(path);
    }
    if (!any) WARN("nothing compared");
}

}  // namespace oracle
