// SPDX-License-Identifier: MIT
#include "filter.hpp"

#include <set>

namespace perfdata::c {
namespace {

std::set<std::uint32_t> set_of(const std::uint32_t* list, std::size_t count, const char* name) {
    check_list(list, count, name);
    return {list, list + count};
}

}  // namespace

SampleFilter filter_of(const perfdata_filter* given, const Recording& recording) {
    const auto wanted = options_of(given, "filter");
    SampleFilter filter;
    filter.events = list_of(wanted.events, wanted.event_count, "events");
    std::set<std::uint32_t> known;
    for (const auto event : filter.events) {
        if (event >= recording.events().events().size()) refuse_argument("events", "has an index of no event");
        if (!known.insert(event).second) refuse_argument("events", "has an event twice");
    }
    check_list(wanted.times, wanted.time_count, "times");
    for (std::size_t at = 0; at < wanted.time_count; ++at) {
        if (wanted.times[at].from > wanted.times[at].until) refuse_argument("times", "a range ends before it begins");
        filter.times.push_back({Time{wanted.times[at].from}, Time{wanted.times[at].until}});
    }
    filter.pids = set_of(wanted.pids, wanted.pid_count, "pids");
    filter.tids = set_of(wanted.tids, wanted.tid_count, "tids");
    filter.cpus = set_of(wanted.cpus, wanted.cpu_count, "cpus");
    for (auto& comm : texts_of(wanted.comms, wanted.comm_count, "comms")) filter.comms.insert(std::move(comm));
    filter.code.objects = texts_of(wanted.objects, wanted.object_count, "objects");
    filter.code.symbols = texts_of(wanted.symbols, wanted.symbol_count, "symbols");
    for (const auto& [code, word] : code_classes) {
        if ((wanted.kinds >> static_cast<unsigned>(code) & 1) != 0) filter.code.kinds.push_back(code);
    }
    if (wanted.kinds >> code_classes.size() != 0) refuse_argument("kinds", "has bits of no kind of code");
    return filter;
}

}  // namespace perfdata::c
