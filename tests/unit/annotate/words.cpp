// SPDX-License-Identifier: MIT
#include "format/words.hpp"

#include <array>
#include <vector>

#include "catch.hpp"
#include "page/titles.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace std::string_literals;

TEST_CASE("Addresses are hexadecimal with 0x and without leading zeros", "[annotate][words]") {
    CHECK(hex(Address{0}) == "0x0");
    CHECK(hex(Address{0xffffffffc0025c34}) == "0xffffffffc0025c34");
    CHECK(hex(Address{0x0abc}) == "0xabc");
}

TEST_CASE("Notes on inlined calls say once that they are missing", "[annotate][words]") {
    const std::vector<Error> problems = {
        {ErrorCode::limit, Error::no_offset, "/bin/nest: DWARF", "inlined calls are missing: they are nested deeper"},
        {ErrorCode::malformed, Error::no_offset, "/bin/nest: DWARF", "names of inlined calls are missing: dwz"}};
    CHECK(inlined_notes(problems) ==
          std::vector{"inlined calls are missing: /bin/nest: DWARF: they are nested deeper"s,
                      "inlined calls are missing: /bin/nest: DWARF: names of inlined calls are missing: dwz"s});
}

TEST_CASE("Long names are shortened, between characters, with how much was cut off", "[annotate][words]") {
    const auto whole = std::string(most_shown, 'a');
    CHECK(shown(whole) == whole);
    CHECK(shown(whole + "b") == whole + "… (and 1 more bytes)");
    CHECK(shown(whole + std::string(1'000'000, 'b')) == whole + "… (and 1000000 more bytes)");
    const auto euro = std::string(most_shown - 1, 'a') + "\xe2\x82\xac" + "b";
    CHECK(shown(euro) == whole.substr(1) + "… (and 4 more bytes)");
    // Invalid UTF-8 is cut anywhere, without a search back to the beginning.
    CHECK(std::string_view(Shortened(std::string(4000, '\x80'))).size() > most_shown - 4);
    CHECK(shown(std::string(4000, '\x01')).size() < 4 * most_shown + 40);
    CHECK(std::string_view(Shortened("short")) == "short");
}

