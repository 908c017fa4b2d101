// SPDX-License-Identifier: MIT
// Where the samples fell in the source: files, their lines, and the functions that these lines belong to. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// Heat is counts by event: `self` of samples that fell there, `inclusive` of samples there or in what was called from
// there. A sample counts once in each line, file and function, however often its call chain passes it.
struct Heat {
    EventCounts self, inclusive;  // by SourceHeat::events
};

// LineFunction is the part of a line's heat that a function has: a line of a header may belong to many.
struct LineFunction {
    std::uint32_t function = 0;  // index in SourceHeat::functions
    Heat heat;                   // of that function in the line
};

// HeatLine is a line with samples.
struct HeatLine {
    std::uint32_t line = 0;               // from 1
    Heat heat;                            // of all functions in the line
    std::vector<LineFunction> functions;  // hottest first
};

// HeatFile is a source file with samples.
struct HeatFile {
    std::string path;             // as in debug information
    Heat heat;                    // of all lines; a sample counts once, so lines may add up to more inclusive counts
    std::vector<HeatLine> lines;  // those with samples, by number
};

// NoLine is why a sample counts in no line.
enum class NoLine : std::uint8_t {
    nowhere,   // nothing is known to have lain at its address
    no_lines,  // its code has no line information, or it was not found
    no_line,   // its code has line information, but the compiler gave this place no line
    damaged,   // the line information could not be read: see SourceHeat::problems
    limit,     // there are more places than the limits allow to tell apart
};
inline constexpr std::size_t no_line_reasons = 5;  // number of reasons
// Returns a word for JSON.
constexpr std::string_view to_string(NoLine reason) {
    switch (reason) {
        case NoLine::nowhere: return "nowhere";
        case NoLine::no_lines: return "no_lines";
        case NoLine::no_line: return "no_line";
        case NoLine::damaged: return "damaged";
        case NoLine::limit: return "limit";
    }
    return "unknown";
}

// SourceHeatOptions is what the making may cost, and who watches.
struct SourceHeatOptions {
    Limits limits = {};      // `cells` bounds the places that are told apart
    StopToken stop = {};     // once it stops, make() fails with `cancelled`
    Progress progress = {};  // places whose lines were looked up, and all
};

// SourceHeat: the `self` of all lines, and of all files, and the counts of all reasons add up to `totals`. The self of
// a line's functions adds up to that of the line.
//
// What the compiler inlined counts as the report counts it: a sample falls on the line in the inlined function, and the
// line of the call counts inclusively, as those of calls that were really made. Of a place with more than most_inlined
// functions inlined into each other the outer calls do not count.
struct PERFDATA_EXPORT SourceHeat {
    static constexpr std::size_t most_inlined = 256;  // inlined functions of a place whose calls count

    std::vector<std::uint32_t> events;                      // the event of each cell, by index in recording.events()
    EventCounts totals;                                     // all counted samples
    std::array<EventCounts, no_line_reasons> without_line;  // by NoLine, see without()
    std::vector<HeatFile> files;         // most self hits first, then most inclusive ones, then by path
    std::vector<std::string> functions;  // names as in the source, sorted
    std::vector<Error> problems;         // why lines are unknown: of each origin one of each kind of error
    std::uint64_t cut_places = 0;        // places with more inlined functions than most_inlined

    // make(counts, symbolizer, options): `counts` must be counted with heat_counting(). Errors: cancelled,
    // out_of_memory.
    static Result<SourceHeat> make(const SampleCounts& counts, const Symbolizer& symbolizer,
                                   const SourceHeatOptions& options = {});

    // without(reason) returns the samples without a line for that reason, by event.
    const EventCounts& without(NoLine reason) const { return without_line[static_cast<std::size_t>(reason)]; }
    // Returns the files, by index, whose paths agree the most with this one from their ends on, in whole parts: those
    // in other directories of other machines as well. At least the names of the files are the same. Hottest first.
    std::vector<std::uint32_t> files_like(std::string_view path) const;
    // Returns the line of a file; null if it has no samples.
    const HeatLine* line(std::uint32_t file, std::uint32_t number) const;
};

// heat_counting(symbolizer, chains) returns what to count for the heat of lines; without chains, `inclusive` is of
// inlined calls alone. `symbolizer` must outlive the counting.
PERFDATA_EXPORT SampleCountOptions heat_counting(const Symbolizer& symbolizer, bool chains = true);

}  // namespace perfdata
