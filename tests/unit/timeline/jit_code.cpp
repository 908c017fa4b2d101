// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_code.hpp"

#include "perfdata/timeline/jit_clock.hpp"

#include "catch.hpp"
#include "support/jitdump.hpp"
#include "support/looks.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

JitClock monotonic() {
    EventClock events;
    events.clockid = EventClock::monotonic;
    return JitClock::match({}, events).value();
}

// The dump's bytes must outlive the result.
JitCode code_of(const JitDumpWriter& dump, const JitCodeOptions& options = {}, const JitClock& clock = monotonic(),
                const Limits& limits = {}) {
    return JitCode::build(JitDump::open(memory_source(dump.blob()), "dump", limits).value(), clock, options);
}

std::string at(const JitCode& code, std::uint64_t address, std::uint64_t time) {
    const auto* function = code.find({address}, {time});
    if (function == nullptr) return "-";
    return std::string(function->name) + "+" + std::to_string(address - function->range.begin.value);
}

std::vector<std::string> lines_of(const JitCode& code, const JitFunction& function) {
    std::vector<std::string> found;
    const auto lines = code.lines(function).value();
    for (const auto& line : lines) {
        found.push_back(std::to_string(line.offset) + " " + std::string(line.file) + ":" + std::to_string(line.line));
    }
    return found;
}

const std::string sixteen(16, '\x90');

}  // namespace

TEST_CASE("A load holds from its time on", "[timeline][jit]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    dump.load({10, 0x1000, "one", sixteen, 7});
    const auto code = code_of(dump);
    CHECK(code.timed());
    CHECK(at(code, 0x1000, 9) == "-");
    CHECK(at(code, 0x1000, 10) == "one+0");
    CHECK(at(code, 0x100f, 1000000) == "one+15");
    CHECK(at(code, 0x1010, 10) == "-");
    CHECK(at(code, 0xfff, 10) == "-");
    REQUIRE(code.functions().size() == 1);
    const auto& function = code.functions()[0];
    CHECK(function.from == Time{10});
    CHECK(function.until == Time::forever());
    CHECK(function.index == 7);
    CHECK_FALSE(function.moved);
    CHECK(as_text(code.image(function).value()) == sixteen);
    CHECK(code.lines(function)->empty());
    CHECK(code.namespace_pids() == std::vector<std::uint32_t>{42});
    CHECK_FALSE(code.closed_at());
}

TEST_CASE("A load ends what it overlaps, in part or wholly", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "left", sixteen, 1});
    dump.load({11, 0x1010, "right", sixteen, 2});
    dump.load({20, 0x1008, "middle", sixteen, 3});
    dump.load({30, 0x1008, "again", sixteen, 4});
    const auto code = code_of(dump);
    CHECK(at(code, 0x1004, 19) == "left+4");
    CHECK(at(code, 0x1014, 19) == "right+4");
    CHECK(at(code, 0x1008, 20) == "middle+0");
    CHECK(at(code, 0x1004, 20) == "-");
    CHECK(at(code, 0x101c, 20) == "-");
    CHECK(at(code, 0x1008, 29) == "middle+0");
    CHECK(at(code, 0x1008, 30) == "again+0");
    CHECK(code.functions()[0].until == Time{20});
    CHECK(code.functions()[2].until == Time{30});
}

TEST_CASE("A move ends the old place and begins the new one", "[timeline][jit]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    dump.debug_info(9, 0x1000, {{0x1000, 5, 0, "a.js"}, {0x1008, 6, 0, "\xff"}});
    dump.load({10, 0x1000, "mover", sixteen, 1});
    dump.move(20, 0x1000, 0x1008, 16, 1);  // the ranges overlap
    dump.move(30, 0x1008, 0x3000, 12, 1);  // and the end is cut off
    const auto code = code_of(dump);
    CHECK(at(code, 0x1000, 19) == "mover+0");
    CHECK(at(code, 0x1000, 20) == "-");
    CHECK(at(code, 0x1017, 20) == "mover+15");
    CHECK(at(code, 0x1008, 30) == "-");
    CHECK(at(code, 0x300b, 30) == "mover+11");
    CHECK(at(code, 0x300c, 30) == "-");
    REQUIRE(code.functions().size() == 3);
    const auto& last = code.functions()[2];
    CHECK(last.moved);
    CHECK(code.image(last)->size() == 12);
    CHECK(lines_of(code, last) == std::vector<std::string>{"0 a.js:5", "8 a.js:6"});
    CHECK(code.completeness().lossless());
}

