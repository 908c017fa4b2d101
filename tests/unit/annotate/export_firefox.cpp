// SPDX-License-Identifier: MIT
// Profiles in the Firefox Profiler's format.
#include <string>
#include <vector>

#include "catch.hpp"
#include "export/firefox.hpp"
#include "export/firefox_tables.hpp"
#include "format/words.hpp"
#include "unit/annotate/crafted_export.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string firefox_text(const Exported& exported, const FirefoxOptions& options = {}) {
    std::string text;
    write_firefox(exported, options, [&](std::string_view part) { text += part; });
    return text;
}
Json firefox_of(const Exported& exported, const FirefoxOptions& options = {}) {
    const auto json = Json::parsed(firefox_text(exported, options));
    REQUIRE(json);
    return *json;
}

// Returns what the column has, by row: numbers, null as "-", and indices of texts as "name".
std::vector<std::string> firefox_column(const Json& document, std::string_view table, std::string_view column) {
    std::vector<std::string> rows;
    const auto& values = document["shared"][table][column];
    const bool texts = column == "name" || column == "filename";
    for (std::size_t row = 0; row < values.size(); ++row) {
        const auto& value = values[row];
        rows.push_back(value.is_null() ? "-"
                       : texts         ? document["shared"]["stringArray"][value.number()].text()
                                       : std::to_string(value.number()));
    }
    REQUIRE(document["shared"][table]["length"].number() == rows.size());
    return rows;
}

using FirefoxRows = std::vector<std::string>;

}  // namespace

TEST_CASE("A Firefox profile says its version, categories and events", "[export]") {
    const auto document = firefox_of(crafted_export());
    const auto& meta = document["meta"];
    CHECK(meta["preprocessedProfileVersion"].number() == 61);
    CHECK(meta["symbolicated"].truth());
    CHECK(meta["product"].text() == "some.data");
    CHECK(meta["oscpu"].text() == "Linux 6.1.0");
    CHECK(meta["interval"].number() == 1);  // of the two medians of 1.5 and 1 ms
    const auto& entries = meta["extra"][0]["entries"];
    CHECK(entries[0]["label"].text() == "Clock at the first sample");
    CHECK(entries[0]["value"].text() == "0.005000000");
    CHECK(entries[1]["value"].text() == "task-clock");
    CHECK(entries[2]["value"].text() == "cycles");
}

TEST_CASE("Firefox stacks, frames and functions are the exported ones", "[export]") {
    const auto document = firefox_of(crafted_export());
    CHECK(firefox_column(document, "stackTable", "frame") == FirefoxRows{"0", "1", "2", "3", "4", "5", "6"});
    CHECK(firefox_column(document, "stackTable", "prefix") == FirefoxRows{"-", "0", "1", "2", "3", "0", "-"});
    CHECK(firefox_column(document, "frameTable", "func") == FirefoxRows{"0", "1", "2", "3", "4", "5", "0"});
    CHECK(firefox_column(document, "frameTable", "category") == FirefoxRows{"2", "2", "2", "1", "3", "4", "2"});
    CHECK(firefox_column(document, "frameTable", "inlineDepth") == FirefoxRows{"0", "1", "0", "0", "0", "0", "0"});
    // What is inlined has the symbol of main. The JIT's code has none.
    CHECK(firefox_column(document, "frameTable", "nativeSymbol") == FirefoxRows{"0", "0", "1", "2", "3", "-", "0"});
    // work's function is in work.h, this line of it in other.h.
    CHECK(firefox_column(document, "frameTable", "line") == FirefoxRows{"12", "-", "-", "-", "9", "-", "14"});
    CHECK(firefox_column(document, "frameTable", "column") == FirefoxRows{"3", "-", "-", "-", "-", "-", "-"});
    CHECK(firefox_column(document, "funcTable", "name") ==
          FirefoxRows{"main", "work", "write", "sys_write", "many_main/step", "[JIT]"});
    CHECK(firefox_column(document, "funcTable", "resource") == FirefoxRows{"0", "0", "0", "1", "2", "3"});
    CHECK(firefox_column(document, "funcTable", "source") == FirefoxRows{"0", "1", "-", "-", "2", "-"});
    CHECK(firefox_column(document, "funcTable", "lineNumber") == FirefoxRows{"10", "-", "-", "-", "7", "-"});
    CHECK(firefox_column(document, "sources", "filename") == FirefoxRows{"load.c", "work.h", "many.bpf.c"});
    CHECK(firefox_column(document, "nativeSymbols", "name") ==
          FirefoxRows{"main", "write", "sys_write", "many_main/step"});
    CHECK(firefox_column(document, "resourceTable", "name") ==
          FirefoxRows{"load", "[kernel.kallsyms]", "[bpf:21:many_main]", "[JIT]"});
}

