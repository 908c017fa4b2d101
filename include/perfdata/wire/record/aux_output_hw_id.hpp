// SPDX-License-Identifier: MIT
// AUX_OUTPUT_HW_ID (21): the hardware's number for an event in its trace. Linux 5.16; perf_report_aux_output_id in
// kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 hw_id . trailer: only it identifies the event
struct AuxOutputHwId {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::aux_output_hw_id;
    static constexpr std::string_view record_name = "record AUX_OUTPUT_HW_ID";
    static constexpr std::size_t min_bytes = 16;

    // as in the trace's packets (PEBS via PT); valid for the trailer's event until the next such record
    std::uint64_t hw_id = 0;

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<AuxOutputHwId> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        AuxOutputHwId output;
        output.hw_id = in.u64();
        if (!in.ok()) return in.failure("the hardware's id");
        return output;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("hw_id", hw_id);
    }
};

}  // namespace perfdata
