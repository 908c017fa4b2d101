// SPDX-License-Identifier: MIT
// AUX_OUTPUT_HW_ID (21): the hardware's number for an event in its trace. Linux 5.16; perf_report_aux_output_id in
// kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 hw_id . trailer: only it identifies the event
struct AuxOutputHwId {
    static constexpr auto type = RecordType::aux_output_hw_id;
    static constexpr std::string_view record_name = "record AUX_OUTPUT_HW_ID";
    static constexpr std::size_t min_bytes = 16;

    std::uint64_t hw_id = 0;

    static Result<AuxOutputHwId> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        AuxOutputHwId output;
        output.hw_id = in.u64();
        if (!in.ok()) return in.failure("the hardware's id");
        return output;
    }

    template <class Visit>
    void fields(Visit&& visit) const {
        visit("hw_id", hw_id);
    }
};

}  // namespace perfdata
