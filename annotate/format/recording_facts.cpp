// SPDX-License-Identifier: MIT
#include "perfdata/annotate/format/recording_facts.hpp"

#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {
namespace {

RecordingFacts without_events(const Recording& recording) {
    RecordingFacts facts;
    facts.path = recording.path();
    facts.arch = recording.arch();
    facts.perf_version = recording.perf_version();
    facts.os_release = recording.os_release();
    facts.hostname = recording.hostname();
    facts.byte_order = recording.order().endian();
    return facts;
}

}  // namespace

RecordingFacts RecordingFacts::of(const Recording& recording, std::optional<SampleTimes> times) {
    auto facts = without_events(recording);
    for (const auto& event : recording.events().events()) facts.events.push_back({event.name, std::nullopt});
    if (times) {
        facts.first_time = times->first;
        facts.last_time = times->last;
    }
    return facts;
}

RecordingFacts RecordingFacts::of(const Recording& recording, const SampleCounts& counts) {
    auto facts = of(recording);
    facts.first_time = counts.first_time();
    facts.last_time = counts.last_time();
    return facts;
}

RecordingFacts RecordingFacts::of(const Recording& recording, const Profile& profile) {
    auto facts = without_events(recording);
    const auto& events = recording.events().events();
    for (std::size_t column = 0; column < profile.events().size(); ++column) {
        facts.events.push_back({events[profile.events()[column]].name, profile.totals()[column].hits});
    }
    facts.first_time = profile.first_time();
    facts.last_time = profile.last_time();
    return facts;
}

}  // namespace perfdata
