// SPDX-License-Identifier: MIT
// Functions that were inlined, from debug information to names.
#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "symbols/elf/dwarf/dwarf_lines.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using S = InlinedScene;

std::shared_ptr<const ElfFile> opened_elf(const Elf& elf) {
    return std::make_shared<const ElfFile>(open_elf(elf.blob()).value());
}

DwarfLines debug_of(const Elf& elf) {
    const auto file = opened_elf(elf);
    return DwarfLines::open({file, file, nullptr}, {}).value();
}

// names(debug, vaddr) returns "turn step".
std::string names(const DwarfLines& debug, std::uint64_t vaddr) {
    std::string text;
    const auto found = debug.inlined_at(vaddr);
    REQUIRE(found);
    for (const auto& function : found->functions) text += (text.empty() ? "" : " ") + std::string(function.name);
    return text;
}

Elf program_without_debug() {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = S::main;
    text.content = Blob(S::end - S::main, std::byte{0x90});
    elf.segments = {{S::main - 0x1000, S::main, S::end - S::main}};
    elf.symbols({{"main", S::main, 0x40}, {"work", S::work, 0x40}});
    return elf;
}

std::vector<Frame> inlined(const Symbolizer& symbolizer, std::uint64_t vaddr, bool returns = false) {
    std::vector<Frame> calls;
    symbolizer.functions().add_inlined(S::frame(vaddr), returns, calls);
    return calls;
}

}  // namespace

TEST_CASE("Functions are inlined from the first to the last byte of their ranges", "[symbols][dwarf][inlined]") {
    const auto debug = debug_of(S::program());
    for (auto at = S::main; at < S::end; ++at) {
        INFO(std::hex << at);
        std::string expected;
        if (at >= S::outer && at < S::outer + 0x20) expected = "outer";
        if (at >= S::middle && at < S::after_middle) expected = "middle outer";
        if (at >= S::step && at < S::step + 0x20) expected = "step";
        if (at >= S::turn && at < S::after_turn) expected = "turn step";
        CHECK(names(debug, at) == expected);
    }
    CHECK(names(debug, 0).empty());
    CHECK(names(debug, UINT64_MAX).empty());
}

TEST_CASE("Lines have the files of calls, also if the calls were read before the lines", "[symbols][dwarf][inlined]") {
    const bool before = GENERATE(false, true);
    const auto debug = debug_of(S::program());
    if (before) CHECK(names(debug, S::turn) == "turn step");
    const auto lines = debug.lines(S::leaf, 0x40);
    REQUIRE(lines);
    std::size_t calls = 0;
    for (const auto& line : *lines) {
        for (const auto& call : line.inlined) {
            CHECK(call.call.file == "a.c");
            CHECK((call.call.line == 21 || call.call.line == 22));
            ++calls;
        }
    }
    CHECK(calls > 2);
    CHECK(names(debug, S::turn) == "turn step");
}

