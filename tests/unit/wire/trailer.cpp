// SPDX-License-Identifier: MIT
#include "perfdata/wire/trailer.hpp"

#include <array>

#include "catch.hpp"
#include "support/attr.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::array<std::uint64_t, 6> trailer_bits = {sample_bit::tid, sample_bit::time,      sample_bit::id,
                                                       sample_bit::cpu, sample_bit::stream_id, sample_bit::identifier};

}  // namespace

TEST_CASE("Every combination of the six trailer fields is read from the end", "[wire][trailer]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // A string of unknown length precedes the trailer.
    const std::string name = GENERATE("a", "a name of 22 characters");
    const SampleValues values;
    for (unsigned n = 0; n < 64; ++n) {
        std::uint64_t type = sample_bit::ip | sample_bit::addr | sample_bit::period;  // never part of a trailer
        for (std::size_t bit = 0; bit < trailer_bits.size(); ++bit) {
            if ((n >> bit & 1) != 0) type |= trailer_bits[bit];
        }
        CAPTURE(n);
        const auto has = [&](std::uint64_t bit) { return (type & bit) != 0; };
        const auto layout = TrailerLayout::compile(sampling_attr(type));
        const RecordFrame frame{.order = order, .trailer = trailer(order, type, values), .misc = 0};
        const auto blob = encode(Comm{{1}, {2}, name, false}, frame);

        REQUIRE(layout.size() == frame.trailer.size());
        const auto got = layout.read(view(blob, order));
        CHECK(got.pid == (has(sample_bit::tid) ? std::optional(Pid{values.pid}) : std::nullopt));
        CHECK(got.tid == (has(sample_bit::tid) ? std::optional(Tid{values.tid}) : std::nullopt));
        CHECK(got.time == (has(sample_bit::time) ? std::optional(Time{values.time}) : std::nullopt));
        CHECK(got.stream_id == (has(sample_bit::stream_id) ? std::optional(values.stream_id) : std::nullopt));
        CHECK(got.cpu == (has(sample_bit::cpu) ? std::optional(values.cpu) : std::nullopt));
        // Both carry the same id; IDENTIFIER is the last word.
        std::optional<EventId> id;
        if (has(sample_bit::id)) id = EventId{values.id};
        if (has(sample_bit::identifier)) id = EventId{values.identifier};
        CHECK(got.id == id);
    }
}

TEST_CASE("The event id's distance from the end skips the fields behind it", "[wire][trailer]") {
    const auto distance = [](std::uint64_t type) { return TrailerLayout::compile(sampling_attr(type)).id_from_end(); };
    CHECK(distance(sample_bit::identifier | sample_bit::cpu | sample_bit::id) == 8);
    CHECK(distance(sample_bit::id) == 8);
    CHECK(distance(sample_bit::id | sample_bit::cpu) == 16);
    CHECK(distance(sample_bit::id | sample_bit::cpu | sample_bit::stream_id) == 24);
    CHECK(distance(sample_bit::id | sample_bit::time | sample_bit::tid) == 8);
    CHECK(distance(sample_bit::time | sample_bit::tid) == 0);
}

TEST_CASE("Without sample_id_all there is no trailer", "[wire][trailer]") {
    auto attr = sampling_attr(sample_bit::tid | sample_bit::time | sample_bit::identifier);
    attr.flags = 0;
    const auto layout = TrailerLayout::compile(attr);
    CHECK(layout.size() == 0);
    CHECK(layout.id_from_end() == 0);
    const auto blob = encode(Lost{{1}, 2});
    const auto got = layout.read(view(blob, std::endian::little));
    CHECK_FALSE(got.pid);
    CHECK_FALSE(got.time);
    CHECK_FALSE(got.id);
}

TEST_CASE("A trailer's CPU of all ones is given as it is in the file", "[wire][trailer]") {
    const auto layout = TrailerLayout::compile(sampling_attr(sample_bit::cpu));
    SampleValues values;
    values.cpu = 0xffffffff;
    const RecordFrame frame{
        .order = std::endian::little, .trailer = trailer(std::endian::little, sample_bit::cpu, values), .misc = 0};
    const auto blob = encode(Lost{{1}, 2}, frame);
    CHECK(layout.read(view(blob, std::endian::little)).cpu == 0xffffffffu);
}
