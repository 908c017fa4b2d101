// SPDX-License-Identifier: MIT
#include "trace/trace_formats.hpp"

#include "catch.hpp"
#include "support/writer.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string fields =
    "name: crafted\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:u32 flags;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:int value;\toffset:16;\tsize:4;\tsigned:1;\n"
    "\tfield:char comm[4];\toffset:20;\tsize:4;\tsigned:1;\n\n";

Blob raw_of(std::endian order, std::uint32_t value) {
    // name is at offset 24 and has 6 bytes.
    return Writer(order)
        .u16(7)
        .zeros(6)
        .u32(6u << 16 | 24)
        .u32(0x15)
        .u32(value)
        .text("task")
        .text("hello")
        .zeros(1)
        .take();
}

std::string printed(const std::string& print, std::uint32_t value = 6, std::endian order = std::endian::little) {
    const auto raw = raw_of(order, value);
    std::string text;
    TraceText::parse(fields + "print fmt: " + print + "\n").append(text, {raw, AnyOrder(order)});
    return text;
}

// What the event prints for its fields: "value=6 flags=A|B".
std::string printed_values(const std::string& print, std::uint32_t value = 6) {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto raw = raw_of(order, value);
    const auto format = TraceText::parse(fields + "print fmt: " + print + "\n");
    std::string text;
    for (const auto& [name, place] : format.values()) {
        if (!text.empty()) text += ' ';
        text.append(name).append("=");
        format.append_value(text, place, {raw, AnyOrder(order)});
    }
    return text;
}

}  // namespace

TEST_CASE("A format says what is printed for a field", "[annotate][trace]") {
    CHECK(printed_values(R"("value=%d flags=%s name=%s", REC->value,
          __print_flags(REC->flags, "|", { 1, "A" }, { 4, "B" }, { 0x10, "C" }), __get_str(name))") ==
          "flags=A|B|C name=hello value=6");
    // Several directives, and what is around them, up to a blank.
    CHECK(printed_values(R"("x value=%s%s ==> flags=0x%x/%d, comm=%s;", REC->value > 5 ? "R" : "S",
          REC->value & 2 ? "+" : "", REC->flags, 3, REC->comm)") == "comm=task flags=0x15/3 value=R+");
    CHECK(printed_values(R"("value: %d, flags 0x%x comm: 0x%s", REC->value, REC->flags, REC->comm)") ==
          "comm=0xtask flags=0x15 value=6");
    CHECK(printed_values(R"("flags %d,%d value:%d", REC->flags >> 2, REC->flags & 3, REC->value)") ==
          "flags=5,1 value=6");
    CHECK(printed_values(R"("value = %d, flags =0x%x comm : %s", REC->value, REC->flags, REC->comm)") ==
          "comm=task flags=0x15 value=6");
    // The first place counts, blanks in what is printed belong to it, and nothing may be printed.
    CHECK(printed_values(R"("value=%d value=%d", REC->value, 7 + REC->value)") == "value=6");
    CHECK(printed_values(R"("value=%s", REC->value ? "a value=b" : "")") == "value=a value=b");
    CHECK(printed_values(R"("value=%s", REC->value ? "a" : "")", 0) == "value=");
}

TEST_CASE("A format has no place for a field where another stands, or a longer name", "[annotate][trace]") {
    for (const auto* const print :
         {R"("value=%d", REC->flags)", R"("my_value=%d values=%d", REC->value, REC->value)", R"("%d", REC->value)",
          R"f("(value=%d)", REC->value)f", R"("%dvalue=%d", 3, REC->value)", R"("value is %d", REC->value)",
          R"("value == %d", REC->value)", R"("value=", REC->value)", R"("value=%d", odd(REC->value))",
          R"("value=%d")"}) {
        CHECK(printed_values(print).empty());
    }
}

TEST_CASE("Fields of a tracepoint are printed as its format says", "[annotate][trace]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CHECK(printed(R"("value=%d flags=%#x name=%s comm=%.4s", REC->value, REC->flags, __get_str(name), REC->comm)", 6,
                  order) == "value=6 flags=0x15 name=hello comm=task");
    CHECK(printed(R"("%d|%5d|%-5d|%05d|%u", REC->value, REC->value, REC->value, REC->value, REC->value)", ~2u + 1,
                  order) == "-2|   -2|-2   |-0002|4294967294");
    CHECK(printed(R"("100%%")", 6, order) == "100%");
}

