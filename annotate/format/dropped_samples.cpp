// SPDX-License-Identifier: MIT
#include "perfdata/annotate/format/dropped_samples.hpp"

#include <fmt/format.h>

namespace perfdata {

std::string_view option_of(FilterPart part) {
    switch (part) {
        case FilterPart::none: break;
        case FilterPart::time: return "--time";
        case FilterPart::cpu: return "--cpu";
        case FilterPart::comm: return "--comm";
        case FilterPart::pid: return "--pid";
        case FilterPart::tid: return "--tid";
        case FilterPart::cgroup: return "--cgroup";
        case FilterPart::payload: return "--filter";
        case FilterPart::no_value: return "--filter (no value)";
        case FilterPart::kind: return "--kind";
        case FilterPart::object: return "--dso";
        case FilterPart::symbol: return "--symbols";
        case FilterPart::parent: return "--exclude-other";
    }
    return "no option";
}

std::string_view dropped_key(FilterPart part) {
    if (part == FilterPart::no_value) return "filter-no-value";
    return option_of(part).substr(std::string_view("--").size());
}

std::vector<DroppedSamples> dropped_samples(const DroppedBy& dropped) {
    std::vector<DroppedSamples> parts;
    for (std::size_t number = 0; number < filter_parts; ++number) {
        const auto part = static_cast<FilterPart>(number);
        if (const auto samples = hits(dropped.of(part)); samples != 0) parts.push_back({part, samples});
    }
    return parts;
}

std::string filter_text(std::span<const DroppedSamples> dropped, std::span<const EventCount> kept,
                        std::span<const EventCount> whole) {
    if (dropped.empty()) return {};
    auto all = hits(kept);
    std::string parts;
    for (const auto& one : dropped) {
        all = add_up_to_most(all, one.samples);
        parts += fmt::format("{}{} drops {}", parts.empty() ? "" : ", ", option_of(one.part), one.samples);
    }
    return fmt::format("Filters keep {} of {} samples: {}; percentages are of {}", hits(kept), all, parts, hits(whole));
}
std::string filter_text(std::span<const std::uint64_t> dropped, std::uint64_t kept, std::string_view what) {
    auto all = kept;
    std::string parts;
    for (std::size_t number = 0; number < dropped.size(); ++number) {
        if (dropped[number] == 0) continue;
        all += dropped[number];
        const auto option = option_of(static_cast<FilterPart>(number));
        parts += fmt::format("{}{} drops {}", parts.empty() ? "" : ", ", option, dropped[number]);
    }
    return parts.empty() ? std::string() : fmt::format("filters keep {} of {} {}: {}", kept, all, what, parts);
}
std::string filter_text(const DroppedBy& dropped, std::span<const EventCount> kept, std::span<const EventCount> whole) {
    return filter_text(dropped_samples(dropped), kept, whole);
}

}  // namespace perfdata
