// SPDX-License-Identifier: MIT
// Histograms of fields of tracepoints as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/annotate/format/field_histogram.hpp"

namespace perfdata {

// histogram_text(histogram, event, mark) draws it as bpftrace does, with an empty line behind. `event` is the name of
// its event; `mark`, "" or "# ", begins each line of the heading.
std::string histogram_text(const FieldHistogram& histogram, std::string_view event, std::string_view mark);
// without_field_text(samples) says how many samples are in no histogram.
std::string without_field_text(std::uint64_t samples);

}  // namespace perfdata
