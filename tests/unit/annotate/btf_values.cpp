// SPDX-License-Identifier: MIT
// Values of every kind of BTF type, as text and as JSON; values that are not there.
#include <bit>

#include "btf/value_text.hpp"
#include "btf/value_walk.hpp"
#include "catch.hpp"
#include "unit/symbols/btf_builder.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Btf1 = BtfBuilder;

struct ShownValue {
    std::string text, json;
    ValueNotes notes;
    std::uint64_t tail_padding = 0;
};

ShownValue value_of(const Btf1& builder, std::uint32_t id, const Blob& payload, std::endian order) {
    const auto blob = builder.blob();
    const auto types = TypeTable::parse(blob, "crafted");
    REQUIRE(types);
    REQUIRE_FALSE(types->problem());
    ShownValue shown;
    ValueText text(shown.text);
    shown.notes = walk_value(*types, id, payload, AnyOrder(order), text);
    shown.tail_padding = tail_padding(*types, id);
    const Sink sink = [&](std::string_view part) { shown.json += part; };
    JsonStream stream(sink);
    CompactJson writer(stream);
    ValueJson json(writer);
    walk_value(*types, id, payload, AnyOrder(order), json);
    stream.flush();
    return shown;
}

}  // namespace

TEST_CASE("Numbers of all sizes are shown as their type says", "[annotate][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Btf1 b(order);
    const auto u8 = b.encoded("unsigned char", 1, 0), s16 = b.encoded("short", 2, Btf1::encoded_signed);
    const auto u32 = b.encoded("unsigned int", 4, 0), s64 = b.encoded("long", 8, Btf1::encoded_signed);
    const auto u64 = b.encoded("unsigned long", 8, 0), truth = b.encoded("_Bool", 1, Btf1::encoded_bool);
    const auto s128 = b.encoded("__int128", 16, Btf1::encoded_signed), single = b.floating("float", 4);
    const auto full = b.floating("double", 8), pointer = b.pointer(0);
    const auto id = b.record(Btf1::kind_struct, "all", 72,
                             {{"a", u8, 0, 0},
                              {"yes", truth, 8, 0},
                              {"b", s16, 16, 0},
                              {"c", u32, 32, 0},
                              {"d", s64, 64, 0},
                              {"e", u64, 128, 0},
                              {"f", s128, 192, 0},
                              {"g", single, 320, 0},
                              {"odd", truth, 352, 0},
                              {"h", full, 384, 0},
                              {"p", pointer, 448, 0},
                              {"q", b.constant(b.refer(Btf1::kind_typedef, "pid", s16)), 512, 0}});
    Writer out(order);
    out.u8(200).u8(1).u16(0xfffe).u32(4000000000u).u64(~std::uint64_t{0} - 4).u64(~std::uint64_t{0});
    const bool little = order == std::endian::little;
    out.u64(little ? 5 : ~std::uint64_t{0} - 1).u64(little ? ~std::uint64_t{0} - 1 : 5);
    out.u32(std::bit_cast<std::uint32_t>(0.1f)).u32(little ? 7 : 7u << 24);
    out.u64(std::bit_cast<std::uint64_t>(-2.5)).u64(0xffff888000001000).u16(12).zeros(6);
    const auto shown = value_of(b, id, out.take(), order);
    CHECK(shown.text ==
          "{.a = 200, .yes = true, .b = -2, .c = 4000000000, .d = -5, .e = 18446744073709551615, "
          ".f = -36893488147419103227, .g = 0.1, .odd = 7, .h = -2.5, .p = 0xffff888000001000, .q = 12}");
    CHECK(shown.json == R"({"a":200,"yes":true,"b":-2,"c":4000000000,"d":-5,"e":18446744073709551615,)"
                        R"("f":"-36893488147419103227","g":0.1,"odd":7,"h":-2.5,"p":"0xffff888000001000","q":12})");
    CHECK(shown.notes.whole());
    CHECK(shown.tail_padding == 6);
}