TEST_CASE("A frame of an inlined function has its name and object, and nothing else", "[symbols][inlined]") {
    S scene;
    const OpenedInlined opened(scene);
    const auto& symbolizer = opened.symbolizer;
    const auto calls = inlined(symbolizer, S::turn + 3);
    REQUIRE(calls.size() == 2);
    CHECK(opened.name(calls[0]) == "step!");
    CHECK(opened.name(calls[1]) == "turn!");
    const auto name = symbolizer.name(calls[1]);
    CHECK(name.object == "/bin/nest");
    CHECK(name.kind == CodeClass::user);
    CHECK(name.offset == 0);
    CHECK(calls[1].mode == CpuMode::user);
    CHECK(symbolizer.function(calls[1]) == calls[1]);
    CHECK(symbolizer.extent(calls[1]).size == 0);
    CHECK(symbolizer.functions().named(calls[1]));
    CHECK_FALSE(symbolizer.functions().nameless(calls[1]));
    CodeVersion version;
    version.function = calls[1];
    version.size = 8;
    const auto image = symbolizer.image(version);
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::missing);
    CHECK(image.error().message() == "turn: a function that was inlined has no code of its own");
    CHECK(symbolizer.lines(calls[1], 8).value().empty());
    CHECK(symbolizer.functions().left_out(calls[1], {{}, {}, {"turn"}}) == CodePart::none);
    CHECK(symbolizer.functions().left_out(calls[1], {{}, {}, {"leaf"}}) == CodePart::symbol);
    CHECK(symbolizer.functions().left_out(calls[1], {{CodeClass::kernel}, {}, {}}) == CodePart::kind);
    CHECK(symbolizer.functions().left_out(calls[1], {{}, {"nest"}, {}}) == CodePart::none);
    // Asking on is of no use: nothing is inlined into these.
    std::vector<Frame> none;
    symbolizer.functions().add_inlined(calls[1], false, none);
    CHECK(none.empty());
    CHECK(inlined(symbolizer, S::after_middle, true).size() == 2);
    CHECK(inlined(symbolizer, S::after_middle, false).size() == 1);
    CHECK(inlined(symbolizer, S::leaf, true).empty());
    CHECK(inlined(symbolizer, S::leaf, false).size() == 1);
}

TEST_CASE("Frames of inlined functions do not depend on the order of questions, nor on threads", "[symbols][inlined]") {
    S scene;
    const OpenedInlined forwards(scene), backwards(scene), threaded(scene);
    constexpr std::size_t bytes = S::end - S::main;
    std::vector<std::vector<Frame>> expected(bytes), other(bytes);
    for (std::size_t at = 0; at < bytes; ++at) expected[at] = inlined(forwards.symbolizer, S::main + at);
    for (auto at = bytes; at-- > 0;) other[at] = inlined(backwards.symbolizer, S::main + at);
    CHECK(other == expected);
    std::array<std::vector<std::vector<Frame>>, 4> found;
    {
        std::vector<std::jthread> threads;
        for (auto& mine : found) {
            threads.emplace_back([&] {
                for (std::size_t at = 0; at < bytes; ++at) mine.push_back(inlined(threaded.symbolizer, S::main + at));
            });
        }
    }
    for (const auto& mine : found) CHECK(mine == expected);
    for (const auto& frame : expected[S::turn - S::main]) CHECK(threaded.name(frame) == forwards.name(frame));
}

TEST_CASE("Inlined functions whose names are in a file that is not here are left out, and that is told",
          "[symbols][dwarf][inlined]") {
    S scene;
    auto elf = program_without_debug();
    Writer link(std::endian::little);
    link.text("shared.debug").u8(0).zeros(20);
    elf.add({.name = ".gnu_debugaltlink", .content = link.take()});
    DwarfWriter dwarf(S::main, 0x80);
    dwarf.function(S::main, 0x40, "main").in_alternate(S::main + 8, 8, 0x20).end();
    dwarf.function(S::work, 0x40, "work").inlined(S::work + 8, 8, 7).end().end();
    for (auto at = S::main; at < S::main + 0x80; ++at) dwarf.row();
    dwarf.add_to(elf);
    scene.replace_program(elf);
    const OpenedInlined opened(scene);
    const auto calls = inlined(opened.symbolizer, S::work + 8);
    REQUIRE(calls.size() == 1);
    CHECK(opened.name(calls[0]) == "callee!");
    CHECK(opened.symbolizer.inlined_problems().empty());
    for (int again = 0; again < 3; ++again) CHECK(inlined(opened.symbolizer, S::main + 8).empty());
    const auto problems = opened.symbolizer.inlined_problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().code == ErrorCode::missing);
    CHECK(problems.front().message().starts_with("/bin/nest: DWARF: names of inlined calls are missing"));
    CHECK(opened.symbolizer.losses().count() == 0);
}

