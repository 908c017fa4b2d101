// SPDX-License-Identifier: MIT
// Which samples count, by the data that their event wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// SamplePayload is what a payload filter sees of a sample. It lives as long as the sample.
struct SamplePayload {
    std::uint32_t event = 0;           // index in recording.events()
    std::optional<Bytes> raw;          // PERF_SAMPLE_RAW; nothing: not recorded
    std::optional<std::uint32_t> cpu;  // nothing: not recorded
    std::string_view comm;             // of the thread, empty: unknown; only if the filter needs it
};

// PayloadAnswer is what a payload filter says of a sample.
enum class PayloadAnswer : std::uint8_t {
    passes,    // it counts
    rejected,  // it does not
    no_value,  // it does not: the filter asks for a value that the sample does not have
};

// PayloadFilter is the interface of what passes samples by their data; see SampleFilter::payload. Many threads may ask
// it at once.
class PERFDATA_EXPORT PayloadFilter {
  public:
    PayloadFilter() = default;
    PayloadFilter(const PayloadFilter&) = delete;
    PayloadFilter& operator=(const PayloadFilter&) = delete;
    virtual ~PayloadFilter();

    virtual PayloadAnswer ask(const SamplePayload& payload) const = 0;  // whether a sample counts
    virtual bool needs_comm() const = 0;                                // SamplePayload::comm matters
};

}  // namespace perfdata
