// SPDX-License-Identifier: MIT
#include "titles.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

#include "format/words.hpp"

namespace perfdata {

std::string stacks_text(std::uint64_t count) {
    return fmt::format("{} {} callers: the copy of {} user stack was not unwound to its end", count,
                       count == 1 ? "sample lacks" : "samples lack", count == 1 ? "its" : "their");
}

std::string deep_text(std::uint64_t count, std::size_t most) {
    return fmt::format("{} {} more than {} frames", count, count == 1 ? "call chain has" : "call chains have", most);
}

std::vector<std::string> chain_notes(const ChainLosses& losses) {
    std::vector<std::string> notes;
    if (losses.cut != 0) {
        notes.push_back(fmt::format("{} samples lost their callers: more distinct ones than the limits of memory allow",
                                    losses.cut));
    }
    if (losses.folded != 0) {
        notes.push_back(fmt::format(
            "{} samples lost inlined functions: more than the limits of a chain or of memory allow", losses.folded));
    }
    if (losses.broken != 0) {
        notes.push_back(fmt::format("{} samples lack the user part of their call chain", losses.broken));
    }
    if (losses.deep != 0) {
        notes.push_back(deep_text(losses.deep, losses.max_stack) + ": the outermost callers are not counted");
    }
    return notes;
}

std::string inlined_reason(const Error& problem) {
    constexpr std::string_view said = ": inlined calls are missing: ";
    auto text = problem.message();
    if (const auto at = text.find(said); at != std::string::npos) text.replace(at, said.size(), ": ");
    return text;
}

std::vector<std::string> inlined_notes(std::span<const Error> problems) {
    constexpr std::size_t most = 3;
    std::vector<std::string> notes;
    for (const auto& problem : problems.first(std::min(problems.size(), most))) {
        notes.push_back("inlined calls are missing: " + inlined_reason(problem));
    }
    if (problems.size() > most) {
        notes.push_back(fmt::format("inlined calls are missing for {} more reasons", problems.size() - most));
    }
    return notes;
}

namespace {

constexpr std::string_view title_gap = "..";

// shared_titles(titles) returns which ones are not unique.
std::vector<bool> shared_titles(const std::vector<std::string>& titles) {
    std::map<std::string_view, std::size_t> count;
    for (const auto& title : titles) ++count[title];
    std::vector<bool> result;
    for (const auto& title : titles) result.push_back(count[title] > 1);
    return result;
}

// end_of(name, bytes) returns at most so many bytes of its end, cut between characters.
std::string_view end_of(std::string_view name, std::size_t bytes) {
    auto begin = name.size() - std::min(name.size(), bytes);
    while (begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xc0) == 0x80) ++begin;
    return name.substr(begin);
}

}  // namespace

std::vector<std::string> column_titles(std::vector<std::string> names, std::size_t width) {
    std::vector<std::string> titles;
    for (const auto& name : names) titles.push_back(cut(name, width));
    const auto ends = shared_titles(titles);
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto& name = names[at];
        if (!ends[at] || name.size() <= width || width <= title_gap.size()) continue;
        titles[at] = fmt::format("{}{}", title_gap, end_of(name, width - title_gap.size()));
    }
    const auto numbers = shared_titles(titles);
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (numbers[at]) titles[at] = fmt::format("event {}", at + 1);
    }
    return titles;
}

std::vector<std::string> ratio_titles(std::vector<std::string> names) {
    constexpr std::size_t widest = 60, half = (widest - title_gap.size()) / 2;
    std::vector<std::string> titles;
    for (auto& name : names) {
        if (name.size() > widest) name = fmt::format("{}{}{}", cut(name, half), title_gap, end_of(name, half));
        titles.push_back(std::move(name));
    }
    const auto numbers = shared_titles(titles);
    for (std::size_t at = 0; at < titles.size(); ++at) {
        if (numbers[at]) titles[at] = fmt::format("ratio {}", at + 1);
    }
    return titles;
}

std::vector<std::string> told_apart(const std::vector<std::string>& labels, std::span<const Listing* const> listings) {
    std::map<std::string_view, std::size_t> labelled;
    std::map<std::pair<std::string_view, std::uint64_t>, std::size_t> placed;
    for (std::size_t at = 0; at < labels.size(); ++at) {
        ++labelled[labels[at]];
        ++placed[{labels[at], listings[at]->range.begin.value}];
    }
    std::vector<std::string> marks(labels.size());
    for (std::size_t at = 0; at < labels.size(); ++at) {
        if (labelled[labels[at]] < 2) continue;
        const auto& listing = *listings[at];
        if (listing.range.size != 0) marks[at] = " at " + hex(listing.range.begin);
        if (placed[{labels[at], listing.range.begin.value}] < 2) continue;
        const auto from = listing.version.from;
        marks[at] += " from " + (from == Time{} ? std::string("before the recording") : seconds(from));
    }
    return marks;
}

}  // namespace perfdata
