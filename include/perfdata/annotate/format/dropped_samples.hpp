// SPDX-License-Identifier: MIT
// What a filter left out, by the option that asked for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/profile/dropped_by.hpp"

namespace perfdata {

// Returns the option that makes a part of a filter: "--time". It lives for ever.
PERFDATA_EXPORT std::string_view option_of(FilterPart part);
// Returns its key in JSON documents: "time". It lives for ever.
PERFDATA_EXPORT std::string_view dropped_key(FilterPart part);

// DroppedSamples is what one part of a filter left out.
struct DroppedSamples {
    FilterPart part = FilterPart::none;  // never `none` in a result
    std::uint64_t samples = 0;           // of all events
};

// Returns the parts that left out any sample, in the order in which they are asked.
PERFDATA_EXPORT std::vector<DroppedSamples> dropped_samples(const DroppedBy& dropped);

// Returns "Filters keep 5 of 90 samples: --comm drops 80, --pid drops 5; percentages are of 90"; empty if none was
// dropped. `whole` is what percentages are of.
PERFDATA_EXPORT std::string filter_text(std::span<const DroppedSamples> dropped, std::span<const EventCount> kept,
                                        std::span<const EventCount> whole);
// The same of what a filter left out.
PERFDATA_EXPORT std::string filter_text(const DroppedBy& dropped, std::span<const EventCount> kept,
                                        std::span<const EventCount> whole);

// Returns "filters keep 5 of 90 samples: --comm drops 80, --pid drops 5" by FilterPart; empty if none was dropped.
// `what` is what was counted.
PERFDATA_EXPORT std::string filter_text(std::span<const std::uint64_t> dropped, std::uint64_t kept,
                                        std::string_view what = "samples");

}  // namespace perfdata
