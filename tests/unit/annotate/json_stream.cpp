// SPDX-License-Identifier: MIT
#include "format/json_stream.hpp"

#include <limits>
#include <rapidjson/stringbuffer.h>

#include "catch.hpp"
#include "format/words.hpp"

using namespace perfdata;

namespace {

// Collected is a sink that remembers its largest block.
struct Collected {
    std::string text;
    std::size_t largest = 0;
    Sink sink = [this](std::string_view part) {
        text += part;
        largest = std::max(largest, part.size());
    };
};

std::string written(std::string_view text) {
    Collected out;
    JsonStream stream(out.sink);
    CompactJson(stream).text(text);
    stream.flush();
    return out.text;
}

// expected(text) returns what RapidJSON itself writes.
std::string expected(std::string_view text) {
    const auto valid = utf8(text);
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
    return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

TEST_CASE("Strings are escaped as RapidJSON does", "[annotate][json]") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        if (byte == 0x7f) continue;  // DEL is invisible: escaped here, not in RapidJSON
        const std::string one(1, static_cast<char>(byte));
        all += one;
        CHECK(written(one) == expected(one));
        CHECK(written("a" + one + "b") == expected("a" + one + "b"));
    }
    CHECK(written(all) == expected(all));
    for (const std::string_view text : {"", "plain", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3",
                                        "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xff\xfe\"\\"}) {
        CHECK(written(text) == expected(text));
    }
    CHECK(written("a\xff\x01") == "\"a\xef\xbf\xbd\\u0001\"");
}

TEST_CASE("A long string is handed out in blocks", "[annotate][json]") {
    std::string text;
    while (text.size() < 1'000'000) text += "abc\n\xff\xe2\x82\xac\x01 ";
    Collected out;
    JsonStream stream(out.sink);
    PrettyJson json(stream);
    json.StartObject();
    json.text("key");
    json.text(text);
    json.text("bytes");
    json.hex(std::as_bytes(std::span(text).first(200'000)));
    json.EndObject();
    stream.flush();
    CHECK(out.largest == JsonStream::block);
    CHECK(out.text == "{\n    \"key\": " + expected(text) + ",\n    \"bytes\": \"" +
                          hex_bytes(std::as_bytes(std::span(text).first(200'000))) + "\"\n}");
}

TEST_CASE("What is nested very deep stands no further in", "[annotate][json]") {
    Collected out;
    JsonStream stream(out.sink);
    PrettyJson json(stream);
    json.SetIndent(' ', 1);
    constexpr std::size_t deep = 200, furthest = 64;
    std::string expected_text;
    for (std::size_t level = 0; level < deep; ++level) {
        json.StartObject();
        json.text("a");
        expected_text += "{\n" + std::string(std::min(level + 1, furthest), ' ') + "\"a\": ";
    }
    json.Null();
    expected_text += "null";
    for (std::size_t level = deep; level-- > 0;) {
        json.EndObject();
        expected_text += "\n" + std::string(std::min(level, furthest), ' ') + "}";
    }
    stream.flush();
    CHECK(out.text == expected_text);
}

// AddressSanitizer ends the program on such a large allocation, which is right in all other tests.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERFDATA_TEST_WITHOUT_HUGE_ALLOCATIONS
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(PERFDATA_TEST_WITHOUT_HUGE_ALLOCATIONS)
TEST_CASE("RapidJSON's memory runs out with an exception", "[annotate][json]") {
    volatile std::size_t too_much = std::numeric_limits<std::size_t>::max() / 4;
    CHECK_THROWS_AS(JsonAllocator::Malloc(too_much), std::bad_alloc);
    void* some = JsonAllocator::Malloc(8);
    CHECK_THROWS_AS(JsonAllocator::Realloc(some, 8, too_much), std::bad_alloc);
    CHECK(JsonAllocator::Realloc(some, 8, 0) == nullptr);
    CHECK(JsonAllocator::Malloc(0) == nullptr);
}
#endif
