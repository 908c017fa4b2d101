// SPDX-License-Identifier: MIT
#include "loss_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

#include "perfdata/wire/record.hpp"

#include "words.hpp"

namespace perfdata {
namespace {

// Returns "92 %" of what was lost beside `samples`. Something is never 0 %, and a part is never all, even if a double
// cannot say how much is left.
std::string whole_percent(std::uint64_t lost, std::uint64_t samples) {
    const auto percent = loss_percent(lost, samples);
    if (lost != 0 && percent < 1) return "<1 %";
    if (samples != 0 && percent > 99) return ">99 %";
    return fmt::format("{:.0f} %", percent);
}

// Returns "763 lost (92 %)", "279 dropped by a BPF filter on purpose", both, or nothing.
std::string parts_text(std::uint64_t samples, std::uint64_t lost, std::uint64_t records, std::uint64_t by_filter) {
    std::string text;
    if (lost != 0) text += fmt::format(", {} lost ({})", lost, whole_percent(lost, samples));
    if (records != 0) {
        text += fmt::format(", {} of any kind lost", how_many(records, lost == 0 ? "record" : "more record"));
        if (lost == 0) text += fmt::format(" ({} if all were samples)", whole_percent(records, samples));
    }
    if (by_filter != 0) text += fmt::format(", {} dropped by a BPF filter on purpose", by_filter);
    if (text.empty()) return text;
    return how_many(samples, "sample") + text;
}

}  // namespace

double loss_percent(std::uint64_t lost, std::uint64_t samples) {
    // As doubles: counts of a damaged file may be so large that their sum is not.
    const auto part = static_cast<double>(lost), rest = static_cast<double>(samples);
    return lost == 0 ? 0 : 100 * part / (part + rest);
}

std::uint64_t recorded_samples(const Completeness& completeness) {
    const auto found = completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
    return found == completeness.records.end() ? 0 : found->second.total();
}

bool recorder_lost(const Completeness& completeness) {
    return completeness.lost_samples != 0 || completeness.lost_events != 0;
}

std::vector<const EventLosses*> losses_by_share(const Completeness& completeness) {
    std::vector<const EventLosses*> events;
    for (const auto& [index, losses] : completeness.losses) events.push_back(&losses);
    std::ranges::stable_sort(events, std::greater(),
                             [](const EventLosses* event) { return std::pair(event->lost, event->by_filter); });
    return events;
}

std::vector<std::string> loss_lines(const Completeness& completeness) {
    const auto samples = recorded_samples(completeness);
    auto total =
        parts_text(samples, completeness.lost_samples, completeness.lost_elsewhere(), completeness.filtered_samples);
    if (total.empty()) return {};
    std::vector<std::string> lines;
    for (const auto* event : losses_by_share(completeness)) {
        const auto text = parts_text(event->samples, event->lost, 0, event->by_filter);
        // One event of one: the total says it.
        if (text.empty() || text == total) continue;
        lines.push_back(fmt::format("{}: {}", shown(event->event), text));
    }
    if (lines.size() > loss_events) {
        const auto rest = lines.size() - loss_events;
        lines.resize(loss_events);
        lines.push_back(how_many(rest, "more event") + "; --json has all");
    }
    lines.insert(lines.begin(), std::move(total));
    return lines;
}

}  // namespace perfdata
