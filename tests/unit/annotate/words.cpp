// SPDX-License-Identifier: MIT
#include "../annotate/words.hpp"

#include <array>

#include "catch.hpp"
#include "unit/timeline/scene.hpp"

using namespace perfdata;
using namespace std::string_literals;

TEST_CASE("Addresses are hexadecimal with 0x and without leading zeros", "[annotate][words]") {
    CHECK(hex(Address{0}) == "0x0");
    CHECK(hex(Address{0xffffffffc0025c34}) == "0xffffffffc0025c34");
    CHECK(hex(Address{0x0abc}) == "0xabc");
}

TEST_CASE("Times are seconds with nine digits", "[annotate][words]") {
    CHECK(seconds({0}) == "0.000000000");
    CHECK(seconds({1}) == "0.000000001");
    CHECK(seconds({475'468'255'123}) == "475.468255123");
    CHECK(seconds({1'000'000'000}) == "1.000000000");
    CHECK(seconds(Time::forever()) == "18446744073.709551615");
}

TEST_CASE("Wall-clock times are UTC with nine digits", "[annotate][words]") {
    CHECK(wall_clock(0) == "1970-01-01T00:00:00.000000000Z");
    CHECK(wall_clock(1763500000000000042) == "2025-11-18T21:06:40.000000042Z");
    CHECK(wall_clock(1709251199999999999) == "2024-02-29T23:59:59.999999999Z");
    CHECK(wall_clock(~std::uint64_t{0}) == "2554-07-21T23:34:33.709551615Z");
}

TEST_CASE("Bytes are pairs of hexadecimal digits", "[annotate][words]") {
    const std::array bytes = {std::byte{0}, std::byte{0x0f}, std::byte{0xc0}};
    CHECK(hex_bytes(bytes) == "000fc0");
    CHECK(hex_bytes({}).empty());
}

TEST_CASE("Shares are percent, and of nothing 0", "[annotate][words]") {
    CHECK(share(0, 0) == 0.0);
    CHECK(share(5, 0) == 0.0);
    CHECK(share(1, 4) == 25.0);
    CHECK(share(7, 7) == 100.0);
    CHECK(share(~std::uint64_t{0}, ~std::uint64_t{0}) == 100.0);
}

TEST_CASE("Text that a terminal only shows stays as it is", "[annotate][words]") {
    for (const auto& text : {""s, "bpf_prog_0123_main"s, "tab\there"s, "quote \" and \\ back"s, "\u00a0 \u00e9 \u20ac"s,
                             "\U0001f600 \U0010ffff"s, "\xef\xbf\xbd"s}) {
        CHECK(printable(text) == text);
    }
}

TEST_CASE("Control characters are written as numbers", "[annotate][words]") {
    CHECK(printable("\x1b[31mred\x1b[0m") == "\\x1b[31mred\\x1b[0m");
    CHECK(printable("a\nb\rc\bd\x07") == "a\\x0ab\\x0dc\\x08d\\x07");
    CHECK(printable("nul\0behind"s) == "nul\\x00behind");
    CHECK(printable("\x7f") == "\\x7f");
    for (int character = 0; character < 0x20; ++character) {
        if (character == '\t') continue;
        CHECK(printable(std::string(1, static_cast<char>(character))).starts_with("\\x"));
    }
}

TEST_CASE("C1 controls are controls, whether alone or as UTF-8", "[annotate][words]") {
    CHECK(printable("\x9b"
                    "31m") == "\\x9b31m");  // CSI of 8-bit terminals
    CHECK(printable("\xc2\x9b"
                    "31m") == "\\xc2\\x9b31m");  // U+009B
    CHECK(printable("\xc2\x80\xc2\x9f") == "\\xc2\\x80\\xc2\\x9f");
    CHECK(printable("\xc2\xa0") == "\xc2\xa0");
}

TEST_CASE("Marks that change the direction of writing are written as numbers", "[annotate][words]") {
    CHECK(printable("a\u202eb") == "a\\xe2\\x80\\xaeb");  // U+202E, right to left
    for (const auto* mark : {"\u200e", "\u200f", "\u2028", "\u202a", "\u202e", "\u2066", "\u2069"}) {
        CHECK(printable(mark).starts_with("\\xe2\\x8"));
    }
    for (const auto* other : {"\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a", "\u00e2"}) {
        CHECK(printable(other) == other);
    }
}

TEST_CASE("Bytes that are no UTF-8 are written as numbers, and what follows is not lost", "[annotate][words]") {
    CHECK(printable("\xff"
                    "a") == "\\xffa");
    CHECK(printable("\x80"
                    "a") ==
          "\\x80"
          "a");                           // continuation without a start
    CHECK(printable("\xc3") == "\\xc3");  // cut at the end
    CHECK(printable("\xc3"
                    "a") ==
          "\\xc3"
          "a");                                    // cut by another character
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");  // cut after two of three
    CHECK(printable("\xe2\x82"
                    "b") ==
          "\\xe2\\x82"
          "b");
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");  // overlong
    CHECK(printable("\xe0\x9f\xbf") == "\\xe0\\x9f\\xbf");
    CHECK(printable("\xf0\x8f\xbf\xbf") == "\\xf0\\x8f\\xbf\\xbf");
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
    CHECK(printable("\xf5\x80\x80\x80") == "\\xf5\\x80\\x80\\x80");
}

TEST_CASE("For JSON what is no UTF-8 becomes U+FFFD and controls stay", "[annotate][words]") {
    CHECK(utf8("plain \xc3\xa9 \x1b\n\t"s) == "plain \xc3\xa9 \x1b\n\t");
    CHECK(utf8("a\xff"
               "b") ==
          "a\xef\xbf\xbd"
          "b");
    CHECK(utf8("\xc3") == "\xef\xbf\xbd");
    CHECK(utf8("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(utf8("\0x"s) == "\0x"s);
}

TEST_CASE("Program types have names, or numbers if they are newer", "[annotate][words]") {
    CHECK(program_type(17) == "raw_tracepoint");
    CHECK(program_type(0) == "unspec");
    CHECK(program_type(4711) == "type 4711");
}

TEST_CASE("Kinds and objects have words", "[annotate][words]") {
    CHECK(kind_name(CodeKind::bpf_program) == "bpf");
    CHECK(kind_name(CodeKind::bpf_image) == "bpf");
    CHECK(kind_name(CodeKind::out_of_line) == "out_of_line");
    test::Scene scene;
    scene.known({42, 1, {{0x1000, 16, "main", 1}}}).symbol({}, 0x3000, 4096, "bpf_trampoline_1");
    scene.symbol({}, 0x5000, 16, "kprobe_insn_page", 0, 2);
    const auto timeline = scene.timeline();
    CHECK(object_name(timeline, timeline.code()[0]) == "[bpf:42]");
    CHECK(object_name(timeline, timeline.code()[1]) == "[bpf]");
    CHECK(object_name(timeline, timeline.code()[2]) == "[kernel]");
}
