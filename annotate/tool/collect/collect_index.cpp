// SPDX-License-Identifier: MIT
#include "collect_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "perfdata/profile/event_count.hpp"
#include "perfdata/recording/left_out.hpp"

#include "bundle/anonymize/tally.hpp"
#include "tool/collect/collect_recording.hpp"

namespace perfdata::tool {
namespace {

// Returns the lesser of two details of debug information, by their words. Others than these count as none.
std::string lesser_detail(const std::string& one, const std::string& other) {
    constexpr std::array<std::string_view, 3> words{"none", "lines", "full"};
    const auto rank = [&](std::string_view word) {
        const auto at = std::ranges::find(words, word);
        return at == words.end() ? std::size_t{0} : static_cast<std::size_t>(at - words.begin());
    };
    return std::string(words[std::min(rank(one), rank(other))]);
}

constexpr std::string_view unknown_kinds = "kinds of files or bytes that only another version of perfdata knows";

Counts counted_before(const Counts& counts, bool anonymize, bool (*is_known)(std::string_view)) {
    constexpr std::size_t longest = 100;
    Counts kept;
    for (const auto& [word, number] : counts) {
        const bool plain = !word.empty() && word.size() <= longest &&
                           std::ranges::all_of(word, [](char one) { return one >= ' ' && one <= '~'; });
        if (is_known(word) || (plain && !anonymize)) {
            kept.emplace_back(word, number);
        } else {
            kept.emplace_back(unknown_kinds, 1);
        }
    }
    return kept;
}

}  // namespace

BundleIndex collect_index(const Needed& needed, const std::string& debug, bool sources,
                          const Shared<const Bundle>& before) {
    BundleIndex index;
    index.recording = bundled_recording;
    index.debug = before ? lesser_detail(debug, before->facts().debug) : debug;
    index.sources = sources && (!before || before->facts().sources);
    for (const auto& missing : needed.missing) {
        const auto samples = missing.by.samples_known ? std::optional(missing.by.samples) : std::nullopt;
        index.missing.push_back({missing.path, missing.build_id, missing.why, samples, missing.kind, missing.text});
    }
    return index;
}

Counts left_out_before(const BundleFacts& facts, bool anonymize) {
    return counted_before(facts.left_out, anonymize, is_known_left_out);
}

Counts anonymized_before(const BundleFacts& facts, bool anonymize) {
    auto counts = counted_before(facts.anonymized, anonymize, is_told_kind);
    // What is in this bundle is hashed, or stays, and is counted again. What was dropped is not.
    if (anonymize) {
        std::erase_if(counts, [](const auto& one) {
            return one.first == to_string(Told::kept_objects) || one.first.starts_with("hashed_");
        });
    }
    return counts;
}

void add_counts(Counts& sum, const Counts& counts) {
    for (const auto& [kind, number] : counts) {
        const auto same = std::ranges::find(sum, kind, &std::pair<std::string, std::uint64_t>::first);
        if (same == sum.end()) {
            sum.emplace_back(kind, number);
        } else {
            same->second = add_up_to_most(same->second, number);
        }
    }
}

}  // namespace perfdata::tool