TEST_CASE("Unwind information keeps its place and address when its code moves", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    const auto record = dump.unwinding(9, 24, 8, 0);
    dump.load({10, 0x1000, "mover", sixteen, 1});
    dump.move(20, 0x1000, 0x2000, 8, 1);
    const auto code = code_of(dump);
    REQUIRE(code.functions().size() == 2);
    for (const auto& function : code.functions()) {
        CHECK(function.unwind_at == record + 40);
        CHECK(function.unwind_size == 16);
        CHECK(JitCode::unwind_address(function) == 16);
        CHECK(code.unwind_information(function).value().size() == 16);
    }
}

TEST_CASE("What is moved is known by its number, though its place was used again", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "a", sixteen, 1});
    dump.load({11, 0x2000, "b", sixteen, 2});
    dump.move(20, 0x2000, 0x1000, 16, 2);  // a collector moves b to a's place before it reports a's move
    dump.move(21, 0x1000, 0x3000, 16, 1);
    const auto code = code_of(dump);
    CHECK(at(code, 0x1000, 21) == "b+0");
    CHECK(at(code, 0x3000, 21) == "a+0");
    CHECK(at(code, 0x2000, 21) == "-");
}

TEST_CASE("Without numbers of use what is moved is known by its place", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "a", sixteen, 0});
    dump.load({11, 0x2000, "b", sixteen, 0});
    dump.move(20, 0x1000, 0x3000, 16, 0);
    const auto code = code_of(dump);
    CHECK(at(code, 0x3000, 20) == "a+0");
    CHECK(at(code, 0x2000, 20) == "b+0");
}

TEST_CASE("A move of what was not there is told", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.move(20, 0x1000, 0x3000, 16, 1);
    const auto code = code_of(dump);
    CHECK(code.functions().empty());
    REQUIRE(code.completeness().diagnostics.count() == 1);
    CHECK(code.completeness().diagnostics.kept()[0].code == ErrorCode::missing);
}

TEST_CASE("Code outlives the compiler's last word, unless asked otherwise", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "one", sixteen, 1});
    dump.load({11, 0x2000, "two", sixteen, 2});
    dump.close(20);
    dump.load({30, 0x3000, "three", sixteen, 3});
    const auto kept = code_of(dump);
    CHECK(kept.closed_at() == Time{20});
    CHECK(at(kept, 0x1000, 40) == "one+0");
    const auto ended = code_of(dump, {.close = JitClose::ends_code});
    CHECK(at(ended, 0x1000, 19) == "one+0");
    CHECK(at(ended, 0x1000, 20) == "-");
    CHECK(at(ended, 0x2000, 20) == "-");
    CHECK(at(ended, 0x3000, 30) == "three+0");
}

TEST_CASE("Records are ordered by time, those of equal time by their place", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({30, 0x1000, "third", sixteen, 3});
    dump.load({10, 0x1000, "first", sixteen, 1});
    dump.load({20, 0x1000, "second", sixteen, 2});
    dump.load({20, 0x1000, "second anew", sixteen, 4});
    const auto code = code_of(dump);
    CHECK(at(code, 0x1000, 19) == "first+0");
    CHECK(at(code, 0x1000, 20) == "second anew+0");
    CHECK(at(code, 0x1000, 30) == "third+0");
}

TEST_CASE("Without a clock in common the last code at an address is found at any time", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "first", sixteen, 1});
    dump.load({20, 0x1000, "second", sixteen, 2});
    const auto code = code_of(dump, {}, JitClock::none());
    CHECK_FALSE(code.timed());
    CHECK(at(code, 0x1000, 0) == "second+0");
    CHECK(at(code, 0x1000, ~std::uint64_t{0}) == "second+0");
}

TEST_CASE("Code of no bytes is nowhere", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "one", sixteen, 1});
    dump.load({20, 0x1000, "empty", "", 2});
    dump.move(30, 0x1000, 0x2000, 0, 1);
    const auto code = code_of(dump);
    CHECK(code.functions().size() == 1);
    CHECK(at(code, 0x1000, 29) == "one+0");
    CHECK(at(code, 0x1000, 30) == "-");
    CHECK(at(code, 0x2000, 30) == "-");
}