TEST_CASE("Firefox addresses are in 31 bits", "[export]") {
    auto exported = crafted_export();
    const auto document = firefox_of(exported);
    CHECK(document["shared"]["frameTable"]["address"].numbers() ==
          std::vector<std::uint64_t>{0x1020, 0x1020, 0x2004, 0x1000010, 0x40020033, 0x12345678, 0x1044});
    CHECK(document["shared"]["nativeSymbols"]["address"].numbers() ==
          std::vector<std::uint64_t>{0x1000, 0x2000, 0x1000000, 0x40020000});
    // Around a multiple of 2^31 they are relative to the least one; far ones have no room.
    exported.places[0].address = 0x7ffffff0;
    exported.places[1].address = 0x7ffffff0;
    exported.places[2].address = 0x80000010;
    exported.places[6].address = 0xffffffffffffffff;
    exported.functions[0].begin = 0x7fffff00;
    exported.functions[2].begin = 0x80000000;
    const FirefoxTables tables(exported);
    CHECK(tables.address_in(0, 0x7ffffff0) == 0xf0);
    CHECK(tables.address_in(0, 0x80000010) == 0x110);
    CHECK_FALSE(tables.address_in(0, 0xffffffffffffffff));
    CHECK_FALSE(tables.address_in(0, 0));
    CHECK(firefox_text(exported).find("\"address\":[240,240,272,16777232,1073872947,305419896,-1]") !=
          std::string::npos);
}

TEST_CASE("Firefox libs have build ids", "[export]") {
    const auto document = firefox_of(crafted_export());
    const auto& libs = document["libs"];
    REQUIRE(libs.size() == 4);
    CHECK(libs[0]["name"].text() == "load");
    CHECK(libs[0]["path"].text() == "/bin/load");
    CHECK(libs[0]["arch"].text() == "x86_64");
    CHECK(libs[0]["codeId"].text() == "00112233445566778899aabbccddeeff01020304");
    CHECK(libs[0]["breakpadId"].text() == "33221100554477668899AABBCCDDEEFF0");
    CHECK(libs[1]["codeId"].is_null());
    CHECK(libs[1]["breakpadId"].text() == std::string(33, '0'));
    CHECK(libs[2]["codeId"].text() == "10d76b36b6648015");
    CHECK(breakpad_id("00112233445566778899aabbccddeeff01020304", std::endian::big) ==
          "00112233445566778899AABBCCDDEEFF0");
}

TEST_CASE("A Firefox thread is the samples of one thread and event", "[export]") {
    const auto text = firefox_text(crafted_export());
    const auto document = firefox_of(crafted_export());
    const auto& threads = document["threads"];
    REQUIRE(threads.size() == 3);
    CHECK(threads[0]["name"].text() == "load (task-clock)");
    CHECK(threads[0]["processName"].text() == "load");
    CHECK(threads[0]["pid"].text() == "10");
    CHECK(threads[0]["tid"].number() == 10);
    CHECK(threads[0]["isMainThread"].truth());
    CHECK(threads[0]["samples"]["stack"].numbers() == std::vector<std::uint64_t>{2, 4, 5});
    CHECK(threads[0]["samples"]["weight"].is_null());
    CHECK(threads[0]["samples"]["weightType"].text() == "samples");
    CHECK(threads[0]["samples"]["length"].number() == 3);
    CHECK(text.find("\"timeDeltas\":[0,1.5,1]") != std::string::npos);
    CHECK(threads[1]["tid"].number() == 11);
    CHECK_FALSE(threads[1]["isMainThread"].truth());
    CHECK(threads[2]["name"].text() == "load (cycles)");
    CHECK(threads[2]["samples"]["stack"].numbers() == std::vector<std::uint64_t>{6, 0});
    CHECK(text.find("\"timeDeltas\":[2.000001,1]") != std::string::npos);
}

