// SPDX-License-Identifier: MIT
// How ratios of events are written.
#pragma once

#include <fmt/format.h>
#include <string>

#include "perfdata/profile/event_ratio.hpp"

namespace perfdata {

// ratio_number(ratio) returns "1.234"; very small and very large ones as "1.23e-05".
inline std::string ratio_number(double ratio) {
    constexpr double least = 0.001, most = 1e6;
    return ratio != 0 && (ratio < least || ratio >= most) ? fmt::format("{:.3g}", ratio) : fmt::format("{:.3f}", ratio);
}

// ratio_text(value) returns the ratio and the samples that it rests on: "1.234 (17)"; "-" without a denominator.
inline std::string ratio_text(const EventRatio::Value& value) {
    return value.ratio ? fmt::format("{} ({})", ratio_number(*value.ratio), value.samples) : "-";
}

// What a page says once about its ratios.
inline constexpr std::string_view ratio_note =
    "Ratios are of periods. In brackets: how many samples a ratio rests on, those of the event that has fewer";

}  // namespace perfdata
