// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// name_of(type) returns the name of the type's decoder.
std::string_view name_of(std::uint32_t type) {
    std::string_view name;
    const bool found = visit_record_type(static_cast<RecordType>(type), [&]<class R>() { name = R::record_name; });
    CHECK(found == !name.empty());
    return name;
}

}  // namespace

TEST_CASE("Every type but SAMPLE leads to its own decoder", "[wire][all]") {
    for (std::uint32_t type = 0; type < 300; ++type) {
        CAPTURE(type);
        const auto name = record_type_name(type);
        const bool known = !name.empty() && static_cast<RecordType>(type) != RecordType::sample;
        CHECK(name_of(type) == (known ? "record " + std::string(name) : ""));
    }
    CHECK(name_of(32768).empty());
    CHECK(name_of(0xffffffff).empty());
    CHECK(std::tuple_size_v<AllRecords> == 44);
}

TEST_CASE("No decoder trusts a record of any size and any content", "[wire][all]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto filler = GENERATE(0, 1, 4, 15, 0x40, 0x80, 0xff);
    const auto check = [&]<class R>(std::type_identity<R>) {
        for (std::size_t size = 0; size < 700; size += size < 160 ? 1 : 37) {
            const Blob body(size, static_cast<std::byte>(filler));
            for (const auto misc : std::initializer_list<std::uint16_t>{0, 0xffff}) {
                for (const auto read_format : std::initializer_list<std::uint64_t>{0, 8, 31}) {
                    const RecordCase<R> got(order, body, misc, 16, read_format);
                    if (got.decoded()) (void)lines_of(*got);
                }
            }
        }
    };
    const auto check_all = [&]<class... R>(std::type_identity<std::tuple<R...>>) {
        (check(std::type_identity<R>{}), ...);
    };
    check_all(std::type_identity<AllRecords>{});
    SUCCEED();
}

TEST_CASE("What can be decoded has at least the minimum size", "[wire][all]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto check = [&]<class R>(std::type_identity<R>) {
        CAPTURE(R::record_name);
        CHECK(R::min_bytes >= RecordHeader::bytes);
        for (std::size_t size = 8; size < R::min_bytes; ++size)
            CHECK_FALSE(RecordCase<R>(order, Blob(size - 8)).decoded());
        const bool zeros = RecordCase<R>(order, Blob(R::min_bytes - 8)).decoded();
        const bool ones = RecordCase<R>(order, Blob(R::min_bytes - 8, std::byte{0xff})).decoded();
        CHECK((zeros || ones));
    };
    const auto check_all = [&]<class... R>(std::type_identity<std::tuple<R...>>) {
        (check(std::type_identity<R>{}), ...);
    };
    check_all(std::type_identity<AllRecords>{});
}
