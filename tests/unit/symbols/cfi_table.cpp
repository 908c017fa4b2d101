// SPDX-License-Identifier: MIT
// The sorted table of .eh_frame_hdr, and what becomes of a wrong one.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "support/random.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using I = Instructions;

std::string problem_of_table(const CfiSection& section) {
    const auto damage = section.damage();
    return damage ? damage->detail : "none";
}

}  // namespace

TEST_CASE("The table of .eh_frame_hdr finds functions without reading the others", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CfiBuilder::Options options;
    options.order = order;
    CfiCase one(options);
    const auto cie = one.builder.cie();
    std::vector<std::size_t> at;
    for (std::uint64_t number = 0; number < 100; ++number) {
        at.push_back(one.builder.fde(cie, 0x1000 + number * 0x20, 0x18, I(order).def_cfa_offset(number)));
    }
    const auto table = one.builder.table();
    const auto& section = one.open(&table);
    for (std::uint64_t number = 0; number < 100; ++number) {
        CHECK(one.row(0x1000 + number * 0x20) == "7+" + std::to_string(number) + " 16:[-8]");
        CHECK(section.find(0x1017 + number * 0x20).value().value().offset == at[number]);
        CHECK(one.row(0x1018 + number * 0x20) == "none");
    }
    CHECK(one.row(0xfff) == "none");
    CHECK(one.row(0) == "none");
    CHECK(one.row(UINT64_MAX) == "none");
    CHECK(section.has_table());
    CHECK(problem_of_table(section) == "none");

    // An entry's CIE is damaged, but nobody looks there.
    for (std::size_t byte = 4; byte < 8; ++byte) one.content[at[50] + byte] = std::byte{0x7f};
    CHECK(one.row(0x1000) == "7+0 16:[-8]");
    CHECK(problem_of_table(section) == "none");
    // Who looks has all entries read.
    CHECK(one.row(0x1000 + 50 * 0x20) == "none");
    CHECK(problem_of_table(section) == "the CIE of an FDE lies outside of the section");
    CHECK(one.row(0x1000 + 49 * 0x20) == "7+49 16:[-8]");
    CHECK(one.row(0x1000 + 51 * 0x20) == "7+51 16:[-8]");
}

TEST_CASE("The table of a 32-bit file lies before or behind its code", "[symbols][unwind]") {
    for (const std::uint64_t code : {std::uint64_t{0x1000}, std::uint64_t{0x08049000}, std::uint64_t{0xf7000000}}) {
        CAPTURE(code);
        CfiBuilder::Options options;
        options.wide_addresses = false;
        options.address = 0xf7800000;
        options.table_address = 0xf7700000;
        CfiCase one(options, target_of(ArchFamily::x86, 4));
        CfiBuilder::Common common;
        common.return_register = 8;
        common.data_alignment = -4;
        common.instructions = I().def_cfa(4, 4).offset(8, 1);
        const auto cie = one.builder.cie(common);
        // As linkers sort it: by signed distance.
        if (code < 0x80000000) {
            one.builder.fde(cie, 0xf7900000, 0x20);
            one.builder.fde(cie, code, 0x20);
        } else {
            one.builder.fde(cie, code, 0x20);
            one.builder.fde(cie, 0xf7900000, 0x20);
        }
        const auto table = one.builder.table();
        const auto& section = one.open(&table);
        CHECK(one.row(code) == "4+4 8:[-4]");
        CHECK(one.row(code + 0x1f) == "4+4 8:[-4]");
        CHECK(one.row(code + 0x20) == "none");
        CHECK(one.row(0xf7900000) == "4+4 8:[-4]");
        CHECK(section.has_table());
        CHECK(problem_of_table(section) == "none");
    }
}

TEST_CASE("A table that is wrong is not used", "[symbols][unwind]") {
    const auto with_table = [](auto&& change, const std::string& expected) {
        CfiCase one;
        const auto cie = one.builder.cie();
        one.builder.fde(cie, 0x1000, 0x20);
        one.builder.fde(cie, 0x2000, 0x20, I().offset(3, 2));
        one.builder.fde(cie, 0x3000, 0x20, I().offset(12, 2));
        auto table = one.builder.table();
        change(table);
        const auto& section = one.open(&table);
        CHECK(one.row(0x1000) == "7+8 16:[-8]");
        CHECK(one.row(0x2000) == "7+8 3:[-16] 16:[-8]");
        CHECK(one.row(0x3000) == "7+8 12:[-16] 16:[-8]");
        CHECK(problem_of_table(section) == expected);
    };
    const auto byte = [](std::size_t at, unsigned value) {
        return [=](Blob& table) { table.at(at) = static_cast<std::byte>(value); };
    };
    with_table([](Blob&) {}, "none");
    with_table(byte(0, 2), "its version is not 1");
    with_table(byte(1, 0xff), "it belongs to another section than .eh_frame");
    with_table(byte(2, 0xff), "it has no table");
    with_table(byte(3, 0xff), "it has no table");
    with_table(byte(3, 0x33), "its table has the encoding 51");
    with_table(byte(4, 0), "it belongs to another section than .eh_frame");
    with_table(byte(8, 200), "its table goes beyond its end");
    with_table([](Blob& table) { table.resize(3); }, "its version is not 1");
    with_table([](Blob& table) { table.resize(table.size() - 1); }, "its table goes beyond its end");
    // Sorted, but the second function is not there, or begins elsewhere.
    with_table(byte(20 + 4, 0), "what should be an FDE is none");
    with_table(byte(20, 1), "its table disagrees with .eh_frame about where a function begins");
    with_table(
        [](Blob& table) {
            for (std::size_t at = 0; at < 8; ++at) std::swap(table[12 + at], table[20 + at]);
        },
        "its table is not sorted");
}

