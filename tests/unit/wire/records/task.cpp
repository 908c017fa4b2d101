// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("FORK gives pid, parent's pid, tid, parent's tid and time", "[wire][fork]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(0x01020304).u32(2).u32(3).u32(0x05060708).u64(0x1122334455667788).take();
    check_fields<Fork>(
        order, body,
        {"pid=16909060", "ppid=2", "tid=3", "ptid=84281096", "time=1234605616436508552ns", "fork_exec=false"}, 0x5fff);
    const RecordCase<Fork> got(order, body);
    CHECK(got->pid == Pid{0x01020304});
    CHECK(got->parent_pid == Pid{2});
    CHECK(got->tid == Tid{3});
    CHECK(got->parent_tid == Tid{0x05060708});
    CHECK(got->time == Time{0x1122334455667788});
    CHECK(got->new_process());
    CHECK_FALSE(got->synthesized);
    check_needs<Fork>(order, body, 32);
    CHECK(Fork::min_bytes == 32);
}

TEST_CASE("FORK with misc bit 13 was synthesized", "[wire][fork]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(7).u32(7).u32(8).u32(7).u64(0).take();
    const RecordCase<Fork> got(order, body, misc_bit(13));
    REQUIRE(got.decoded());
    CHECK(got->synthesized);
    CHECK_FALSE(got->new_process());
    CHECK(lines_of(*got).back() == "fork_exec=true");
}

TEST_CASE("EXIT has the fields of FORK, and no use for misc", "[wire][exit]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(1).u32(2).u32(3).u32(4).u64(5).take();
    check_fields<Exit>(order, body, {"pid=1", "ppid=2", "tid=3", "ptid=4", "time=5ns"}, 0xffff);
    CHECK_FALSE(RecordCase<Exit>(order, body, 0xffff)->synthesized);
    check_needs<Exit>(order, body, 32);
    CHECK(Exit::type == RecordType::exit);
    CHECK(Exit::record_name == "record EXIT");
    CHECK(Fork::record_name == "record FORK");
}
