// SPDX-License-Identifier: MIT
// One sample as it was counted, for who needs each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"

namespace perfdata {

// CountedSample is what SampleCountOptions::each gets. Its numbers are those of the SampleCounts that are being made.
struct CountedSample {
    std::size_t column = 0;     // the event, as an index in SampleCounts::events()
    std::uint32_t task = 0;     // index in SampleCounts::tasks()
    std::uint32_t chain = 0;    // index in SampleCounts::chains(): the innermost frame
    std::uint64_t periods = 0;  // as SampleCounts adds them up
    std::optional<Time> time;   // nothing: not recorded
};

}  // namespace perfdata
