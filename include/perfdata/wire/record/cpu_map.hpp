// SPDX-License-Identifier: MIT
// CPU_MAP (74): the CPUs that perf stat counted on. perf 4.5; perf_event__synthesize_cpu_map in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/cpu_map_data.hpp"

namespace perfdata {

//      8 see CpuMapData . zeros up to 8
struct CpuMap {
    static constexpr auto type = RecordType::cpu_map;                  // in the record's header
    static constexpr std::string_view record_name = "record CPU_MAP";  // in errors
    static constexpr std::size_t min_bytes = 12;                       // perf never writes less than 16

    CpuMapData cpus;  // any_cpu alone if perf stat counted threads; views live as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record. Errors: truncated,
    // malformed (the mask's word size, a range that ends before it begins).
    static Result<CpuMap> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        auto cpus = CpuMapData::take(in);
        if (!cpus) return fail(cpus.error());
        return CpuMap{*cpus};
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit.list("data", 1, [&](std::size_t, auto&& element) { cpus.fields(element); });
    }
};

}  // namespace perfdata
