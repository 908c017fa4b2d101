// SPDX-License-Identifier: MIT
// Numbers of tracepoints as flat programs, and what each directive makes of a number. Expected values are by hand;
// those of directives are what printf of the C library prints.
#include "trace/trace_program.hpp"

#include <cstdio>
#include <string>

#include "catch.hpp"
#include "support/writer.hpp"
#include "trace/trace_formats.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr AnyOrder little_order(std::endian::little);

// A format of one field at offset 8, and what is printed for it.
struct DirectiveCase {
    std::string declaration;
    unsigned size = 8;
    bool is_signed = false;

    std::string print(const std::string& format, std::uint64_t value) const {
        const auto raw = Writer(std::endian::little).u16(7).zeros(6).u64(value).take();
        std::string text;
        TraceText::parse("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:" +
                         declaration + " v;\toffset:8;\tsize:" + std::to_string(size) +
                         ";\tsigned:" + (is_signed ? "1" : "0") + ";\nprint fmt: " + format + "\n")
            .append(text, {raw, little_order, 8, nullptr, nullptr});
        return text;
    }
};

template <class... Values>
std::string printed(const char* format, Values... values) {
    char buffer[256];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(buffer, sizeof buffer, format, values...);
#pragma GCC diagnostic pop
    return buffer;
}

}  // namespace

TEST_CASE("A program loads numbers by size, sign and byte order", "[annotate][trace]") {
    const auto raw = Writer(std::endian::little).u64(0x8877665544332281).take();
    const auto number = [&](std::uint32_t offset, std::uint8_t bytes, bool is_signed, AnyOrder order) {
        TraceProgram program;
        REQUIRE(program.add_load(offset, bytes, is_signed));
        return program.run(raw, order);
    };
    CHECK(number(0, 1, false, little_order) == TraceNumber{0x81, false});
    CHECK(number(0, 1, true, little_order) == TraceNumber{0xffffffffffffff81, true});
    CHECK(number(6, 2, true, little_order) == TraceNumber{0xffffffffffff8877, true});
    CHECK(number(4, 4, false, little_order) == TraceNumber{0x88776655, false});
    CHECK(number(0, 8, true, little_order) == TraceNumber{0x8877665544332281, true});
    CHECK(number(0, 4, false, AnyOrder(std::endian::big)) == TraceNumber{0x81223344, false});
    // Nothing of a number that is not in the data as a whole.
    CHECK(number(5, 4, true, little_order) == TraceNumber{0, true});
    CHECK(number(0xffffffff, 1, false, little_order) == TraceNumber{0, false});
}

TEST_CASE("A program computes constants when it is made, and narrows loads in place", "[annotate][trace]") {
    const auto raw = Writer(std::endian::little).u32(0xfffffff5).take();
    TraceProgram program;
    REQUIRE(program.add_load(0, 4, false));
    REQUIRE(program.add_narrowing(4, true));
    CHECK(program.size() == 1);
    CHECK(program.run(raw, little_order) == TraceNumber{0xfffffffffffffff5, true});
    // & (((1 | 2) + 1) << 1)
    REQUIRE(program.add_constant({1, true}));
    REQUIRE(program.add_constant({2, true}));
    REQUIRE(program.add_operator(TraceOperator::bit_or, 2));
    REQUIRE(program.add_constant({1, true}));
    REQUIRE(program.add_operator(TraceOperator::add, 2));
    REQUIRE(program.add_constant({1, true}));
    REQUIRE(program.add_operator(TraceOperator::shift_left, 2));
    CHECK(program.size() == 2);
    REQUIRE(program.add_operator(TraceOperator::bit_and, 2));
    CHECK(program.size() == 3);
    CHECK(program.run(raw, little_order) == TraceNumber{0, true});
    REQUIRE(program.add_operator(TraceOperator::logical_not, 1));
    REQUIRE(program.add_constant({7, true}));
    REQUIRE(program.add_constant({8, false}));
    REQUIRE(program.add_choice());
    CHECK(program.run(raw, little_order) == TraceNumber{7, true});
    CHECK(program.run({}, little_order) == TraceNumber{7, true});
}

