// SPDX-License-Identifier: MIT
// The objects that several of our JSON documents contain.
#pragma once

#include "perfdata/recording/completeness.hpp"
#include "perfdata/wire/feature/sample_time.hpp"

#include "format/json_writer.hpp"

namespace perfdata {

// write_completeness(...) is the object "completeness". `scanned`: whether all records were walked; if not, what only
// a walk can tell is null.
void write_completeness(JsonWriter& json, const Completeness& completeness, bool scanned);

// write_error(...) is one object: what went wrong, and where.
void write_error(JsonWriter& json, const Error& error);

// write_recording(...) is the object "recording". `profile` may be null if no samples were counted; then its times are
// `times`, the recorder's own note of them, unless both are 0.
void write_recording(JsonWriter& json, const Recording& recording, const Profile* profile, SampleTimes times = {});

}  // namespace perfdata