TEST_CASE("Debug info belongs to the next load at its address", "[timeline][jit]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    dump.debug_info(1, 0x1000, {{0x1000, 1, 0, "old"}});
    dump.debug_info(2, 0x1000, {{0x1000, 2, 0, "one"}});
    dump.debug_info(3, 0x2000, {{0x2000, 3, 0, "two"}, {0x200c, 4, 0, "two"}, {0x2004, 5, 0, "two"}});
    dump.load({10, 0x2000, "two", sixteen, 2});
    dump.load({11, 0x1000, "one", sixteen, 1});
    dump.load({12, 0x1000, "none", sixteen, 3});
    const auto code = code_of(dump);
    REQUIRE(code.functions().size() == 3);
    CHECK(lines_of(code, code.functions()[0]) == std::vector<std::string>{"0 two:3", "4 two:5", "12 two:4"});
    CHECK(lines_of(code, code.functions()[1]) == std::vector<std::string>{"0 one:2"});
    CHECK(lines_of(code, code.functions()[2]).empty());
}

TEST_CASE("Line addresses behind an ELF header are understood", "[timeline][jit]") {
    const std::uint64_t header = GENERATE(std::uint64_t{0x40}, std::uint64_t{0x80});
    SECTION("where the first line of each function is behind one") {
        JitDumpWriter dump(std::endian::little);
        const std::string long_code(0x200, '\x90');
        dump.debug_info(1, 0x1000, {{0x1000 + header, 1, 0, "f"}, {0x1050 + header, 2, 0, "f"}});
        dump.load({10, 0x1000, "long", long_code, 1});
        const auto code = code_of(dump);
        CHECK(lines_of(code, code.functions()[0]) == std::vector<std::string>{"0 f:1", "80 f:2"});
    }
    SECTION("where the lines of one function show it") {
        JitDumpWriter dump(std::endian::little);
        dump.debug_info(1, 0x1000, {{0x1000, 1, 0, "f"}});
        dump.load({10, 0x1000, "plain", sixteen, 1});
        dump.debug_info(1, 0x2000, {{0x2000 + header, 1, 0, "g"}, {0x200f + header, 2, 0, "g"}});
        dump.load({11, 0x2000, "behind", sixteen, 2});
        const auto code = code_of(dump);
        CHECK(lines_of(code, code.functions()[0]) == std::vector<std::string>{"0 f:1"});
        CHECK(lines_of(code, code.functions()[1]) == std::vector<std::string>{"0 g:1", "15 g:2"});
    }
}

TEST_CASE("Lines beyond the function are left out", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.debug_info(
        1, 0x1000,
        {{0xfff, 1, 0, "f"}, {0x1000, 2, 0, "f"}, {0x100f, 3, 0, "f"}, {0x1010, 4, 0, "f"}, {~0ull, 5, 0, ""}});
    dump.load({10, 0x1000, "one", sixteen, 1});
    const auto code = code_of(dump);
    CHECK(lines_of(code, code.functions()[0]) == std::vector<std::string>{"0 f:2", "15 f:3"});
}

TEST_CASE("Lines that do not end in their record are an error", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    const auto info = dump.debug_info(1, 0x1000, {{0x1000, 1, 0, "f"}}, 30);
    dump.patch(info + 24, std::uint64_t{2});
    dump.load({10, 0x1000, "one", sixteen, 1});
    const auto code = code_of(dump);
    CHECK(code.lines(code.functions()[0]).error().code == ErrorCode::truncated);
}

TEST_CASE("Records of one process of several are chosen", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, "parent", sixteen, 1, 42});
    dump.load({20, 0x1000, "child", sixteen, 2, 43});
    dump.move(30, 0x1000, 0x2000, 16, 2, 43);
    CHECK(code_of(dump).namespace_pids() == std::vector<std::uint32_t>{42, 43});
    const auto parent = code_of(dump, {.close = JitClose::keeps_code, .namespace_pid = 42});
    CHECK(at(parent, 0x1000, 40) == "parent+0");
    const auto child = code_of(dump, {.close = JitClose::keeps_code, .namespace_pid = 43});
    CHECK(at(child, 0x1000, 10) == "-");
    CHECK(at(child, 0x2000, 40) == "child+0");
}

TEST_CASE("Code at the end of the address space ends there", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    dump.load({10, ~std::uint64_t{0} - 3, "last", sixteen, 1});
    const auto code = code_of(dump);
    CHECK(at(code, ~std::uint64_t{0}, 10) == "last+3");
    CHECK(at(code, 0, 10) == "-");
}

TEST_CASE("No more code is taken in than the limit says", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    for (std::uint64_t number = 0; number < 10; ++number) dump.load({number, number * 0x1000, "f", sixteen, number});
    Limits limits;
    limits.code_versions = 4;
    const auto code = code_of(dump, {}, monotonic(), limits);
    CHECK(code.functions().size() == 4);
    REQUIRE(code.completeness().diagnostics.count() == 1);
    CHECK(code.completeness().diagnostics.kept()[0].code == ErrorCode::limit);
}