TEST_CASE("A cast to a wider type changes only how a number compares", "[annotate][trace]") {
    const auto raw = Writer(std::endian::little).u32(0xfffffff5).take();
    TraceProgram program;
    REQUIRE(program.add_load(0, 4, true));
    REQUIRE(program.add_narrowing(8, true));
    CHECK(program.size() == 1);
    REQUIRE(program.add_narrowing(8, false));
    CHECK(program.run(raw, little_order) == TraceNumber{0xfffffffffffffff5, false});
    REQUIRE(program.add_narrowing(1, true));
    REQUIRE(program.add_narrowing(2, false));
    CHECK(program.run(raw, little_order) == TraceNumber{0xfff5, false});
}

TEST_CASE("A program that needs a large stack is none", "[annotate][trace][hostile]") {
    TraceProgram program;
    for (std::size_t deep = 0; deep < TraceProgram::most_deep; ++deep) REQUIRE(program.add_load(0, 1, false));
    CHECK_FALSE(program.add_load(0, 1, false));
    CHECK(program.is_empty());
    CHECK_FALSE(program.add_operator(TraceOperator::add, 2));
    CHECK(program.is_empty());
    // The tree computes it then: 1 + (1 + (1 + ...)).
    std::string sum = "REC->v";
    for (int deep = 0; deep < 40; ++deep) sum = "REC->v + (" + sum + ")";
    CHECK(DirectiveCase{"u64"}.print("\"%llu %d\", " + sum + ", 3", 2) == "82 3");
}

TEST_CASE("Directives print numbers as the C library does", "[annotate][trace]") {
    const DirectiveCase u64{"u64"}, s64{"s64", 8, true}, s32{"int", 4, true}, u8{"u8", 1};
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{0x80}, std::uint64_t{0xffff},
                                      std::uint64_t{0x80000001}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        const auto number = static_cast<unsigned long long>(value);
        const auto small = static_cast<int>(value);
        for (const std::string flags : {"", "-", "0", "#", "+", " ", "#0", "+-", "0-"}) {
            for (const std::string width : {"", "1", "8", "30", ".0", ".5", "12.25", "30.5"}) {
                for (const std::string conversion : {"d", "i", "u", "x", "X", "o"}) {
                    const auto wide = "%" + flags + width + "ll" + conversion;
                    const auto plain = "%" + flags + width + conversion;
                    // perf prints a zero even where the precision is 0.
                    if (small == 0 && width == ".0") continue;
                    // The octal "0" counts as a digit there.
                    if (conversion == "o" && flags.contains('#')) continue;
                    INFO(wide << " of " << number);
                    CHECK(s64.print('"' + wide + "|\", REC->v", value) == printed((wide + '|').c_str(), number));
                    CHECK(s32.print('"' + plain + "|\", REC->v", value) == printed((plain + '|').c_str(), small));
                }
            }
        }
        CHECK(u64.print("\"%hhd %hd %hhu %hu\", REC->v, REC->v, REC->v, REC->v", value) ==
              printed("%hhd %hd %hhu %hu", static_cast<signed char>(value), static_cast<short>(value),
                      static_cast<unsigned char>(value), static_cast<unsigned short>(value)));
        CHECK(u8.print("\"%d %lx\", REC->v, (unsigned long)REC->v", value) ==
              printed("%d %x", static_cast<int>(value & 0xff), static_cast<unsigned>(value & 0xff)));
    }
    CHECK(u64.print(R"("%#o %#x %%", REC->v, REC->v)", 8) == "010 0x8 %");
    CHECK(u64.print(R"("%*d|%-*d|%.*d", 5, REC->v, 5, REC->v, 3, REC->v)", 8) == "    8|8    |008");
    CHECK(u64.print(R"("%5s|%-5s|%.2s|%7.3s|%c", "abc", "abc", "abc", "abcdef", REC->v)", 'x') ==
          "  abc|abc  |ab|    abc|x");
}

TEST_CASE("Elements of arrays print by their place", "[annotate][trace]") {
    const auto raw = Writer(std::endian::little).u16(7).zeros(6).u16(1).u16(0xffff).u16(3).u16(4).take();
    std::string text;
    TraceText::parse(
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:short v[4];\toffset:8;\tsize:8;\tsigned:1;\n"
        "\tfield:short w[4];\toffset:14;\tsize:8;\tsigned:1;\n"
        "print fmt: \"%d %d %d %d %d|%d %d\", REC->v[0], REC->v[1], REC->v[3], REC->v[4], REC->v[65536], REC->w[0], "
        "REC->w[1]\n")
        .append(text, {raw, little_order, 8, nullptr, nullptr});
    CHECK(text == "1 -1 4 0 0|4 0");
}
