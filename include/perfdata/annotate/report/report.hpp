// SPDX-License-Identifier: MIT
// The report: samples counted by the keys that the user chose, with names, callers and callees.
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
#include "perfdata/annotate/format/field_histogram.hpp"
#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/annotate/report/report_options.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/core/text_arena.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// count_options(options, symbolizer) returns the coarsest counting that the report needs. `symbolizer` must outlive the
// counting.
PERFDATA_EXPORT SampleCountOptions count_options(const ReportOptions& options, const Symbolizer& symbolizer);

// ReportTask is the sampled thread. Members that the keys do not distinguish keep their defaults.
struct PERFDATA_EXPORT ReportTask {
    std::string_view comm;             // lives as long as the timeline; empty: unknown
    Pid pid{0};                        // 0 without the key `pid`
    Tid tid{0};                        // 0 without the key `tid`, if the comm is known
    std::optional<std::uint32_t> cpu;  // empty: not recorded
    std::uint32_t cgroup = 0;          // index in Report::cgroups
    std::string_view parent;           // lives as long as the Symbolizer; empty: none
    std::string_view label = {};       // lives as long as the report and its copies; empty: none

    // comm_text() returns the command, or ":TID" if it is unknown.
    std::string comm_text() const;
};

// ReportProgram is one load of a BPF program.
struct ReportProgram {
    ProgramId id;                        // as in BPF_EVENT or the program info
    std::string_view name;               // lives as long as the Symbolizer; empty: unknown
    BpfTag tag{};                        // of the whole program
    Time loaded_at;                      // zero: before the recording began
    Time unloaded_at = Time::forever();  // forever: still loaded when it ended
};

// ReportPlace is the code of a row or of a node of a tree. Views live as long as the Symbolizer and the report. There
// may be one for each sampled address, so it is kept small: 112 bytes.
struct PERFDATA_EXPORT ReportPlace {
    static constexpr std::uint32_t no_function = ~std::uint32_t{0};  // no index in Report::functions

    // perf's dso: the last part of a path, [kernel.kallsyms], [nf_nat], [unknown]. Equal ones of rows have equal
    // data().
    std::string_view object;
    std::string_view path;                 // the object in full
    std::string_view symbol;               // empty: unknown
    std::uint64_t address = 0;             // without symbol: in the object, or in the process
    std::uint64_t offset = 0;              // in the function; tree nodes told apart by address only
    bool inlined = false;                  // a function that was inlined: samples count for what contains it, too
    char level = '.';                      // perf's: k kernel, . user, g and u of a guest, H hypervisor
    CodeClass kind = CodeClass::unknown;   // also unknown if of several kinds
    std::uint32_t function = no_function;  // index in Report::functions; rows only, with program_details
    std::string_view line;                 // FILE:LINE, "??:0" if unknown; only if asked for
    std::vector<std::uint32_t> loads;      // the BPF programs (index in Timeline::loads()), by time and id

    // told_loads() returns the first loads, as many as pages show. The limit bounds the output: any number of programs
    // may share one name, in any number of rows.
    std::span<const std::uint32_t> told_loads() const {
        constexpr std::size_t most = 1000;
        return std::span(loads).first(loads.size() < most ? loads.size() : most);
    }
    // text() returns the symbol, followed by " (inlined)" if it was, or the address in hexadecimal.
    std::string text() const;
};

// ReportNode is one caller or callee, with the row's samples that pass it.
struct ReportNode {
    std::uint32_t place = 0;        // index in Report::tree_places
    EventCounts cells;              // of the row's samples that pass it, by event
    EventCounts ends;               // those of them whose chain ends here
    std::vector<ReportNode> below;  // most first
};

// ReportRow is one row. Its cells live in Report::cells.
struct ReportRow {
    std::uint32_t task = 0;             // index in Report::tasks
    std::uint32_t place = 0;            // index in Report::places
    std::span<const EventCount> self;   // by event; live as long as the report
    std::span<const EventCount> total;  // with callees; equal to self without call chains
    std::vector<ReportNode> tree;       // of callers or callees, as the options say; most first
};

// NoSymbol is samples without a symbol, by reason.
struct NoSymbol {
    std::string_view reason;           // a clause; lives for ever
    std::string_view remedy;           // how to get one; empty: impossible
    EventCounts cells;                 // by event
    std::vector<std::string> objects;  // at most three, most samples first
};

