// SPDX-License-Identifier: MIT
// HEADER_TRACING_DATA (66): the descriptions of tracepoints, in pipe streams. perf_event__synthesize_tracing_data in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 size [. 12 u32 0]: older perf wrote 12 bytes; then follow, outside the record, `size` bytes of data
struct HeaderTracingData {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::header_tracing_data;
    static constexpr std::string_view record_name = "record HEADER_TRACING_DATA";
    static constexpr std::size_t min_bytes = 12;

    std::uint32_t size = 0;  // bytes, including the padding to 8

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<HeaderTracingData> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        HeaderTracingData data;
        data.size = in.u32();
        if (!in.ok()) return in.failure("the size");
        return data;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("size", size);
    }
};

}  // namespace perfdata
