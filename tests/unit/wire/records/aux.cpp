// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("AUX gives where new data lies and what befell it", "[wire][aux]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).u64(4096).u64(0x1205).take();
    check_fields<Aux>(order, body, {"aux_offset=1234605616436508552", "aux_size=4096", "flags=4613"});
    const RecordCase<Aux> got(order, body);
    CHECK(got->offset == 0x1122334455667788);
    CHECK(got->size == 4096);
    CHECK(got->pmu_format() == 0x12);
    check_needs<Aux>(order, body, 32);
    CHECK(Aux::min_bytes == 32);
}

TEST_CASE("AUX flags are one bit each", "[wire][aux]") {
    const auto bits = [](std::uint64_t flags) {
        const Aux aux{.offset = 0, .size = 0, .flags = flags};
        return std::vector<bool>{aux.truncated(), aux.overwrite(), aux.partial(), aux.collision()};
    };
    CHECK(bits(0) == std::vector<bool>{false, false, false, false});
    CHECK(bits(1) == std::vector<bool>{true, false, false, false});
    CHECK(bits(2) == std::vector<bool>{false, true, false, false});
    CHECK(bits(4) == std::vector<bool>{false, false, true, false});
    CHECK(bits(8) == std::vector<bool>{false, false, false, true});
    CHECK(Aux{.offset = 0, .size = 0, .flags = 0xff0f}.pmu_format() == 0xff);
    CHECK(Aux{.offset = 0, .size = 0, .flags = 0xf00ff}.pmu_format() == 0);
}

TEST_CASE("ITRACE_START gives the thread", "[wire][itrace_start]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(0x01020304).u32(0x05060708).take();
    check_fields<ItraceStart>(order, body, {"pid=16909060", "tid=84281096"});
    const RecordCase<ItraceStart> got(order, body);
    CHECK(got->pid == Pid{0x01020304});
    CHECK(got->tid == Tid{0x05060708});
    check_needs<ItraceStart>(order, body, 16);
    CHECK(ItraceStart::min_bytes == 16);
}

TEST_CASE("AUX_OUTPUT_HW_ID gives the hardware's number", "[wire][aux_output_hw_id]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).take();
    check_fields<AuxOutputHwId>(order, body, {"hw_id=1234605616436508552"});
    CHECK(RecordCase<AuxOutputHwId>(order, body)->hw_id == 0x1122334455667788);
    check_needs<AuxOutputHwId>(order, body, 16);
    CHECK(AuxOutputHwId::min_bytes == 16);
}
