// SPDX-License-Identifier: MIT
// JSON objects that several documents contain.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/format/field_histogram.hpp"
#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/recording/completeness.hpp"

#include "format/json_writer.hpp"

namespace perfdata {

// write_completeness(...) writes the object "completeness". With `scanned` false, values that need a pass over all
// records are null.
void write_completeness(JsonWriter& json, const Completeness& completeness, bool scanned);
// The same with the losses of the recorder from elsewhere; null: nowhere counted.
void write_completeness(JsonWriter& json, const Completeness& completeness, bool scanned, const Completeness* losses);

// write_ratios(...) writes the member "ratios": a value for each ratio. `name` is the member's.
void write_ratios(JsonWriter& json, std::span<const EventRatio> ratios, std::span<const EventCount> cells,
                  std::string_view name = "ratios");
// write_ratio_names(...) writes the member "ratios" of a document: their names, and the values of the whole; nothing
// if there are none. The events are columns of `cells`.
void write_ratio_names(JsonWriter& json, std::span<const EventRatio> ratios, std::span<const EventCount> cells);

// write_error(...) writes one object: the error and its location.
void write_error(JsonWriter& json, const Error& error);

// write_recording(...) writes the object "recording".
void write_recording(JsonWriter& json, const RecordingFacts& recording);

// Writes the member "dropped": samples by the option that left them out; nothing if there are none.
void write_dropped(JsonWriter& json, std::span<const DroppedSamples> dropped);

// write_histograms(...) writes the members "histograms" and "without_field"; nothing if there are no histograms.
// `event_name` returns the name of an event, by index in recording.events().
void write_histograms(JsonWriter& json, std::span<const FieldHistogram> histograms, std::uint64_t without_field,
                      const std::function<std::string_view(std::uint32_t)>& event_name);

// write_without_build_id(...) writes the member "without_build_id", if there are such objects.
void write_without_build_id(JsonWriter& json, const WithoutBuildId& without);

// write_stacks(...) writes the member "user_stacks": how the unwinding of copied stacks ended; nothing if there are
// none.
void write_stacks(JsonWriter& json, const StackFacts& stacks);

}  // namespace perfdata
