// SPDX-License-Identifier: MIT
// FINISHED_INIT (82): ends perf's description of the initial state; what follows happened later. perf 6.0;
// write_finished_init in tools/perf/builtin-record.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 nothing
struct FinishedInit {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::finished_init;
    static constexpr std::string_view record_name = "record FINISHED_INIT";
    static constexpr std::size_t min_bytes = 8;

    // decode(record, trailer_size) never fails.
    static Result<FinishedInit> decode(const RecordView& /*record*/, std::size_t /*trailer_size*/) {
        return FinishedInit{};
    }

    // fields(visit) has nothing to visit.
    template <class Visit>
    void fields(Visit&& /*visit*/) const {}
};

}  // namespace perfdata
