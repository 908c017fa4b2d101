// SPDX-License-Identifier: MIT
// Opens a recording as far as listings need it, without files of this machine.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"

#include "support/files.hpp"
#include "support/scene.hpp"

namespace perfdata::test {

// offline_book(recording, timeline, kallsyms) uses no other file.
inline Symbolizer offline_book(const Recording& recording, const Timeline& timeline, const std::string& kallsyms = {}) {
    SymbolizerOptions options;
    options.finder.offline = true;
    options.finder.kallsyms = kallsyms;
    options.jit.as_recorded = false;
    return Symbolizer::open(recording, timeline, options);
}

// AnnotatedScene cannot move: its parts refer to each other.
struct AnnotatedScene {
    explicit AnnotatedScene(Recording of, const std::string& kallsyms = {})
        : recording(std::move(of)),
          timeline(Timeline::build(recording).value()),
          symbolizer(offline_book(recording, timeline, kallsyms)) {}
    explicit AnnotatedScene(Scene& scene) : AnnotatedScene(scene.open()) {}
    AnnotatedScene(const AnnotatedScene&) = delete;
    AnnotatedScene& operator=(const AnnotatedScene&) = delete;

    Recording recording;
    Timeline timeline;
    Symbolizer symbolizer;
};

// listings_of(...) returns one listing per function of the profile.
inline std::vector<Listing> listings_of(const Profile& profile, const Symbolizer& symbolizer, std::string_view arch) {
    const auto disassembler = Disassembler::create(arch);
    std::vector<Listing> listings;
    for (const auto& function : profile.functions()) listings.push_back(annotate(function, symbolizer, disassembler));
    return listings;
}

// hits_at(timeline, code, {{offset, hits}...}) returns hits of one event, each with period 10.
inline FunctionHits hits_at(const Timeline& timeline, CodeIndex index,
                            const std::vector<std::pair<std::uint64_t, std::uint64_t>>& offsets) {
    const auto& code = timeline.code()[index];
    FunctionHits hits{
        {{0, index, FrameKind::code, CpuMode::kernel}, code.range.size, code.range.begin, 0, code.from, code.until},
        EventCounts(1),
        {}};
    for (const auto& [offset, count] : offsets) {
        const EventCounts cells{{count, count * 10}};
        hits.offsets.push_back({offset, cells});
        add(hits.total, cells);
    }
    return hits;
}

}  // namespace perfdata::test