TEST_CASE("The name of code that moves is kept once", "[timeline][jit]") {
    const std::string name(60'000, 'f');
    JitDumpWriter dump(std::endian::little);
    dump.load({10, 0x1000, name, sixteen, 1});
    for (std::uint64_t time = 11; time < 60; ++time) {
        const auto from = 0x1000 + 0x100 * ((time + 1) % 2);
        dump.move(time, from, 0x1000 + 0x100 * (time % 2), 16, 1);
    }
    const auto code = code_of(dump);
    REQUIRE(code.functions().size() == 50);
    for (const auto& function : code.functions()) {
        CHECK(function.name == name);
        CHECK(function.name.data() == code.functions()[0].name.data());
    }
    // A copy keeps the names alive.
    const auto copy = std::make_unique<const JitCode>(code);
    CHECK(copy->find({0x1100}, {100})->name == name);
}

TEST_CASE("Moves find their code by its number among many", "[timeline][jit]") {
    JitDumpWriter dump(std::endian::little);
    constexpr std::uint64_t prime = 172933;
    for (std::uint64_t number = 0; number < 300; ++number) {
        dump.load({10, 0x1000 + 0x20 * number, "f" + std::to_string(number), sixteen, prime * number});
    }
    for (std::uint64_t number = 0; number < 300; number += 3) {
        dump.move(20, 0x1000 + 0x20 * number, 0x100000 + 0x20 * number, 16, prime * number);
    }
    dump.move(30, 0x100000, 0x200000, 16, prime * 1000);  // unknown number: found by its place
    const auto code = code_of(dump);
    CHECK(code.functions().size() == 401);
    CHECK(at(code, 0x1000 + 0x20 * 33, 19) == "f33+0");
    CHECK(at(code, 0x1000 + 0x20 * 33, 20) == "-");
    CHECK(at(code, 0x100000 + 0x20 * 33, 20) == "f33+0");
    CHECK(at(code, 0x1000 + 0x20 * 34, 20) == "f34+0");
    CHECK(at(code, 0x200001, 30) == "f0+1");
}

TEST_CASE("Lines of one file share its name", "[timeline][jit]") {
    const std::string file(60'000, 's');
    JitDumpWriter dump(std::endian::little);
    dump.debug_info(1, 0x1000, {{0x1000, 1, 0, file}, {0x1004, 2, 0, "\xff"}, {0x1008, 3, 0, "\xff"}});
    dump.load({10, 0x1000, "f", sixteen, 1});
    const auto code = code_of(dump);
    const auto lines = code.lines(code.functions()[0]).value();
    const auto copy = lines;
    REQUIRE(copy.size() == 3);
    CHECK(copy[2].file == file);
    CHECK(copy[2].file.data() == copy[0].file.data());
    CHECK(copy[2].line == 3);
}

TEST_CASE("Names of JIT code are bounded together", "[timeline][jit][limits]") {
    JitDumpWriter dump(std::endian::little);
    const std::string name(1000, 'n');
    for (std::uint64_t number = 0; number < 20; ++number)
        dump.load({10, 0x1000 + 0x20 * number, name, sixteen, number});
    Limits limits;
    limits.code_versions = 30;  // 256 bytes of names for each
    const auto code = code_of(dump, {}, monotonic(), limits);
    CHECK(code.functions().size() == 7);
    REQUIRE(code.completeness().diagnostics.kept().size() == 1);
    CHECK(code.completeness().diagnostics.kept()[0].code == ErrorCode::limit);
}

TEST_CASE("Reading a large jitdump stops in its middle", "[timeline][jit]") {
    constexpr std::uint64_t count = 30'000;
    JitDumpWriter dump(std::endian::little);
    for (std::uint64_t number = 0; number < count; ++number) {
        if (number % 2 == 0) {
            dump.load(
                {.time = count - number, .address = 0x1000 + 16 * number, .name = "f", .code = "codecodecodecode"});
        } else {
            dump.other(99, 16);  // it is looked also where nothing is decoded
        }
    }
    const auto opened = JitDump::open(memory_source(dump.blob()), "dump", {}).value();
    check_stops([&](const Watch& watch) { return JitCode::build(opened, monotonic(), {}, watch); }, 2 * count / 8192);
    Looks never;
    const auto watched = JitCode::build(opened, monotonic(), {}, never.watch());
    REQUIRE(watched);
    CHECK(watched->functions().size() == count / 2);
    CHECK(JitCode::build(opened, monotonic()).functions().size() == count / 2);
}
