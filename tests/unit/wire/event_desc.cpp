// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/event_desc.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/attr.hpp"
#include "support/features.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

EventDescReader desc_reader(const Blob& blob, std::endian order) {
    return EventDescReader({blob, AnyOrder(order), {.where = "feature EVENT_DESC", .offset = 100}});
}

std::vector<DescribedEvent> two_events() {
    auto first = sampling_attr(sample_bit::ip | sample_bit::period);
    first.config = 0x1234567812345678;
    auto second = sampling_attr(sample_bit::time);
    second.type = 2;
    // An odd name length. The next fields are unaligned in any case, because of the u32 before the name.
    return {{first, "cycles:ppp", {48, 49}}, {second, "sched:sched_switch", {0xffffffffffffff01}}};
}

}  // namespace

TEST_CASE("EVENT_DESC gives attr, name and ids of each event", "[wire][event_desc]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t attr_size = GENERATE(64u, 128u, 144u, 160u);
    const auto blob = event_desc(order, two_events(), attr_size);
    auto in = desc_reader(blob, order);

    const auto first = in.next();
    REQUIRE(first);
    REQUIRE(*first);
    CHECK((*first)->name == "cycles:ppp");
    CHECK((*first)->attr.type == 1);
    CHECK((*first)->attr.config == 0x1234567812345678);
    CHECK((*first)->attr.sample_type == (sample_bit::ip | sample_bit::period));
    CHECK((*first)->attr.sample_id_all());
    REQUIRE((*first)->ids.size() == 2);
    CHECK((*first)->ids[0] == 48);
    CHECK((*first)->ids[1] == 49);

    const auto second = in.next();
    REQUIRE(second);
    REQUIRE(*second);
    CHECK((*second)->name == "sched:sched_switch");
    CHECK((*second)->attr.type == 2);
    REQUIRE((*second)->ids.size() == 1);
    CHECK((*second)->ids[0] == 0xffffffffffffff01);

    const auto end = in.next();
    REQUIRE(end);
    CHECK_FALSE(*end);
}

TEST_CASE("EVENT_DESC with an attr smaller than the first ABI's is malformed", "[wire][event_desc]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t attr_size = GENERATE(0u, 63u);
    const auto blob = Writer(order).u32(1).u32(attr_size).zeros(200).take();
    const auto got = desc_reader(blob, order).next();
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::malformed);
    CHECK(got.error().where == "feature EVENT_DESC");
}

TEST_CASE("EVENT_DESC counts beyond the section are refused before anything is read", "[wire][event_desc]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto whole = event_desc(order, two_events());
    SECTION("events") {
        const auto blob = patched(whole, order, 0, std::uint32_t{0xffffffff});
        const auto got = desc_reader(blob, order).next();
        REQUIRE_FALSE(got);
        CHECK(got.error().code == ErrorCode::truncated);
    }
    SECTION("attr size") {
        const auto blob = patched(whole, order, 4, std::uint32_t{0xfffffff0});
        CHECK_FALSE(desc_reader(blob, order).next());
    }
    SECTION("ids") {
        const auto blob = patched(whole, order, 8 + 128, std::uint32_t{0x20000000});
        const auto got = desc_reader(blob, order).next();
        REQUIRE_FALSE(got);
        CHECK(got.error().code == ErrorCode::truncated);
    }
    SECTION("name") {
        const auto blob = patched(whole, order, 8 + 128 + 4, std::uint32_t{0xffffff00});
        CHECK_FALSE(desc_reader(blob, order).next());
    }
    SECTION("no section at all") {
        const Blob nothing;
        CHECK_FALSE(desc_reader(nothing, order).next());
    }
}

TEST_CASE("EVENT_DESC cut anywhere gives the events before the cut and then an error", "[wire][event_desc]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto whole = event_desc(order, two_events());
    const auto first_end = 8 + 128 + 4 + 4 + 64 + 16;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const Blob cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        auto in = desc_reader(cut, order);
        const auto first = in.next();
        // The first entry already fails if not even the fixed parts of both events fit.
        if (size < std::max<std::size_t>(first_end, 8 + 2 * (128 + 8))) {
            CHECK_FALSE(first);
            continue;
        }
        REQUIRE(first);
        CHECK((*first)->name == "cycles:ppp");
        CHECK_FALSE(in.next());
    }
}

TEST_CASE("EVENT_DESC of no events ends at once", "[wire][event_desc]") {
    const auto blob = event_desc(std::endian::little, {});
    const auto got = desc_reader(blob, std::endian::little).next();
    REQUIRE(got);
    CHECK_FALSE(*got);
}

TEST_CASE("EVENT_DESC that goes on behind what it counts is damaged, unless it is padding", "[wire][event_desc]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::size_t behind = GENERATE(7u, 8u);
    auto blob = event_desc(order, two_events());
    blob.resize(blob.size() + behind);
    auto in = desc_reader(blob, order);
    REQUIRE(in.next());
    REQUIRE(in.next());
    const auto end = in.next();
    CHECK(end.has_value() == (behind == 7));
    if (!end) CHECK(end.error().code == ErrorCode::malformed);
}
