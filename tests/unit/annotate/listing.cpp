// SPDX-License-Identifier: MIT
// Listings combine hits, instructions and lines.
#include <fmt/format.h>

#include "catch.hpp"
#include "unit/annotate/crafted_page.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

CodeIndex code_at(const Timeline& timeline, std::uint64_t address) {
    const auto place = timeline.code_at({address}, {150});
    REQUIRE(place);
    return place->index;
}

Listing listing_of(CraftedPage& page, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& offsets,
                   std::uint64_t address = 0x1000) {
    return annotate(hits_at(page.timeline(), code_at(page.timeline(), address), offsets), page.symbolizer(),
                    Disassembler::create("x86_64"));
}

const ListingInstruction& at(const Listing& listing, std::uint64_t offset) {
    for (const auto& row : listing.instructions) {
        if (row.instruction.offset == offset) return row;
    }
    FAIL("no instruction at " << offset);
    return listing.instructions.front();
}

}  // namespace

TEST_CASE("A listing has every instruction with its address and bytes", "[annotate][listing]") {
    CraftedPage page;
    const auto listing = listing_of(page, {{0, 1}});
    CHECK(listing.name.name == "first_main");
    CHECK(listing.name.prototype == "int first_main(void)");
    CHECK(listing.total == EventCounts{{1, 10}});
    CHECK(listing.problems.empty());
    REQUIRE(listing.instructions.size() == 8);
    std::uint64_t next = 0;
    for (const auto& row : listing.instructions) {
        CHECK(row.instruction.offset == next);
        CHECK(row.address == Address{0x1000 + next});
        CHECK(row.bytes.size() == row.instruction.size);
        CHECK(row.bytes[0] == first_code()[next]);
        next += row.instruction.size;
    }
    CHECK(next == 32);
    const auto sub = listing_of(page, {{0, 1}}, 0x2000);
    CHECK(sub.name.name == "first_sub");
    REQUIRE(sub.instructions.size() == 4);
    CHECK(sub.instructions[0].instruction.mnemonic == "nop");
    CHECK(sub.instructions[3].address == Address{0x2003});
}

TEST_CASE("A hit inside an instruction counts there, and against the share on starts", "[annotate][listing]") {
    CraftedPage page;
    const auto listing = listing_of(page, {{0, 3}, {2, 1}, {9, 4}, {28, 2}});
    CHECK(at(listing, 0).cells == EventCounts{{3, 30}});
    CHECK(at(listing, 1).cells == EventCounts{{1, 10}});
    CHECK(at(listing, 9).cells == EventCounts{{4, 40}});
    CHECK(at(listing, 19).cells == EventCounts{{2, 20}});
    CHECK(at(listing, 31).cells == EventCounts{{0, 0}});
    REQUIRE(listing.on_instruction_start);
    CHECK(*listing.on_instruction_start == Approx(0.7));
}

TEST_CASE("All hits on starts are a share of exactly one", "[annotate][listing]") {
    CraftedPage page;
    CHECK(listing_of(page, {{0, 1}, {1, 2}, {31, 3}}).on_instruction_start == 1.0);
    CHECK(listing_of(page, {{2, 1}}).on_instruction_start == 0.0);
    CHECK_FALSE(listing_of(page, {}).on_instruction_start);
}

TEST_CASE("Hits on bytes that are no instruction are not on a start", "[annotate][listing]") {
    CraftedProgram program({1, 1, {{0x1000, 3, "odd", 1}}});
    program.code(bytes_of({0x90, 0x06, 0xc3}));
    Scene scene;
    program.known_in(scene);
    const AnnotatedScene opened(scene);
    const auto listing = annotate(hits_at(opened.timeline, 0, {{0, 1}, {1, 1}, {2, 2}}), opened.symbolizer,
                                  Disassembler::create("x86_64"));
    REQUIRE(listing.instructions.size() == 3);
    CHECK_FALSE(listing.instructions[1].instruction.decoded);
    CHECK(listing.instructions[1].cells == EventCounts{{1, 10}});
    CHECK(listing.on_instruction_start == 0.75);
}

