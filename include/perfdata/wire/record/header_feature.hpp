// SPDX-License-Identifier: MIT
// HEADER_FEATURE (80): one feature section, in pipe streams. perf 4.13; perf_event__synthesize_features in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 feat_id . 16 what the section would hold, to the end of the record
struct HeaderFeature {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::header_feature;
    static constexpr std::string_view record_name = "record HEADER_FEATURE";
    static constexpr std::size_t min_bytes = 16;

    // Feature, or a newer perf's. A record without data follows the last feature, numbered after those that this perf
    // knows.
    std::uint64_t feature = 0;
    Bytes data;  // may lie unaligned; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<HeaderFeature> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        HeaderFeature feature;
        feature.feature = in.u64();
        if (!in.ok()) return in.failure("the number");
        feature.data = in.rest();
        return feature;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("feat_id", feature);
        visit("data", data);
    }
};

}  // namespace perfdata
