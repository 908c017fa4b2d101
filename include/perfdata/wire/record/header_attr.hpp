// SPDX-License-Identifier: MIT
// HEADER_ATTR (64): one event, in pipe streams. perf_event__synthesize_attr in tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/attr_words.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 attr, as long as its own field size says . then u64 id[] to the end of the record
struct HeaderAttr {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::header_attr;
    static constexpr std::string_view record_name = "record HEADER_ATTR";
    static constexpr std::size_t min_bytes = 8 + Attr::min_bytes;

    Attr attr;              // fields that its writer did not know are 0
    U64View<AnyOrder> ids;  // EventId each; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record. Errors: truncated,
    // malformed (the attr's size).
    static Result<HeaderAttr> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Cursor ahead = in;
        ahead.skip(4);
        const auto claimed = ahead.u32();
        const auto size = claimed == 0 ? Attr::min_bytes : claimed;
        if (size < Attr::min_bytes || size % 8 != 0) return in.contradiction("the size of the attr");
        const auto bytes = in.bytes(size);
        if (!in.ok()) return in.failure("the attr");
        return HeaderAttr{Attr::decode(bytes, record.order), take_remaining_words(in)};
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit.list("attr", 1, [&](std::size_t, auto&& element) { attr_fields(attr, element); });
        visit("id", ids);
    }
};

}  // namespace perfdata
