// SPDX-License-Identifier: MIT
// AUXTRACE_INFO (70): the producer of the AUX data, and parameters for their decoder. perf 4.2;
// perf_event__synthesize_auxtrace_info in tools/perf/util/auxtrace.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 u32 type . 12 u32 0 . 16 u64 priv[] to the end of the record
struct AuxtraceInfo {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::auxtrace_info;
    static constexpr std::string_view record_name = "record AUXTRACE_INFO";
    static constexpr std::size_t min_bytes = 16;

    // Kind is the producer: enum auxtrace_type in tools/perf/util/auxtrace.h.
    enum class Kind : std::uint32_t {
        unknown = 0,
        intel_pt,
        intel_bts,
        cs_etm,
        arm_spe,
        s390_cpumsf,
        hisi_ptt,
        vpa_dtl,
    };

    std::uint32_t kind = 0;     // Kind, or a newer perf's
    U64View<AnyOrder> details;  // its meaning depends on kind; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<AuxtraceInfo> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        AuxtraceInfo info;
        info.kind = in.u32();
        in.skip(4);
        if (!in.ok()) return in.failure("the type");
        info.details = take_remaining_words(in);
        return info;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        visit("priv", details);
    }
};

}  // namespace perfdata
