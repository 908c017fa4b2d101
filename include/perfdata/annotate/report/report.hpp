// SPDX-License-Identifier: MIT
// The report: samples counted by the keys that the user chose, named, with callers and callees.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/page/page.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// What tells rows apart.
enum class ReportKey : std::uint8_t { comm, pid, tid, cpu, cgroup, object, symbol, kind, line, program };

// report_key(word) is for the words of `--sort`, as perf spells them where perf has them.
std::optional<ReportKey> report_key(std::string_view word);
// title(key) heads its column.
std::string_view title(ReportKey key);

// Which trees rows have, in perf's words.
enum class ReportTree : std::uint8_t {
    none,
    caller,  // what the function called; of samples in itself: how it was reached, outermost first
    callee,  // who called it, innermost first
};

struct ReportOptions {
    std::vector<ReportKey> keys = {ReportKey::comm, ReportKey::object, ReportKey::symbol};
    bool children = false;  // a row counts what it called as well; else trees and order are of samples in itself
    ReportTree tree = ReportTree::none;
    double percent_limit = 0;  // rows with less, in every event, are left out
    double tree_limit = 0.5;   // branches with less likewise, in percent of all
    bool relative = false;     // percentages are of what the filters leave, not of all
    // Only rows of these; empty: all.
    std::vector<std::string> objects;  // by path or by its last part
    std::vector<std::string> symbols;  // as shown
    std::vector<CodeClass> kinds;

    bool has(ReportKey key) const;
};

// count_options(options, names) is what to count for such a report: nothing finer than is shown. `names` must outlive
// the counting.
SampleCountOptions count_options(const ReportOptions& options, const Symbolizer& names);

// ReportPlace is the code of a row or of a node of a tree. Views live as long as the Symbolizer.
struct ReportPlace {
    std::string object;         // as perf's dso: the last part of a path, [kernel.kallsyms], [nf_nat]; or [unknown]
    std::string_view path;      // the object in full
    std::string_view symbol;    // empty: not known
    std::uint64_t address = 0;  // without symbol: in the object, or of the process
    char level = '.';           // perf's: k kernel, . user, g and u of a guest, H hypervisor
    CodeClass kind = CodeClass::unknown;  // unknown as well: of several kinds
    std::string line;                     // FILE:LINE; "??:0" if not known. Only if reported by it
    std::vector<std::uint32_t> loads;     // the BPF programs (index in Timeline::loads()), sorted

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
    std::uint32_t task = 0;   // in the counts
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

// DroppedSamples is what a filter left out.
struct DroppedSamples {
    std::string_view option;
    std::uint64_t samples = 0;
};

// Report is plain data. It can be moved: there may be millions of rows.
struct Report {
    std::vector<std::uint32_t> events;  // the columns: events with samples, by index in recording.events()
    EventCounts whole;                  // what percentages are of
    EventCounts kept;                   // what the filters left; with the samples of `dropped` it is all of the events
    std::vector<DroppedSamples> dropped;  // in the order in which samples are filtered
    std::vector<ReportRow> rows;          // most first
    std::vector<ReportPlace> places;
    std::vector<ReportPlace> tree_places;              // of the nodes of trees
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

    // make(...): count `counts` with count_options() of the same options.
    static Report make(const SampleCounts& counts, const Symbolizer& names, const ReportOptions& options);
};

// comm_text(task) is the command, ":TID" if it is not known.
std::string comm_text(const SampledTask& task);

// ReportContext is what a page tells besides the rows. All of it must outlive the page.
struct ReportContext {
    const Recording& recording;
    const Symbolizer& names;
    const SampleCounts& counts;
    const Completeness& completeness;
    const ReportOptions& options;
};

struct ReportTextOptions {
    bool color = false;
    bool hits = false;     // a column of samples
    bool periods = false;  // a column of periods
};

void write_report_text(const ReportContext& context, const Report& report, const ReportTextOptions& options,
                       const Sink& sink);
// write_report_json(...) is one document, schema perfdata.report/1 (see the README).
void write_report_json(const ReportContext& context, const Report& report, const Sink& sink);

}  // namespace perfdata