TEST_CASE("Bit-fields count from the end that the byte order says", "[annotate][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Btf1 b(order);
    const auto u32 = b.encoded("unsigned int", 4, 0), s32 = b.encoded("int", 4, Btf1::encoded_signed);
    const auto way = b.values(Btf1::kind_enum, "way", 4, {{"IN", 1}, {"OUT", 2}});
    const auto below = b.values(Btf1::kind_enum, "below", 4, {{"MINUS", 0xffffffff}}, true);
    const auto id = b.record(Btf1::kind_struct, "fields", 4,
                             {{"three", u32, 0, 3},
                              {"minus", s32, 3, 5},
                              {"way", way, 8, 2},
                              {"below", below, 10, 2},
                              {"wide", u32, 12, 20}});
    // 5, -3, OUT, MINUS, 0xabcde
    const std::uint32_t word = order == std::endian::little ? 5u | 29u << 3 | 2u << 8 | 3u << 10 | 0xabcdeu << 12
                                                            : 5u << 29 | 29u << 24 | 2u << 22 | 3u << 20 | 0xabcdeu;
    const auto shown = value_of(b, id, Writer(order).u32(word).take(), order);
    CHECK(shown.text == "{.three = 5, .minus = -3, .way = OUT, .below = MINUS, .wide = 703710}");
}

TEST_CASE("Bit-fields of older compilers are integers of fewer bits", "[annotate][btf]") {
    Btf1 b;
    const auto three = b.encoded("unsigned int", 4, 0, 3), five = b.encoded("int", 4, Btf1::encoded_signed, 5, 3);
    const auto id = b.record(Btf1::kind_struct, "fields", 4, {{"a", three, 0, 0}, {"b", five, 0, 0}});
    CHECK(value_of(b, id, Writer(std::endian::little).u32(5 | 29 << 3).take(), std::endian::little).text ==
          "{.a = 5, .b = -3}");
}

TEST_CASE("Enumerators go by name, other values by number", "[annotate][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Btf1 b(order);
    const auto wide = b.values(Btf1::kind_enum64, "wide", 8, {{"FIRST", 1}, {"LAST", 0x1234567890}});
    const auto small = b.values(Btf1::kind_enum, "small", 1, {{"NONE", 0}, {"ALL", 0xff}});
    const auto id = b.record(Btf1::kind_struct, "both", 24,
                             {{"a", wide, 0, 0}, {"b", wide, 64, 0}, {"c", small, 128, 0}, {"d", small, 136, 0}});
    const auto payload = Writer(order).u64(0x1234567890).u64(2).u8(0xff).u8(3).zeros(6).take();
    const auto shown = value_of(b, id, payload, order);
    CHECK(shown.text == "{.a = LAST, .b = 2, .c = ALL, .d = 3}");
    CHECK(shown.json == R"({"a":"LAST","b":2,"c":"ALL","d":3})");
}

TEST_CASE("Characters are as signed in JSON as their type", "[annotate][btf]") {
    Btf1 b;
    const auto plain = b.encoded("unsigned char", 1, Btf1::encoded_char);
    const auto with_sign = b.encoded("signed char", 1, Btf1::encoded_char | Btf1::encoded_signed);
    // clang does not say that it is a character.
    const auto of_clang = b.encoded("char", 1, Btf1::encoded_signed), of_arm = b.encoded("char", 1, 0);
    const auto id =
        b.record(Btf1::kind_struct, "all", 4,
                 {{"a", plain, 0, 0}, {"b", with_sign, 8, 0}, {"c", of_clang, 16, 0}, {"d", of_arm, 24, 0}});
    const auto shown = value_of(b, id, Blob(4, std::byte{0xc8}), std::endian::little);
    CHECK(shown.json == R"({"a":200,"b":-56,"c":-56,"d":200})");
}

TEST_CASE("Arrays nest, and characters are text up to a NUL", "[annotate][btf]") {
    Btf1 b;
    const auto character = b.encoded("char", 1, Btf1::encoded_signed), byte = b.encoded("unsigned char", 1, 0);
    const auto id = b.record(Btf1::kind_struct, "rows", 24,
                             {{"grid", b.array(b.array(byte, 3), 2), 0, 0},
                              {"one", character, 48, 0},
                              {"names", b.array(b.array(character, 4), 2), 56, 0},
                              {"text", b.array(character, 8), 120, 0}});
    Writer out(std::endian::little);
    out.u8(1).u8(2).u8(3).u8(4).u8(5).u8(6).text("x").text("ab").u8(0).text("z").text("full");
    out.text("q\"\\\n").u8(0x1b).u8(0).text("j").u8(0).u8(9);
    const auto shown = value_of(b, id, out.take(), std::endian::little);
    CHECK(shown.text ==
          R"({.grid = {{1, 2, 3}, {4, 5, 6}}, .one = 'x', .names = {"ab", "full"}, .text = "q\"\\\n\x1b"})");
    CHECK(shown.json == R"({"grid":[[1,2,3],[4,5,6]],"one":120,"names":["ab","full"],"text":"q\"\\\n\u001B"})");
    CHECK(shown.notes.behind_nul == 2);
}