TEST_CASE("What a format holds is shown and not obeyed", "[annotate][trace]") {
    CHECK(printed("\"a\x1b[2J\\nb\xe2\x80\xae\xff\", REC->value") == R"(a\x1b[2J\x0ab\xe2\x80\xae\xff)");
    CHECK(printed("\"\xd8\xa7 %d\", REC->value") == "\xd8\xa7 6");
    // A directive's letter is one byte; the rest of a character is shown as a byte.
    CHECK(printed("\"%\xdb\x9b|\", REC->value").ends_with(R"(\x9b|)"));
    // Names of fields, as shown if the format is not understood.
    auto named = fields;
    named.replace(named.find("flags"), 5, "fl\x1bgs");
    const auto raw = raw_of(std::endian::little, 6);
    std::string text = "\x1b";
    TraceText::parse(named + "print fmt: \"%d\", odd(1)\n").append(text, {raw, AnyOrder(std::endian::little)});
    CHECK(text.starts_with("\x1b[FAILED TO PARSE] name=hello fl\\x1bgs=21 value=6"));
}

TEST_CASE("Expressions in formats follow C", "[annotate][trace]") {
    CHECK(printed(R"("%d", REC->value > 5 && REC->flags != 0 ? REC->value * 2 + 1 : -1)") == "13");
    CHECK(printed(R"("%d", (1 << 4 | 3) & ~1)") == "18");
    CHECK(printed(R"("%d", REC->value - 2 - 1)") == "3");
    CHECK(printed(R"("%s", __print_symbolic(REC->value, { 5, "five" }, { 6, "six" }))") == "six");
    CHECK(printed(R"("%s", __print_symbolic(REC->value, { 5, "five" }))") == "0x6");
    CHECK(printed(R"("%s", __print_flags(REC->flags, "|", { 1, "A" }, { 4, "B" }, { 0x10, "C" }))") == "A|B|C");
    // No content of a recording crashes it.
    CHECK_NOTHROW(printed(R"("%d %d", REC->value / 0, REC->value % 0)"));
    CHECK_NOTHROW(printed(R"("%d", 1 << 200)"));
}

TEST_CASE("A format that is not understood shows its fields by name", "[annotate][trace]") {
    for (const auto* print : {R"("%d", some_function(REC->value))", R"("%d", REC->missing)", "\"open"}) {
        CAPTURE(print);
        const auto text = printed(print);
        CHECK(text.find("value=6") != std::string::npos);
    }
}

TEST_CASE("A record shorter than its format is no reason to read beyond it", "[annotate][trace]") {
    const auto whole = raw_of(std::endian::little, 6);
    const auto format = TraceText::parse(fields + "print fmt: \"%d %s %s\", REC->value, __get_str(name), REC->comm\n");
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        const Blob raw(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        std::string text;
        CHECK_NOTHROW(format.append(text, {raw, AnyOrder()}));
        CHECK(text.size() < 64);
    }
}

