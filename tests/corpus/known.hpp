// SPDX-License-Identifier: MIT
// Where we and the corpus's index or perf 7.2 disagree, and why.
#pragma once

#include <string>
#include <string_view>

namespace corpus {

struct Disagreement {
    std::string_view file;     // path below the corpus
    std::string_view subject;  // records, events, features, samples or totals
    std::string_view ours;     // what we say, in the form of the index
    std::string_view reason;   // with the evidence in the file's bytes
};

// known_disagreement(file, subject) is null where none is known.
const Disagreement* known_disagreement(std::string_view file, std::string_view subject);

// check_agreement(file, subject, ours, theirs) fails where the two differ, unless `ours` is what known_disagreement()
// tells; it fails, too, where a disagreement is known and there is none any more.
void check_agreement(const std::string& file, const std::string& subject, const std::string& ours,
                     const std::string& theirs);

}  // namespace corpus
