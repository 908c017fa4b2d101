// SPDX-License-Identifier: MIT
// Unreadable source lines: every command that needs them reports that, and with --strict by its status.
#include <filesystem>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/features.hpp"
#include "support/jitdump.hpp"
#include "support/json.hpp"
#include "support/sketch.hpp"
#include "tool/file_status.hpp"
#include "tool/run.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// The first section of a file with one segment begins here; its addresses are file offsets.
constexpr std::uint64_t text_at = 64 + 56, mapped_at = 0x10000000;
constexpr std::uint32_t code_size = 64;
constexpr std::uint16_t info_section = 4;
constexpr auto damage = "root/bin/x: DWARF: address ranges: ";

std::string text_of(const Blob& blob) {
    return std::string(as_text(blob));
}

Elf program() {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(code_size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + code_size}};
    elf.symbols({{"f", text_at, code_size}});
    return elf;
}

// lose_ranges(elf, unit) moves a unit's list of ranges beyond its section.
void lose_ranges(Elf& elf, std::size_t unit) {
    auto& info = elf.section(info_section);
    REQUIRE(info.name == ".debug_info");
    const auto at = unit * info.content.size() / 2 + 16;
    for (std::size_t byte = 0; byte < 4; ++byte) info.content[at + byte] = std::byte{0x7f};
}

// Two identical units for the first half of the code, with a line per byte.
Elf two_units() {
    auto elf = program();
    DwarfWriter dwarf(text_at, code_size / 2, {.units = 2, .ranges = 1});
    for (std::uint32_t at = 0; at + 1 < code_size / 2; ++at) dwarf.row();
    dwarf.add_to(elf);
    return elf;
}

// write(place, elf, offsets) writes the program, and "perf.data" with a sample at each of these code offsets.
void write(const test::Place& place, const Elf& elf, const std::vector<std::uint64_t>& offsets) {
    Sketch sketch;
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1);
    std::uint64_t time = 2;
    for (const auto offset : offsets) sketch.sample(mapped_at + text_at + offset, 1, time++);
    std::filesystem::create_directories(place.path("root/bin"));
    place.write("root/bin/x", text_of(elf.blob()));
    place.write("perf.data", text_of(sketch.build()));
}

Ended run(const test::Place& place, const std::vector<std::string>& command) {
    return place.run(with(command, {"--offline", "--symfs", "root", "perf.data"}));
}

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
}

const std::vector<std::vector<std::string>> commands = {{"report", "--sort", "srcline"},
                                                        {"report", "--sort", "srcline", "--json"},
                                                        {"annotate"},
                                                        {"annotate", "--json"},
                                                        {"annotate", "--format", "html"}};

}  // namespace

TEST_CASE("Debug information that is damaged is told by all that show lines", "[losses]") {
    const test::Place place;
    auto elf = two_units();
    lose_ranges(elf, 0);
    write(place, elf, {1, 5, 9, 40});
    for (const auto& command : commands) {
        INFO(in_words(command));
        const auto ended = run(place, command);
        CHECK(ended.status == 0);
        CHECK(count(ended.messages, damage) == 1);
        CHECK(has(ended.output, damage));
        CHECK(run(place, with(command, {"--strict"})).status == 3);
    }
    // Commands without lines do not read them.
    for (const auto& command : std::vector<std::vector<std::string>>{{"report"}, {"report", "--json"}, {"script"}}) {
        INFO(in_words(command));
        const auto ended = run(place, with(command, {"--strict"}));
        CHECK(ended.status == 0);
        CHECK_FALSE(has(ended.output + ended.messages, "DWARF"));
    }
    const auto text = run(place, commands[0]).output;
    CHECK(has(text, "??:0"));
    CHECK(count(text, "# Source lines are missing: ") == 1);
    const auto report = Json::parse(run(place, {"report", "--sort", "srcline,symbol", "--json"}).output);
    const auto& problems = report["line_problems"].items();
    REQUIRE(problems.size() == 1);
    CHECK(has(std::string(problems[0].text()), damage));
    for (const auto& page : {report, Json::parse(run(place, {"annotate", "--json"}).output)}) {
        const auto& told = page["completeness"]["diagnostics"].items();
        REQUIRE(told.size() == 1);
        CHECK(told[0]["code"].text() == "malformed");
        CHECK(has(std::string(told[0]["where"].text()), "/bin/x"));
    }
}

TEST_CASE("Debug information beyond a limit is told by all that show lines", "[losses]") {
    const test::Place place;
    auto elf = program();
    DwarfWriter(text_at, code_size, {.units = 1000, .abbreviations = 5000}).row().add_to(elf);
    write(place, elf, {1, 40});
    for (const auto& command : commands) {
        INFO(in_words(command));
        const auto ended = run(place, with(command, {"--strict"}));
        CHECK(ended.status == 3);
        CHECK(count(ended.messages, "units share long tables of abbreviations") == 1);
        CHECK(has(ended.output, "units share long tables of abbreviations"));
    }
}

