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
    for (const auto& function : *found) text += (text.empty() ? "" : " ") + std::string(function.name);
    return text;
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
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = S::main;
    text.content = Blob(S::end - S::main, std::byte{0x90});
    elf.segments = {{S::main - 0x1000, S::main, S::end - S::main}};
    elf.symbols({{"main", S::main, 0x40}, {"work", S::work, 0x40}});
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
