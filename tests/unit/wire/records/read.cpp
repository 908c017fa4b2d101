// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto single = read_bit::time_enabled | read_bit::time_running | read_bit::id | read_bit::lost;
constexpr auto group = single | read_bit::group;

Writer thread(std::endian order) {
    Writer body(order);
    body.u32(0x01020304).u32(0x05060708);
    return body;
}

}  // namespace

TEST_CASE("READ gives the value of one counter with all that goes with it", "[wire][read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = thread(order).u64(0x1122334455667788).u64(20).u64(10).u64(7).u64(3).take();
    check_fields<Read>(order, body,
                       {"pid=16909060", "tid=84281096", "value=1234605616436508552", "time_enabled=20",
                        "time_running=10", "id=7", "lost=3"},
                       0, single);
    const RecordCase<Read> got(order, body, 0, 0, single);
    CHECK(got->pid == Pid{0x01020304});
    CHECK(got->tid == Tid{0x05060708});
    CHECK(got->read_format == single);
    CHECK(got->values.size() == 1);
    CHECK(got->values[0].id == EventId{7});
    check_needs<Read>(order, body, 16 + 40, 0, single);
}

TEST_CASE("READ of the smallest read_format is a value alone", "[wire][read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = thread(order).u64(5).take();
    check_fields<Read>(order, body, {"pid=16909060", "tid=84281096", "value=5"});
    check_needs<Read>(order, body, 24);
    CHECK(Read::min_bytes == 24);
}

TEST_CASE("READ gives the values of a group", "[wire][read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = thread(order).u64(2).u64(20).u64(10).u64(100).u64(7).u64(1).u64(200).u64(8).u64(0).take();
    check_fields<Read>(
        order, body,
        {"pid=16909060", "tid=84281096", "nr=2", "time_enabled=20", "time_running=10", "cntr[0].value=100",
         "cntr[0].id=7", "cntr[0].lost=1", "cntr[1].value=200", "cntr[1].id=8", "cntr[1].lost=0"},
        0, group);
    check_needs<Read>(order, body, 16 + 72, 0, group);
}

TEST_CASE("READ of a group may be empty", "[wire][read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<Read>(order, thread(order).u64(0).take(), {"pid=16909060", "tid=84281096", "nr=0"}, 0,
                       read_bit::group);
}

TEST_CASE("READ of more values than the record has room for is refused", "[wire][read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto count : wild_counts) {
        check_refused<Read>(order, thread(order).u64(count).u64(1).u64(2).take(), ErrorCode::truncated, 0,
                            read_bit::group);
    }
    check_refused<Read>(order, thread(order).u64(3).u64(1).u64(2).take(), ErrorCode::truncated, 0, read_bit::group);
}
