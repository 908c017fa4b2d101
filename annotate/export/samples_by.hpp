// SPDX-License-Identifier: MIT
// Samples by event or thread, each in the order of time; and what formats with time call a recording.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "exported.hpp"
#include "format/words.hpp"

namespace perfdata {

// SamplesBy sorts samples by a key, without moving them. Samples of equal keys stay in their order.
template <class KeyOf>
class SamplesBy {
  public:
    // The samples must outlive it.
    SamplesBy(const std::vector<ExportSample>& samples, KeyOf key_of)
        : samples_(samples), key_of_(std::move(key_of)), order_(samples.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::sort(order_, {}, [&](std::size_t number) { return std::pair(key_of_(samples_[number]), number); });
    }

    std::size_t size() const { return order_.size(); }
    const ExportSample& operator[](std::size_t at) const { return samples_[order_[at]]; }
    // Returns the numbers of the samples from `at` on that have this key.
    template <class Key>
    std::span<const std::size_t> of(std::size_t at, const Key& key) const {
        auto end = at;
        while (end < order_.size() && key_of_(samples_[order_[end]]) == key) ++end;
        return std::span(order_).subspan(at, end - at);
    }

  private:
    const std::vector<ExportSample>& samples_;
    KeyOf key_of_;
    std::vector<std::size_t> order_;
};

// Returns the column with the most samples, of several the first; 0 if there is none.
inline std::uint32_t most_hit_column(const Exported& exported) {
    std::uint32_t most = 0;
    for (std::uint32_t column = 1; column < exported.events.size(); ++column) {
        if (exported.totals[column].hits > exported.totals[most].hits) most = column;
    }
    return most;
}

// Returns the last part of the recording's path.
inline std::string_view recording_name(std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    const auto name = short_name(path);
    return name.empty() ? "perf.data" : name;
}

}  // namespace perfdata