TEST_CASE("A sample gets little more text than it wrote, whatever its format says", "[annotate][trace]") {
    const auto raw = raw_of(std::endian::little, 6);
    const auto shown_of = [&](const std::string& print) {
        std::string text;
        TraceText::parse(fields + "print fmt: " + print + "\n").append(text, {raw, AnyOrder()});
        return text;
    };
    SECTION("constant text is cut") {
        const auto text = shown_of('"' + std::string(50000, 'x') + '"');
        CHECK(text.size() < 4096 + 4 * raw.size() + 16);
        CHECK(text.ends_with("…"));
    }
    SECTION("what a precision hides counts") {
        const std::string long_text(30000, 'x');
        const auto text = shown_of("\"%.0s%.0s%.0s|%d\", \"" + long_text + "\", \"" + long_text + "\", \"" + long_text +
                                   "\", REC->value");
        CHECK(text == "…");
    }
    SECTION("parts of expressions are counted") {
        std::string sum = "REC->value";
        for (int more = 0; more < 900; ++more) sum += "+1";
        CHECK(shown_of("\"%d|%d\", " + sum + ", " + sum) == "906|906");
        const auto text = shown_of("\"%d|%d|%d|%d\", " + sum + ", " + sum + ", " + sum + ", " + sum);
        CHECK(text == "906|906|…");
        CHECK(shown_of("\"%d|%d|%d\", " + sum + ", " + sum + ", " + sum) == "906|906|…");
    }
    SECTION("usual text is whole") {
        CHECK(shown_of(R"("%.2s|%d", REC->comm, REC->value)") == "ta|6");
    }
}

TEST_CASE("The parts of a format are bounded, those of all arguments together", "[annotate][trace][hostile]") {
    const auto sums = [](std::size_t count) {
        std::string print = "print fmt: \"";
        for (std::size_t index = 0; index < count; ++index) print += "%d";
        print += '"';
        for (std::size_t index = 0; index < count; ++index) {
            print += ", 1";
            for (int more = 0; more < 500; ++more) print += "+1";
        }
        return fields + print + "\n";
    };
    // A number, 500 more and 500 operators, and a directive.
    constexpr std::size_t parts = 1002;
    const auto fits = TraceText::parse(sums(8));
    CHECK(fits.parts() == 8 * parts);
    CHECK_FALSE(fits.is_too_large());
    const auto large = TraceText::parse(sums(9));
    CHECK(large.is_too_large());
    CHECK(large.parts() == 0);
    const auto raw = raw_of(std::endian::little, 6);
    std::string text;
    large.append(text, {raw, AnyOrder(std::endian::little)});
    CHECK(text.starts_with("[FAILED TO PARSE] "));
    // Others left less room.
    CHECK(TraceText::parse(sums(1), 8, parts).parts() == parts);
    CHECK(TraceText::parse(sums(1), 8, parts - 1).is_too_large());
    // Directives and names take room as well.
    std::string directives;
    for (std::size_t index = 0; index <= TraceRoom::most_in_format; ++index) directives += "%d";
    CHECK(TraceText::parse(fields + "print fmt: \"" + directives + "\"\n").is_too_large());
    const std::string names = "print fmt: \"%s\", __print_symbolic(REC->value, {1, \"a\"}, {2, \"b\"})\n";
    CHECK(TraceText::parse(fields + names).parts() == 5);
}

TEST_CASE("Masks without bits count as data that were looked at", "[annotate][trace][hostile]") {
    std::string text;
    TraceWriter writer(text, 100);
    CHECK_FALSE(writer.full());
    writer.looked_at(201);
    CHECK(writer.full());
    std::string print = "\"";
    for (int index = 0; index < 200; ++index) print += "%s";
    print += " end\"";
    for (int index = 0; index < 200; ++index) print += ", __get_cpumask(mask)";
    const std::string format =
        "name: m\nformat:\n\tfield:unsigned long mask[1024];\toffset:0;\tsize:8192;\tsigned:0;\n\n";
    const Blob zeros(8192);
    text.clear();
    TraceText::parse(format + "print fmt: " + print + "\n").append(text, {zeros, AnyOrder(std::endian::little)});
    CHECK(text.find("end") == std::string::npos);  // cut, and told with an ellipsis
    CHECK_FALSE(text.empty());
}
