// SPDX-License-Identifier: MIT
// Where the samples fell: hits by version of code, offset and event.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "perfdata/profile/dropped_by.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// OffsetHits is what fell on one byte offset of a function.
struct OffsetHits {
    std::uint64_t offset = 0;
    EventCounts cells;
};

// FunctionHits is what fell on one version of a function.
struct FunctionHits {
    CodeVersion version;
    EventCounts total;
    std::vector<OffsetHits> offsets;  // by offset; their cells add up to total
};

// UnnamedObject is an object with hits in code without a name.
struct UnnamedObject {
    std::string object;  // as FrameName::object
    CodeClass kind = CodeClass::unknown;
    std::uint64_t hits = 0;
};

struct ProfileOptions {
    std::stop_token stop;
    Progress progress = {};
    SampleFilter filter;  // its `code` needs names: count() with versions
};

// Profile: cells of all functions(), misses() and unnamed() add up to totals().
class Profile {
  public:
    // count(recording, timeline) decodes every sample once and asks the timeline who owned its address at its time.
    // Functions are those of BPF programs and other code that the recording itself tells of; no file is looked at, all
    // other code is among the misses. The only errors are `cancelled` and
    // `out_of_memory`.
    static Result<Profile> count(const Recording& recording, const Timeline& timeline,
                                 const ProfileOptions& options = {});
    // count(recording, versions) counts all functions that versions.index() has names of.
    static Result<Profile> count(const Recording& recording, const CodeVersions& versions,
                                 const ProfileOptions& options = {});

    // events() says which event each cell is of, by index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }
    // functions() is all code with hits, most hits first; equal ones by time and address.
    const std::vector<FunctionHits>& functions() const { return functions_; }
    const std::map<Miss, EventCounts>& misses() const { return misses_; }
    // unnamed() is code without a name, by the reason.
    const std::map<Unnamed, EventCounts>& unnamed() const { return unnamed_; }
    // unnamed_objects() is which objects these hits are in, for each reason most hits first; equal ones by name.
    const std::map<Unnamed, std::vector<UnnamedObject>>& unnamed_objects() const { return unnamed_objects_; }
    const EventCounts& totals() const { return totals_; }
    // Returns the same for a filter of events, times and CPUs only.
    const EventCounts& considered() const { return considered_; }
    // Returns what the filter left out.
    const DroppedBy& dropped() const { return dropped_; }
    // first_time(), last_time() are of the samples; empty if none has a time.
    std::optional<Time> first_time() const { return first_time_; }
    std::optional<Time> last_time() const { return last_time_; }

  private:
    friend class ProfileMaker;

    std::vector<std::uint32_t> events_;
    std::vector<FunctionHits> functions_;
    std::map<Miss, EventCounts> misses_;
    std::map<Unnamed, EventCounts> unnamed_;
    std::map<Unnamed, std::vector<UnnamedObject>> unnamed_objects_;
    EventCounts totals_, considered_;
    DroppedBy dropped_;
    std::optional<Time> first_time_, last_time_;
};

}  // namespace perfdata
