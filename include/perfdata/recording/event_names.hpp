// SPDX-License-Identifier: MIT
// Names of events: the one place that decides them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/event_table.hpp"

namespace perfdata {

// event_modifiers(attr) returns the exclusions and the precision in perf's letters: "u", "kppp", "HG"; empty for
// perf's default. Follows evsel__add_modifiers in tools/perf/util/evsel.c.
PERFDATA_EXPORT std::string event_modifiers(const Attr& attr);

// made_event_name(attr) returns the name that perf derives from an attr alone: default_event_name(), and the modifiers
// after a colon.
PERFDATA_EXPORT std::string made_event_name(const Attr& attr);

// name_events(events) takes events whose Event::name is the recorded name, empty if there is none. It replaces it by
// the name to show, which is unique in the recording: perf's name, followed by "#1", "#2" and so on if several events
// share it. Event::perf_name becomes perf's name. Costs n log n comparisons of names.
PERFDATA_EXPORT std::vector<Event> name_events(std::vector<Event> events);

// is_called(event, name) returns true if a user may mean the event by that name: its own, the one that perf 6.1 or
// later derives, either without modifiers ("cycles" for "cycles:u") or without PMU parameters ("cpu-clock" for
// "cpu-clock/freq=999/"), or the system of a tracepoint; with the number behind it, if it has one ("cycles#2" for
// "cycles:u#2").
PERFDATA_EXPORT bool is_called(const Event& event, std::string_view name);

// events_called(events, name) returns the indices of all events that the name may mean: those with exactly that name
// if there are any, else those that is_called() accepts.
PERFDATA_EXPORT std::vector<std::uint32_t> events_called(const std::vector<Event>& events, std::string_view name);

}  // namespace perfdata
