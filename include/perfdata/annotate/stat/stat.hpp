// SPDX-License-Identifier: MIT
// Recordings of `perf stat record`: the values of its counters, round by round, added up as it was asked for. Plain
// data. Follows tools/perf/util/stat.c and stat-display.c of perf 6.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// StatMode is which values are added up.
enum class StatMode : std::uint8_t {
    global,  // all of an event
    none,    // none: a row for each CPU
    socket,  // those of a socket
    die,     // those of a die
    core,    // those of a core
    node,    // those of a memory node
    thread,  // those of a thread
    cache,   // those of the CPUs that share a cache
};
inline constexpr std::size_t stat_modes = 8;  // of StatMode
// Returns a word for JSON.
constexpr std::string_view to_string(StatMode mode) {
    constexpr std::string_view words[] = {"global", "none", "socket", "die", "core", "node", "thread", "cache"};
    return words[static_cast<std::size_t>(mode)];
}

// recorded_stat_mode(number, perf_version, has_level) returns what `aggr_mode` of STAT_CONFIG means: perf inserted
// modes between others in 5.2, 6.4 and 6.9. has_level: STAT_CONFIG has the term of 6.4. Empty: one that is not shown
// here, that of clusters.
PERFDATA_EXPORT std::optional<StatMode> recorded_stat_mode(std::uint64_t number, std::string_view perf_version,
                                                           bool has_level);

// StatPlace is what the values of a row belong to. -1: the recording does not say, or the mode does not tell them
// apart.
struct StatPlace {
    std::int32_t cpu = -1;                          // none
    std::int32_t socket = -1, die = -1, core = -1;  // of `core` all three, of `die` two
    std::int32_t node = -1;                         // its number, not its place in the list of nodes
    std::int32_t thread = -1;                       // index in StatFacts::threads
    // `cache` has socket and die, too. The level is what was asked for, or 0, if the CPU has no such cache.
    std::int32_t cache_level = -1, cache = -1;  // the cache is the first CPU that shares it

    bool operator==(const StatPlace&) const = default;
};

// StatState is whether a row has a value.
enum class StatState : std::uint8_t {
    counted,
    not_counted,    // the counter never ran
    not_supported,  // the recording has no value of the event at all
};
// Returns a word for JSON.
constexpr std::string_view to_string(StatState state) {
    constexpr std::string_view words[] = {"counted", "not_counted", "not_supported"};
    return words[static_cast<std::size_t>(state)];
}

// StatMetric is what a value means beside others, as perf stat says it: "1.234 GHz".
struct StatMetric {
    double value = 0;              // any number, even none
    std::string_view unit;         // "GHz", "of all branches"; lives for ever
    std::uint8_t width = 8;        // in text: least characters of the value
    std::uint8_t decimals = 3;     // in text and CSV: digits behind the point
    std::string_view suffix = {};  // in text: behind the value, such as "%"; lives for ever
};

// StatRow is one value of a round: since the round before, or since the beginning.
struct StatRow {
    std::uint32_t event = 0;                 // index in StatFacts::events
    StatPlace place;                         // as far as the mode tells places apart
    std::uint32_t cpus = 0;                  // socket, die, core, node and cache: how many CPUs were added up
    StatState state = StatState::counted;    // if it is not `counted`, there is no value
    std::uint64_t raw = 0;                   // as counted; sums wrap at 64 bits
    std::uint64_t value = 0;                 // estimated for all of `enabled`; sums of too large ones do not wrap
    std::uint64_t enabled = 0, running = 0;  // nanoseconds
    double amount = 0;                       // value times the event's scale, in its unit
    std::optional<StatMetric> metric;        // empty: perf stat derives nothing of it
    std::optional<StatMetric> second;        // on a line of its own
};

// StatTable is all values of one STAT_ROUND.
struct StatTable {
    Time time;                  // since the start of perf stat
    bool is_final = false;      // the last of a recording without intervals
    std::vector<StatRow> rows;  // in perf's order: by event, or by group and event
};

// StatEvent is an event as its EVENT_UPDATE records left it.
struct StatEvent {
    std::string name, unit;  // any bytes
    double scale = 1;        // any number, even none
    bool supported = false;  // it has a value
};

// StatThread is an entry of THREAD_MAP.
struct StatThread {
    std::int32_t tid = -1;  // -1: any
    std::string comm;       // any bytes
};

