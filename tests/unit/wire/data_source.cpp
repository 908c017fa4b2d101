// SPDX-License-Identifier: MIT
// Memory accesses as text, field by field as linux/perf_event.h numbers them.
#include "perfdata/wire/sample/data_source.hpp"

#include "catch.hpp"

using perfdata::DataSource;
using perfdata::describe;

namespace {

constexpr std::uint64_t operation(unsigned bits) {
    return bits;
}
constexpr std::uint64_t level(unsigned bits) {
    return std::uint64_t{bits} << 5;
}
constexpr std::uint64_t snoop(unsigned bits) {
    return std::uint64_t{bits} << 19;
}
constexpr std::uint64_t lock(unsigned bits) {
    return std::uint64_t{bits} << 24;
}
constexpr std::uint64_t tlb(unsigned bits) {
    return std::uint64_t{bits} << 26;
}
constexpr std::uint64_t number(unsigned value) {
    return std::uint64_t{value} << 33;
}
constexpr std::uint64_t remote = std::uint64_t{1} << 37;
constexpr std::uint64_t more_snoop(unsigned bits) {
    return std::uint64_t{bits} << 38;
}
constexpr std::uint64_t blocked(unsigned bits) {
    return std::uint64_t{bits} << 40;
}
constexpr std::uint64_t hops(unsigned value) {
    return std::uint64_t{value} << 43;
}

// Bits of levels: PERF_MEM_LVL_HIT and so on.
constexpr unsigned hit = 2, miss = 4, in_l1 = 8;

std::string access_text(std::uint64_t word) {
    return describe(DataSource{word});
}

}  // namespace

TEST_CASE("The documented access has the documented words", "[wire][data_source]") {
    const auto word = operation(2) | level(hit | in_l1) | snoop(2) | tlb(2 | 8 | 16);
    CHECK(access_text(word) == "LOAD, L1 hit, snoop none, TLB hit or L1 or L2");
}

TEST_CASE("Each field of a memory access has its words", "[wire][data_source]") {
    CHECK(access_text(operation(2)) == "LOAD");
    CHECK(access_text(operation(4)) == "STORE");
    CHECK(access_text(operation(2 | 8 | 16)) == "LOAD or PREFETCH or EXEC");
    CHECK(access_text(level(hit | 1u << 4)) == "LFB hit");
    CHECK(access_text(level(miss | 1u << 6)) == "L3 miss");
    CHECK(access_text(level(1u << 7 | 1u << 8)) == "local RAM or remote RAM 1 hop");
    CHECK(access_text(level(hit | 1u << 11 | 1u << 12 | 1u << 13)) == "remote cache 2 hops or I/O or uncached hit");
    CHECK(access_text(number(4) | level(hit)) == "L4 hit");
    CHECK(access_text(number(13) | level(hit) | remote | hops(2)) == "remote RAM (node, same socket) hit");
    CHECK(access_text(number(14)) == "PMEM");
    CHECK(access_text(snoop(2)) == "snoop none");
    CHECK(access_text(snoop(4 | 16)) == "snoop hit or hitm");
    CHECK(access_text(more_snoop(1 | 2)) == "snoop forward or peer");
    CHECK(access_text(tlb(4 | 32)) == "TLB miss or walker");
    CHECK(access_text(tlb(64)) == "TLB fault");
    CHECK(access_text(lock(2)) == "locked");
    CHECK(access_text(blocked(2 | 4)) == "blocked by data or address");
    CHECK(access_text(operation(4) | lock(2) | blocked(4)) == "STORE, locked, blocked by address");
}

TEST_CASE("What is not available is left out", "[wire][data_source]") {
    CHECK(access_text(0) == "not available");
    CHECK(access_text(operation(1) | level(1) | snoop(1) | lock(1) | tlb(1) | blocked(1)) == "not available");
    CHECK(access_text(number(DataSource::no_level_number)) == "not available");
    CHECK(access_text(operation(2) | number(DataSource::no_level_number) | level(hit | in_l1)) == "LOAD, L1 hit");
    CHECK(DataSource{number(DataSource::no_level_number)}.level_number() == 15);
}

TEST_CASE("The accessors of a memory access take it apart", "[wire][data_source]") {
    const DataSource all{~std::uint64_t{0}};
    CHECK(all.operation() == 0x1f);
    CHECK(all.level() == 0x3fff);
    CHECK(all.snoop() == 0x1f);
    CHECK(all.lock() == 3);
    CHECK(all.tlb() == 0x7f);
    CHECK(all.level_number() == 0xf);
    CHECK(all.remote());
    CHECK(all.snoop_more() == 3);
    CHECK(all.blocked() == 7);
    CHECK(all.hops() == 7);
    CHECK(all.region() == 0x1f);
    const DataSource none{std::uint64_t{1} << 51};
    CHECK(none.region() == 0);
    CHECK_FALSE(none.remote());
}
