// SPDX-License-Identifier: MIT
// FINISHED_ROUND (68): perf has emptied all ring buffers once. What follows is no older than the records before the
// previous mark. tools/perf/builtin-record.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 nothing
struct FinishedRound {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::finished_round;
    static constexpr std::string_view record_name = "record FINISHED_ROUND";
    static constexpr std::size_t min_bytes = 8;

    // decode(record, trailer_size) never fails.
    static Result<FinishedRound> decode(const RecordView& /*record*/, std::size_t /*trailer_size*/) {
        return FinishedRound{};
    }

    // fields(visit) has nothing to visit.
    template <class Visit>
    void fields(Visit&& /*visit*/) const {}
};

}  // namespace perfdata