TEST_CASE("Inlined functions that are nested too deep are left out, and that is told", "[symbols][dwarf][inlined]") {
    constexpr std::uint64_t deep = S::work + 8, below = S::work + 0x20;
    const auto nested = GENERATE(std::size_t{128}, std::size_t{129}, std::size_t{300});
    S scene;
    auto elf = program_without_debug();
    DwarfWriter dwarf(S::main, S::plain - S::main);
    dwarf.function(S::work, 0x40, "work");
    for (std::size_t call = 0; call < nested; ++call) dwarf.inlined(deep, call < 128 ? 0x20 : 8, 7);
    for (std::size_t call = 0; call < nested; ++call) dwarf.end();
    dwarf.end();
    for (auto at = S::main; at < S::plain; ++at) dwarf.row();
    dwarf.add_to(elf);
    scene.replace_program(elf);
    const OpenedInlined opened(scene);
    CHECK(inlined(opened.symbolizer, below).size() == 128);
    CHECK(opened.symbolizer.inlined_problems().empty());
    CHECK(inlined(opened.symbolizer, deep).size() == 128);
    const auto problems = opened.symbolizer.inlined_problems();
    REQUIRE(problems.size() == (nested > 128 ? 1 : 0));
    CHECK(opened.symbolizer.losses().count() == problems.size());
    if (!problems.empty()) {
        CHECK(problems.front().code == ErrorCode::limit);
        CHECK(problems.front().message() ==
              "/bin/nest: DWARF: inlined calls are missing: they are nested deeper than 128");
    }
    // The same of lines.
    const auto debug = debug_of(elf);
    const auto whole = debug.lines(below, 8), cut = debug.lines(deep, 8);
    REQUIRE((whole && cut && !whole->empty() && !cut->empty()));
    CHECK(debug.problem(*cut).has_value() == (nested > 128));
}

TEST_CASE("Inlined functions have their names however many blocks contain them", "[symbols][dwarf][inlined]") {
    const auto blocks = GENERATE(std::size_t{1}, std::size_t{255}, std::size_t{300}, std::size_t{100000});
    auto elf = program_without_debug();
    DwarfWriter dwarf(S::main, S::plain - S::main);
    dwarf.function(S::work, 0x40, "work");
    for (std::size_t block = 0; block < blocks; ++block) dwarf.block();
    dwarf.inlined(S::work + 8, 8, 7).end();
    for (std::size_t block = 0; block < blocks; ++block) dwarf.end();
    dwarf.end().row().add_to(elf);
    CHECK(names(debug_of(elf), S::work + 8) == "callee");
}

