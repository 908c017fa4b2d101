// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("NAMESPACES gives device and inode of each", "[wire][namespaces]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(0x01020304).u32(6).u64(2).u64(3).u64(0x1122334455667788).u64(4).u64(5).take();
    check_fields<Namespaces>(order, body,
                             {"pid=16909060", "tid=6", "nr_namespaces=2", "link_info[0].dev=3",
                              "link_info[0].ino=1234605616436508552", "link_info[1].dev=4", "link_info[1].ino=5"});
    const RecordCase<Namespaces> got(order, body);
    CHECK(got->pid == Pid{0x01020304});
    CHECK(got->tid == Tid{6});
    CHECK(got->size() == 2);
    CHECK(got->link(1).device == 4);
    CHECK(got->link(1).inode == 5);
    check_needs<Namespaces>(order, body, 24 + 32);
    check_needs<Namespaces>(order, Writer(order).u32(1).u32(1).u64(0).take(), 24);
    CHECK(Namespaces::min_bytes == 24);
}

TEST_CASE("NAMESPACES of more than the record has room for is refused", "[wire][namespaces]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto count : wild_counts) {
        check_refused<Namespaces>(order, Writer(order).u32(1).u32(1).u64(count).zeros(32).take());
    }
    check_refused<Namespaces>(order, Writer(order).u32(1).u32(1).u64(3).zeros(47).take());
}

TEST_CASE("NAMESPACES come in the kernel's order", "[wire][namespaces]") {
    Lines kinds;
    for (std::size_t index = 0; index < 8; ++index) kinds.emplace_back(namespace_kind(index));
    CHECK(kinds == Lines{"net", "uts", "ipc", "pid", "user", "mnt", "cgroup", ""});
}
