// SPDX-License-Identifier: MIT
#include "trace/trace_filter.hpp"

#include "catch.hpp"
#include "support/writer.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string filtered_format =
    "name: crafted\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:u32 flags;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:int value;\toffset:16;\tsize:4;\tsigned:1;\n"
    "\tfield:char comm[4];\toffset:20;\tsize:4;\tsigned:1;\n"
    "\tfield:u8 small;\toffset:24;\tsize:1;\tsigned:0;\n"
    "\tfield:s8 tiny;\toffset:25;\tsize:1;\tsigned:1;\n"
    "\tfield:u16 pair[2];\toffset:26;\tsize:4;\tsigned:0;\n"
    "\tfield:u64 big;\toffset:30;\tsize:8;\tsigned:0;\n"
    "\tfield:s64 deep;\toffset:38;\tsize:8;\tsigned:1;\n"
    "\tfield:const char * far;\toffset:46;\tsize:8;\tsigned:0;\n"
    "\tfield:__rel_loc char[] near;\toffset:54;\tsize:4;\tsigned:1;\n"
    "\tfield:struct odd thing;\toffset:58;\tsize:3;\tsigned:0;\n"
    "\tfield:__data_loc u32[] list;\toffset:61;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"%d\", REC->value\n";

Blob filtered_raw(std::endian order) {
    // Behind the fields: name at 65 (6 bytes), near at 71 (3 bytes), list at 74 (8 bytes).
    return Writer(order)
        .u16(7)
        .zeros(2)
        .u32(42)
        .u32(6u << 16 | 65)
        .u32(0x15)
        .u32(~0u - 6)
        .text("task")
        .u8(200)
        .u8(0x80)
        .u16(3)
        .u16(0xfff0)
        .u64(0xfedcba9876543210)
        .u64(~std::uint64_t{0})
        .u64(0x1234)
        .u32(3u << 16 | 13)
        .zeros(3)
        .u32(8u << 16 | 74)
        .text("hello")
        .zeros(1)
        .text("by")
        .zeros(1)
        .u32(5)
        .u32(6)
        .take();
}

PayloadAnswer filter_answer(std::string_view text, std::endian order = std::endian::little, std::size_t cut = 0) {
    auto parsed = TraceFilter::parse(text);
    INFO(text);
    REQUIRE(parsed);
    const auto bound = BoundTraceFilter::bind(*parsed, TraceFields::of_formats({filtered_format}, AnyOrder(order)), {0},
                                              {"crafted:event"});
    REQUIRE(bound);
    const auto raw = filtered_raw(order);
    return (*bound)->ask({0, Bytes(raw).first(raw.size() - cut), 3, "thread"});
}
bool filter_passes(std::string_view text, std::endian order = std::endian::little) {
    const auto given = filter_answer(text, order);
    CHECK(given != PayloadAnswer::no_value);
    return given == PayloadAnswer::passes;
}

std::string filter_refusal(std::string_view text) {
    auto parsed = TraceFilter::parse(text);
    if (!parsed) return parsed.error().detail;
    const auto bound =
        BoundTraceFilter::bind(*parsed, TraceFields::of_formats({filtered_format}, AnyOrder()), {0}, {"a:b"});
    return bound ? "" : bound.error().detail;
}

}  // namespace

TEST_CASE("Numbers of a tracepoint compare by size and sign of their field", "[annotate][trace]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto* const text :
         {"value == -7", "value != 7", "value < 0", "value <= -7", "value >= -7", "value > -8", "flags == 0x15",
          "flags == 025", "flags == 21", "flags == 21UL", "flags & 4", "flags & 0x10", "small == 200", "small > 100",
          "tiny < 0", "tiny == -128", "pair[0] == 3", "pair[1] == 0xfff0", "pair[1] > 3", "big > 1",
          "big == 0xfedcba9876543210", "big == -81985529216486896", "deep == -1", "deep < 0",
          "deep == 0xffffffffffffffff", "far == 0x1234", "list[1] == 6", "common_pid == 42", "CPU == 3", "cpu < 4",
          "common_cpu != 2",
          // As in the kernel, a value becomes one of the field's type.
          "small == 456", "value == 0xfffffff9"}) {
        CHECK(filter_passes(text, order));
    }
    for (const auto* const text : {"value == 7", "value > 0", "value < -7", "flags & 2", "flags != 21", "small < 100",
                                   "tiny > 0", "pair[1] < 0", "big < 0xfedcba9876543210", "CPU == 2", "deep > -1"}) {
        CHECK_FALSE(filter_passes(text, order));
    }
}

