// SPDX-License-Identifier: MIT
// Where the samples fell: hits by code version, offset and event.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/profile/dropped_by.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// OffsetHits counts the samples at one byte offset of a function.
struct OffsetHits {
    std::uint64_t offset = 0;  // bytes from the start of the function
    EventCounts cells;         // by event
};

// FunctionHits counts the samples in one version of a function.
struct FunctionHits {
    CodeVersion version;              // which function, and which version of its code
    EventCounts total;                // by event
    std::vector<OffsetHits> offsets;  // by offset; their cells add up to total
};

// UnnamedObject is an object with hits in unnamed code.
struct UnnamedObject {
    std::string object;                   // as FrameName::object
    CodeClass kind = CodeClass::unknown;  // of the object
    std::uint64_t hits = 0;               // of all events together
};

// ProfileOptions is what is counted, and who watches.
struct ProfileOptions {
    StopToken stop;          // once it stops, count() fails with `cancelled`
    Progress progress = {};  // is told of the bytes of the recording
    SampleFilter filter;     // its `code` requires count() with versions
    unsigned jobs = 1;       // see SampleCountOptions::jobs
};

// Profile is the result of one pass over the samples. The cells of functions(), misses() and unnamed() add up to
// totals().
class PERFDATA_EXPORT Profile {
  public:
    // Decodes every sample once and attributes it to the code that lay at its address at its time. Opens no file:
    // functions are BPF programs and other code that the recording itself describes, and all other code is among the
    // misses. Errors: `cancelled`, `out_of_memory`, see check_second_pass().
    static Result<Profile> count(const Recording& recording, const Timeline& timeline,
                                 const ProfileOptions& options = {});
    // Counts all functions that versions.index() can name. Errors: the same.
    static Result<Profile> count(const Recording& recording, const CodeVersions& versions,
                                 const ProfileOptions& options = {});
    // The same, but functions(), misses() and unnamed() are only of samples that may lie in `places`. `options.filter`
    // must not choose code, and the recording must be no profile. Errors: the same.
    static Result<Profile> count_within(const Recording& recording, const CodeVersions& versions,
                                        const CodePlaces& places, const ProfileOptions& options = {});

    // Returns the event of each cell, as an index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }
    // Returns all code with hits, most hits first; ties by name, object, address and time.
    const std::vector<FunctionHits>& functions() const { return functions_; }
    const std::map<Miss, EventCounts>& misses() const { return misses_; }
    // Returns the hits in unnamed code, by reason.
    const std::map<Unnamed, EventCounts>& unnamed() const { return unnamed_; }
    // Returns the objects of these hits: for each reason, most hits first; ties by name.
    const std::map<Unnamed, std::vector<UnnamedObject>>& unnamed_objects() const { return unnamed_objects_; }
    const EventCounts& totals() const { return totals_; }
    // Returns the counts before the filter's comms, pids, tids, cgroups and code apply: of all samples that pass its
    // events, times and CPUs.
    const EventCounts& considered() const { return considered_; }
    // Returns the samples that the filter left out.
    const DroppedBy& dropped() const { return dropped_; }
    // Returns what went wrong with the counter values in samples, whatever the filter is.
    const CounterLosses& counter_losses() const { return counter_losses_; }
    // Return the times of the first and last counted sample; nothing if no sample has a time.
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
    CounterLosses counter_losses_;
};

}  // namespace perfdata
