// SPDX-License-Identifier: MIT
// speedscope's own format: stacks in the order of time. https://www.speedscope.app/file-format-schema.json
#pragma once

#include <cstdint>

#include "perfdata/annotate/format/sink.hpp"

#include "exported.hpp"

namespace perfdata {

// SpeedscopeOptions is what the profiles count.
struct SpeedscopeOptions {
    bool periods = false;  // count periods, not samples
    bool kinds = true;     // mark functions as write_folded() does
};

// write_speedscope(...) writes a "sampled" profile for each event: the samples of all threads in the order of time,
// each below a frame of its thread; samples in a row with one stack are one. ("evented" profiles open and close all
// frames wherever threads alternate.) Made without addresses, with samples.
//
// The horizontal axis is the sum of samples, not time: so the widths of equal stacks add up to their counts. With
// `periods` it is the sum of periods. Readers of JSON know whole numbers up to 2^53. Where the sum is more, the axis is
// in a greater unit: periods of clocks in microseconds or milliseconds, others in thousands or millions, which the name
// of the profile says. The sum is rounded down, not each of its parts.
//
// A frame's file is its source, or the object that it lies in where no source is known.
//
// Returns how many stacks lack callers, see StackRoom.
std::uint64_t write_speedscope(const Exported& exported, const SpeedscopeOptions& options, const Sink& sink);

}  // namespace perfdata
