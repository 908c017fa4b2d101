// SPDX-License-Identifier: MIT
#include "report/most_sampled.hpp"

#include <algorithm>

#include "format/words.hpp"

namespace perfdata {

std::vector<std::string_view> most_sampled(std::vector<SamplesOf> names) {
    constexpr std::size_t most = 3;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()));
    std::ranges::partial_sort(names, end, [](const SamplesOf& a, const SamplesOf& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    std::vector<std::string_view> first;
    for (auto at = names.begin(); at != end; ++at) first.push_back(at->first);
    return first;
}

std::string listed(std::span<const std::string> names, std::uint64_t all) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + shown(name);
    return all > names.size() ? text + ", ..." : text;
}

}  // namespace perfdata
