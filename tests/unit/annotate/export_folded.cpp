// SPDX-License-Identifier: MIT
#include <span>
#include <string>

#include "catch.hpp"
#include "export/folded.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Exported exported_calls(const AnnotatedScene& opened, bool addresses, bool samples = false) {
    ExportedOptions options;
    options.addresses = addresses;
    options.samples = samples;
    return Exported::make(opened.recording, opened.symbolizer, options).value();
}

std::string folded(Calls& calls, const FoldedOptions& options = {}) {
    const AnnotatedScene opened(calls.scene());
    std::string text;
    write_folded(exported_calls(opened, false), options, [&text](std::string_view block) { text += block; });
    return text;
}

}  // namespace

TEST_CASE("Folded stacks have each stack once, callers first", "[annotate][export]") {
    Calls calls;
    calls.sample("abc", 3).sample("ab", 2).sample("ad").sample("e", 4).sample("aba").sample("ab");
    CHECK(folded(calls, {.kinds = false}) ==
          ":50529026;a;b 3\n"
          ":50529026;a;b;a 1\n"
          ":50529026;a;b;b/c 3\n"
          ":50529026;a;b/d 1\n"
          ":50529026;b/e 4\n");
}

TEST_CASE("Folded stacks mark kinds of code, and count periods on request", "[annotate][export]") {
    Calls calls;
    calls.sample("ab", 2).sample("a?");
    CHECK(folded(calls, {.periods = true}) ==
          ":50529026;a_[b];[unknown]_[k] 10\n"
          ":50529026;a_[b];b_[b] 20\n");
}

TEST_CASE("With several events each is the root of its folded stacks", "[annotate][export]") {
    Calls calls;
    calls.sample("ab", 3).sample("ac", 2, 1).sample("ab", 1, 1);
    CHECK(folded(calls, {.kinds = false}) ==
          "cpu-clock:HG#1;:50529026;a;b 3\n"
          "cpu-clock:HG#2;:50529026;a;b 1\n"
          "cpu-clock:HG#2;:50529026;a;b/c 2\n");
}

TEST_CASE("Lines of folded stacks have one number, and no reader takes them for something else", "[annotate][export]") {
    Exported exported;
    exported.events = {{"cycles", 0, false, 0}};
    exported.tasks = {{"# x", Pid{1}, Tid{1}}, {" y", Pid{2}, Tid{2}}};
    exported.objects.emplace_back();
    exported.functions = {{"evil 1000", {}, {}, 0, 0, CodeClass::user, {}}, {"a;b", {}, {}, 0, 0, CodeClass::user, {}}};
    exported.places = {{0, 0, 0, {}, 0, 0, false}, {1, 0, 0, {}, 0, 0, false}};
    exported.nodes = {{ExportNode::none, 1}, {0, 0}};
    exported.cells = {{0, {1, 5}}, {0, {2, 7}}};
    const std::span<const ExportCell> cells(exported.cells);
    exported.rows = {{0, 1, ExportCells(cells.first(1))}, {1, 1, ExportCells(cells.last(1))}};
    std::string text;
    write_folded(exported, {}, [&text](std::string_view block) { text += block; });
    CHECK(text == "_ x;a:b;evil_1000 1\n_y;a:b;evil_1000 2\n");
    exported.functions[1].name = std::string(100'000, 'z');
    text.clear();
    write_folded(exported, {}, [&text](std::string_view block) { text += block; });
    CHECK(text.size() < 2000);
}

TEST_CASE("Exported samples are in the order of time, and add up to the rows", "[annotate][export]") {
    Calls calls;
    calls.sample("ab", 3).sample("ac", 2, 1).sample("a", 1);
    const AnnotatedScene opened(calls.scene());
    const auto exported = exported_calls(opened, true, true);
    REQUIRE(exported.samples.size() == 6);
    std::vector<EventCounts> sums(exported.nodes.size(), EventCounts(exported.events.size()));
    std::uint64_t last = 0;
    for (const auto& sample : exported.samples) {
        CHECK(sample.nanoseconds > last);
        last = sample.nanoseconds;
        sums[sample.node][sample.column] += {1, sample.periods};
    }
    for (const auto& row : exported.rows) {
        for (std::size_t column = 0; column < 2; ++column) CHECK(sums[row.node][column] == row.cells[column]);
    }
    CHECK(exported.totals == EventCounts{{4, 40}, {2, 20}});
}

TEST_CASE("Exported callers have the address of their call, and objects the range of their places",
          "[annotate][export]") {
    Calls calls;
    calls.sample("bc");
    const AnnotatedScene opened(calls.scene());
    const auto exported = exported_calls(opened, true);
    REQUIRE(exported.nodes.size() == 2);
    const auto& caller = exported.places[exported.nodes[0].place];
    const auto& leaf = exported.places[exported.nodes[1].place];
    CHECK(exported.nodes[1].caller == 0);
    CHECK(caller.address == 0x1103);
    CHECK(leaf.address == 0x1204);
    REQUIRE(exported.objects.size() == 1);
    const auto& object = exported.objects[0];
    CHECK(object.begin == 0x1103);
    CHECK(object.end == 0x1205);
    CHECK(object.kind == CodeClass::bpf);
    CHECK(object.build_id == "0000000000000001");
    CHECK(object.path == "[bpf:1:b]");
}
