// SPDX-License-Identifier: MIT
// AUXTRACE (18): where in the file the AUXTRACE records are. write_auxtrace in tools/perf/util/header.c,
// auxtrace_index__write in auxtrace.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

// AuxtraceIndexEntry is the place of one record. Not checked against the file.
struct AuxtraceIndexEntry {
    static constexpr std::size_t bytes = 16;  // size on disk

    std::uint64_t offset = 0;  // of the record's header, in the file
    std::uint64_t size = 0;    // of the record alone, without the data behind it

    // decode(at, order) reads the two words at `at`.
    static AuxtraceIndexEntry decode(const std::byte* at, AnyOrder order) {
        return {order.load<std::uint64_t>(at), order.load<std::uint64_t>(at + 8)};
    }
};

//     [u64 count] . count x { u64 offset . u64 size }
//
// simpleperf writes no count. This is recognized by the second word: the size of an AUXTRACE record, which cannot be an
// offset.
struct AuxtraceIndex {
    static constexpr std::uint64_t record_bytes = 48;  // size of an AUXTRACE record

    FeatureArray<AuxtraceIndexEntry> entries;  // in file order; live as long as the section

    // decode(in) fails (truncated) if the section is too short.
    static Result<AuxtraceIndex> decode(Cursor in) {
        const auto counted = !lacks_count(in);
        const auto count = counted ? in.u64() : in.remaining() / AuxtraceIndexEntry::bytes;
        if (!in.fits(count, AuxtraceIndexEntry::bytes)) {
            return in.failure("an index of " + std::to_string(count) + " entries");
        }
        return AuxtraceIndex{{in.bytes(count * AuxtraceIndexEntry::bytes), in.order()}};
    }

  private:
    static bool lacks_count(Cursor in) {
        const auto size = in.remaining();
        in.skip(8);
        return size % AuxtraceIndexEntry::bytes == 0 && in.u64() == record_bytes;
    }
};

}  // namespace perfdata
