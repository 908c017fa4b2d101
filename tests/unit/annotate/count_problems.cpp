// SPDX-License-Identifier: MIT
// Sums that end at the largest number.
#include "format/count_problems.hpp"

#include "catch.hpp"
#include "support/text_parts.hpp"
#include "unit/annotate/reported.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto most = ~std::uint64_t{0};

std::vector<std::string> full_sums(const Completeness& completeness) {
    std::vector<std::string> texts;
    for (const auto& problem : completeness.diagnostics.kept()) {
        if (problem.where != "sums") continue;
        CHECK(problem.code == ErrorCode::limit);
        texts.push_back(problem.detail);
    }
    return texts;
}

}  // namespace

TEST_CASE("The text of a full sum says of what it is", "[annotate]") {
    CHECK(full_sum_text("cycles", {most - 1, most - 1}).empty());
    CHECK(full_sum_text("cycles", {1, most}).starts_with("the periods of cycles add up to 2^64-1 or more"));
    CHECK(full_sum_text("cycles", {most, 5}).starts_with("the samples of cycles add up to 2^64-1 or more"));
}

TEST_CASE("Sums of periods that end at the largest number are losses of a report", "[annotate][report]") {
    for (const std::uint64_t more : {1u, 2u, 3u}) {
        Chains chains(2);
        chains.sample("a", 0, most - 2).sample("ab", 0, more).sample("a", 1, most - 1);
        const auto recording = chains.open();
        const Reported reported(recording, by_symbol(true, ReportTree::none));
        const auto texts = full_sums(reported.report.completeness);
        REQUIRE(texts.size() == (more == 1 ? 0 : 1));
        if (more == 1) continue;
        const auto& event = recording.events().events()[0].name;
        CHECK(texts[0].starts_with("the periods of " + event + " add up to 2^64-1 or more"));
    }
}
