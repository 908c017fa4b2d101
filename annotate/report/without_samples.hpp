// SPDX-License-Identifier: MIT
// Describes recordings without samples.
#pragma once

#include <string>

#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// without_samples(recording, completeness) says what the recording contains instead and which command shows it, from
// its features and record types. Empty if it has samples. `completeness` must come from a pass over all records.
std::string without_samples(const Recording& recording, const Completeness& completeness);

// without_counters(recording, completeness) says the same of a recording that perf stat did not make: its samples, or
// what it contains instead. Never empty.
std::string without_counters(const Recording& recording, const Completeness& completeness);

// explain_no_events(recording, file) returns the error for commands that need samples if no event can be read. It reads
// all records.
Error explain_no_events(const Recording& recording, const std::string& file);

}  // namespace perfdata