TEST_CASE("One thing has no plural", "[annotate][words]") {
    CHECK(how_many(0, "value") == "0 values");
    CHECK(how_many(1, "value") == "1 value");
    CHECK(how_many(2, "more event") == "2 more events");
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

TEST_CASE("Ids of nobody are -1", "[annotate][words]") {
    CHECK(signed_id(0) == 0);
    CHECK(signed_id(4711) == 4711);
    CHECK(signed_id(0xffffffff) == -1);
}

TEST_CASE("Titles of columns differ as the names do", "[annotate][words]") {
    using Titles = std::vector<std::string>;
    CHECK(column_titles({"cpu-clock", "page-faults"}, 8) == Titles{"cpu-cloc", "page-fau"});
    CHECK(column_titles({"cpu-clock:u", "cpu-clock:k", "dummy"}, 8) == Titles{"..lock:u", "..lock:k", "dummy"});
    CHECK(column_titles({"cycles#1", "cycles#2"}, 8) == Titles{"cycles#1", "cycles#2"});
    CHECK(column_titles({"one-and-two", "one-and-not-two", "three"}, 8) == Titles{"..nd-two", "..ot-two", "three"});
    CHECK(column_titles({"a-longer-x-long-b", "a-longer-y-long-b"}, 8) == Titles{"event 1", "event 2"});
    CHECK(column_titles({"\u00e9\u00e9\u00e9\u00e9\u00e9x", "\u00e9\u00e9\u00e9\u00e9\u00e9y"}, 8) ==
          Titles{"..\u00e9\u00e9x", "..\u00e9\u00e9y"});
    CHECK(column_titles({}, 8).empty());
}

TEST_CASE("Titles of ratios are whole, or cut in their middle", "[annotate][words]") {
    using Titles = std::vector<std::string>;
    CHECK(ratio_titles({"raw_syscalls:sys_enter/sched:sched_switch"}) ==
          Titles{"raw_syscalls:sys_enter/sched:sched_switch"});
    const std::string above(40, 'a'), below(40, 'b');
    CHECK(ratio_titles({above + '/' + below}) == Titles{std::string(29, 'a') + ".." + std::string(29, 'b')});
    CHECK(ratio_titles({above + "x/" + below, "a/b", above + "y/" + below}) == Titles{"ratio 1", "a/b", "ratio 3"});
    CHECK(ratio_titles({}).empty());
}

TEST_CASE("Stacks that are not unwound are counted in words", "[annotate][words]") {
    CHECK(stacks_text(1) == "1 sample lacks callers: the copy of its user stack was not unwound to its end");
    CHECK(stacks_text(15) == "15 samples lack callers: the copy of their user stack was not unwound to its end");
}

TEST_CASE("Objects have perf's short names", "[annotate][words]") {
    CHECK(object_label("", CodeClass::user) == "[unknown]");
    CHECK(object_label("/usr/lib/libc.so.6", CodeClass::user) == "libc.so.6");
    CHECK(object_label("/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz", CodeClass::module) == "[nf_nat]");
    CHECK(object_label("/tmp/perf-42.map", CodeClass::jit) == "[JIT] tid 42");
    CHECK(object_label("[kernel.kallsyms]", CodeClass::kernel) == "[kernel.kallsyms]");
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
    CHECK(printable("a\u061cb") == "a\\xd8\\x9cb");       // U+061C, Arabic letter mark
    for (const auto* mark : {"\u200e", "\u200f", "\u2028", "\u202a", "\u202e", "\u2066", "\u2069"}) {
        CHECK(printable(mark).starts_with("\\xe2\\x8"));
    }
    for (const auto* other : {"\u200d", "\u2010", "\u2027", "\u202f", "\u00e2"}) CHECK(printable(other) == other);
}

// Both ends of each range, and their neighbours.
TEST_CASE("What shows nothing is written as numbers", "[annotate][words]") {
    struct Range {
        char32_t first, last;
    };
    for (const auto [first, last] :
         {Range{0x7f, 0x9f}, Range{0xad, 0xad}, Range{0x34f, 0x34f}, Range{0x61c, 0x61c}, Range{0x115f, 0x1160},
          Range{0x17b4, 0x17b5}, Range{0x180e, 0x180e}, Range{0x200b, 0x200b}, Range{0x200e, 0x200f},
          Range{0x2028, 0x202e}, Range{0x2060, 0x206f}, Range{0x3164, 0x3164}, Range{0xfeff, 0xfeff},
          Range{0xffa0, 0xffa0}, Range{0xfff0, 0xfffb}, Range{0x13430, 0x1343f}, Range{0x1bca0, 0x1bca3},
          Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe0fff}}) {
        INFO(std::hex << static_cast<std::uint32_t>(first));
        CHECK_FALSE(is_shown(first));
        CHECK_FALSE(is_shown(last));
        CHECK(is_shown(first - 1));
        CHECK(is_shown(last + 1));
    }
    CHECK_FALSE(is_shown(0));
    CHECK_FALSE(is_shown(0x1f));
    for (const char32_t needed : {0x20u, 0x200cu, 0x200du, 0xfe0fu, 0x10ffffu}) CHECK(is_shown(needed));
    CHECK(printable("\U000e0041") == "\\xf3\\xa0\\x81\\x81");
    CHECK(printable("\U0001f468\u200d\U0001f469") == "\U0001f468\u200d\U0001f469");
}

TEST_CASE("Well-formed characters have numbers", "[annotate][words]") {
    CHECK(utf8_character("a") == U'a');
    CHECK(utf8_character("\u00e2") == 0xe2);
    CHECK(utf8_character("\u20ac") == 0x20ac);
    CHECK(utf8_character("\U0001f468") == 0x1f468);
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

TEST_CASE("Objects of the kernel's code have words", "[annotate][words]") {
    test::Scene scene;
    scene.known({42, 1, {{0x1000, 16, "main", 1}}}).symbol({}, 0x3000, 4096, "bpf_trampoline_1");
    scene.symbol({}, 0x5000, 16, "kprobe_insn_page", 0, 2);
    const auto timeline = scene.timeline();
    CHECK(object_name(timeline, timeline.code()[0]) == "[bpf:42]");
    CHECK(object_name(timeline, timeline.code()[1]) == "[bpf]");
    CHECK(object_name(timeline, timeline.code()[2]) == "[kernel]");
}
