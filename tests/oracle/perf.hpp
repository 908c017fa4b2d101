// SPDX-License-Identifier: MIT
// perf's answers about a recording. Every function runs `perf` and fails the test if it is not installed.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace oracle {

// perf_counts(recording) returns the number of records by perf's type name (`perf report --stats`).
std::map<std::string, std::uint64_t> perf_counts(const std::filesystem::path& recording);

// PerfSample is a line of `perf script`.
struct PerfSample {
    std::uint64_t time = 0, ip = 0, period = 0;
    std::uint32_t pid = 0, tid = 0, cpu = 0;
    std::string event;
    std::string symbol;  // "[unknown]" if perf has none

    // Orders by time; the symbol does not take part.
    std::strong_ordering operator<=>(const PerfSample& other) const;
    bool operator==(const PerfSample& other) const { return (*this <=> other) == 0; }
};
std::vector<PerfSample> perf_samples(const std::filesystem::path& recording);

// perf_sample_events(recording) returns "TID TIME EVENT" for each sample.
std::vector<std::string> perf_sample_events(const std::filesystem::path& recording);

// PerfPlace is a line of `perf script`: the place of a sample. The object is perf's short name of the mapping:
// "[kernel.kallsyms]", "[unknown]", a path, or "[NAME]" for a module.
struct PerfPlace {
    std::uint64_t time = 0, ip = 0;
    std::uint32_t tid = 0;
    std::string comm, object;

    auto operator<=>(const PerfPlace&) const = default;
};
std::vector<PerfPlace> perf_places(const std::filesystem::path& recording);

// perf_script(recording, arguments) returns the lines of `perf script ARGUMENTS`, without symbols of this machine.
std::vector<std::string> perf_script(const std::filesystem::path& recording, const std::string& arguments);
// perf_output(recording, arguments) returns the lines of `perf ARGUMENTS`, likewise.
std::vector<std::string> perf_output(const std::filesystem::path& recording, const std::string& arguments);
// PerfRow is a row of `perf report` by command, object and symbol; percentages as perf prints them.
struct PerfRow {
    std::string event, comm, object, symbol;  // symbol with its level: "[k] do_idle"
    std::string children, self;               // "12.36%"; children only on request
    std::uint64_t hits = 0, periods = 0;      // only without children
};
// perf_report(recording, children, kallsyms): that file names the kernel; empty: none does. `arguments`, as for a
// shell, come with it; `by_thread` makes rows of each thread, which perf needs if it is to choose among threads.
std::vector<PerfRow> perf_report(const std::filesystem::path& recording, bool children,
                                 const std::filesystem::path& kallsyms, const std::string& arguments = {},
                                 bool by_thread = false);
// perf_group_report(recording) returns the rows of each table of `perf report --group`, sorted, as perf leaves open how
// rows with equal numbers follow each other: "71.58% 100.00%|3 1|10631668 25|task|task|[.] 0x16ca".
std::vector<std::vector<std::string>> perf_group_report(const std::filesystem::path& recording);

// PerfKsymbol, PerfBpfEvent are lines of `perf report -D`.
struct PerfRecord {
    std::uint64_t offset = 0, time = 0;
    std::uint32_t cpu = 0, size = 0;
};
struct PerfKsymbol : PerfRecord {
    std::uint64_t address = 0;
    std::uint32_t length = 0, kind = 0, flags = 0;
    std::string name;
};
struct PerfBpfEvent : PerfRecord {
    std::uint32_t kind = 0, flags = 0, id = 0;
};
struct PerfSideBand {  // both by file offset
    std::vector<PerfKsymbol> ksymbols;
    std::vector<PerfBpfEvent> bpf_events;
};
PerfSideBand perf_side_band(const std::filesystem::path& recording);

// PerfDumped is a record of `perf report -D`.
struct PerfDumped {
    std::uint64_t offset = 0;
    std::string bytes;  // in hexadecimal, header included
    std::uint32_t type = 0;
    std::string place;  // "CPU TIME ", as far as the record has them
    std::string text;   // behind PERF_RECORD_X; what perf found out itself (thread, object) is left out

    auto operator<=>(const PerfDumped&) const = default;
};
std::vector<PerfDumped> perf_dump(const std::filesystem::path& recording);

}  // namespace oracle
