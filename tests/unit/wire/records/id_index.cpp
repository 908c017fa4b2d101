// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Writer two_entries(std::endian order) {
    Writer body(order);
    body.u64(2).u64(0x1122334455667788).u64(1).u64(2).u64(~std::uint64_t{0});
    return std::move(body.u64(5).u64(6).u64(7).u64(8));
}

const Lines entry_lines = {"nr=2",
                           "entries[0].id=1234605616436508552",
                           "entries[0].idx=1",
                           "entries[0].cpu=2",
                           "entries[0].tid=18446744073709551615",
                           "entries[1].id=5",
                           "entries[1].idx=6",
                           "entries[1].cpu=7",
                           "entries[1].tid=8"};

}  // namespace

TEST_CASE("ID_INDEX gives what each id counts on", "[wire][id_index]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = two_entries(order).take();
    check_fields<IdIndex>(order, body, entry_lines);
    const RecordCase<IdIndex> got(order, body);
    CHECK(got->size() == 2);
    CHECK_FALSE(got->has_guests());
    CHECK(got->entry(0).id == EventId{0x1122334455667788});
    CHECK(got->entry(1).index == 6);
    CHECK(got->entry(1).cpu == 7);
    CHECK(got->entry(1).tid == 8);
    check_needs<IdIndex>(order, body, 16 + 64);
    check_needs<IdIndex>(order, Blob(8), 16);
    CHECK(IdIndex::min_bytes == 16);
}

TEST_CASE("ID_INDEX may have a second table behind the first", "[wire][id_index]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = two_entries(order).u64(9).u64(10).u64(0x99aabbccddeeff00).u64(12).take();
    auto want = entry_lines;
    for (const auto* line : {"entries_2[0].machine_pid=9", "entries_2[0].vcpu=10",
                             "entries_2[1].machine_pid=11072869122414935808", "entries_2[1].vcpu=12"}) {
        want.emplace_back(line);
    }
    check_fields<IdIndex>(order, body, want);
    const RecordCase<IdIndex> got(order, body);
    REQUIRE(got->has_guests());
    CHECK(got->guest(0).machine_pid == 9);
    CHECK(got->guest(1).vcpu == 12);
}

TEST_CASE("ID_INDEX with part of a second table has none", "[wire][id_index]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<IdIndex>(order, two_entries(order).zeros(31).take(), entry_lines);
    check_fields<IdIndex>(order, Writer(order).u64(0).zeros(16).take(), {"nr=0"});
}

TEST_CASE("ID_INDEX of more entries than the record holds is refused", "[wire][id_index]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto count : wild_counts) check_refused<IdIndex>(order, Writer(order).u64(count).zeros(96).take());
    check_refused<IdIndex>(order, Writer(order).u64(2).zeros(63).take());
    check_refused<IdIndex>(order, Writer(order).u64(std::uint64_t{1} << 59).zeros(96).take());
}