TEST_CASE("Unions show all members, and members without a name are part of what is around them", "[annotate][btf]") {
    Btf1 b;
    const auto u32 = b.encoded("unsigned int", 4, 0), byte = b.encoded("unsigned char", 1, 0);
    const auto address =
        b.record(Btf1::kind_union, "address", 4, {{"word", u32, 0, 0}, {"part", b.array(byte, 4), 0, 0}});
    const auto inner = b.record(Btf1::kind_struct, "", 4, {{"x", u32, 0, 0}});
    const auto either = b.record(Btf1::kind_union, "", 4, {{"left", u32, 0, 0}, {"right", byte, 0, 0}});
    const auto id =
        b.record(Btf1::kind_struct, "outer", 12, {{"address", address, 0, 0}, {"", inner, 32, 0}, {"", either, 64, 0}});
    const auto payload = Writer(std::endian::little).u32(0x0100007f).u32(7).u32(9).take();
    const auto shown = value_of(b, id, payload, std::endian::little);
    CHECK(shown.text ==
          "{.address = union {.word = 16777343, .part = {127, 0, 0, 1}}, {.x = 7}, union {.left = 9, .right = 9}}");
    CHECK(shown.json == R"({"address":{"word":16777343,"part":[127,0,0,1]},"x":7,"left":9,"right":9})");
}

TEST_CASE("A flexible array takes what is left", "[annotate][btf]") {
    Btf1 b;
    const auto u32 = b.encoded("unsigned int", 4, 0), u16 = b.encoded("short", 2, 0);
    const auto id = b.record(Btf1::kind_struct, "list", 4, {{"count", u32, 0, 0}, {"all", b.array(u16, 0), 32, 0}});
    const auto payload = Writer(std::endian::little).u32(2).u16(5).u16(6).take();
    const auto shown = value_of(b, id, payload, std::endian::little);
    CHECK(shown.text == "{.count = 2, .all = {5, 6}}");
    CHECK(shown.notes.flexible);
    const auto marker =
        b.record(Btf1::kind_struct, "marked", 4, {{"here", b.array(u16, 0), 0, 0}, {"count", u32, 0, 0}});
    CHECK(value_of(b, marker, payload, std::endian::little).text == "{.here = {}, .count = 2}");
}

TEST_CASE("What the payload does not hold is left open", "[annotate][btf]") {
    Btf1 b;
    const auto u32 = b.encoded("unsigned int", 4, 0), character = b.encoded("char", 1, 0);
    const auto inner = b.record(Btf1::kind_struct, "inner", 8, {{"x", u32, 0, 0}, {"y", u32, 32, 0}});
    const auto id = b.record(Btf1::kind_struct, "long", 32,
                             {{"a", u32, 0, 0},
                              {"name", b.array(character, 8), 32, 0},
                              {"rows", b.array(u32, 3), 96, 0},
                              {"inner", inner, 192, 0}});
    const auto payload = Writer(std::endian::little).u32(1).text("work").u8(0).zeros(3).u32(2).u16(3).take();
    const auto shown = value_of(b, id, payload, std::endian::little);
    CHECK(shown.text == R"({.a = 1, .name = "work", .rows = {2, ?}, …})");
    CHECK(shown.json == R"({"a":1,"name":"work","rows":[2,null]})");
    CHECK(shown.notes.beyond_payload == 2);
    const auto start = Blob(payload.begin(), payload.begin() + 6);
    CHECK(value_of(b, id, start, std::endian::little).text == R"({.a = 1, .name = "wo", …})");
    CHECK(value_of(b, id, {}, std::endian::little).text == "?");
}

