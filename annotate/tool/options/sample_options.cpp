// SPDX-License-Identifier: MIT
#include "sample_options.hpp"

#include "cpu_choice.hpp"
#include "event_choice.hpp"
#include "option_values.hpp"

namespace perfdata::tool {

Result<SampleFilter> SampleChoice::filter(const Recording& recording) const {
    SampleFilter filter;
    auto chosen = chosen_events(recording, events);
    if (!chosen) return fail(chosen.error());
    filter.events = std::move(*chosen);
    filter.comms.insert(comms.begin(), comms.end());
    for (const auto pid : pids) filter.pids.insert(static_cast<std::uint32_t>(pid));
    for (const auto tid : tids) filter.tids.insert(static_cast<std::uint32_t>(tid));
    for (const auto& word : cpus) {
        const auto range = parse_cpus(word);
        if (!range) return fail(range.error());
        for (auto cpu = range->first; cpu <= range->last; ++cpu) filter.cpus.insert(cpu);
    }
    if (!time.empty()) {
        const auto range = TimeRange::parse(time);
        if (!range) return fail(range.error());
        filter.from = range->from;
        filter.until = range->until;
    }
    return filter;
}

}  // namespace perfdata::tool