TEST_CASE("Texts of a tracepoint compare whole and by pattern", "[annotate][trace]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto* const text :
         {"name == \"hello\"",   "name == 'hello'",     "name == hello",         "name != hell",
          "name ~ \"hell*\"",    "name ~ he*",          "name ~ \"*llo\"",       "name ~ \"*ell*\"",
          "name ~ \"h?llo\"",    "name ~ \"[gh]ello\"", "name ~ \"[!a-g]ello\"", "name ~ \"hello\"",
          "name ~ \"!bye*\"",    "name ~ \"*\"",        "name ~ \"h*l*o\"",      "name ~ \"**o\"",
          R"(name ~ "\h\ello")", "comm == task",        "comm ~ \"t*k\"",        "near == by",
          "COMM == thread",      "name != 5",           "near!=\"hello\"",       "name==\"hello\""}) {
        CHECK(filter_passes(text, order));
    }
    for (const auto* const text :
         {"name == hell", "name == \"\"", "name ~ \"hell\"", "name ~ \"*hell\"", "name != hello", "name ~ \"h?lo\"",
          "name ~ \"[!a-h]ello\"", "name ~ \"!hello\"", "comm == thread", "name ~ \"hello?\"", "name == 'h*'"}) {
        CHECK_FALSE(filter_passes(text, order));
    }
    CHECK(matches_glob("[a", "[a"));
    CHECK(matches_glob("[]]", "]"));
    CHECK_FALSE(matches_glob("[a-c]", "d"));
    CHECK(matches_glob("", ""));
    CHECK_FALSE(matches_glob("", "a"));
    CHECK(matches_glob("a\\", "a\\"));
}

TEST_CASE("And binds closer than or, and not is for one term", "[annotate][trace]") {
    const auto* const yes = "value == -7";
    const auto* const no = "value == 0";
    const auto check = [&](std::string pattern) {
        std::string text;
        for (const char c : pattern) text += c == 'T' ? yes : c == 'F' ? no : std::string(1, c);
        return filter_passes(text);
    };
    for (const auto* const pattern : {"T", "T&&T", "T||F", "T||F&&F", "F&&F||T", "F&&T||T", "(T||F)&&T", "!F", "!F&&T",
                                      "!(F&&T)", "!(F||F)", "!!T", "F||!F", "!(!T||F)", "T && ( F || ( T ) )", "! F"}) {
        INFO(pattern);
        CHECK(check(pattern));
    }
    for (const auto* const pattern :
         {"F", "T&&F", "F||F", "(T||F)&&F", "!T", "!T&&T", "!T||F", "!(T||F)", "F&&(T||T)", "F&&T||F&&T"}) {
        INFO(pattern);
        CHECK_FALSE(check(pattern));
    }
}

TEST_CASE("A value outside of the data is unknown", "[annotate][trace]") {
    constexpr auto little = std::endian::little;
    const auto whole = filtered_raw(little).size();
    CHECK(filter_answer("list[2] == 0") == PayloadAnswer::no_value);
    CHECK(filter_answer("!list[2] == 0") == PayloadAnswer::no_value);
    CHECK(filter_answer("list[2] == 0 || value < 0") == PayloadAnswer::passes);
    CHECK(filter_answer("list[2] == 0 || value > 0") == PayloadAnswer::no_value);
    CHECK(filter_answer("list[2] == 0 && value > 0") == PayloadAnswer::rejected);
    CHECK(filter_answer("list[2] == 0 && value < 0") == PayloadAnswer::no_value);
    for (std::size_t size = 0; size < whole; ++size) {
        const auto expected = size < 20 ? PayloadAnswer::no_value : PayloadAnswer::passes;
        CHECK(filter_answer("value == -7", little, whole - size) == expected);
        CHECK(filter_answer("list[1] == 6", little, whole - size) == PayloadAnswer::no_value);
        CHECK(filter_answer("name == hello", little, whole - size) ==
              (size < 71 ? PayloadAnswer::no_value : PayloadAnswer::passes));
    }
}