TEST_CASE("Firefox samples may weigh their periods", "[export]") {
    auto exported = crafted_export();
    exported.samples[0].periods = 1'000'001;
    const auto document = firefox_of(exported, {true});
    const auto& threads = document["threads"];
    CHECK(threads[0]["samples"]["weightType"].text() == "tracing-ms");
    CHECK(firefox_text(exported, {true}).find("\"weight\":[1.000001,1,1]") != std::string::npos);
    CHECK(threads[2]["samples"]["weightType"].text() == "samples");
    CHECK(threads[2]["samples"]["weight"].numbers() == std::vector<std::uint64_t>{300, 200});
}

TEST_CASE("One thread of a Firefox process is main: the one with most samples", "[export]") {
    auto exported = crafted_export();
    // The process was called differently before.
    exported.tasks[1] = {"shell", Pid{10}, Tid{10}, false};
    const auto document = firefox_of(exported);
    const auto& threads = document["threads"];
    REQUIRE(threads.size() == 3);
    CHECK(threads[0]["isMainThread"].truth());
    CHECK_FALSE(threads[1]["isMainThread"].truth());
    CHECK_FALSE(threads[2]["isMainThread"].truth());
    CHECK(threads[1]["name"].text() == "shell (task-clock)");
    CHECK(threads[1]["processName"].text() == "load");
}

TEST_CASE("Firefox samples without times are a millisecond apart", "[export]") {
    auto exported = crafted_export();
    for (auto& sample : exported.samples) sample.nanoseconds = 0;
    const auto document = firefox_of(exported);
    CHECK(document["threads"][0]["samples"]["timeDeltas"].numbers() == std::vector<std::uint64_t>{0, 1, 1});
    CHECK(document["meta"]["interval"].number() == 1);
    CHECK(document["meta"]["extra"][0]["entries"][0]["label"].text() == "Times");
    // Where others have one, they are at the beginning.
    exported.samples[6].nanoseconds = 9'000'000;
    const auto mixed = firefox_of(exported);
    CHECK(mixed["threads"][0]["samples"]["timeDeltas"].numbers() == std::vector<std::uint64_t>{0, 0, 0});
}

TEST_CASE("Without samples a Firefox profile has an empty thread", "[export]") {
    const auto document = firefox_of(Exported());
    REQUIRE(document["threads"].size() == 1);
    CHECK(document["threads"][0]["name"].text() == "no samples");
    CHECK(document["threads"][0]["samples"]["length"].number() == 0);
    CHECK(document["meta"]["interval"].number() == 1);
    CHECK(document["shared"]["stringArray"].size() == 0);
}

TEST_CASE("Hostile names stay valid in Firefox profiles, and equal ones are one text", "[export]") {
    auto exported = crafted_export();
    exported.functions[0].name = "\"\xff\n" + std::string(100'000, 'x');
    exported.functions[1].name = "\xfe";
    exported.functions[2].name = "\xfd";
    const auto document = firefox_of(exported);
    const auto names = firefox_column(document, "funcTable", "name");
    CHECK(names[0].starts_with("\"\xef\xbf\xbd\nxxx"));
    CHECK(names[0].size() < 2200);
    CHECK(names[0] == utf8(Shortened(exported.functions[0].name)));
    CHECK(document["shared"]["funcTable"]["name"][1].number() == document["shared"]["funcTable"]["name"][2].number());
}