TEST_CASE("Types that contradict themselves are shown as far as they are sound", "[annotate][btf]") {
    Btf1 b;
    const auto u32 = b.encoded("unsigned int", 4, 0);
    const auto id = b.record(Btf1::kind_struct, "bad", 8,
                             {{"a", u32, 0, 0}, {"outside", u32, 48, 0}, {"nothing", 0, 0, 0}, {"later", 4711, 0, 0}});
    const auto shown = value_of(b, id, Writer(std::endian::little).u32(1).zeros(16).take(), std::endian::little);
    CHECK(shown.text == "{.a = 1, .outside = ?, .nothing = ?, .later = ?}");
    CHECK(shown.notes.beyond_record == 1);
    CHECK(shown.notes.untyped == 2);
}

TEST_CASE("A chain of typedefs may be long", "[annotate][btf]") {
    Btf1 b;
    // The first leads forward, as BTF may have it.
    const auto first = b.refer(Btf1::kind_typedef, "first", b.next_id() + 2);
    const auto number = b.encoded("int", 4, Btf1::encoded_signed);
    auto last = number;
    for (int at = 0; at < 100; ++at) last = b.refer(Btf1::kind_typedef, "next", last);
    const auto nowhere = b.refer(Btf1::kind_typedef, "nowhere", 4711);
    const auto one = b.next_id();
    b.refer(Btf1::kind_typedef, "one", one + 1);
    const auto other = b.refer(Btf1::kind_typedef, "other", one);
    const auto into = b.refer(Btf1::kind_typedef, "into", other);
    const auto payload = Writer(std::endian::little).u32(7).take();
    for (const auto type : {first, last}) CHECK(value_of(b, type, payload, std::endian::little).text == "7");
    for (const auto type : {nowhere, one, other, into}) {
        CHECK(value_of(b, type, payload, std::endian::little).text == "?");
    }
}

TEST_CASE("Types that contain themselves end", "[annotate][btf]") {
    Btf1 b;
    const auto loop = b.next_id();
    b.refer(Btf1::kind_typedef, "loop", loop);
    const auto self = b.next_id();
    std::vector<Btf1::Member> members(50, {"again", self, 0, 0});
    b.record(Btf1::kind_union, "self", 8, members);
    const auto rows = b.next_id();
    b.array(rows, 4000000000u);
    const auto empty = b.record(Btf1::kind_struct, "empty", 0, {});
    const auto none = b.array(empty, 4000000000u);
    const auto payload = Writer(std::endian::little).u64(1).take();
    CHECK(value_of(b, loop, payload, std::endian::little).text == "?");
    CHECK(value_of(b, rows, payload, std::endian::little).text == "?");
    for (const auto id : {self, none}) {
        const auto shown = value_of(b, id, payload, std::endian::little);
        CHECK(shown.notes.cut);
        CHECK(shown.text.find("…") != std::string::npos);
        CHECK(shown.text.size() < 32768);
        CHECK(shown.json.size() < 32768);
    }
}

TEST_CASE("Names in BTF cannot harm a terminal", "[annotate][btf]") {
    Btf1 b;
    const auto id = b.record(Btf1::kind_struct, "s", 4, {{"a\x1b[2J", b.encoded("int", 4, 0), 0, 0}});
    CHECK(value_of(b, id, Writer(std::endian::little).u32(1).take(), std::endian::little).text == "{.a\\x1b[2J = 1}");
}

TEST_CASE("Types behind one of an unknown kind are not known, and that is said", "[annotate][btf]") {
    Btf1 b;
    const auto first = b.encoded("int", 4, 0);
    b.type(25, "future", 0);
    b.encoded("long", 8, 0);
    const auto blob = b.blob();
    const auto types = TypeTable::parse(blob, "BTF 7");
    REQUIRE(types);
    CHECK(types->last() == first);
    REQUIRE(types->problem());
    CHECK(types->problem()->detail.find("BTF 7: type 2 is of an unknown kind") == 0);
}

TEST_CASE("Blobs whose parts lie outside are refused", "[annotate][btf]") {
    Btf1 b;
    b.encoded("int", 4, 0);
    const auto blob = b.blob();
    const auto field = GENERATE(Btf1::types_size, Btf1::strings_offset, Btf1::strings_size, Btf1::header_size);
    const auto bad = patched(blob, std::endian::little, field, std::uint32_t{0xfffffff0});
    CHECK_FALSE(TypeTable::parse(bad, "crafted"));
    CHECK_FALSE(TypeTable::parse(Blob(blob.begin(), blob.begin() + 20), "crafted"));
    CHECK_FALSE(TypeTable::parse({}, "crafted"));
}