TEST_CASE("An expression that means nothing is refused with the place", "[annotate][trace]") {
    for (const auto& [text, reason] : std::initializer_list<std::pair<const char*, const char*>>{
             {"", "a field is missing at character 1"},
             {"value", "an operator is missing"},
             {"value = 1", "= is no operator: write == at character 7"},
             {"value ==", "a value is missing at character 9"},
             {"value == 1 &&", "a field is missing at character 14"},
             {"value && flags", "an operator is missing"},
             {"value == 1 value == 2", "&& or || is missing at character 12"},
             {"(value == 1", "a ) is missing at character 12"},
             {"value == 1)", "a ) without its ( at character 11"},
             {"value == 0x", "no number"},
             {"value == 12345678901234567890123", "no number, or larger than 64 bits"},
             {"name == \"a", "the closing quote is missing"},
             {"name < \"a\"", "< does not compare texts"},
             {"name.ustring == \"a\"", ".ustring needs"},
             {"big.function == schedule", ".function needs"},
             {"CPU & CPUS{0}", "sets of CPUs are not understood here"},
             {"value[99999999] == 1", "a field is missing"},
             {"name < 5", "name of a:b is a text: compare it with ==, != or ~, not with <"},
             {"value == \"7\"", "value of a:b is a number, and 7 is none"},
             {"value == seven", "value of a:b is a number, and seven is none"},
             {"value ~ 7", "is a number"},
             {"value[0] == 7", "value[0] of a:b is no array"},
             {"pair == 7", "pair of a:b is an array of numbers: choose an element, such as pair[0]"},
             {"far == \"x\"", "points to a text that is not in the recording"},
             {"thing == 1", "thing of a:b is neither a number nor a text"},
             {"nothing == 1", "a:b has no field nothing"}}) {
        INFO(text << ": " << filter_refusal(text));
        CHECK(filter_refusal(text).contains(reason));
    }
    std::string deep(200, '(');
    CHECK(filter_refusal(deep).contains("nested deeper than 64"));
    CHECK(filter_refusal(std::string(200, '!')).contains("nested deeper than 64"));
    CHECK(filter_refusal(std::string(5000, ' ')).contains("longer than 4096 bytes"));
    CHECK(filter_refusal("name == " + std::string(300, 'a')).contains("longer than 255 bytes"));
    CHECK(filter_refusal(std::string_view("name == a\0b", 11)).contains("a NUL"));
}

TEST_CASE("Events without a field pass only where the rest decides", "[annotate][trace]") {
    const std::string other =
        "name: other\nID: 8\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:int other;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
    const auto fields = TraceFields::of_formats({filtered_format, other}, AnyOrder());
    const auto raw = filtered_raw(std::endian::little);
    const auto ask = [&](std::string_view text, std::uint32_t event) {
        auto bound = BoundTraceFilter::bind(*TraceFilter::parse(text), fields, {0, 1, 2}, {"a", "b", "cycles"});
        REQUIRE(bound);
        return (*bound)->ask({event, Bytes(raw), {}, {}});
    };
    CHECK(ask("value < 0 || other == 42", 0) == PayloadAnswer::passes);
    CHECK(ask("value < 0 || other == 42", 1) == PayloadAnswer::passes);
    CHECK(ask("value < 0 || other == 41", 1) == PayloadAnswer::no_value);
    CHECK(ask("value < 0 && other == 42", 0) == PayloadAnswer::no_value);
    CHECK(ask("!other == 42", 0) == PayloadAnswer::no_value);
    CHECK(ask("value < 0", 2) == PayloadAnswer::no_value);
    CHECK(ask("value < 0", 7) == PayloadAnswer::no_value);
    CHECK(ask("CPU == 0", 0) == PayloadAnswer::no_value);
    CHECK(ask("COMM == ls", 0) == PayloadAnswer::no_value);
    const auto bound = BoundTraceFilter::bind(*TraceFilter::parse("value < 0 && other == 1 && other != 2"), fields,
                                              {0, 1, 2}, {"a", "b", "cycles"});
    REQUIRE(bound);
    CHECK_FALSE((*bound)->needs_comm());
    const auto& lacking = (*bound)->lacking();
    REQUIRE(lacking.size() == 4);
    CHECK(lacking[0].event == 0);
    CHECK(lacking[0].field == "other");
    CHECK(lacking[1].field == "value");
    CHECK(lacking[3].event == 2);
}

