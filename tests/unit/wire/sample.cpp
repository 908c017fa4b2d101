// SPDX-License-Identifier: MIT
#include "perfdata/wire/sample.hpp"

#include <array>

#include "catch.hpp"
#include "support/attr.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::array<std::uint64_t, 9> fixed_bits = {
    sample_bit::identifier, sample_bit::ip,  sample_bit::tid,       sample_bit::time,   sample_bit::addr,
    sample_bit::id,         sample_bit::cpu, sample_bit::stream_id, sample_bit::period,
};

// combination(n) returns the sample_type with those of the nine fixed fields whose bits are set in n.
std::uint64_t combination(unsigned n) {
    std::uint64_t type = 0;
    for (std::size_t bit = 0; bit < fixed_bits.size(); ++bit) {
        if ((n >> bit & 1) != 0) type |= fixed_bits[bit];
    }
    return type;
}

// Combines all values into one comparison: the loops below make 1024 of them.
struct Seen {
    std::optional<Address> ip, addr;
    std::optional<Time> time;
    std::optional<EventId> id;
    std::optional<Pid> pid;
    std::optional<Tid> tid;
    std::optional<std::uint32_t> cpu;
    std::uint64_t period = 0;

    bool operator==(const Seen&) const = default;
};

template <class Order>
Seen seen(const Blob& blob, const SampleLayout& layout, Order order) {
    const BasicSample<Order> sample(blob.data(), layout, order);
    return {sample.ip(),  sample.addr(), sample.time(), sample.id(),
            sample.pid(), sample.tid(),  sample.cpu(),  sample.period()};
}

Seen expected(std::uint64_t type, const SampleValues& values) {
    const auto has = [&](std::uint64_t bit) { return (type & bit) != 0; };
    Seen want;
    if (has(sample_bit::ip)) want.ip = Address{values.ip};
    if (has(sample_bit::addr)) want.addr = Address{values.addr};
    if (has(sample_bit::time)) want.time = Time{values.time};
    if (has(sample_bit::id)) want.id = EventId{values.id};
    if (has(sample_bit::identifier)) want.id = EventId{values.identifier};
    if (has(sample_bit::tid)) want.pid = Pid{values.pid};
    if (has(sample_bit::tid)) want.tid = Tid{values.tid};
    if (has(sample_bit::cpu)) want.cpu = values.cpu;
    want.period = has(sample_bit::period) ? values.period : 4000;
    return want;
}

}  // namespace

TEST_CASE("Every combination of the nine fixed fields is found at its place", "[wire][sample]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const SampleValues values;
    for (unsigned n = 0; n < 512; ++n) {
        CAPTURE(n);
        auto attr = sampling_attr(combination(n));
        attr.sample_period = 4000;
        const auto layout = SampleLayout::compile(attr);
        const auto blob = sample(attr.sample_type, values, {.order = order, .trailer = {}, .misc = 0});
        REQUIRE(layout.variable_offset() == blob.size());
        CHECK(seen(blob, layout, AnyOrder(order)) == expected(attr.sample_type, values));
        if (order == std::endian::little) {
            CHECK(seen(blob, layout, FixedOrder<std::endian::little>{}) == expected(attr.sample_type, values));
        } else {
            CHECK(seen(blob, layout, FixedOrder<std::endian::big>{}) == expected(attr.sample_type, values));
        }
    }
}

TEST_CASE("A stream id is at its place after the id, before the CPU", "[wire][sample]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = combination(511);
    const auto layout = SampleLayout::compile(sampling_attr(type));
    const SampleValues values;
    const auto blob = sample(type, values, {.order = order, .trailer = {}, .misc = 0});
    CHECK(layout.offsets().stream_id == 56);
    CHECK(AnyOrder(order).load<std::uint64_t>(blob.data() + layout.offsets().stream_id) == values.stream_id);
}

TEST_CASE("Variable parts follow the fixed ones and do not move them", "[wire][sample]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto fixed = sample_bit::ip | sample_bit::tid | sample_bit::period;
    const auto type = fixed | sample_bit::callchain | sample_bit::read | sample_bit::raw | sample_bit::branch_stack |
                      sample_bit::weight | sample_bit::data_src | sample_bit::cgroup;
    const auto layout = SampleLayout::compile(sampling_attr(type));
    const SampleValues values;
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    const auto blob = sample(type, values, frame, Writer(order).u64(1).u64(0xabcd).take());
    CHECK(layout.variable_offset() == 32);
    const Sample got(blob.data(), layout, AnyOrder(order));
    CHECK(got.ip() == Address{values.ip});
    CHECK(got.tid() == Tid{values.tid});
    CHECK(got.period() == values.period);
    CHECK_FALSE(got.time());
}

TEST_CASE("A sample fits if the bytes of a tracepoint do, wherever it is cut", "[wire][sample]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = sample_bit::ip | sample_bit::time | sample_bit::raw;
    const auto layout = SampleLayout::compile(sampling_attr(type));
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    for (const std::uint32_t claimed : {0u, 4u, 12u, 0x7fffffffu, 0xfffffffcu, 0xffffffffu}) {
        CAPTURE(claimed);
        const auto blob = sample(type, {}, frame, Writer(order).u32(claimed).fill(12, 0x11).take());
        for (std::size_t size = 8; size <= blob.size(); ++size) {
            const bool fits = size >= 28 && claimed <= size - 28;
            CHECK(layout.fits(blob.data(), size, AnyOrder(order)) == fits);
            if (size < 24) continue;
            CHECK(sample_parts(blob.data(), size, 24, layout.shape(), AnyOrder(order)).overrun.has_value() != fits);
        }
    }
}

TEST_CASE("Without PERIOD a sample stands for the period that was asked for", "[wire][sample]") {
    auto attr = sampling_attr(sample_bit::ip);
    attr.sample_period = 100000;
    CHECK(SampleLayout::compile(attr).fixed_period() == 100000);
}

TEST_CASE("Without PERIOD and with a frequency a sample stands for one: the frequency is no period", "[wire][sample]") {
    auto attr = sampling_attr(sample_bit::ip);
    attr.sample_period = 4000;
    attr.flags |= attr_flag::freq;
    const auto layout = SampleLayout::compile(attr);
    CHECK(layout.fixed_period() == 1);
    const auto blob = sample(attr.sample_type, {});
    CHECK(Sample(blob.data(), layout, AnyOrder(std::endian::little)).period() == 1);
}

TEST_CASE("A CPU of all ones is none", "[wire][sample]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto layout = SampleLayout::compile(sampling_attr(sample_bit::cpu));
    SampleValues values;
    values.cpu = 0xffffffff;
    const auto none = sample(sample_bit::cpu, values, {.order = order, .trailer = {}, .misc = 0});
    CHECK_FALSE(Sample(none.data(), layout, AnyOrder(order)).cpu());
    values.cpu = 0;
    const auto first = sample(sample_bit::cpu, values, {.order = order, .trailer = {}, .misc = 0});
    CHECK(Sample(first.data(), layout, AnyOrder(order)).cpu() == 0u);
}

TEST_CASE("A sample's mode is its record's", "[wire][sample]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto layout = SampleLayout::compile(sampling_attr(sample_bit::ip));
    const auto blob = sample(sample_bit::ip, {}, {.order = order, .trailer = {}, .misc = 0x4002});
    CHECK(Sample(blob.data(), layout, AnyOrder(order)).mode() == CpuMode::user);
}