TEST_CASE("Only units without functions are told to have them in other files", "[symbols][dwarf][inlined]") {
    using Split = DwarfWriter::Options::Split;
    const auto split = GENERATE(Split::no, Split::named, Split::moved);
    auto elf = program_without_debug();
    DwarfWriter dwarf(S::main, S::plain - S::main, {.split = split});
    dwarf.function(S::work, 0x40, "work").inlined(S::work + 8, 8, 7).end().end();
    for (auto at = S::main; at < S::plain; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto debug = debug_of(elf);
    const auto found = debug.inlined_at(S::work + 8), outside = debug.inlined_at(S::plain + 8);
    REQUIRE((found && outside));
    CHECK(found->functions.size() == (split == Split::moved ? 0 : 1));
    CHECK_FALSE(outside->problem);
    REQUIRE(found->problem.has_value() == (split == Split::moved));
    if (found->problem) CHECK(found->problem->code == ErrorCode::unsupported);
    const auto lines = debug.lines(S::work, 0x40);
    REQUIRE((lines && !lines->empty()));
    CHECK(debug.problem(*lines).has_value() == (split == Split::moved));
}

TEST_CASE("What cannot be read of a unit is not read again", "[symbols][dwarf][inlined]") {
    auto elf = program_without_debug();
    DwarfWriter dwarf(S::main, S::plain - S::main);
    dwarf.function(S::work, 0x40, "work").inlined(S::work + 8, 8, 7).end().end();
    dwarf.empty();  // no abbreviation has its code
    dwarf.row().add_to(elf);
    const auto debug = debug_of(elf);
    // All walks through a unit together are limited: reading it again would end with that error.
    for (int again = 0; again < 1000; ++again) {
        const auto found = debug.inlined_at(S::work + 8);
        REQUIRE_FALSE(found);
        REQUIRE(found.error().detail == "the tree of functions cannot be read");
    }
}

TEST_CASE("Code outside of the range of a DWARF 2 unit has its lines and inlined functions",
          "[symbols][dwarf][inlined]") {
    // DWARF 2 has no lists of ranges: the unit's range is that of its first section. Later versions have them.
    const auto version = GENERATE(std::uint16_t{2}, std::uint16_t{4});
    auto elf = program_without_debug();
    DwarfWriter dwarf(S::main, S::work - S::main, {.version = version});
    dwarf.function(S::main, 0x40, "main").inlined(S::main + 8, 8, 7).end();
    dwarf.inlined(S::leaf + 8, 8, 9).end().end();  // in its unlikely part
    dwarf.function(S::work, 0x40, "work").inlined(S::work + 8, 8, 7).end().end();
    for (auto at = S::main; at < S::plain; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto debug = debug_of(elf);
    CHECK(names(debug, S::main + 8) == "callee");
    CHECK(names(debug, S::work + 8) == (version == 2 ? "callee" : ""));
    CHECK(names(debug, S::leaf + 8) == (version == 2 ? "callee" : ""));
    CHECK(names(debug, S::leaf + 16).empty());
    CHECK(names(debug, S::plain + 8).empty());
    const auto lines = debug.lines(S::work, 0x40);
    REQUIRE(lines);
    CHECK(lines->empty() == (version != 2));
}

TEST_CASE("Damaged debug information of inlined functions is a loss", "[symbols][dwarf][inlined]") {
    S scene;
    auto elf = S::program();
    elf.replace(".debug_abbrev", Blob(64));
    scene.replace_program(elf);
    const OpenedInlined opened(scene);
    CHECK(inlined(opened.symbolizer, S::turn).empty());
    CHECK(inlined(opened.symbolizer, S::outer).empty());
    const auto problems = opened.symbolizer.inlined_problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().code == ErrorCode::malformed);
    CHECK(problems.front().where.starts_with("/bin/nest: "));
    CHECK(opened.symbolizer.losses().count() == 1);
    CHECK(opened.name(S::frame(S::turn)) == "leaf");
}

TEST_CASE("Files with lines but without functions have nothing inlined, and nothing is told",
          "[symbols][dwarf][inlined]") {
    const bool placed = GENERATE(true, false);
    S scene;
    auto elf = program_without_debug();
    DwarfWriter dwarf(S::main, S::plain - S::main, {.placed = placed});
    for (auto at = S::main; at < S::plain; ++at) dwarf.row();
    dwarf.add_to(elf);
    scene.replace_program(elf);
    const OpenedInlined opened(scene);
    CHECK(opened.symbolizer.lines(S::frame(S::work), 0x40).value().size() > 0x30);
    CHECK(inlined(opened.symbolizer, S::work + 8).empty());
    CHECK(opened.symbolizer.inlined_problems().empty());
    CHECK(opened.symbolizer.losses().count() == 0);
}

TEST_CASE("Files without debug information have nothing inlined, and nothing is told", "[symbols][inlined]") {
    S scene;
    Elf elf;
    elf.section(Elf::text).address = S::main;
    elf.section(Elf::text).content = Blob(S::end - S::main, std::byte{0x90});
    elf.segments = {{S::main - 0x1000, S::main, S::end - S::main}};
    elf.symbols({{"leaf", S::leaf, 0x40}});
    scene.replace_program(elf);
    const OpenedInlined opened(scene);
    CHECK(inlined(opened.symbolizer, S::turn).empty());
    CHECK(opened.symbolizer.inlined_problems().empty());
}
