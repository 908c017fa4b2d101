// SPDX-License-Identifier: MIT
// What events are called: the one place that decides it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/recording/event_table.hpp"

namespace perfdata {

// event_modifiers(attr) is who was not to be counted and how precisely, in perf's letters: "u", "kppp", "HG"; empty if
// that is perf's default. Follows evsel__add_modifiers in tools/perf/util/evsel.c.
std::string event_modifiers(const Attr& attr);

// made_event_name(attr) is the name that perf makes of an attr alone: default_event_name(), and the modifiers behind a
// colon.
std::string made_event_name(const Attr& attr);

// name_events(events): Event::name is what was recorded, empty if nothing was. It becomes the name to show, which no
// other event of the recording has: perf's name, and "#1", "#2" and so on behind one that several events share.
// Event::perf_name becomes perf's name. Costs n log n comparisons of names.
std::vector<Event> name_events(std::vector<Event> events);

// is_called(event, name) is whether a user may mean the event by that name: its own, the one that perf 6.1 or a later
// perf makes, any without modifiers ("cycles" of "cycles:u") or without what a PMU was told ("cpu-clock" of
// "cpu-clock/freq=999/"), or the system of a tracepoint.
bool is_called(const Event& event, std::string_view name);

// events_called(events, name) is the indexes of all events that the name means: those with just that name if there are
// any, else those that is_called() accepts.
std::vector<std::uint32_t> events_called(const std::vector<Event>& events, std::string_view name);

}  // namespace perfdata
