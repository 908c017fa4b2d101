// SPDX-License-Identifier: MIT
#include "cpu_choice.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace perfdata::tool {

Result<CpuRange> parse_cpus(const std::string& word) {
    constexpr std::uint32_t most = 65536;  // beyond any machine
    const auto* const stop = word.data() + word.size();
    CpuRange range;
    auto [end, problem] = std::from_chars(word.data(), stop, range.first);
    range.last = range.first;
    if (problem == std::errc{} && end != stop && *end == '-') {
        const auto rest = std::from_chars(end + 1, stop, range.last);
        end = rest.ptr;
        problem = rest.ec;
    }
    if (problem != std::errc{} || end != stop || range.last < range.first || range.last >= most) {
        return fail(ErrorCode::malformed, Error::no_offset, "--cpu",
                    fmt::format("no CPUs: {}; expected numbers and ranges such as 0,2-3", word));
    }
    return range;
}

Result<std::set<std::uint32_t>> chosen_cpus(const std::vector<std::string>& words) {
    std::vector<CpuRange> ranges;
    for (const auto& word : words) {
        const auto range = parse_cpus(word);
        if (!range) return fail(range.error());
        ranges.push_back(*range);
    }
    std::ranges::sort(ranges, {}, &CpuRange::first);
    std::set<std::uint32_t> cpus;
    std::uint32_t next = 0;  // all before it are in, or in no range
    for (const auto& range : ranges) {
        for (next = std::max(next, range.first); next <= range.last; ++next) cpus.insert(cpus.end(), next);
    }
    return cpus;
}

}  // namespace perfdata::tool