TEST_CASE("Entries of a table that begin at one address are told apart by size", "[symbols][unwind]") {
    CfiCase one;
    const auto cie = one.builder.cie();
    one.builder.fde(cie, 0x1000, 0x20, I().offset(3, 2));
    one.builder.fde(cie, 0x1000, 0);
    const auto table = one.builder.table();
    one.open(&table);
    CHECK(one.row(0x1008) == "7+8 3:[-16] 16:[-8]");
    CHECK(one.section->has_table());
}

TEST_CASE("A table may have functions at both ends of all addresses", "[symbols][unwind]") {
    CfiBuilder::Options options;
    options.address = 0x100;
    options.table_address = 0x10;
    CfiCase one(options);
    const auto cie = one.builder.cie();
    one.builder.fde(cie, 0xfffffffffffffef0, 0x10, I().offset(3, 2));
    one.builder.fde(cie, 0x1000, 0x20);
    const auto table = one.builder.table();
    const auto& section = one.open(&table);
    CHECK(section.has_table());
    CHECK(one.row(0x5) == "none");
    CHECK(section.extent(0x5) == std::pair<std::uint64_t, std::uint64_t>(0, 0x1000));
    CHECK(one.row(0xffffffffffffff80) == "none");
    CHECK(section.extent(0xffffffffffffff80) ==
          std::pair<std::uint64_t, std::uint64_t>(0xffffffffffffff00, UINT64_MAX));
    CHECK(one.row(0xfffffffffffffef8) == "7+8 3:[-16] 16:[-8]");
    CHECK(problem_of_table(section) == "none");
}

TEST_CASE("Answers hold as far as they say, also of wrong tables", "[symbols][unwind]") {
    Random random(20261129);
    std::size_t wrong = 0, compared = 0;
    for (int round = 0; round < 400; ++round) {
        CfiBuilder::Options options;
        const bool wide = random.below(2) == 0;
        options.wide_addresses = wide;
        options.address = random.below(2) == 0 ? 0x8000 : wide ? 0xffffffffffff8000 : 0xffff8000;
        options.table_address = options.address - 0x1000;
        CfiCase one(options, target_of(ArchFamily::x86, wide ? 8 : 4));
        const auto cie = one.builder.cie();
        const auto mask = wide ? UINT64_MAX : UINT32_MAX;
        std::vector<std::uint64_t> probes{0, 5, mask, mask - 5, mask / 2, mask / 2 + 1, UINT64_MAX, UINT64_MAX / 2};
        std::uint64_t begin = options.table_address - 0x800;
        for (auto functions = random.below(10); functions != 0; --functions) {
            begin += random.below(0x40);
            const auto size = random.below(0x30);
            if ((begin & mask) + size < (begin & mask) || (begin & mask) + size > mask) continue;
            one.builder.fde(cie, begin & mask, size);
            for (const auto at : {begin - 1, begin, begin + size / 2, begin + size - 1, begin + size}) {
                probes.push_back(at & mask);
            }
        }
        auto table = one.builder.table();
        for (auto flips = random.below(4); flips != 0 && table.size() > 12; --flips) {
            table.at(12 + random.below(table.size() - 12)) ^= static_cast<std::byte>(1u << random.below(8));
        }
        const auto& section = one.open(&table);
        const auto found = [&](std::uint64_t at) -> std::optional<std::uint32_t> {
            const auto function = section.find(at);
            REQUIRE(function);
            return *function ? std::optional((*function)->offset) : std::nullopt;
        };
        for (const auto at : probes) {
            const auto [first, behind] = section.extent(at);
            CHECK((first <= at && (at < behind || behind == UINT64_MAX)));
            for (const auto other : probes) {
                if (other < first || other >= behind) continue;
                CHECK(found(other) == found(at));
                ++compared;
            }
        }
        if (section.damage()) ++wrong;
    }
    CHECK(wrong > 50);
    CHECK(compared > 10'000);
}
