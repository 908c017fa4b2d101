// SPDX-License-Identifier: MIT
// What a profile file keeps, in the words of --keep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "recording/stored/facts.hpp"

namespace perfdata::tool {

constexpr std::string_view dimension_word(stored::Dimension dimension) {
    using stored::Dimension;
    switch (dimension) {
        case Dimension::comm: return "comm";
        case Dimension::pid: return "pid";
        case Dimension::tid: return "tid";
        case Dimension::cpu: return "cpu";
        case Dimension::cgroup: return "cgroup";
        case Dimension::object: return "object";
        case Dimension::symbol: return "symbol";
        case Dimension::line: return "line";
        case Dimension::chains: return "chains";
        case Dimension::code: return "code";
    }
    return "unknown";
}

// each_kept(bits, take) calls take(word) for each dimension that the bits have.
template <class Take>
void each_kept(std::uint32_t bits, Take&& take) {
    for (std::uint8_t at = 0; stored::all_dimensions >> at != 0; ++at) {
        const auto dimension = static_cast<stored::Dimension>(at);
        if ((bits & stored::bit(dimension)) != 0) take(dimension_word(dimension));
    }
}

// kept_list(bits, separator) returns "comm,symbol".
inline std::string kept_list(std::uint32_t bits, std::string_view separator) {
    std::string text;
    each_kept(bits, [&](std::string_view word) { text.append(text.empty() ? "" : separator).append(word); });
    return text;
}

}  // namespace perfdata::tool
