// SPDX-License-Identifier: MIT
// Payloads of bpf_perf_event_output as text and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/types.hpp"

#include "format/json_stream.hpp"
#include "payload_types.hpp"
#include "value_walk.hpp"

namespace perfdata {

// RawPayload is what a sample says of a payload.
struct RawPayload {
    Bytes raw;
    AnyOrder order;
    std::optional<std::uint32_t> btf = {};  // of the program that wrote it: see PayloadTypes::of()
};

// PayloadOutput writes payloads and counts what it could not do.
class PayloadOutput {
  public:
    // The types must outlive it.
    explicit PayloadOutput(PayloadTypes& types) : types_(&types) {}

    // append(text, payload) appends `struct start {.pid = 12} (guessed by size)`; false, and nothing, if bytes
    // show the payload.
    bool append(std::string& text, const RawPayload& payload);
    // write(writer, payload) writes the member "bpf_output", if there is anything to say.
    void write(CompactJson& writer, const RawPayload& payload);

    // notes() says which payloads are shown as bytes or in part, and what helps: a line each.
    std::vector<std::string> notes() const;

  private:
    const PayloadType& choose(const RawPayload& payload);

    // Unclear is the payloads of one size that several types fit.
    struct Unclear {
        std::uint64_t payloads = 0, fitting = 0;
        std::vector<std::string> candidates;
    };
    // The notes name this many sizes; the rest is counted together.
    static constexpr std::size_t most_unclear = 8;

    PayloadTypes* types_;
    std::map<std::size_t, Unclear> unclear_;  // by the bytes of RAW
    std::uint64_t more_unclear_ = 0;
    std::uint64_t unfitting_ = 0, partial_ = 0;  // payloads: of a size that no type has; not all values shown
};

}  // namespace perfdata
