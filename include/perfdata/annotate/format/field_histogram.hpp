// SPDX-License-Identifier: MIT
// How often a numeric field of a tracepoint had which values, in buckets of powers of two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"

namespace perfdata {

// HistogramBucket is a range of values, both ends included.
struct HistogramBucket {
    std::uint64_t first = 0, last = 0;  // in two's complement if the field is signed
    std::uint64_t samples = 0;          // with such a value
};

// FieldHistogram is the values of one field of one event. Buckets are 0, 1, 2 to 3, 4 to 7 and so on, and the same of
// negative values: -1, -3 to -2...
struct PERFDATA_EXPORT FieldHistogram {
    std::uint32_t event = 0;               // index in recording.events()
    std::string field;                     // "ret", "args[0]"
    bool is_signed = false;                // the field is
    std::uint64_t samples = 0;             // with a value
    std::uint64_t no_value = 0;            // samples of the event whose data do not reach the field
    std::uint64_t least = 0;               // of all values, in two's complement if signed
    std::uint64_t most = 0;                // likewise
    double mean = 0;                       // of all values
    std::vector<HistogramBucket> buckets;  // lowest first, from the first with samples to the last, without gaps

    // text_of(value) returns a value in decimal.
    std::string text_of(std::uint64_t value) const;
    // label_of(bucket) returns "[0]", "[2, 4)", "[1K, 2K)" or "(-4, -2]", as bpftrace spells it.
    std::string label_of(const HistogramBucket& bucket) const;
};

// mean_text(mean) returns it with up to three digits behind the point.
PERFDATA_EXPORT std::string mean_text(double mean);

}  // namespace perfdata
