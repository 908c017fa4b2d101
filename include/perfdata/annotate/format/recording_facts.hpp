// SPDX-License-Identifier: MIT
// What a page tells of the recording as a whole.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/types.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/feature/sample_time.hpp"

namespace perfdata {

class Profile;

// RecordingFacts is plain data, which outlives the recording. Texts are empty where the recording does not say them.
struct RecordingFacts {
    struct Event {
        std::string name;
        std::optional<std::uint64_t> samples;  // empty: not counted
    };

    std::string path, arch, perf_version, os_release, hostname;
    std::endian byte_order = std::endian::little;
    std::vector<Event> events;
    std::optional<Time> first_time, last_time;  // of samples; empty: not known

    // of(recording) has all events in the order of the recording, uncounted. `times` are not known if both are 0.
    static RecordingFacts of(const Recording& recording, SampleTimes times = {});
    // of(recording, profile) has the events that the profile counted, with their samples.
    static RecordingFacts of(const Recording& recording, const Profile& profile);
};

}  // namespace perfdata
