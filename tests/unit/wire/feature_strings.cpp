// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/strings.hpp"

#include "catch.hpp"
#include "support/features.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Cursor cursor_over(const Blob& blob, std::endian order) {
    return {blob, AnyOrder(order), {.where = "feature CMDLINE", .offset = 0}};
}

std::vector<std::string> read_all(FeatureStringList& list) {
    std::vector<std::string> texts;
    std::string_view text;
    while (list.next(text)) texts.emplace_back(text);
    return texts;
}

}  // namespace

TEST_CASE("A feature string ends at its NUL, not at its padding, and all its bytes are taken", "[wire][strings]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = joined({feature_string(order, "6.1.0-56-amd64"), blob_of("rest")});
    auto in = cursor_over(blob, order);
    CHECK(read_feature_string(in) == "6.1.0-56-amd64");
    CHECK(as_text(in.rest()) == "rest");
    CHECK(in.ok());
}

TEST_CASE("A feature string without padding or NUL is taken whole", "[wire][strings]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u32(5).text("aarch64").take();
    auto in = cursor_over(blob, order);
    CHECK(read_feature_string(in) == "aarch");
    CHECK(in.remaining() == 2);
}

TEST_CASE("A feature string of length 0 is empty and no error", "[wire][strings]") {
    const auto blob = Writer(std::endian::little).u32(0).u8(7).take();
    auto in = cursor_over(blob, std::endian::little);
    CHECK(read_feature_string(in).empty());
    CHECK(in.ok());
    CHECK(in.remaining() == 1);
}

TEST_CASE("A feature string longer than its section fails", "[wire][strings]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t claimed = GENERATE(4u, 0x7fffffffu, 0xffffffffu);
    const auto blob = Writer(order).u32(claimed).text("abc").take();
    auto in = cursor_over(blob, order);
    CHECK(read_feature_string(in).empty());
    CHECK_FALSE(in.ok());
}

TEST_CASE("A string list gives its strings in order and stops", "[wire][strings]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::vector<std::string> texts = {"/usr/bin/perf", "record", "",
                                            "a longer argument than 64 bytes: " + std::string(80, 'x')};
    const auto blob = joined({feature_strings(order, texts), blob_of("rest")});
    FeatureStringList list(cursor_over(blob, order));
    CHECK(read_all(list) == texts);
    CHECK(list.ok());
    CHECK(list.cursor().remaining() == 4);
    std::string_view text;
    CHECK_FALSE(list.next(text));
}

TEST_CASE("A string list with a damaged string keeps those before it and says so", "[wire][strings]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto blob = feature_strings(order, {"one", "two", "three"});
    blob = patched(blob, order, 4 + 68, std::uint32_t{500});  // the second string's length
    FeatureStringList list(cursor_over(blob, order));
    CHECK(read_all(list) == std::vector<std::string>{"one"});
    CHECK_FALSE(list.ok());
}

TEST_CASE("A string list whose count cannot fit gives nothing at once", "[wire][strings]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u32(0xffffffff).u32(0).u32(0).take();
    FeatureStringList list(cursor_over(blob, order));
    CHECK(read_all(list).empty());
    CHECK_FALSE(list.ok());
    const auto two_bytes = blob_of("ab");
    FeatureStringList of_nothing(cursor_over(two_bytes, order));
    CHECK(read_all(of_nothing).empty());
    CHECK_FALSE(of_nothing.ok());
}
