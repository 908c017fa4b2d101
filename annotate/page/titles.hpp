// SPDX-License-Identifier: MIT
// Texts that several pages share: column titles and what is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {

// stacks_text(count) returns "15 samples lack callers: the copy of their user stack was not unwound to its end".
std::string stacks_text(std::uint64_t count);
// deep_text(count, most) returns "15 call chains have more than 127 frames".
std::string deep_text(std::uint64_t count, std::size_t most);
// chain_notes(losses) explains each kind of loss; empty if nothing was left out.
std::vector<std::string> chain_notes(const ChainLosses& losses);
// inlined_reason(problem) returns what is said behind "inlined calls are missing: ". A message that says this itself
// does not say it again.
std::string inlined_reason(const Error& problem);
// inlined_notes(problems) returns a sentence per reason why inlined calls are missing, or only some of many.
std::vector<std::string> inlined_notes(std::span<const Error> problems);

// column_titles(names, width) cuts each name to at most `width` bytes: its beginning, or where two would be equal, ".."
// and its end, or "event 2".
std::vector<std::string> column_titles(std::vector<std::string> names, std::size_t width);

// ratio_titles(names) returns the titles of columns of ratios, which are as wide as their titles: a name cut at its end
// would be that of an event. Names of more than 60 bytes have ".." in their middle; where two would be equal, they are
// "ratio 2".
std::vector<std::string> ratio_titles(std::vector<std::string> names);

// told_apart(labels, listings) returns suffixes that distinguish listings with equal labels: " at 0x7f...", or " from
// 12.5" if they were at one address; empty for unique labels. Both are in the same order.
std::vector<std::string> told_apart(const std::vector<std::string>& labels, std::span<const Listing* const> listings);

}  // namespace perfdata
