// SPDX-License-Identifier: MIT
// The heat of source lines as one JSON document, from which an editor can paint a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/heat/source_heat.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/recording/completeness.hpp"

namespace perfdata {

// LinesPage is what the document has besides the heat. The heat must outlive it.
struct LinesPage {
    // The caller fills the other members.
    explicit LinesPage(const SourceHeat& of) : heat(of) {}

    const SourceHeat& heat;               // as passed to the constructor
    RecordingFacts recording;             // with the counted events
    std::vector<std::size_t> columns;     // the events to show, as cells of the heat
    std::vector<EventRatio> ratios;       // to be shown, of cells of the heat
    EventCounts whole;                    // what percentages are of, by cell of the heat
    std::vector<DroppedSamples> dropped;  // by which filters, in their order
    std::vector<std::string> here;        // by file of the heat: where it is on this machine; empty: not there
    double percent_limit = 0;        // lines with less percent of the periods, in all events, are left out and counted
    std::vector<std::string> notes;  // what text output would say besides
    StackFacts stacks;               // copies of user stacks
    Completeness completeness;       // of all that was read for the heat
};

// Writes one document, schema perfdata.lines/1 (see docs/json.md).
PERFDATA_EXPORT void write_lines_json(const LinesPage& page, const Sink& sink);

// Returns how many lines the percent_limit leaves out.
PERFDATA_EXPORT std::uint64_t hidden_lines(const LinesPage& page);

}  // namespace perfdata
