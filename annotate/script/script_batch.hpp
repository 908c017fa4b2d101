// SPDX-License-Identifier: MIT
// Samples that wait for a thread that writes their text, with copies of their records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/walk.hpp"

#include "script_tally.hpp"

namespace perfdata {

// RawSample is a sample that stands for itself or for one of its counters. It lives as long as the record.
struct RawSample {
    const RecordView& record;
    std::uint32_t event = 0;    // that wrote the record
    std::uint32_t counted = 0;  // that it counts for: a sample of a group's leader counts for each member
    std::uint64_t period = 0;
    Time time;           // as RecordContext::time
    bool again = false;  // of the same record as the sample before it
};

// ScriptBatch holds some hundred samples. Its memory is bounded by them, and is kept when it is cleared.
class ScriptBatch {
  public:
    // add(sample) copies the record. It returns false if the batch is full: an empty one takes any sample.
    bool add(const RawSample& sample) {
        const auto& record = sample.record.bytes;
        if (samples_.empty()) {
            // Views of bytes_, and what refers to views_, must stay valid, so these never grow beyond their room.
            samples_.reserve(most_samples);
            views_.reserve(most_samples);
            bytes_.reserve(std::max(record.size(), most_bytes));
        }
        const bool known = sample.again && !samples_.empty();
        const auto size = known ? 0 : record.size();
        if (samples_.size() == most_samples || size > bytes_.capacity() - bytes_.size()) return false;
        if (!known) {
            auto& view = views_.emplace_back(sample.record);
            const auto begin = bytes_.size();
            bytes_.insert(bytes_.end(), record.begin(), record.end());
            view.bytes = Bytes(bytes_).subspan(begin);
        }
        samples_.push_back({views_.back(), sample.event, sample.counted, sample.period, sample.time, sample.again});
        return true;
    }
    const std::vector<RawSample>& samples() const { return samples_; }

    void clear() {
        samples_.clear();
        views_.clear();
        bytes_.clear();
        text.clear();
        tally.clear();
    }

    // Of all, once they are written:
    std::string text;
    ScriptTally tally;

  private:
    static constexpr std::size_t most_samples = 512, most_bytes = std::size_t{128} << 10;

    std::vector<RawSample> samples_;
    std::vector<RecordView> views_;  // of their records
    std::vector<std::byte> bytes_;
};

}  // namespace perfdata
