// SPDX-License-Identifier: MIT
// COMPRESSED (81): records of the kernel, compressed with zstd. perf 5.2; process_comp_header in
// tools/perf/builtin-record.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 the next piece of the zstd stream, to the end of the record: its size is seldom a multiple of 8
struct Compressed {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::compressed;
    static constexpr std::string_view record_name = "record COMPRESSED";
    static constexpr std::size_t min_bytes = 8;

    Bytes data;  // lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record, and never fails.
    static Result<Compressed> decode(const RecordView& record, std::size_t trailer_size) {
        return Compressed{record.body(trailer_size, record_name).rest()};
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("data", data);
    }
};

}  // namespace perfdata
