// SPDX-License-Identifier: MIT
#include "perfdata/annotate/format/field_histogram.hpp"

#include <array>
#include <bit>
#include <fmt/format.h>

namespace perfdata {
namespace {

// power_text(exponent) returns 2^exponent as bpftrace has it: "512", "1K", "2M".
std::string power_text(unsigned exponent) {
    constexpr std::array<std::string_view, 7> units{"", "K", "M", "G", "T", "P", "E"};
    return fmt::format("{}{}", 1u << exponent % 10, units[exponent / 10]);
}

}  // namespace

std::string FieldHistogram::text_of(std::uint64_t value) const {
    return is_signed ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

std::string mean_text(double mean) {
    auto text = fmt::format("{:.3f}", mean);
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string FieldHistogram::label_of(const HistogramBucket& bucket) const {
    if (bucket.first == bucket.last) return fmt::format("[{}]", text_of(bucket.first));
    if (is_signed && static_cast<std::int64_t>(bucket.first) < 0) {
        // -bucket.last is a power of two.
        const auto exponent = static_cast<unsigned>(std::countr_zero(0 - bucket.last));
        return fmt::format("(-{}, -{}]", power_text(exponent + 1), power_text(exponent));
    }
    const auto exponent = static_cast<unsigned>(std::countr_zero(bucket.first));
    return fmt::format("[{}, {})", power_text(exponent), power_text(exponent + 1));
}

}  // namespace perfdata
