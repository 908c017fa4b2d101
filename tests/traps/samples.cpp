// SPDX-License-Identifier: MIT
#include "support/samples.hpp"

#include "trap.hpp"
#include "unit/wire/records/record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Decoded keeps a sample's bytes and layout together with its view.
struct Decoded {
    Decoded(std::endian order, const Attr& attr, const Blob& parts)
        : blob(sample(attr.sample_type, {}, {order, {}, 0}, parts)),
          layout(SampleLayout::compile(attr)),
          sample_view(blob.data(), layout, AnyOrder(order)),
          details(sample_view.details()) {
        CHECK(details.parts().end == blob.size());
        CHECK_FALSE(details.parts().overrun);
    }
    Decoded(const Decoded&) = delete;
    Decoded& operator=(const Decoded&) = delete;

    Blob blob;
    SampleLayout layout;
    Sample sample_view;
    SampleDetails<AnyOrder> details;
};

}  // namespace

TEST_CASE("trap 19: an empty branch stack may lack its hw_idx", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto attr = sampling_attr(sample_bit::branch_stack | sample_bit::stack_user | sample_bit::phys_addr);
    attr.branch_sample_type = 1u << 17;
    const Decoded without(order, attr, Writer(order).u64(0).u64(8).fill(8, 0x5a).u64(8).u64(0xabc).take());
    CHECK_FALSE(without.details.branch_stack()->hw_index());
    CHECK(without.details.user_stack()->bytes.size() == 8);
    CHECK(without.details.physical_address() == Address{0xabc});
    const Decoded with(order, attr, Writer(order).u64(0).u64(3).u64(8).fill(8, 0x5a).u64(8).u64(0xabc).take());
    CHECK(with.details.branch_stack()->hw_index() == 3u);
    CHECK(with.details.physical_address() == Address{0xabc});
}

TEST_CASE("trap 20: the size of RAW includes its padding, and its own size does not end at a multiple of 8",
          "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto attr = sampling_attr(sample_bit::raw | sample_bit::data_src);
    const auto raw = Writer(order).u32(12).text("event").zeros(7).u64(0x21).take();
    const Decoded got(order, attr, raw);
    CHECK(got.details.raw()->size() == 12);
    CHECK(std::ranges::equal(got.details.raw()->first(5), blob_of("event")));
    CHECK(got.details.data_source()->word == 0x21);
    // Without data the kernel still writes four bytes of padding.
    const Decoded empty(order, attr, Writer(order).u32(4).u32(0).u64(0x21).take());
    CHECK(empty.details.raw()->size() == 4);
    CHECK(empty.details.data_source()->word == 0x21);
}

TEST_CASE("trap 21: a user stack of size 0 has no dyn_size", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto attr = sampling_attr(sample_bit::stack_user | sample_bit::transaction);
    const Decoded got(order, attr, Writer(order).u64(0).u64(0x1234).take());
    CHECK(got.details.user_stack()->asked_for == 0);
    CHECK(got.details.user_stack()->bytes.empty());
    CHECK(got.details.transaction() == 0x1234u);
    // dyn_size counts, not the size.
    const Decoded part(order, attr, Writer(order).u64(16).fill(16, 0x5a).u64(8).u64(0x1234).take());
    CHECK(part.details.user_stack()->asked_for == 16);
    CHECK(part.details.user_stack()->bytes.size() == 8);
    CHECK(part.details.transaction() == 0x1234u);
}

TEST_CASE("trap 22: context markers and the cookie of a deferred chain are no addresses", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto attr = sampling_attr(sample_bit::callchain);
    constexpr std::uint64_t cookie = 0xffffffff81000000;  // looks like an address
    const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    Writer parts(order);
    parts.u64(7).u64(0xffff1).u64(word(-128)).u64(0xffffffff81000001).u64(word(-4000)).u64(0x77);
    parts.u64(word(-640)).u64(cookie);
    const Decoded got(order, attr, parts.take());
    std::vector<std::pair<std::uint64_t, CpuMode>> frames;
    const auto found = for_each_frame(*got.details.callchain(), CpuMode::user,
                                      [&](Address address, CpuMode mode) { frames.emplace_back(address.value, mode); });
    CHECK(frames ==
          decltype(frames){{0xffff1, CpuMode::user}, {0xffffffff81000001, CpuMode::kernel}, {0x77, CpuMode::unknown}});
    CHECK(found == cookie);
}

TEST_CASE("trap 34: without PERIOD sample_period may be a frequency, which is no period", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto attr = sampling_attr(sample_bit::ip);
    attr.sample_period = 4000;
    CHECK(Decoded(order, attr, {}).sample_view.period() == 4000);
    attr.flags |= attr_flag::freq;
    CHECK(Decoded(order, attr, {}).sample_view.period() == 1);
}

TEST_CASE("trap 35: inherited counters are told apart by thread and id", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Two threads with one event id: keep totals per thread.
    constexpr std::uint64_t format = read_bit::id | read_bit::lost;
    for (const std::uint32_t thread : {10u, 11u}) {
        const auto body = Writer(order).u32(10).u32(thread).u64(1000 * thread).u64(7).u64(3).take();
        const RecordCase<Read> read(order, body, 0, 0, format);
        REQUIRE(read.decoded());
        CHECK(read->tid == Tid{thread});
        CHECK(read->values[0].id == EventId{7});
        CHECK(read->values[0].value == 1000 * thread);
        CHECK(read->values[0].lost == 3u);
    }
    // Samples also need totals per thread: TID, then the values.
    auto attr = sampling_attr(sample_bit::tid | sample_bit::read);
    attr.read_format = read_bit::group | read_bit::id;
    const Decoded group(order, attr, Writer(order).u64(2).u64(100).u64(7).u64(200).u64(8).take());
    const auto read = group.details.read();
    REQUIRE(read->size() == 2);
    CHECK((*read)[1].value == 200);
    CHECK((*read)[1].id == EventId{8});
    CHECK(group.sample_view.tid() == Tid{SampleValues{}.tid});
}
