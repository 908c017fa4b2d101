// SPDX-License-Identifier: MIT
// Pages: listings as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// PageContext is what all listings of a page have in common. All of it must outlive the page.
struct PageContext {
    const Recording& recording;
    const Timeline& timeline;
    const Profile& profile;
    const Completeness& completeness;  // of the whole run
    // What else a reader should know: callers that were not counted, for example. JSON only.
    std::span<const std::string> notes = {};
    bool relative = false;  // percentages are of what the filter leaves; else of all samples of its times and CPUs

    // Returns what percentages of all samples are of.
    const EventCounts& whole() const { return relative ? profile.totals() : profile.considered(); }
};

// Unattributed is samples that no listing of the page shows, by reason.
struct Unattributed {
    std::string reason;
    EventCounts cells;
    std::string remedy = {};                // what would name their code; empty: nothing, or it is left out on demand
    std::vector<std::string> objects = {};  // those with most of them, at most three
};

// Of what the percentages of instructions and lines are shares. Those of functions are always of all samples.
enum class PercentOf : std::uint8_t { all_hits, all_periods, function_hits, function_periods };

struct TextOptions {
    bool color = false;
    bool raw_bytes = false;  // show the bytes of each instruction
    PercentOf percent_of = PercentOf::all_hits;
    bool bpf_registers = false;  // tell which registers of BPF those of BPF code stand for
    bool show_periods = false;   // a column of periods beside the hits
};

// write_text_summary(...) is the table of functions, hottest first, with what is not among them.
void write_text_summary(const PageContext& page, std::span<const Listing> listings,
                        std::span<const Unattributed> unattributed, const TextOptions& options, const Sink& sink);
// write_text_listing(...) is one function: header, source lines as headings, instructions.
void write_text_listing(const PageContext& page, const Listing& listing, const TextOptions& options, const Sink& sink);

// write_text_versions(...) is a table of the versions of each function: when each was there, and what it changed.
void write_text_versions(const PageContext& page, std::span<const Listing> listings, const TextOptions& options,
                         const Sink& sink);

// write_json_page(...) is one document, schema perfdata.annotation/1 (see the README).
void write_json_page(const PageContext& page, std::span<const Listing> listings,
                     std::span<const Unattributed> unattributed, const Sink& sink);

}  // namespace perfdata
