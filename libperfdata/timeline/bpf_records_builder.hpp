// SPDX-License-Identifier: MIT
// Keeps the records about BPF code.
#pragma once

#include <optional>

#include "perfdata/core/limits.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/bpf_records.hpp"

#include "recording/look_out.hpp"

namespace perfdata {

// BpfRecordsBuilder is a visitor of a walk. What bounds its cost: see BpfRecords.
class BpfRecordsBuilder {
  public:
    // Both must outlive it. It takes nothing unless it is `wanted`.
    BpfRecordsBuilder(bool wanted, DiagnosticLog& diagnostics, const Limits& limits)
        : wanted_(wanted), diagnostics_(diagnostics), limits_(limits) {}

    void operator()(const RecordContext& context, const Ksymbol& symbol);
    void operator()(const RecordContext& context, const BpfEvent& event);
    void operator()(const RecordContext& context, const BpfMetadata& metadata);

    BpfRecords finish(LookOut& look) &&;

  private:
    bool has_room(std::uint64_t offset, std::uint64_t pieces, std::uint64_t bytes);

    bool wanted_;
    DiagnosticLog& diagnostics_;
    const Limits& limits_;
    BpfRecords records_;
    std::uint64_t pieces_ = 0;  // changes and variables
    bool full_ = false;
};

}  // namespace perfdata