// LineProblem is a reason why source lines are unknown.
struct LineProblem {
    Error error;        // the reason, with the file
    bool loss = false;  // the lines exist but are damaged or beyond a limit
};

// ReportGroup is events that were counted together.
struct ReportGroup {
    std::string name;                  // as given to perf record; empty: none was given
    std::vector<std::size_t> columns;  // those of its events that the report has, by index in Report::events
};

// ReportTable is events that text shows side by side.
struct ReportTable {
    static constexpr std::size_t most_columns = 64;           // of a table: larger groups have several
    static constexpr std::size_t no_group = ~std::size_t{0};  // its events are not those of one group

    std::vector<std::size_t> columns;  // indices in Report::events
    std::size_t sort = 0;              // index in `columns`: the event that rows are sorted by
    std::size_t group = no_group;      // index in Report::groups
    std::uint64_t hidden_rows = 0;     // rows with samples of these that the percent limit removed
};

// Report is plain data: a page needs nothing else. It can be moved: there may be millions of rows, so what many of them
// share is in tables. Its views live as long as the timeline and the Names that it was made with.
struct PERFDATA_EXPORT Report {
    ReportOptions options;                    // as passed to make()
    RecordingFacts recording;                 // with the times of the counted samples
    std::vector<std::uint32_t> events;        // the columns: events with samples, by index in recording.events
    std::vector<ReportGroup> groups;          // as recorded; those with samples
    std::vector<ReportTable> tables;          // of text; each column is in one. At least one table
    std::vector<EventRatio> ratios;           // as the options ask, of cells of this report
    EventCounts whole;                        // 100 % of all percentages
    EventCounts kept;                         // samples that pass the filters; with `dropped`: all of the events
    std::vector<DroppedSamples> dropped;      // in the order of the filters
    std::vector<ReportRow> rows;              // most first
    std::vector<ReportTask> tasks;            // each once: rows refer to them by index
    std::vector<std::string> cgroups;         // paths; "-" if not recorded. Only with the key `cgroup`
    std::vector<ReportPlace> places;          // of rows, each once
    std::vector<ReportPlace> tree_places;     // of tree nodes
    std::vector<std::string_view> functions;  // BTF names of the functions of rows
    std::map<std::uint32_t, ReportProgram> programs;   // those of rows, by index in Timeline::loads()
    std::vector<std::unique_ptr<EventCount[]>> cells;  // of the rows
    std::vector<TextArena> texts;                      // of the places
    std::vector<NoSymbol> no_symbol;                   // most first
    // Reasons for "??:0" in rows: of each file one per kind of error, in the order of their texts.
    std::vector<LineProblem> line_problems;
    std::vector<Error> inlined_problems;  // why inlined functions are missing; the losses are in the completeness
    std::uint64_t hidden_rows = 0;        // rows that the percent limit removed
    std::vector<std::uint64_t> hidden_by_event;  // those of them with samples of each event
    // By number of the frame in the counts: 1 if --kind or --dso excludes it. Empty: nothing is excluded.
    std::vector<std::uint8_t> unwanted_frames;
    std::uint64_t rows_without_tree = 0;  // rows without a tree because earlier trees reached the limit of nodes
    std::uint64_t small_branches = 0;     // branches of trees that ReportOptions::tree_limit left out
    std::uint64_t cut_names = 0;          // functions of which patterns saw the first NamePattern::most_name bytes only

    // Of fields of tracepoints that the caller counted; make() leaves them empty.
    std::vector<FieldHistogram> histograms;
    std::uint64_t without_field = 0;  // samples that pass the filters, but whose event has none of these fields

    WithoutBuildId without_build_id;  // of the rows; empty unless they name functions
    ChainLosses chain_losses;         // of the counting
    StackFacts stacks;                // copies of user stacks
    Completeness completeness;        // of the timeline, of files of names, and of lines
    std::string without_samples;      // content of a recording without samples; empty: it has samples

    // make(...): `counts` must be counted with count_options() of the same options.
    static Report make(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                       const ReportOptions& options);
    // make(..., stop) is the same, and can be stopped. Errors: cancelled, out_of_memory.
    static Result<Report> make(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                               const ReportOptions& options, const StopToken& stop);
};

}  // namespace perfdata
