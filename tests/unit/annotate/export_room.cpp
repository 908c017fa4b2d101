// SPDX-License-Identifier: MIT
// Stacks that share their callers are spelled up to a limit.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "catch.hpp"
#include "export/csv_tables.hpp"
#include "export/folded.hpp"
#include "export/pprof.hpp"
#include "export/speedscope.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Returns a chain of `depth` functions, each sampled once.
Exported chain_of(std::uint32_t depth, std::uint64_t most_places) {
    Exported exported;
    exported.most_places = most_places;
    exported.events = {{"cycles", 0, false, 0}};
    exported.totals = {{depth, depth}};
    exported.tasks = {{"x", Pid{1}, Tid{1}}};
    exported.objects.emplace_back();
    for (std::uint32_t at = 0; at < depth; ++at) {
        exported.functions.push_back({"f" + std::to_string(at), {}, {}, 0, 0, CodeClass::user, {}});
        exported.places.push_back({at, 0, at, {}, 0, 0, false});
        exported.nodes.push_back({at == 0 ? ExportNode::none : at - 1, at});
        exported.cells.push_back({0, {1, 1}});
        exported.samples.push_back({at + 1, 1, 0, 0, at});
    }
    for (std::uint32_t at = 0; at < depth; ++at) {
        exported.rows.push_back({0, at, ExportCells(std::span(exported.cells).subspan(at, 1))});
    }
    return exported;
}

struct Spelled {
    std::string text;
    std::uint64_t cut = 0;

    Sink sink() {
        return [this](std::string_view part) { text += part; };
    }
    auto count(char c) const { return std::ranges::count(text, c); }
};

}  // namespace

TEST_CASE("Stacks have all of their callers while there is room, then none", "[annotate][export]") {
    constexpr std::uint32_t depth = 6;
    Spelled folded;
    folded.cut = write_folded(chain_of(depth, 1000), {}, folded.sink());
    CHECK(folded.cut == 0);
    CHECK(folded.count(';') == depth * (depth + 1) / 2);
    folded = {};
    folded.cut = write_folded(chain_of(depth, 8), {}, folded.sink());
    // 1 + 2 + 3 places, then 2 of the next stack, and one of each other.
    CHECK(folded.cut == 3);
    CHECK(folded.text == "x;f0 1\nx;f0;f1 1\nx;f0;f1;f2 1\nx;f2;f3 1\nx;f4 1\nx;f5 1\n");
    Spelled speedscope;
    speedscope.cut = write_speedscope(chain_of(depth, 8), {}, speedscope.sink());
    CHECK(speedscope.cut == 3);
    CHECK(speedscope.text.contains("[6,0],[6,0,1],[6,0,1,2],[6,2,3],[6,4],[6,5]"));
    Spelled pprof;
    pprof.cut = write_pprof(chain_of(depth, 8), {}, pprof.sink()).stacks;
    CHECK(pprof.cut == 3);
    Calls calls;
    calls.sample("ab");
    const AnnotatedScene opened(calls.scene());
    Spelled csv;
    csv.cut = write_csv_table(chain_of(depth, 8), opened.symbolizer, CsvTable::stacks, csv.sink());
    CHECK(csv.cut == 3);
    CHECK(csv.count('\n') == 1 + 8 + 2);
}
