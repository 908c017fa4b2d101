// SPDX-License-Identifier: MIT
// Text that fits a terminal, and options of perf that other options stand for here.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/elf.hpp"
#include "support/sketch.hpp"
#include "tool/output/line_cutter.hpp"
#include "tool/run.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Words = std::vector<std::string>;

const std::string events = PERFDATA_FIXTURES "/bpf/bpf_events.data";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// Cuts a text that comes in pieces of any size.
std::string cut(const std::string& text, std::size_t columns, std::size_t piece, std::size_t lines) {
    std::string got;
    tool::LineCutter cutter([&](std::string_view part) { got += part; }, columns);
    for (std::size_t at = 0; at < text.size(); at += piece) cutter.write(std::string_view(text).substr(at, piece));
    CHECK(cutter.end() == lines);
    return got;
}

std::string output_of(const test::Place& place, const Words& arguments) {
    INFO(in_words(arguments));
    const auto ended = place.run(arguments);
    CHECK(ended.status == 0);
    CHECK_FALSE(ended.output.empty());
    return ended.output;
}

}  // namespace

TEST_CASE("lines are cut at a column, whatever pieces they come in", "[screen]") {
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
        CAPTURE(piece);
        CHECK(cut("12345678\n123456789\n\nabc\n", 8, piece, 1) == "12345678\n12345...\n\nabc\n");
        CHECK(cut("no newline at the end", 10, piece, 1) == "no newl...");
        CHECK(cut("no newline", 10, piece, 0) == "no newline");
        CHECK(cut("anything\n", 0, piece, 0) == "anything\n");
        // Umlauts take one column each, colours none; a cut line ends in the normal colour.
        CHECK(cut("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\n", 8, piece, 0) ==
              "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\n");
        CHECK(cut("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\n", 8, piece, 1) ==
              "\u00e4\u00f6\u00fc\u00e4\u00f6...\n");
        CHECK(cut("\x1b[32m12345678\x1b[0m\n", 8, piece, 0) == "\x1b[32m12345678\x1b[0m\n");
        CHECK(cut("\x1b[32m123456789\x1b[0m\n1\n", 8, piece, 1) == "\x1b[32m12345...\x1b[0m\n1\n");
        CHECK(cut("1234567\x1b[32m89\x1b[0m\n", 8, piece, 1) == "12345...\n");
    }
}

TEST_CASE("report and annotate keep to a width, and say how many lines they cut", "[screen]") {
    const test::Place place;
    for (const std::string command : {"report", "annotate"}) {
        const auto whole = lines_of(output_of(place, {command, "--offline", "-w", "0", events}));
        for (const std::size_t width : {40u, 60u, 100u}) {
            CAPTURE(command, width);
            auto lines = lines_of(output_of(place, {command, "--offline", "--width", std::to_string(width), events}));
            REQUIRE(lines.size() == whole.size() + 1);
            const auto last = lines.back();
            lines.pop_back();
            std::size_t shortened = 0;
            for (std::size_t at = 0; at < lines.size(); ++at) {
                CHECK(lines[at].size() <= width);
                const bool is_cut = lines[at].size() == width && lines[at].ends_with("...");
                if (is_cut) ++shortened;
                // Columns of a report depend on the width.
                if (command == "report") continue;
                CHECK(whole[at].starts_with(is_cut ? lines[at].substr(0, width - 3) : lines[at]));
                CHECK(is_cut == (whole[at].size() > width));
            }
            CHECK(last == (command == "report" ? "# (" : "(") + std::to_string(shortened) + " lines are cut to " +
                              std::to_string(width) + " columns; -w 0 shows them whole)");
        }
        // Elsewhere than on a terminal lines are whole.
        CHECK(lines_of(output_of(place, {command, "--offline", events})) == whole);
        CHECK(lines_of(output_of(place, {command, "--offline", "--no-pager", events})) == whole);
        CHECK(place.run({command, "-w", "39", events}).status == 2);
        CHECK(place.run({command, "-w", "80,20", events}).status == 2);
    }
}

TEST_CASE("--fields and -G stand for what report calls otherwise", "[screen]") {
    const test::Place place;
    const auto report = [&](const Words& options) {
        return output_of(place, with({"report", "--offline", events}, options));
    };
    CHECK(report({"-F", "overhead,sym"}) == report({"--no-children", "--sort", "symbol"}));
    CHECK(report({"-F", "sample,overhead,dso,comm"}) == report({"--no-children", "-n", "--sort", "dso,comm"}));
    CHECK(report({"--fields", "overhead_children,overhead,period,comm"}) ==
          report({"--show-total-period", "--sort", "comm"}));
    CHECK(report({"-F", "overhead,comm", "-s", "symbol"}) == report({"--no-children", "-s", "comm,symbol"}));
    CHECK(report({"-F", "overhead,sample"}) == report({"--no-children", "-n"}));
    CHECK(report({"-G"}) == report({"-g", "caller"}));
    CHECK(report({"-G", "--no-children"}) != report({"--no-children"}));
    CHECK(place.run({"report", "-F", "overhead_us,sym", events}).status == 2);
    CHECK(place.run({"report", "-F", "", events}).status == 2);
    CHECK(report({"-G", "-g", "callee"}) == report({"-g", "caller"}));  // as in perf
}

TEST_CASE("--header writes what info shows, as comments", "[screen]") {
    const test::Place place;
    std::string expected;
    for (const auto& line : lines_of(output_of(place, {"info", events}))) {
        expected += line.empty() ? "#\n" : "# " + line + "\n";
    }
    expected += "#\n";
    for (const std::string command : {"report", "script"}) {
        CAPTURE(command);
        const auto plain = output_of(place, {command, "--offline", events});
        CHECK(same(output_of(place, {command, "--offline", "--header", events}), expected + plain));
        CHECK(place.run({command, "--header", "--json", events}).status == 2);
    }
    const auto annotated = output_of(place, {"annotate", "--offline", events});
    CHECK(same(output_of(place, {"annotate", "--offline", "-l", "-n", events}), annotated));
}

TEST_CASE("--no-demangle shows names as they are in the file", "[screen]") {
    const test::Place place;
    constexpr std::uint64_t text_at = 64 + 56, mapped_at = 0x10000000;
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(64, std::byte{0x90});
    elf.segments = {{0, 0, text_at + 64}};
    elf.symbols({{"_ZN4tree4findEi", text_at, 64}});
    Sketch sketch;
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1);
    sketch.sample(mapped_at + text_at + 4, 1, 2);
    std::filesystem::create_directories(place.path("root/bin"));
    place.write("root/bin/x", std::string(as_text(elf.blob())));
    place.write("perf.data", std::string(as_text(sketch.build())));
    for (const Words& command : {Words{"report"}, Words{"script"}, Words{"annotate"}, Words{"report", "--json"}}) {
        INFO(in_words(command));
        const auto run = [&](const Words& options) {
            return output_of(place, with(command, with({"--offline", "--symfs", "root", "perf.data"}, options)));
        };
        CHECK(run({}).find("tree::find") != std::string::npos);
        CHECK(run({"--demangle"}).find("tree::find") != std::string::npos);
        const auto raw = run({"--no-demangle"});
        CHECK(raw.find("_ZN4tree4findEi") != std::string::npos);
        CHECK(raw.find("tree::find") == std::string::npos);
    }
}
