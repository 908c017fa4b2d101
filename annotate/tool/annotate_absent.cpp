// SPDX-License-Identifier: MIT
#include "annotate_absent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "perfdata/annotate/flame.hpp"

#include "../words.hpp"
#include "event_choice.hpp"

namespace perfdata::tool {
namespace {

// How many samples have the function among their callers.
std::uint64_t below(const std::string& wanted, const Recording& recording, const CodeBook& book,
                    const Profile& profile) {
    if (!has_chains(recording)) return 0;
    auto counting = flame_tally(book.names(), true);
    counting.events = profile.events();
    const auto tally = Tally::count(recording, book.timeline(), counting);
    if (!tally) return 0;
    std::vector<bool> is_wanted;
    for (const auto& frame : tally->frames()) is_wanted.push_back(book.names().name(frame).symbol == wanted);
    const auto chains = tally->chains();
    std::vector<bool> has(chains.size());  // callers are made before what they call
    for (std::size_t node = 0; node < chains.size(); ++node) {
        const auto caller = chains[node].caller;
        has[node] = is_wanted[chains[node].frame] || (caller != ChainNode::none && has[caller]);
    }
    std::uint64_t samples = 0;
    for (std::size_t row = 0; row < tally->rows().size(); ++row) {
        if (has[tally->rows()[row].chain]) samples += hits(tally->cells(row));
    }
    return samples;
}

}  // namespace

std::string why_absent(const std::string& wanted, const Recording& recording, const CodeBook& book,
                       const Profile& profile) {
    if (const auto samples = below(wanted, recording, book, profile); samples != 0) {
        return fmt::format(
            "{} has no samples of its own, but called what {} sample{} fell into: perfdata report "
            "--children -S '{}'",
            wanted, samples, samples == 1 ? "" : "s", wanted);
    }
    auto objects = book.names().objects_with(wanted);
    if (objects.empty()) return {};
    constexpr std::size_t named = 3;
    const bool more = objects.size() > named;
    if (more) objects.resize(named);
    for (auto& object : objects) object = printable(short_name(object));
    return fmt::format("{} has no samples; it is a function of {}{}", wanted, fmt::join(objects, ", "),
                       more ? ", ..." : "");
}

}  // namespace perfdata::tool
