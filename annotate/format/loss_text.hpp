// SPDX-License-Identifier: MIT
// What the recorder itself left out: samples lost, and samples that a BPF filter dropped on purpose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/recording/completeness.hpp"

namespace perfdata {

// loss_lines(completeness) returns "64 samples, 763 lost (92 %)", and lines of events where they differ from that:
// "cpu-clock: 64 samples, 763 lost (92 %)", most lost first. At most loss_events of them; the last line counts the
// rest. Empty if the recorder left nothing out. Names are shown().
std::vector<std::string> loss_lines(const Completeness& completeness);
inline constexpr std::size_t loss_events = 8;

// recorder_lost(completeness) returns true if something is missing, so that more buffer would help: what a BPF filter
// dropped is not.
bool recorder_lost(const Completeness& completeness);
// loss_reason is what follows a line of losses.
inline constexpr std::string_view loss_reason = "the recorder's buffers were full; perf record -m helps";

// losses_by_share(completeness) returns the events of completeness.losses, most lost first, then most dropped.
std::vector<const EventLosses*> losses_by_share(const Completeness& completeness);
// loss_percent(lost, samples) returns lost / (samples + lost), in percent; 0 of nothing.
double loss_percent(std::uint64_t lost, std::uint64_t samples);
// Returns the number of samples in the recording, damaged ones too.
std::uint64_t recorded_samples(const Completeness& completeness);

}  // namespace perfdata
