// SPDX-License-Identifier: MIT
#include <map>
#include <string>
#include <utility>

#include "catch.hpp"
#include "export/call_costs.hpp"
#include "export/callgrind.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string callgrind_text(const Exported& exported, const CallgrindOptions& options = {}) {
    std::string text;
    write_callgrind(exported, options, [&text](std::string_view block) { text += block; });
    return text;
}

std::string callgrind_of(Calls& calls, const CallgrindOptions& options = {}) {
    const AnnotatedScene opened(calls.scene());
    const auto exported = Exported::make(opened.recording, opened.symbolizer, {}).value();
    const auto text = callgrind_text(exported, options);
    return text.substr(text.find("\nsummary:"));
}

// Two functions of one object, and a stack of both: 3 samples.
struct CraftedCalls {
    CraftedCalls() {
        exported.events.push_back({"cycles", 0, false, 0});
        exported.tasks.push_back({"work", Pid{1}, Tid{1}, false});
        ExportObject object;
        object.path = "/bin/work";
        exported.objects.push_back(object);
        for (const std::string_view name : {"main", "work"}) {
            ExportFunction function;
            function.name = name;
            function.symbol = name;
            function.file = "a.c";
            exported.functions.push_back(function);
        }
        for (std::uint32_t index = 0; index < 2; ++index) {
            ExportPlace place;
            place.function = index;
            place.address = 16 + index;
            place.file = "a.c";
            place.line = 7 + index;
            exported.places.push_back(place);
        }
        exported.nodes = {{ExportNode::none, 0}, {0, 1}};
        exported.cells = {{0, {3, 30}}};
        exported.rows.push_back({0, 1, ExportCells(exported.cells)});
        exported.totals = {{3, 30}};
    }

    Exported exported;
};

}  // namespace

TEST_CASE("Callgrind's format has self costs, and calls with their inclusive costs", "[annotate][export]") {
    Calls calls;
    calls.sample("ab", 3).sample("a", 2);
    CHECK(callgrind_of(calls) ==
          "\nsummary: 5 50\n"
          "\nob=(3) [commands]\n"
          "fl=(1) ???\n"
          "fn=(3) command :50529026\n"
          "cob=(1) bpf_prog_0000000000000000_a\n"
          "cfi=(1)\n"
          "cfn=(1) a\n"
          "calls=5 0x1003 0\n"
          "0x0 0 5 50\n"
          "\nob=(1)\n"
          "fl=(1)\n"
          "fn=(1)\n"
          "0x1003 0 2 20\n"
          "cob=(2) [bpf:1:b]\n"
          "cfi=(1)\n"
          "cfn=(2) b\n"
          "calls=3 0x1104 0\n"
          "0x1003 0 3 30\n"
          "\nob=(2)\n"
          "fl=(1)\n"
          "fn=(2)\n"
          "0x1104 0 3 30\n"
          "\ntotals: 5 50\n");
}

TEST_CASE("A recursive call costs nothing, and counts once for each stack", "[annotate][export]") {
    Calls calls;
    calls.sample("abab", 3).sample("ab").sample("b");
    const AnnotatedScene opened(calls.scene());
    const auto exported = Exported::make(opened.recording, opened.symbolizer, {}).value();
    const CallCosts costs(exported, 2);
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;  // passed, and hits
    for (std::size_t index = 0; index < costs.calls().size(); ++index) {
        const auto& call = costs.calls()[index];
        const bool command = call.place >= costs.places();
        const auto caller = command ? ":" : exported.functions[exported.places[call.place].function].name;
        for (const auto& cost : costs.of_call(index)) {
            auto& sum = found[caller + ">" + exported.functions[call.function].name];
            sum.first += cost.passed;
            sum.second += cost.count.hits;
        }
    }
    using Found = decltype(found);
    CHECK(found == Found{{":>a", {4, 4}}, {":>b", {1, 1}}, {"a>b", {4, 4}}, {"b>a", {3, 0}}});
    CHECK(costs.commands().size() == 1);
}

