// SPDX-License-Identifier: MIT
#include "histogram_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "format/words.hpp"

namespace perfdata {

std::string histogram_text(const FieldHistogram& histogram, std::string_view event, std::string_view mark) {
    constexpr std::uint64_t longest = 52;  // characters of the longest bar
    auto text = fmt::format("{}Histogram of {} of event '{}'\n{}Samples: {}", mark, shown(histogram.field),
                            shown(event), mark, histogram.samples);
    const auto to = std::back_inserter(text);
    if (histogram.samples != 0) {
        fmt::format_to(to, ", least {}, most {}, mean {}", histogram.text_of(histogram.least),
                       histogram.text_of(histogram.most), mean_text(histogram.mean));
    }
    if (histogram.no_value != 0) fmt::format_to(to, "; without a value: {}", histogram.no_value);
    text += mark.empty() ? "\n\n" : "\n#\n";
    std::uint64_t most = 0;
    std::size_t widest = 0;
    for (const auto& bucket : histogram.buckets) {
        most = std::max(most, bucket.samples);
        widest = std::max(widest, histogram.label_of(bucket).size());
    }
    for (const auto& bucket : histogram.buckets) {
        const auto share = static_cast<double>(bucket.samples) / static_cast<double>(most);
        const auto bar = static_cast<std::size_t>(share * static_cast<double>(longest));
        fmt::format_to(to, "  {:<{}}{:>12} |{:<{}}|\n", histogram.label_of(bucket), widest, bucket.samples,
                       std::string(bar, '@'), longest);
    }
    text += '\n';
    return text;
}

std::string without_field_text(std::uint64_t samples) {
    return samples == 1 ? "1 sample is of an event without such a field"
                        : fmt::format("{} samples are of events without such a field", samples);
}

}  // namespace perfdata
