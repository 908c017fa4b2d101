// SPDX-License-Identifier: MIT
// Known mistakes of perf.data readers, one test each: the input that misleads a naive parser, and the right answer
// field by field. The numbers are those of docs/format-traps.md, which explains each mistake.
//
// For trap 31, control characters in names, these tests check that any bytes arrive; the tests of pages check how they
// are shown.
#pragma once

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/compressor.hpp"
#include "support/crafted.hpp"
#include "support/reading.hpp"

namespace perfdata::test {

inline Blob sample_at(std::endian order, std::uint64_t type, std::uint64_t id, std::uint64_t time,
                      std::uint64_t ip = 0x1000) {
    SampleValues values;
    values.identifier = values.id = id;
    values.time = time;
    values.ip = ip;
    return sample(type, values, {.order = order, .trailer = {}, .misc = 0});
}

// ips_of(recording, order) returns the ip of each sample.
inline std::vector<std::uint64_t> ips_of(const Recording& recording, RecordOrder order = RecordOrder::file) {
    std::vector<std::uint64_t> ips;
    Completeness completeness;
    WalkOptions options;
    options.order = order;
    const auto visit = [&](const RecordContext&, const auto& record) {
        if constexpr (requires {
                          record.ip();
                          record.details();
                      })
            ips.push_back(record.ip()->value);
    };
    REQUIRE(walk(recording, completeness, visit, options));
    CHECK(completeness.bytes.unread == 0);
    return ips;
}

// records_of<R>(recording) returns all records of one type; views live as long as the recording's memory.
template <class R>
std::vector<std::pair<R, Trailer>> records_of(const Recording& recording) {
    std::vector<std::pair<R, Trailer>> found;
    Completeness completeness;
    const auto visit = [&](const RecordContext& context, const R& record) {
        found.emplace_back(record, context.trailer);
    };
    REQUIRE(walk(recording, completeness, visit));
    return found;
}

}  // namespace perfdata::test
