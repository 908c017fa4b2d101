// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<int> cpus_of(const CpuMapData& data) {
    std::vector<int> cpus;
    data.for_each_cpu([&](int cpu) { cpus.push_back(cpu); });
    return cpus;
}

using Cpus = std::vector<int>;

}  // namespace

TEST_CASE("CPU_MAP as a list", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u16(0).u16(3).u16(0x0102).u16(0xffff).u16(0).take();
    check_fields<CpuMap>(order, body, {"data[0].type=0", "data[0].nr=3", "data[0].cpu=[258,65535,0]"});
    CHECK(cpus_of(RecordCase<CpuMap>(order, body)->cpus) == Cpus{0x0102, CpuMapData::any_cpu, 0});
    check_needs<CpuMap>(order, body, 8 + 10);
    check_needs<CpuMap>(order, Blob(4), 12);
    CHECK(CpuMap::min_bytes == 12);
    check_refused<CpuMap>(order, Writer(order).u16(0).u16(0xffff).zeros(64).take());
}

TEST_CASE("CPU_MAP as a mask of 32-bit words, which lie at 14", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u16(1).u16(2).u16(4).u32(0x80000005).u32(2).zeros(2).take();
    check_fields<CpuMap>(order, body,
                         {"data[0].type=1", "data[0].nr=2", "data[0].long_size=4", "data[0].mask=[2147483653,2]"});
    CHECK(cpus_of(RecordCase<CpuMap>(order, body)->cpus) == Cpus{0, 2, 31, 33});
    check_needs<CpuMap>(order, body, 8 + 14);
    check_refused<CpuMap>(order, Writer(order).u16(1).u16(0xffff).u16(4).zeros(64).take());
}

TEST_CASE("CPU_MAP as a mask of 64-bit words, which lie at 18", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u16(1).u16(2).u16(8).fill(4, 0xee).u64(0x8000000000000001).u64(2).zeros(6).take();
    check_fields<CpuMap>(
        order, body, {"data[0].type=1", "data[0].nr=2", "data[0].long_size=8", "data[0].mask=[9223372036854775809,2]"});
    CHECK(cpus_of(RecordCase<CpuMap>(order, body)->cpus) == Cpus{0, 63, 65});
    check_needs<CpuMap>(order, body, 8 + 26);
    check_refused<CpuMap>(order, Writer(order).u16(1).u16(0xffff).u16(8).zeros(64).take());
}

TEST_CASE("CPU_MAP as a mask of no words", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<CpuMap>(order, Writer(order).u16(1).u16(0).u16(4).take(),
                         {"data[0].type=1", "data[0].nr=0", "data[0].long_size=4", "data[0].mask=[]"});
}

TEST_CASE("CPU_MAP as a mask of words of another size is refused", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto size : std::initializer_list<std::uint16_t>{0, 1, 2, 16, 0xffff}) {
        check_refused<CpuMap>(order, Writer(order).u16(1).u16(1).u16(size).zeros(64).take(), ErrorCode::malformed);
    }
}

TEST_CASE("CPU_MAP as a range, both ends of which count", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u16(2).u8(1).u8(0xee).u16(0x0102).u16(0x0104).take();
    check_fields<CpuMap>(order, body,
                         {"data[0].type=2", "data[0].any_cpu=true", "data[0].start_cpu=258", "data[0].end_cpu=260"});
    CHECK(cpus_of(RecordCase<CpuMap>(order, body)->cpus) == Cpus{CpuMapData::any_cpu, 258, 259, 260});
    check_needs<CpuMap>(order, body, 16);
    const RecordCase<CpuMap> one(order, Writer(order).u16(2).u8(0).u8(0).u16(0).u16(0).take());
    CHECK(cpus_of(one->cpus) == Cpus{0});
    const RecordCase<CpuMap> all(order, Writer(order).u16(2).u8(0).u8(0).u16(0).u16(0xffff).take());
    CHECK(cpus_of(all->cpus).size() == 65536);
    check_refused<CpuMap>(order, Writer(order).u16(2).u8(0).u8(0).u16(2).u16(1).take(), ErrorCode::malformed);
}

TEST_CASE("CPU_MAP of an unknown kind is kept as bytes", "[wire][cpu_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u16(0x0103).text("new").take();
    check_fields<CpuMap>(order, body, {"data[0].type=259", "data[0].data=<6e6577>"});
    CHECK(cpus_of(RecordCase<CpuMap>(order, body)->cpus).empty());
}

TEST_CASE("EVENT_UPDATE gives unit and name", "[wire][event_update]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto unit = Writer(order).u64(0).u64(0x1122334455667788).padded_text("Joules").take();
    check_fields<EventUpdate>(order, unit, {"type=0", "id=1234605616436508552", "unit='Joules'"});
    check_needs<EventUpdate>(order, unit, 24 + 7);
    const auto name = Writer(order).u64(2).u64(7).padded_text("cpu-clock:u").take();
    check_fields<EventUpdate>(order, name, {"type=2", "id=7", "name='cpu-clock:u'"});
    check_needs<EventUpdate>(order, name, 24 + 12);
    for (const auto kind : std::initializer_list<std::uint64_t>{0, 2}) {
        check_refused<EventUpdate>(order, Writer(order).u64(kind).u64(7).text("abcdefgh").take());
    }
}

TEST_CASE("EVENT_UPDATE gives the scale", "[wire][event_update]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(1).u64(7).u64(0x3fc0000000000000).take();
    check_fields<EventUpdate>(order, body, {"type=1", "id=7", "scale=0.125000"});
    check_needs<EventUpdate>(order, body, 32);
}

TEST_CASE("EVENT_UPDATE gives the CPUs", "[wire][event_update]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(3).u64(7).u16(0).u16(2).u16(4).u16(6).take();
    check_fields<EventUpdate>(order, body, {"type=3", "id=7", "cpus[0].type=0", "cpus[0].nr=2", "cpus[0].cpu=[4,6]"});
    CHECK(cpus_of(RecordCase<EventUpdate>(order, body)->cpus) == Cpus{4, 6});
    check_needs<EventUpdate>(order, body, 24 + 8);
    check_refused<EventUpdate>(order, Writer(order).u64(3).u64(7).u16(1).u16(1).u16(5).zeros(16).take(),
                               ErrorCode::malformed);
}

TEST_CASE("EVENT_UPDATE of an unknown kind is kept as bytes", "[wire][event_update]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint64_t kind = GENERATE(std::uint64_t{4}, std::uint64_t{1} << 32);
    const auto body = Writer(order).u64(kind).u64(7).text("new").take();
    check_fields<EventUpdate>(order, body, {"type=" + std::to_string(kind), "id=7", "data=<6e6577>"});
    check_needs<EventUpdate>(order, body, 24);
    CHECK(EventUpdate::min_bytes == 24);
}
