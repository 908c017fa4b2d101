// SPDX-License-Identifier: MIT
// What a page says about the recording as a whole.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/feature/sample_time.hpp"

namespace perfdata {

class Profile;
class SampleCounts;

// RecordingFacts is plain data: it may outlive the recording. A text is empty if the recording does not have it.
struct PERFDATA_EXPORT RecordingFacts {
    // Event is one event of the recording.
    struct Event {
        std::string name;                      // as Event::name of the recording
        std::optional<std::uint64_t> samples;  // empty: not counted
    };

    // The file, and the features ARCH, VERSION, OSRELEASE and HOSTNAME.
    std::string path, arch, perf_version, os_release, hostname;

    std::endian byte_order = std::endian::little;  // of the recording's integers
    std::vector<Event> events;                     // see of()
    std::optional<Time> first_time, last_time;     // of samples; empty: unknown

    // of(recording) returns all events in the order of the recording, uncounted.
    static RecordingFacts of(const Recording& recording, std::optional<SampleTimes> times = {});
    // of(recording, counts) has the times of the samples that were counted.
    static RecordingFacts of(const Recording& recording, const SampleCounts& counts);
    // of(recording, profile) returns the events that the profile counted, with their numbers of samples.
    static RecordingFacts of(const Recording& recording, const Profile& profile);
};

}  // namespace perfdata
