// SPDX-License-Identifier: MIT
#include "format/count_problems.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {
namespace {

template <class Counts>
std::vector<Error> problems_of(const Recording& recording, const Counts& counts, const EventCounts& sums) {
    auto problems = counts.counter_losses().problems();
    for (std::size_t column = 0; column < counts.events().size(); ++column) {
        const auto& event = recording.events().events()[counts.events()[column]];
        auto text = full_sum_text(event.name, sums[column]);
        if (!text.empty()) problems.push_back({ErrorCode::limit, Error::no_offset, "sums", std::move(text)});
    }
    return problems;
}

}  // namespace

std::string full_sum_text(std::string_view event, const EventCount& sum) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    if (sum.hits != most && sum.periods != most) return {};
    return fmt::format("the {} of {} add up to 2^64-1 or more, and sums end there: shares of them may be wrong",
                       sum.hits == most ? "samples" : "periods", event);
}

std::vector<Error> count_problems(const Recording& recording, const SampleCounts& counts) {
    return problems_of(recording, counts, counts.considered());
}
std::vector<Error> count_problems(const Recording& recording, const Profile& profile) {
    return problems_of(recording, profile, profile.considered());
}

std::vector<Error> export_problems(const Recording& recording, const SampleCounts& counts) {
    return problems_of(recording, counts, counts.totals());
}

}  // namespace perfdata
