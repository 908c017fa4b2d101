// SPDX-License-Identifier: MIT
#include "cpu_choice.hpp"

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

}  // namespace perfdata::tool
