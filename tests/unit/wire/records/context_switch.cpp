// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("SWITCH says all in misc", "[wire][switch]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<ContextSwitch>(order, {}, {"switch_out=false", "switch_out_preempt=false"}, 0x9fff);
    check_fields<ContextSwitch>(order, {}, {"switch_out=true", "switch_out_preempt=false"}, misc_bit(13));
    check_fields<ContextSwitch>(order, {}, {"switch_out=false", "switch_out_preempt=true"}, misc_bit(14));
    const RecordCase<ContextSwitch> got(order, {}, misc_bit(13) | misc_bit(14));
    CHECK(got->out);
    CHECK(got->preempted);
    CHECK(ContextSwitch::min_bytes == 8);
}

TEST_CASE("SWITCH_CPU_WIDE also gives the other thread", "[wire][switch_cpu_wide]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(0x01020304).u32(0x05060708).take();
    const Lines thread = {"next_prev_pid=16909060", "next_prev_tid=84281096"};
    const auto with = [&](const char* out, const char* preempt) { return Lines{thread[0], thread[1], out, preempt}; };
    check_fields<SwitchCpuWide>(order, body, with("switch_out=false", "switch_out_preempt=false"), 0x9fff);
    check_fields<SwitchCpuWide>(order, body, with("switch_out=true", "switch_out_preempt=false"), misc_bit(13));
    check_fields<SwitchCpuWide>(order, body, with("switch_out=false", "switch_out_preempt=true"), misc_bit(14));
    const RecordCase<SwitchCpuWide> got(order, body, misc_bit(13) | misc_bit(14));
    CHECK(got->other_pid == Pid{0x01020304});
    CHECK(got->other_tid == Tid{0x05060708});
    CHECK(got->out);
    CHECK(got->preempted);
    check_needs<SwitchCpuWide>(order, body, 16);
    CHECK(SwitchCpuWide::min_bytes == 16);
}
