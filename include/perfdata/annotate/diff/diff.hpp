// SPDX-License-Identifier: MIT
// Functions by how much they changed between two sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/diff/diff_condition.hpp"
#include "perfdata/annotate/diff/diff_counts.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"

namespace perfdata {

// DiffCompute is the number that functions are ordered by, in perf's words.
enum class DiffCompute : std::uint8_t {
    delta,      // new share - old share: what grew most first
    delta_abs,  // the same without its sign: what changed most first
    ratio,      // new / old: what grew by the largest factor first
    wdiff,      // weight * new - weight * old, by size
};

// DiffNormalize is what makes recordings of different length comparable. Shares are in percent: of each recording's
// own samples or periods, or of all that the old side has, so that a delta is in percentage points.
enum class DiffNormalize : std::uint8_t {
    periods,  // part of the periods of the event in the same recording
    samples,  // part of its samples
    time,     // samples per second of recorded time; 100 % is the rate of all functions of the old side
    event,    // periods per period of another event; 100 % is that of all functions of the old side
    none,     // periods as they are, for recordings of the same work; 100 % is all periods of the old side
};

// DiffTest is how changes are told from noise.
enum class DiffTest : std::uint8_t {
    none,         // nothing to test
    counts,       // one recording a side: two proportions or rates, corrected by Holm
    permutation,  // several: permutation of the recordings, Westfall and Young's step-down maxT
};

// DiffNoise is what the test says of a function.
enum class DiffNoise : std::uint8_t {
    changed,   // beyond noise: p <= 0.05
    within,    // within noise
    too_few,   // there are too few recordings to tell: no change could reach 5 %
    untested,  // too rare to be among those tested
    no_names,  // the object's functions have names in some of the recordings only
};

// DiffChange is which sides have samples of a function.
enum class DiffChange : std::uint8_t { both, added, removed };

// DiffCode is what is known of the bodies of a function.
enum class DiffCode : std::uint8_t {
    unknown,  // not recorded on a side, or it has samples on one side only
    same,     // the same on both sides
    changed,  // a BPF function's tag differs: another body
    rebuilt,  // the file has another build id: the function may have changed
};

// Return the words of JSON documents and conditions; they live for ever.
PERFDATA_EXPORT std::string_view to_string(DiffCompute compute);
// The same for what normalises.
PERFDATA_EXPORT std::string_view to_string(DiffNormalize normalize);
// The same for a test.
PERFDATA_EXPORT std::string_view to_string(DiffTest test);
// The same for the answer of a test.
PERFDATA_EXPORT std::string_view to_string(DiffNoise noise);
// The same for sides.
PERFDATA_EXPORT std::string_view to_string(DiffChange change);
// The same for code.
PERFDATA_EXPORT std::string_view to_string(DiffCode code);

// DiffOptions is what is compared, and how.
struct DiffOptions {
    DiffCompute compute = DiffCompute::delta_abs;      // what orders functions
    double old_weight = 1, new_weight = 1;             // of DiffCompute::wdiff
    DiffNormalize normalize = DiffNormalize::periods;  // what makes recordings comparable
    std::string per_event;                             // of DiffNormalize::event: a name as `-e` takes it
    double percent_limit = 0;                          // rows below it on both sides are left out
    std::vector<DiffCondition> conditions;             // a row that meets any of them is marked
    StopToken stop;                                    // by default it never stops
};

// DiffPair is a function of either side or both.
struct DiffPair {
    std::string object, name;                             // as in DiffFunction
    CodeClass kind = CodeClass::unknown;                  // unknown, too, if the sides differ
    DiffCode code = DiffCode::unknown;                    // whether its code is the same
    std::vector<DiffVersion> old_versions, new_versions;  // sorted by id, with the hits of all recordings of a side
};

// DiffRow is one function in one event.
struct DiffRow {
    std::uint32_t event = 0;                     // index in Diff::events
    std::uint32_t pair = 0;                      // index in Diff::pairs
    EventCount old_count, new_count;             // sums of a side's recordings
    double old_share = 0, new_share = 0;         // percent, means of a side's recordings
    double delta = 0;                            // percentage points
    std::optional<double> ratio;                 // new / old; empty if the old side has nothing
    double wdiff = 0;                            // as DiffCompute::wdiff
    DiffChange change = DiffChange::both;        // which sides have samples
    std::optional<double> p;                     // corrected for all that was tested; empty: not tested
    DiffNoise noise = DiffNoise::untested;       // what the test says
    bool meets_condition = false;                // any of DiffOptions::conditions
    std::vector<double> old_shares, new_shares;  // by recording; empty if each side has one
};

// DiffColumn is an event that all recordings have.
struct DiffColumn {
    std::string name;                 // as the first recording has it
    EventCount old_whole, new_whole;  // sums of a side's recordings
    std::size_t rows = 0;             // rows of it, those left out too
    std::size_t hidden_rows = 0;      // rows that the percent limit left out
};

// DiffRecording is one recording, without its functions.
struct DiffRecording {
    RecordingFacts recording;             // which one
    bool is_new = false;                  // of the new side
    double seconds = 0;                   // recorded time; 0: unknown
    std::vector<EventCount> whole, kept;  // by Diff::events
    std::vector<DroppedSamples> dropped;  // what the filters left out
    std::vector<std::string> notes;       // of DiffCounts
    std::string without_samples;          // of DiffCounts
    Completeness completeness;            // of DiffCounts
};

// DiffTesting is what was tested, and how.
struct DiffTesting {
    static constexpr double rate = 0.05;  // the most false alarms: the chance of any at all in a comparison

    DiffTest test = DiffTest::none;  // which test
    std::uint64_t tested = 0;        // functions, by event
    std::uint64_t untested = 0;      // functions that were too rare to be among those
    std::uint64_t splits = 0;        // of a permutation test: ways to share out the recordings; 2^64-1: or more
    std::uint64_t tried = 0;         // of these
    double smallest_p = 0;           // that a permutation test can reach
    bool can_tell = true;            // false: smallest_p is more than `rate`
    std::size_t needed = 0;          // recordings on each side that suffice, if it cannot
};

// Diff is plain data: a page needs nothing else.
struct PERFDATA_EXPORT Diff {
    DiffOptions options;                    // as passed to make()
    std::vector<DiffRecording> recordings;  // old ones first, in the order in which they were given
    std::vector<DiffColumn> events;         // that all have, and that any has samples of
    std::vector<DiffPair> pairs;            // functions of rows
    std::vector<DiffRow> rows;              // by event; beyond noise first, then in the order of `compute`
    DiffTesting testing;                    // what was tested
    // What the sides do not share: events, architecture, kernel, names. Sentences.
    std::vector<std::string> notes;
    std::vector<std::string> rebuilt;   // objects with other build ids on the two sides
    std::vector<std::string> reloaded;  // BPF functions with other bodies on the two sides, by their tags
    std::uint64_t met = 0;              // rows that meet a condition, those left out too

    // make(old_side, new_side, options): each side has at least one. Errors: missing (no event that all have, none by
    // the name of per_event, no time), cancelled, out_of_memory.
    static Result<Diff> make(std::span<const DiffCounts> old_side, std::span<const DiffCounts> new_side,
                             const DiffOptions& options = {});
};

}  // namespace perfdata