TEST_CASE("A field of one name may be a text of one event and a pointer of another", "[annotate][trace]") {
    const std::string text =
        "name: exec\nID: 8\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:char file[4];\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
    const std::string pointer =
        "name: open\nID: 9\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:const char * file;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
    const auto fields = TraceFields::of_formats({pointer, text}, AnyOrder());
    const auto raw = Writer(std::endian::little).zeros(4).text("dd").zeros(10).take();
    const auto bound = BoundTraceFilter::bind(*TraceFilter::parse("file ~ \"*d\""), fields, {0, 1}, {"open", "exec"});
    REQUIRE(bound);
    CHECK((*bound)->ask({0, Bytes(raw), {}, {}}) == PayloadAnswer::no_value);
    CHECK((*bound)->ask({1, Bytes(raw), {}, {}}) == PayloadAnswer::passes);
    REQUIRE((*bound)->lacking().size() == 1);
    CHECK((*bound)->lacking()[0].event == 0);
    CHECK((*bound)->lacking()[0].problem == "points to a text that is not in the recording");
    const auto alone = BoundTraceFilter::bind(*TraceFilter::parse("file ~ \"*d\""), fields, {0}, {"open"});
    REQUIRE_FALSE(alone);
    CHECK(alone.error().detail == "file of open points to a text that is not in the recording");
}

TEST_CASE("A CPU that samples do not say is a field that they lack", "[annotate][trace]") {
    const auto fields = TraceFields::of_formats({filtered_format}, AnyOrder());
    const auto raw = filtered_raw(std::endian::little);
    const auto bind_cpu = [&](std::string_view text, const std::vector<bool>& cpu) {
        return BoundTraceFilter::bind(*TraceFilter::parse(text), fields, {0, 1}, {"a", "cycles"}, cpu).value();
    };
    const auto one = bind_cpu("CPU == 3", {false, true});
    CHECK_FALSE(one->lacks_cpu());
    REQUIRE(one->lacking().size() == 1);
    CHECK(one->lacking()[0].event == 0);
    CHECK(one->lacking()[0].field == "CPU");
    CHECK(one->ask({1, {}, 3, {}}) == PayloadAnswer::passes);
    CHECK(one->ask({0, Bytes(raw), {}, {}}) == PayloadAnswer::no_value);
    CHECK(bind_cpu("common_cpu == 3", {false, false})->lacks_cpu());
    CHECK(bind_cpu("value < 0 && cpu == 3", {false, false})->lacks_cpu());
    CHECK_FALSE(bind_cpu("value < 0", {false, false})->lacks_cpu());
    CHECK(bind_cpu("CPU == 3", {})->lacking().empty());
    // What is wrong with a text is said, not that CPUs are lacking.
    const auto text =
        BoundTraceFilter::bind(*TraceFilter::parse("CPU == abc"), fields, {0, 1}, {"a", "cycles"}, {true, true});
    REQUIRE_FALSE(text);
    CHECK(text.error().detail.find("is a number, and abc is none") != std::string::npos);
}
