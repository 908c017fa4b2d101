// SPDX-License-Identifier: MIT
// Pages: listings as text for users and as JSON for programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/format/field_histogram.hpp"
#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// PageContext is what all listings of a page share. Everything it refers to must outlive the page.
struct PageContext {
    const Recording& recording;        // whose samples these are
    const Timeline& timeline;          // of that recording
    const Profile& profile;            // the counts behind the listings
    const Completeness& completeness;  // of the whole run
    // Further warnings for the reader, for example that callers were not counted. JSON only.
    std::span<const std::string> notes = {};
    bool relative = false;  // percentages are of what the filter leaves; else of all samples of its times and CPUs
    std::uint64_t hidden_functions = 0;               // functions with too small a share to be shown
    StackFacts stacks = {};                           // copies of user stacks, where callers were counted
    std::span<const EventRatio> ratios = {};          // to be shown, of cells of the profile
    std::span<const FieldHistogram> histograms = {};  // of fields of tracepoints, to be shown
    std::uint64_t without_field = 0;                  // samples whose event has none of these fields

    // Returns what percentages of all samples are of.
    const EventCounts& whole() const { return relative ? profile.totals() : profile.considered(); }
};

// Unattributed is samples that no listing of the page shows, for one reason.
struct Unattributed {
    std::string reason;                     // as a clause
    EventCounts cells;                      // by event
    std::string remedy = {};                // how to name their code; empty: impossible, or excluded on request
    std::vector<std::string> objects = {};  // at most three, most samples first
};

// PercentOf is what 100 % is for instructions and lines. Percentages of functions are always of all samples.
enum class PercentOf : std::uint8_t { all_hits, all_periods, function_hits, function_periods };

// TextOptions is the look of text pages.
struct TextOptions {
    bool color = false;                          // with escape sequences of terminals
    bool raw_bytes = false;                      // show each instruction's bytes
    PercentOf percent_of = PercentOf::all_hits;  // what 100 % is for instructions and lines
    bool bpf_registers = false;                  // show which BPF registers the machine registers of BPF code hold
    bool show_periods = false;                   // show a column of periods beside the hits
};

// write_text_histograms(page, sink) writes the histograms, if there are any.
PERFDATA_EXPORT void write_text_histograms(const PageContext& page, const Sink& sink);
// write_text_summary(...) writes the table of functions, hottest first, then the unattributed samples.
PERFDATA_EXPORT void write_text_summary(const PageContext& page, std::span<const Listing> listings,
                                        std::span<const Unattributed> unattributed, const TextOptions& options,
                                        const Sink& sink);
// write_text_listing(...) writes one function: a header, then its instructions with source lines as headings.
PERFDATA_EXPORT void write_text_listing(const PageContext& page, const Listing& listing, const TextOptions& options,
                                        const Sink& sink);

// write_text_listings(...) writes several one behind the other, as that does. Up to `jobs` threads format them, and
// hold about 32 MiB of text.
PERFDATA_EXPORT void write_text_listings(const PageContext& page, std::span<const Listing* const> listings,
                                         const TextOptions& options, unsigned jobs, const Sink& sink);

// write_text_versions(...) writes a table of each function's versions: when each existed and what it changed.
PERFDATA_EXPORT void write_text_versions(const PageContext& page, std::span<const Listing> listings,
                                         const TextOptions& options, const Sink& sink);

// write_json_page(...) writes one document, schema perfdata.annotation/1 (see docs/json.md).
PERFDATA_EXPORT void write_json_page(const PageContext& page, std::span<const Listing> listings,
                                     std::span<const Unattributed> unattributed, const Sink& sink);

}  // namespace perfdata
