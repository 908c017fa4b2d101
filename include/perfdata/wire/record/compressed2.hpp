// SPDX-License-Identifier: MIT
// COMPRESSED2 (83): records of the kernel, compressed with zstd, in a record whose size is a multiple of 8. perf 6.15;
// process_comp_header in tools/perf/builtin-record.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 data_size . 16 the next piece of the zstd stream . zeros up to 8
struct Compressed2 {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::compressed2;
    static constexpr std::string_view record_name = "record COMPRESSED2";
    static constexpr std::size_t min_bytes = 16;

    Bytes data;  // without the padding; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Compressed2> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Compressed2 packed;
        packed.data = in.bytes(in.u64());
        if (!in.ok()) return in.failure("the packed data");
        return packed;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("data_size", std::uint64_t{data.size()});
        visit("data", data);
    }
};

}  // namespace perfdata
