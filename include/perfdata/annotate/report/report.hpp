// SPDX-License-Identifier: MIT
// The report: samples counted by the keys that the user chose, named, with callers and callees.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/annotate/report/report_options.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// count_options(options, symbolizer) is what to count for such a report: nothing finer than is shown. `symbolizer` must
// outlive the counting.
SampleCountOptions count_options(const ReportOptions& options, const Symbolizer& symbolizer);

// ReportTask is who was sampled, as far as the keys tell it; the other members have their defaults.
struct ReportTask {
    std::string_view comm;  // lives as long as the timeline; empty: not known
    Pid pid{0};
    Tid tid{0};
    std::optional<std::uint32_t> cpu;  // empty: not recorded
    std::uint32_t cgroup = 0;          // number in Report::cgroups

    // comm_text() is the command, ":TID" if it is not known.
    std::string comm_text() const;
};

// ReportProgram is one load of a BPF program.
struct ReportProgram {
    ProgramId id;
    std::string_view name;  // lives as long as the Symbolizer; empty: not known
    BpfTag tag{};
    Time loaded_at;                      // zero: before the recording began
    Time unloaded_at = Time::forever();  // forever: still there when it ended
};

// ReportPlace is the code of a row or of a node of a tree. Views live as long as the Symbolizer.
struct ReportPlace {
    static constexpr std::uint32_t no_function = ~std::uint32_t{0};

    std::string object;         // as perf's dso: the last part of a path, [kernel.kallsyms], [nf_nat]; or [unknown]
    std::string_view path;      // the object in full
    std::string_view symbol;    // empty: not known
    std::uint64_t address = 0;  // without symbol: in the object, or of the process
    char level = '.';           // perf's: k kernel, . user, g and u of a guest, H hypervisor
    CodeClass kind = CodeClass::unknown;   // unknown as well: of several kinds
    std::uint32_t function = no_function;  // number in Report::functions; only of rows, with program_details
    std::string line;                      // FILE:LINE; "??:0" if not known. Only if reported by it
    std::vector<std::uint32_t> loads;      // the BPF programs (index in Timeline::loads()), sorted

    // told_loads() is those of `loads` that a page tells: one name may be that of any number of programs, in any number
    // of rows.
    std::span<const std::uint32_t> told_loads() const {
        constexpr std::size_t most = 1000;
        return std::span(loads).first(loads.size() < most ? loads.size() : most);
    }
    // text() is the symbol, or the address in hexadecimal.
    std::string text() const;
};

// ReportNode is one caller or callee, with what of the row's samples came by there.
struct ReportNode {
    std::uint32_t place = 0;  // number in Report::tree_places
    EventCounts cells;
    std::vector<ReportNode> below;  // most first
};

// A row's cells live in Report::cells.
struct ReportRow {
    std::uint32_t task = 0;   // number in Report::tasks
    std::uint32_t place = 0;  // number in Report::places
    std::span<const EventCount> self;
    std::span<const EventCount> total;  // with callees; equal to self without call chains
    std::vector<ReportNode> tree;
};

// NoSymbol is samples without a symbol, by reason.
struct NoSymbol {
    std::string_view reason;
    std::string_view remedy;  // what would supply it; empty: nothing
    EventCounts cells;
    std::vector<std::string> objects;  // those with most of them, at most three
};

// LineProblem is why lines of code are not known.
struct LineProblem {
    Error error;
    bool loss = false;  // they are there: damaged, or beyond a limit
};

// Report is plain data: a page needs nothing else. It can be moved: there may be millions of rows, so what many of them
// share is in tables. Its views live as long as the timeline and the Names that it was made with.
struct Report {
    ReportOptions options;
    RecordingFacts recording;           // with the times of the counted samples
    std::vector<std::uint32_t> events;  // the columns: events with samples, by index in recording.events
    EventCounts whole;                  // what percentages are of
    EventCounts kept;                   // what the filters left; with the samples of `dropped` it is all of the events
    std::vector<DroppedSamples> dropped;  // in the order in which samples are filtered
    std::vector<ReportRow> rows;          // most first
    std::vector<ReportTask> tasks;
    std::vector<std::string> cgroups;  // paths; "-" where no group was recorded. Only if reported by it
    std::vector<ReportPlace> places;
    std::vector<ReportPlace> tree_places;              // of the nodes of trees
    std::vector<std::string_view> functions;           // of the places of rows: what BTF calls them
    std::map<std::uint32_t, ReportProgram> programs;   // that pages tell of rows, by index in Timeline::loads()
    std::vector<std::unique_ptr<EventCount[]>> cells;  // of the rows
    std::vector<NoSymbol> no_symbol;                   // most first
    // Why rows have the line "??:0", of each file once, in the order in which they were sampled first.
    std::vector<LineProblem> line_problems;
    std::uint64_t hidden_rows = 0;               // how many the percent limit left out
    std::vector<std::uint64_t> hidden_by_event;  // how many of these have samples of each event
    // By number of the frame in the counts: 1 where --kind or --dso does not want what was sampled. Empty: all are
    // wanted.
    std::vector<std::uint8_t> unwanted_frames;
    std::uint64_t rows_without_tree = 0;  // how many would have one, had not those before them enough nodes

    WithoutBuildId without_build_id;  // of the rows; nothing unless they name functions
    ChainLosses chain_losses;
    std::uint64_t stacks_not_unwound = 0;  // samples whose callers are in a copy of their user stack only
    Completeness completeness;             // of the timeline, of the files of names, and of lines
    std::string without_samples;           // what a recording without samples has instead; empty: it has samples

    // make(...): count `counts` with count_options() of the same options.
    static Report make(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                       const ReportOptions& options);
};

}  // namespace perfdata
