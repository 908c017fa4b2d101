// SPDX-License-Identifier: MIT
// When BPF programs were loaded and unloaded, and their code registered and unregistered: record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"

#include "format/json_writer.hpp"
#include "tool/bpf/bpf_listed.hpp"

namespace perfdata::tool {

// TimelineEntry is a change that the filter keeps.
struct TimelineEntry {
    const BpfChange* change = nullptr;
    std::optional<std::uint32_t> load{};  // in Timeline::loads()
    std::optional<CodeIndex> code{};      // registered, unregistered: in Timeline::code()
};

// ListedTimeline is what the filter keeps of BpfRecords::changes(). Making it costs two searches a change.
struct ListedTimeline {
    std::vector<TimelineEntry> entries;
    ListCounts counts;

    explicit ListedTimeline(const BpfView& view);
};

// write_timeline(...) writes a line for each, or the member "timeline".
void write_timeline(const BpfView& view, const ListedTimeline& timeline, const Sink& sink);
void write_timeline(const BpfView& view, const ListedTimeline& timeline, JsonWriter& json);

}  // namespace perfdata::tool