// StatNamedBy is where the name of a BPF program is from.
enum class StatNamedBy : std::uint8_t {
    nobody,  // the recording has no name: the id is the command line's
    kernel,  // BPF_PROG_INFO, cut to 15 bytes by the kernel
    btf,     // the type of its function, in BPF_BTF
};
// Returns a word for JSON.
constexpr std::string_view to_string(StatNamedBy by) {
    constexpr std::string_view words[] = {"nobody", "kernel", "btf"};
    return words[static_cast<std::size_t>(by)];
}

// StatProgram is a BPF program in which perf stat -b counted.
struct StatProgram {
    std::uint32_t id = 0;  // on the command line of perf stat: a recording says nowhere else what was counted
    std::string name;      // any bytes
    StatNamedBy named_by = StatNamedBy::nobody;  // where the name is from
};
inline constexpr std::size_t most_stat_programs = 64;  // in StatFacts::programs

// StatFacts is what rounds have in common.
struct StatFacts {
    StatMode mode = StatMode::global;                     // that is shown
    std::optional<StatMode> recorded = StatMode::global;  // of STAT_CONFIG; empty: one that is not shown here
    std::uint64_t interval = 0;                           // milliseconds between rounds; 0: one round
    bool scales = true;                                   // values are estimated if counters shared their hardware
    double elapsed = 0;                                   // nanoseconds, the mean of all final rounds; 0: none yet
    std::vector<StatEvent> events;                        // in the order of the recording
    std::vector<StatThread> threads;                      // of THREAD_MAP
    std::vector<std::string> command_line;                // of perf; may be empty
    bool per_cpu = false;                                 // counted on CPUs, not in threads wherever they ran
    std::uint32_t cache_level = 0;                        // of mode cache: 0 is the last level of each CPU
    // Of perf stat -b: values are what was counted while these programs ran, all together. Empty without -b.
    std::vector<StatProgram> programs{};
    std::size_t more_programs = 0;  // beyond most_stat_programs
};

// stat_programs_text(facts) returns "counted in BPF program 42 main (named by BTF)"; empty without programs. Names are
// printable.
PERFDATA_EXPORT std::string stat_programs_text(const StatFacts& facts);

// StatOptions is how values are added up, and who watches.
struct StatOptions {
    std::optional<StatMode> mode;  // empty: as STAT_CONFIG says
    StopToken stop = {};           // once it stops, reading fails with `cancelled`
    Progress progress = {};        // is told of the bytes of the recording
    // Of mode `cache`, if it is asked for: 1 to most_cache_level; 0: the last level of each CPU.
    std::uint32_t cache_level = 0;
};
inline constexpr std::uint32_t most_cache_level = 4;  // that perf knows

// StatTake is called for each round, in the order of the recording. Both live as long as the call.
using StatTake = Callback<void(const StatFacts&, const StatTable&)>;

// StatReading is what a recording had, behind its last round.
struct StatReading {
    StatFacts facts;                   // behind the last record
    Completeness completeness;         // with a diagnostic for all that was not used or is not shown
    std::uint64_t values = 0;          // STAT records, used or not
    std::uint64_t rounds = 0;          // STAT_ROUND records, shown or not
    std::uint64_t unknown_event = 0;   // values of ids that no event has
    std::uint64_t unknown_cpu = 0;     // values of CPUs that the event was not counted on
    std::uint64_t unknown_thread = 0;  // values of threads that THREAD_MAP does not have
    std::uint64_t unplaced = 0;        // values before both maps, or more than the limits allow
    std::uint64_t outside_groups = 0;  // values of CPUs in no group of the mode: CPU_MAP has none of their core or so
    std::uint64_t other_threads = 0;   // values by CPU of another thread than the first, which are not shown
    std::uint64_t behind = 0;          // values behind the last round, which are not shown; usual with intervals
    std::uint64_t hidden_rounds = 0;   // rounds that have too little to say for their rows
    std::uint64_t unknown_places = 0;  // CPUs that the recording does not place, where the mode needs it
    // The mode that was asked for was not used: the values belong to threads, not to CPUs, or the other way round.
    bool mode_refused = false;

    // is_stat() returns false for recordings of other tools.
    bool is_stat() const { return has_feature || has_config || has_counted(); }
    // has_counted() returns false if it ended before any counter was written.
    bool has_counted() const { return values + rounds != 0; }
    bool has_feature = false;  // the feature STAT; missing if the recorder was killed
    bool has_config = false;   // a record STAT_CONFIG
};

// read_stat(recording, options, take) reads all values in one pass and calls `take` for each round. It holds one value
// of each counter, not the rounds. Errors: cancelled, out_of_memory. Exceptions of `take` pass through.
PERFDATA_EXPORT Result<StatReading> read_stat(const Recording& recording, const StatOptions& options,
                                              const StatTake& take);

}  // namespace perfdata
