// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/bpf_btf.hpp"

#include "perfdata/wire/feature/btf_reader.hpp"

#include "catch.hpp"
#include "support/features.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

BtfReader btf_reader(const Blob& blob, std::endian order) {
    return BtfReader({blob, AnyOrder(order), {.where = "feature BPF_BTF", .offset = 1000}});
}

}  // namespace

TEST_CASE("BPF_BTF gives id, place and bytes of each blob", "[wire][bpf_btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = bpf_btf(order, {{0x01020304, blob_of("odd")}, {106, {}}, {7, blob_of("second blob")}});
    auto in = btf_reader(blob, order);
    const auto first = in.next();
    REQUIRE(first);
    REQUIRE(*first);
    CHECK((*first)->id == 0x01020304);
    CHECK((*first)->offset == 1000 + 4 + 8);
    CHECK(as_text((*first)->data) == "odd");
    const auto second = in.next();
    REQUIRE(second);
    REQUIRE(*second);
    CHECK((*second)->id == 106);
    CHECK((*second)->data.empty());
    const auto third = in.next();
    REQUIRE(third);
    REQUIRE(*third);
    CHECK((*third)->id == 7);
    CHECK((*third)->offset == 1000 + 4 + 8 + 3 + 8 + 8);
    CHECK(as_text((*third)->data) == "second blob");
    const auto end = in.next();
    REQUIRE(end);
    CHECK_FALSE(*end);
}

TEST_CASE("BPF_BTF with a count larger than the section is refused", "[wire][bpf_btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = patched(bpf_btf(order, {{1, blob_of("abc")}}), order, 0, std::uint32_t{0xffffffff});
    const auto got = btf_reader(blob, order).next();
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::truncated);
    CHECK(got.error().where == "feature BPF_BTF");
}

TEST_CASE("BPF_BTF with a blob beyond the section gives those before it", "[wire][bpf_btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto whole = bpf_btf(order, {{1, blob_of("abc")}, {2, blob_of("defg")}});
    const auto blob = patched(whole, order, 4 + 8 + 3 + 4, std::uint32_t{5});
    auto in = btf_reader(blob, order);
    const auto first = in.next();
    REQUIRE(first);
    CHECK(as_text((*first)->data) == "abc");
    const auto second = in.next();
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::truncated);
}

TEST_CASE("BPF_BTF without even a count is refused", "[wire][bpf_btf]") {
    const auto blob = blob_of("abc");
    CHECK_FALSE(btf_reader(blob, std::endian::little).next());
}

TEST_CASE("BPF_BTF that goes on behind what it counts is damaged", "[wire][bpf_btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto whole = bpf_btf(order, {{1, blob_of("abc")}, {2, blob_of("defg")}});
    const std::uint32_t count = GENERATE(0u, 1u);
    const auto blob = patched(whole, order, 0, count);
    auto in = btf_reader(blob, order);
    if (count == 1) REQUIRE(in.next());
    const auto end = in.next();
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::malformed);
    CHECK(end.error().detail == (count == 0 ? "23 bytes are left behind the last BTF blob that is counted"
                                            : "12 bytes are left behind the last BTF blob that is counted"));
}
