// SPDX-License-Identifier: MIT
// EVENT_UPDATE (78): properties of an event that are not in its attr. perf 4.5;
// perf_event__synthesize_event_update_unit and similar functions in tools/perf/util/synthetic-events.c.
#pragma once

#include <bit>

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/cpu_map_data.hpp"

namespace perfdata {

//      8 u64 type . 16 u64 id . 24 type 0 and 2: text with a NUL; 1: double; 3: see CpuMapData . zeros up to 8
struct EventUpdate {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::event_update;
    static constexpr std::string_view record_name = "record EVENT_UPDATE";
    static constexpr std::size_t min_bytes = 24;

    // Kind is the property: PERF_EVENT_UPDATE__* of libperf.
    enum class Kind : std::uint64_t { unit = 0, scale = 1, name = 2, cpus = 3 };

    std::uint64_t kind = 0;  // Kind, or a newer perf's: then only `unknown` is filled, else the kind's member
    EventId id;              // one of the event's ids, to find it
    std::string_view unit;   // lives as long as the record
    double scale = 0;        // factor from counts to `unit`
    std::string_view name;   // lives as long as the record
    CpuMapData cpus;         // CPUs that the event was opened on
    Bytes unknown;           // the body of a kind that we do not know; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record. Errors: truncated,
    // malformed (see CpuMapData::take).
    static Result<EventUpdate> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        EventUpdate update;
        update.kind = in.u64();
        update.id = {in.u64()};
        if (!in.ok()) return in.failure("the event id");
        switch (static_cast<Kind>(update.kind)) {
            case Kind::unit: update.unit = in.terminated_string(); break;
            case Kind::scale: update.scale = std::bit_cast<double>(in.u64()); break;
            case Kind::name: update.name = in.terminated_string(); break;
            case Kind::cpus: {
                const auto cpus = CpuMapData::take(in);
                if (!cpus) return fail(cpus.error());
                update.cpus = *cpus;
                break;
            }
            default: update.unknown = in.rest();
        }
        if (!in.ok()) return in.failure("what is new");
        return update;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        visit("id", id.value);
        switch (static_cast<Kind>(kind)) {
            case Kind::unit: return visit("unit", unit);
            case Kind::scale: return visit("scale", scale);
            case Kind::name: return visit("name", name);
            case Kind::cpus: return visit.list("cpus", 1, [&](std::size_t, auto&& element) { cpus.fields(element); });
        }
        visit("data", unknown);
    }
};

}  // namespace perfdata