TEST_CASE("A hit behind recorded code that is too short belongs to the last instruction", "[annotate][listing]") {
    CraftedProgram program({1, 1, {{0x1000, 2, "cut", 1}}});
    program.code(bytes_of({0x90, 0xc3}));
    Scene scene;
    scene.symbol({}, 0x1000, 64, symbol_of(tag_of(1), "cut")).event({}, BpfEvent::Kind::load, 1, 1);
    scene.info(program.info());
    const AnnotatedScene opened(scene);
    const auto listing =
        annotate(hits_at(opened.timeline, 0, {{1, 1}, {40, 3}}), opened.symbolizer, Disassembler::create("x86_64"));
    REQUIRE(listing.instructions.size() == 2);
    CHECK(listing.instructions[1].cells == EventCounts{{4, 40}});
    CHECK(listing.on_instruction_start == 0.25);
}

TEST_CASE("Lines stand once each, by first appearance, and instructions point to them", "[annotate][listing]") {
    CraftedPage page;
    const auto listing = listing_of(page, {{0, 1}});
    REQUIRE(listing.lines.size() == 4);
    CHECK(listing.lines[0].source.line == 10);
    CHECK(listing.lines[1].source.line == 11);
    CHECK(listing.lines[1].source.column == 6);
    CHECK(listing.lines[1].source.text == "\tx = f(y);");
    CHECK(listing.lines[2].source.line == 12);
    CHECK(listing.lines[2].source.file == "dir/a.c");
    CHECK(listing.lines[3].source.line == 0);
    const std::vector<std::uint32_t> lines = {0, 0, 1, 2, 1, 3, 3, 3};
    const std::vector<std::uint32_t> bpf = {0, 0, 2, 3, 4, 5, 5, 5};
    for (std::size_t index = 0; index < lines.size(); ++index) {
        CHECK(listing.instructions[index].line == lines[index]);
        CHECK(listing.instructions[index].bpf_instruction == bpf[index]);
    }
}

TEST_CASE("Hits of lines add up to the function's, a repeated line collects from all its places", "[annotate]") {
    CraftedPage page;
    const auto listing = listing_of(page, {{0, 1}, {2, 2}, {4, 4}, {9, 8}, {14, 16}, {20, 32}, {31, 64}});
    CHECK(listing.lines[0].cells == EventCounts{{3, 30}});
    CHECK(listing.lines[1].cells == EventCounts{{20, 200}});
    CHECK(listing.lines[2].cells == EventCounts{{8, 80}});
    CHECK(listing.lines[3].cells == EventCounts{{96, 960}});
    EventCounts of_lines;
    EventCounts of_instructions;
    for (const auto& line : listing.lines) add(of_lines, line.cells);
    for (const auto& row : listing.instructions) add(of_instructions, row.cells);
    CHECK(of_lines == listing.total);
    CHECK(of_instructions == listing.total);
}

TEST_CASE("Columns tell places of one line apart", "[annotate][listing]") {
    CraftedProgram program({1, 1, {{0x1000, 3, "main", 1}}});
    program.code(bytes_of({0x90, 0x90, 0xc3}));
    program.lines({{0x1000, 0, "a.c", "f(); g();", 5, 1},
                   {0x1001, 1, "a.c", "f(); g();", 5, 6},
                   {0x1002, 2, "b.c", "f(); g();", 5, 6}});
    Scene scene;
    program.known_in(scene);
    const AnnotatedScene opened(scene);
    const auto listing =
        annotate(hits_at(opened.timeline, 0, {{0, 1}}), opened.symbolizer, Disassembler::create("x86_64"));
    CHECK(listing.lines.size() == 3);
}