TEST_CASE("Lines of a part of a function are no answer for the rest of it", "[losses]") {
    const test::Place place;
    auto elf = two_units();
    write(place, elf, {5, 33});
    for (const auto& command : commands) {
        INFO(in_words(command));
        const auto ended = run(place, with(command, {"--strict"}));
        CHECK(ended.status == 0);
        CHECK(has(ended.output, "a.c"));
        CHECK_FALSE(has(ended.output + ended.messages, "DWARF"));
        CHECK_FALSE(has(ended.output, "line_problems"));
    }
    lose_ranges(elf, 1);
    write(place, elf, {5, 33});
    for (const auto& command : commands) {
        INFO(in_words(command));
        const auto ended = run(place, with(command, {"--strict"}));
        CHECK(ended.status == 3);
        CHECK(has(ended.output, "a.c"));
        CHECK(count(ended.messages, damage) == 1);
    }
    // All samples have lines, and a report shows no others.
    write(place, elf, {5, 9});
    CHECK(run(place, {"report", "--sort", "srcline", "--strict"}).status == 0);
}

TEST_CASE("Damaged lines of JIT code are told, by extract as well", "[losses]") {
    constexpr std::uint64_t heap = 0x7f0000000000;
    constexpr std::string_view nops = "\x90\x90\x90\x90\x90\x90\x90\x90";
    const test::Place place;
    const auto write = [&](std::string_view file) {
        JitDumpWriter dump(Sketch::order);
        dump.debug_info(1, heap, {{heap, 7, 0, "a.c"}, {heap + 4, 8, 0, file}});
        dump.load({10, heap, "f", nops, 1});
        Sketch sketch;
        sketch.monotonic().mmap(42, 0x400000, 0x1000, "/tmp/jit-42.dump", 1);
        sketch.sample(heap + 2, 42, 15).sample(heap + 5, 42, 16);
        place.write("jit-42.dump", text_of(dump.blob()));
        place.write("perf.data", text_of(sketch.build()));
    };
    const auto run_jit = [&](const std::vector<std::string>& command) {
        return place.run(with(command, {"--offline", "--jitdump", "jit-42.dump", "--strict", "perf.data"}));
    };
    auto all = commands;
    all.push_back({"extract", "-s", "f"});
    for (const bool damaged : {false, true}) {
        write(damaged ? "\x01\x02\xff" : "b.c");
        for (const auto& command : all) {
            INFO(in_words(command) << damaged);
            const auto ended = run_jit(command);
            CHECK(ended.status == (damaged ? 3 : 0));
            CHECK(count(ended.messages, "names of source files in it are damaged") == (damaged ? 1 : 0));
            CHECK(has(ended.output, "a.c"));
        }
    }
    // Raw code has no lines.
    const auto raw = run_jit({"extract", "-s", "f", "--format", "raw"});
    CHECK(raw.status == 0);
    CHECK(raw.output == nops);
    CHECK(raw.messages.empty());
    // The sample is before the damage.
    CHECK(has(run_jit({"report", "--sort", "srcline"}).output, "a.c:7"));
}

TEST_CASE("Lines of BPF code that contradict each other are told, by extract as well", "[losses]") {
    constexpr std::uint64_t at = 0xffffffffc0000000;
    const test::Place place;
    const test::Program loaded{1, 1, {{at, 4, "main", 1}}};
    const auto write = [&](std::uint64_t first_line) {
        CraftedProgram crafted(loaded);
        crafted.code(Blob(4, std::byte{0x90})).names({"main"});
        crafted.lines({{at, 0, "a.c", "x = 1;", 7, 1}}).line_addresses({first_line});
        Scene scene;
        scene.feature(Feature::arch, feature_string(scene.order(), "x86_64"));
        crafted.known_in(scene);
        scene.sample(at + 1, 500).sample(at + 2, 501);
        place.write("perf.data", text_of(scene.build()));
    };
    auto all = commands;
    all.push_back({"extract", "--program", "1"});
    for (const bool damaged : {false, true}) {
        write(at + (damaged ? 1 : 0));
        for (const auto& command : all) {
            INFO(in_words(command) << damaged);
            const auto ended = place.run(with(command, {"--offline", "--strict", "perf.data"}));
            CHECK(ended.status == (damaged ? 3 : 0));
            CHECK(count(ended.messages, "no line begins where function 0 begins") == (damaged ? 1 : 0));
        }
    }
}
