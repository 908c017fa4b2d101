// SPDX-License-Identifier: MIT
// Known disagreements with the corpus's index or perf 7.2, with reasons.
#pragma once

#include <string>
#include <string_view>

namespace corpus {

struct Disagreement {
    std::string_view file;     // path below the corpus
    std::string_view subject;  // records, events, features, samples or totals
    std::string_view ours;     // our result, in the index's form
    std::string_view reason;   // evidence from the file's bytes
};

// known_disagreement(file, subject) returns null if none is known.
const Disagreement* known_disagreement(std::string_view file, std::string_view subject);

// check_agreement(file, subject, ours, theirs) fails if they differ, unless `ours` is the known disagreement. It also
// fails if a known disagreement has disappeared.
void check_agreement(const std::string& file, const std::string& subject, const std::string& ours,
                     const std::string& theirs);

}  // namespace corpus