TEST_CASE("Targets are named by who owns them as seen from this function", "[annotate][listing]") {
    CraftedPage page;
    const auto listing = listing_of(page, {{0, 1}});
    const auto target = [&](std::uint64_t offset) {
        const auto& row = at(listing, offset);
        REQUIRE(row.target);
        return *row.target;
    };
    CHECK_FALSE(at(listing, 0).target);
    CHECK_FALSE(at(listing, 31).target);
    CHECK(target(4).name == "first_sub");  // same program: no program prefix
    CHECK(target(4).address == Address{0x2000});
    CHECK(target(4).offset == 0);
    CHECK_FALSE(target(4).same_function);
    CHECK(target(9).name == "kernel_function");
    CHECK(target(9).offset == 4);
    CHECK(target(29).name == "first_main");
    CHECK(target(29).offset == 4);
    CHECK(target(29).same_function);
    CHECK(target(19).name == "first_sub");  // here its address is a constant: a callback
    CHECK(target(19).offset == 0);
}

TEST_CASE("Another program is named by program and function, if it was there in time", "[annotate][listing]") {
    const bool in_time = GENERATE(true, false);
    const auto first = first_program();
    const Program second{2, 0xdef, {{0x5000, 16, "second", 3}, {0x6000, 16, "second_sub", 4}}};
    Scene scene;
    if (in_time) scene.known(second);
    first.loaded_in(scene, live(50));
    if (!in_time) scene.loaded(live(100), second);
    const AnnotatedScene opened(scene);
    const auto listing = annotate(hits_at(opened.timeline, code_at(opened.timeline, 0x1000), {}), opened.symbolizer,
                                  Disassembler::create("x86_64"));
    REQUIRE(at(listing, 14).target);
    CHECK(at(listing, 14).target->address == Address{0x6004});
    CHECK(at(listing, 14).target->name == (in_time ? "second/second_sub" : ""));
    CHECK(at(listing, 14).target->offset == (in_time ? 4 : 0));
    CHECK(at(listing, 9).target->name.empty());  // without kallsyms
    CHECK(at(listing, 4).target->name == "first_sub");
}

TEST_CASE("A constant that is no function's start is no target", "[annotate][listing]") {
    auto code = first_code();
    code[21] = std::byte{0x01};  // sub+1
    auto program = CraftedProgram({1, 1, {{0x1000, 32, "main", 1}, {0x2000, 4, "sub", 2}}});
    program.code(code);
    Scene scene;
    program.known_in(scene);
    const AnnotatedScene opened(scene);
    const auto listing = annotate(hits_at(opened.timeline, 0, {}), opened.symbolizer, Disassembler::create("x86_64"));
    CHECK(at(listing, 19).instruction.constant == Address{0x2001});
    CHECK_FALSE(at(listing, 19).target);
}

TEST_CASE("Without code there are no instructions, and the reason is a problem", "[annotate][listing]") {
    CraftedPage page;
    const auto listing = listing_of(page, {{3, 5}}, 0x5000);
    CHECK(listing.name.name == "second");
    CHECK(listing.total == EventCounts{{5, 50}});
    CHECK(listing.instructions.empty());
    CHECK(listing.lines.empty());
    CHECK_FALSE(listing.on_instruction_start);
    REQUIRE(listing.problems.size() == 1);
    CHECK(listing.problems[0].code == ErrorCode::missing);
    CHECK(listing.problems[0].where == "BPF program 2");
}

TEST_CASE("Code of no bytes is a problem too", "[annotate][listing]") {
    CraftedProgram program({1, 1, {{0x1000, 0, "main", 1}}});
    program.code(bytes_of({0x90}));
    Scene scene;
    scene.symbol({}, 0x1000, 16, symbol_of(tag_of(1), "main")).event({}, BpfEvent::Kind::load, 1, 1);
    scene.info(program.info());
    const AnnotatedScene opened(scene);
    const auto listing =
        annotate(hits_at(opened.timeline, 0, {{3, 5}}), opened.symbolizer, Disassembler::create("x86_64"));
    CHECK(listing.instructions.empty());
    CHECK_FALSE(listing.problems.empty());
}

TEST_CASE("Without a disassembler its error is the problem", "[annotate][listing]") {
    CraftedPage page;
    const auto listing = annotate(hits_at(page.timeline(), code_at(page.timeline(), 0x1000), {{0, 1}}),
                                  page.symbolizer(), Disassembler::create("vax"));
    CHECK(listing.instructions.empty());
    REQUIRE(listing.problems.size() == 1);
    CHECK(listing.problems[0].code == ErrorCode::unsupported);
}