TEST_CASE("Callgrind's format has words for events, each its own", "[annotate][export]") {
    CraftedCalls crafted;
    auto& exported = crafted.exported;
    exported.events = {{"cycles:u", 0, false, 0},
                       {"cycles/u", 1, false, 0},
                       {"cycles_u_2", 2, false, 0},
                       {"0x1=\n", 3, true, 0},
                       {"", 4, false, 0}};
    exported.totals.resize(5);
    const auto text = callgrind_text(exported);
    CHECK(text.find("\nevents: cycles_u_samples cycles_u cycles_u_2_samples cycles_u_2 cycles_u_2_2_samples "
                    "cycles_u_2_2 event_0x1_samples event_0x1 event_samples event\n") != std::string::npos);
    CHECK(text.find("\nevent: event_0x1 : 0x1=\\x0a, nanoseconds\n") != std::string::npos);
    CHECK(text.find("\nevent: cycles_u_2_samples : samples of cycles/u\n") != std::string::npos);
    CHECK(callgrind_text(exported, {.periods = false}).find("\nsummary: 3 0 0 0 0\n") != std::string::npos);
}

TEST_CASE("Callgrind's format has hostile names as ASCII, each in a line", "[annotate][export]") {
    CraftedCalls crafted;
    auto& exported = crafted.exported;
    using namespace std::string_literals;
    exported.functions[0].name = "a\nfn=(9) b\0c\xff\xc3\xa9"s;
    exported.functions[1].name = " x";
    exported.objects[0].path = "";
    exported.tasks[0].comm = "(1)\t";
    const auto text = callgrind_text(exported);
    CHECK(text.find("\nfn=(1) a\\x0afn=(9) b\\x00c\\xff\\xc3\\xa9\n") == std::string::npos);  // the callee came first
    CHECK(text.find("\ncfn=(1) a\\x0afn=(9) b\\x00c\\xff\\xc3\\xa9\n") != std::string::npos);
    CHECK(text.find("\ncfn=(2) \\x20x\n") != std::string::npos);
    CHECK(text.find("\ncob=(1) \\x20\n") != std::string::npos);
    CHECK(text.find("\nfn=(3) command (1)\\x09\n") != std::string::npos);
    CHECK(text.find("\nfn=(2)\n") != std::string::npos);
}

TEST_CASE("Lines of another file in a function follow those of its own", "[annotate][export]") {
    CraftedCalls crafted;
    auto& exported = crafted.exported;
    exported.places[0].file = "b.h";
    exported.places[0].inlined = true;
    auto own = exported.places[0];
    own.file = "a.c";
    own.address = 99;
    exported.places.push_back(own);
    exported.nodes.push_back({ExportNode::none, 2});
    exported.rows.push_back({0, 2, ExportCells(exported.cells)});
    exported.totals = {{6, 60}};
    const auto text = callgrind_text(exported);
    CHECK(text.substr(text.find("\nob=(1)\n")) ==
          "\nob=(1)\n"
          "fl=(1)\n"
          "fn=(1)\n"
          "0x63 7 3 30\n"
          "fi=(2) b.h\n"
          "cob=(1)\n"
          "cfi=(1)\n"
          "cfn=(2) work\n"
          "calls=3 0x11 0\n"
          "0x10 7 3 30\n"
          "\nob=(1)\n"
          "fl=(1)\n"
          "fn=(2)\n"
          "0x11 8 3 30\n"
          "\ntotals: 6 60\n");
}

TEST_CASE("Callgrind's format has no more columns than its readers", "[annotate][export]") {
    CraftedCalls crafted;
    auto& exported = crafted.exported;
    exported.events.resize(102, {"x", 1, false, 0});
    exported.totals.resize(102, {1, 1});
    exported.cells = {{0, {3, 30}}, {100, {1, 1}}, {101, {1, 1}}};
    exported.rows[0].cells = ExportCells(exported.cells);
    const auto text = callgrind_text(exported);
    CHECK(text.find("\n# Left out: 2 further events, for which readers have no room.\n") != std::string::npos);
    CHECK(text.find(" x_99 ") != std::string::npos);
    CHECK(text.find("x_100") == std::string::npos);
    CHECK(text.find("\ncalls=3 ") != std::string::npos);
}

TEST_CASE("Without samples callgrind's format is still one", "[annotate][export]") {
    CHECK(callgrind_text({}).ends_with("positions: instr line\nevents: samples\nsummary: 0\n\ntotals: 0\n"));
}
