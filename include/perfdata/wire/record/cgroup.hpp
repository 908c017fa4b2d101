// SPDX-License-Identifier: MIT
// CGROUP (19): a control group was created. Linux 5.7; perf_event_cgroup_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 id . 16 path, NUL-padded to 8 . trailer
struct Cgroup {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::cgroup;
    static constexpr std::string_view record_name = "record CGROUP";
    static constexpr std::size_t min_bytes = 17;

    std::uint64_t id = 0;   // as in samples with PERF_SAMPLE_CGROUP
    std::string_view path;  // below the root of the hierarchy; any bytes; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Cgroup> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Cgroup cgroup;
        cgroup.id = in.u64();
        cgroup.path = in.terminated_string();
        if (!in.ok()) return in.failure("the path");
        return cgroup;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("id", id);
        visit("path", path);
    }
};

}  // namespace perfdata