TEST_CASE("Damaged lines and refused types are problems, and the instructions stay", "[annotate][listing]") {
    auto program = first_program();
    program.line_addresses({0x1000}).btf().type(31, "future", 0);
    Scene scene;
    program.known_in(scene);
    const AnnotatedScene opened(scene);
    const auto listing =
        annotate(hits_at(opened.timeline, 0, {{0, 1}}), opened.symbolizer, Disassembler::create("x86_64"));
    CHECK(listing.instructions.size() == 8);
    CHECK(listing.instructions[0].cells == EventCounts{{1, 10}});
    CHECK_FALSE(listing.instructions[0].line);
    CHECK(listing.lines.empty());
    REQUIRE(listing.problems.size() == 2);
    CHECK(listing.problems[0].where == "feature BPF_BTF");
    CHECK(listing.problems[1].where == "feature BPF_PROG_INFO");
}

TEST_CASE("Listings beyond the limit of counts are outlines that say so", "[annotate][listing]") {
    CraftedPage page;
    const std::vector<FunctionHits> functions{hits_at(page.timeline(), code_at(page.timeline(), 0x1000), {{0, 3}}),
                                              hits_at(page.timeline(), code_at(page.timeline(), 0x2000), {{0, 2}})};
    Limits limits;
    // The first has 8 instructions, which take the room of two counts each.
    limits.cells = 2 * 8 + 1;
    for (const unsigned jobs : {1u, 4u}) {
        const auto listings = annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, jobs, limits);
        REQUIRE(listings.size() == 2);
        CHECK(listings[0].instructions.size() == 8);
        CHECK(listings[0].problems.empty());
        CHECK(listings[1].name.name == "first_sub");
        CHECK(listings[1].total == EventCounts{{2, 20}});
        CHECK(listings[1].instructions.empty());
        REQUIRE(listings[1].problems.size() == 1);
        CHECK(listings[1].problems[0].code == ErrorCode::limit);
    }
    CHECK(annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, 1)[1].instructions.size() == 4);
}

TEST_CASE("Instructions beyond the limit are one piece of the listing, which says so", "[annotate][listing][limits]") {
    CraftedPage page;
    const std::vector<FunctionHits> functions{
        hits_at(page.timeline(), code_at(page.timeline(), 0x1000), {{0, 3}, {30, 2}}),
        hits_at(page.timeline(), code_at(page.timeline(), 0x2000), {{0, 2}})};
    const auto whole = annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, 1);
    REQUIRE(whole[0].instructions.size() == 8);
    for (const unsigned jobs : {1u, 4u}) {
        Limits limits;
        limits.listed_instructions = 3;
        const auto listings = annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, jobs, limits);
        const auto& cut = listings[0];
        REQUIRE(cut.instructions.size() == 4);
        const auto& rest = cut.instructions[3];
        CHECK(rest.address == whole[0].instructions[3].address);
        CHECK_FALSE(rest.instruction.decoded);
        CHECK(rest.bytes.size() == cut.image->bytes.size() - (rest.address.value - cut.instructions[0].address.value));
        CHECK(rest.instruction.mnemonic == fmt::format("({} bytes that are not listed)", rest.bytes.size()));
        CHECK(rest.cells[0].hits == 2);
        CHECK(cut.total == whole[0].total);
        REQUIRE(cut.problems.size() == 1);
        CHECK(cut.problems[0].code == ErrorCode::limit);
        // Four times as many instructions are listed in all.
        CHECK(listings[1].instructions.size() == 4);
        limits.listed_instructions = 8;
        CHECK(annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, jobs, limits)[0].problems.empty());
        limits.listed_instructions = 1;
        CHECK(annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, jobs, limits)[1].instructions.size() ==
              2);
        limits.listed_instructions = 0;
        CHECK(annotate_all(functions, page.symbolizer(), "x86_64", Syntax::att, jobs, limits)[1].instructions.empty());
    }
}
