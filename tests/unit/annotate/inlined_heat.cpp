// SPDX-License-Identifier: MIT
// The heat of lines where functions were inlined, and where they call each other.
#include <map>
#include <string>

#include "perfdata/annotate/heat/source_heat.hpp"

#include "catch.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using S = InlinedScene;

struct Heated {
    explicit Heated(InlinedScene& scene)
        : opened(scene),
          counts(SampleCounts::count(opened.recording, opened.timeline, heat_counting(opened.symbolizer)).value()),
          heat(SourceHeat::make(counts, opened.symbolizer).value()) {}

    // line(vaddr) is the line of an address, as debug information says.
    std::uint32_t line(std::uint64_t vaddr) const {
        return opened.symbolizer.lines(S::frame(vaddr), 1).value().front().source.line;
    }
    // at(line) returns "self/inclusive function self/inclusive ..." of a line in a.c.
    std::string at(std::uint32_t line) const {
        REQUIRE(heat.files.size() == 1);
        const auto* found = heat.line(0, line);
        if (found == nullptr) return "";
        auto text = both(found->heat);
        for (const auto& function : found->functions) {
            text += " " + heat.functions[function.function] + " " + both(function.heat);
        }
        return text;
    }
    static std::string both(const Heat& heat) {
        return std::to_string(hits(heat.self)) + "/" + std::to_string(hits(heat.inclusive));
    }

    OpenedInlined opened;
    SampleCounts counts;
    SourceHeat heat;
};

}  // namespace

TEST_CASE("A sample falls on the inlined line, and on the lines of all calls inclusively", "[annotate][heat]") {
    constexpr std::uint64_t in_turn = S::turn + 3, in_middle = S::middle + 5, in_main = S::main + 0x21;
    InlinedScene scene;
    scene.chain({in_turn, in_middle, in_main}, 3);
    const Heated heated(scene);
    CHECK(hits(heated.heat.totals) == 3);
    REQUIRE(heated.heat.files.size() == 1);
    CHECK(heated.heat.files[0].path == "a.c");
    CHECK(Heated::both(heated.heat.files[0].heat) == "3/3");
    CHECK(heated.at(heated.line(in_turn)) == "3/3 turn 3/3");
    CHECK(heated.at(22) == "0/3 step 0/3");
    CHECK(heated.at(21) == "0/3 leaf 0/3");
    // The call is before the address that it returns to.
    CHECK(heated.at(heated.line(in_middle - 1)) == "0/3 middle 0/3");
    CHECK(heated.at(heated.line(in_middle)) == "");
    CHECK(heated.at(12) == "0/3 outer 0/3");
    CHECK(heated.at(11) == "0/3 work 0/3");
    CHECK(heated.at(heated.line(in_main - 1)) == "0/3 main 0/3");
    CHECK(heated.heat.files[0].lines.size() == 7);
}

TEST_CASE("A sample counts once in a line that its chain passes several times", "[annotate][heat]") {
    constexpr std::uint64_t again = S::main + 0x11, other = S::main + 0x19;
    InlinedScene scene;
    scene.chain({again - 1, again, other, again}).chain({again - 1}, 2).chain({other - 1, again}, 4);
    const Heated heated(scene);
    CHECK(heated.at(heated.line(again - 1)) == "3/7 main 3/7");
    CHECK(heated.at(heated.line(other - 1)) == "4/5 main 4/5");
    CHECK(Heated::both(heated.heat.files[0].heat) == "7/7");
}

TEST_CASE("Where the kernel was entered, the line is that of the address itself", "[annotate][heat]") {
    constexpr std::uint64_t in_main = S::main + 0x21;
    InlinedScene scene;
    scene.entered(0xffffffff81000010, {in_main}).chain({S::plain + 4, in_main}, 2);
    const Heated heated(scene);
    CHECK(heated.at(heated.line(in_main)) == "0/1 main 0/1");
    CHECK(heated.at(heated.line(in_main - 1)) == "0/2 main 0/2");
    // The kernel is unknown, and `plain` has no lines.
    CHECK(hits(heated.heat.totals) == 3);
    CHECK(hits(heated.heat.without(NoLine::nowhere)) == 1);
    CHECK(hits(heated.heat.without(NoLine::no_lines)) + hits(heated.heat.without(NoLine::no_line)) == 2);
    CHECK(Heated::both(heated.heat.files[0].heat) == "0/3");
}
