// SPDX-License-Identifier: MIT
#include "perfdata/annotate/listing/flame.hpp"

#include <algorithm>

#include "catch.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Drawn {
    explicit Drawn(Calls& calls, const FlameOptions& options = {.least_percent = 0}, bool chains = true)
        : opened(calls.scene()),
          counts(SampleCounts::count(opened.recording, opened.timeline, flame_counting(opened.symbolizer, chains))
                     .value()),
          flame(Flame::make(counts, opened.symbolizer, options)) {}

    std::string name(const FlameNode& node) const {
        const auto& of = flame.names[node.name];
        switch (of.role) {
            case FlameRole::all: return "all";
            case FlameRole::task: return "task";
            case FlameRole::smaller: return std::to_string(node.smaller) + " smaller";
            case FlameRole::code: break;
        }
        return of.symbol.empty() ? "?" : of.symbol.substr(of.symbol.rfind('/') + 1);
    }
    // text() returns "all 3(task 3(a 3(b 2)))" for the first event.
    std::string text() const {
        std::string text;
        std::uint32_t depth = 0;
        for (const auto& node : flame.nodes) {
            if (!text.empty() && node.depth > depth) text += "(";
            if (!text.empty() && node.depth == depth) text += " ";
            if (node.depth < depth) text += std::string(depth - node.depth, ')') + " ";
            depth = node.depth;
            text += name(node) + " " + std::to_string(node.cells[0].hits);
        }
        return text + std::string(depth, ')');
    }

    AnnotatedScene opened;
    SampleCounts counts;
    Flame flame;
};

// Each node has at least the sum of its children, in every event.
void check_sums(const Flame& flame) {
    for (std::size_t parent = 0; parent < flame.nodes.size(); ++parent) {
        EventCounts below(flame.events.size());
        for (auto at = parent + 1; at < flame.nodes.size() && flame.nodes[at].depth > flame.nodes[parent].depth; ++at) {
            REQUIRE(flame.nodes[at].depth <= flame.nodes[at - 1].depth + 1);
            if (flame.nodes[at].depth == flame.nodes[parent].depth + 1) add(below, flame.nodes[at].cells);
        }
        for (std::size_t event = 0; event < below.size(); ++event) {
            CHECK(below[event].hits <= flame.nodes[parent].cells[event].hits);
            CHECK(below[event].periods <= flame.nodes[parent].cells[event].periods);
        }
    }
}

}  // namespace

TEST_CASE("A flame graph is the tree of calls", "[annotate][flame]") {
    Calls calls;
    calls.sample("abc", 3).sample("ab", 2).sample("ad").sample("e", 4).sample("aba");
    const Drawn drawn(calls);
    CHECK(drawn.text() == "all 11(task 11(a 7(b 6(c 3 a 1) d 1) e 4))");
    CHECK(drawn.flame.chains);
    CHECK(drawn.flame.nodes[0].cells == drawn.counts.totals());
    check_sums(drawn.flame);
}

TEST_CASE("A flame graph counts all events", "[annotate][flame]") {
    Calls calls;
    calls.sample("ab", 3).sample("ac", 2, 1).sample("ab", 1, 1);
    const Drawn drawn(calls);
    REQUIRE(drawn.flame.events.size() == 2);
    CHECK(drawn.text() == "all 3(task 3(a 3(b 3 c 0)))");
    CHECK(drawn.flame.nodes[2].cells == EventCounts{{3, 30}, {3, 30}});
    CHECK(drawn.flame.nodes[3].cells == EventCounts{{3, 30}, {1, 10}});
    CHECK(drawn.flame.nodes[4].cells == EventCounts{{0, 0}, {2, 20}});
    check_sums(drawn.flame);
}

TEST_CASE("Small branches of a flame graph are drawn together", "[annotate][flame]") {
    Calls calls;
    calls.sample("a", 90).sample("ab", 8).sample("ac").sample("ade");
    const Drawn drawn(calls, {.least_percent = 5});
    CHECK(drawn.text() == "all 100(task 100(a 100(b 8 2 smaller 2)))");
    check_sums(drawn.flame);
    // A branch is large if it is large in any event.
    calls.sample("ac", 1, 1);
    CHECK(Drawn(calls, {.least_percent = 5}).text() == "all 100(task 100(a 100(b 8 c 1 1 smaller 1)))");
}

TEST_CASE("A flame graph has no more nodes than asked for", "[annotate][flame]") {
    Calls calls;
    calls.sample("a", 50).sample("ab", 20).sample("ac", 10).sample("ad", 5).sample("bcd", 2).sample("e");
    const Drawn all(calls);
    for (std::size_t most = 1; most < all.flame.nodes.size(); ++most) {
        const Drawn drawn(calls, {.least_percent = 0, .most_nodes = most});
        const auto large = std::ranges::count_if(drawn.flame.nodes, [&](const auto& node) {
            return drawn.flame.names[node.name].role != FlameRole::smaller;
        });
        CHECK(static_cast<std::size_t>(large) <= most);
        CHECK(drawn.flame.least_percent > 0);
        CHECK(static_cast<std::size_t>(large) == most);
        CHECK(drawn.flame.nodes[0].cells == all.flame.nodes[0].cells);
        check_sums(drawn.flame);
    }
    CHECK(Drawn(calls, {.least_percent = 0, .most_nodes = all.flame.nodes.size()}).text() == all.text());
}

TEST_CASE("Of equal branches too many for a flame graph the deepest are drawn together", "[annotate][flame]") {
    Calls calls;
    calls.sample("abcde", 10).sample("abd", 10);
    const Drawn drawn(calls, {.least_percent = 0, .most_nodes = 6});
    CHECK(drawn.text() == "all 20(task 20(a 20(b 20(c 10(1 smaller 10) d 10))))");
    CHECK(drawn.flame.cut_deepest);
    CHECK(drawn.flame.least_percent == 50);
    check_sums(drawn.flame);
    const Drawn less(calls, {.least_percent = 0, .most_nodes = 4});
    CHECK(less.text() == "all 20(task 20(a 20(b 20(2 smaller 20))))");
    CHECK_FALSE(less.flame.cut_deepest);
    CHECK(less.flame.least_percent > 50);
    CHECK_FALSE(Drawn(calls).flame.cut_deepest);
}

TEST_CASE("A flame graph has frames of any depth that is counted", "[annotate][flame]") {
    Calls calls;
    std::string path;
    while (path.size() < SampleCountOptions().max_stack) path += "ab";
    calls.sample(path, 3);
    const Drawn drawn(calls);
    CHECK(drawn.flame.nodes.size() == path.size() + 2);
    CHECK(drawn.flame.nodes.back().depth == path.size() + 1);
    CHECK(drawn.flame.nodes.back().cells[0].hits == 3);
    check_sums(drawn.flame);
}

TEST_CASE("What is called from too deep counts where the flame graph ends", "[annotate][flame]") {
    Calls calls;
    calls.sample("abcde", 2).sample("abc", 3);
    const Drawn shallow(calls, {.least_percent = 0, .most_depth = 3});
    CHECK(shallow.text() == "all 5(task 5(a 5(b 5)))");
    CHECK(shallow.flame.deep == 5);
    CHECK(Drawn(calls, {.least_percent = 0, .most_depth = 4}).flame.deep == 2);
    CHECK(Drawn(calls, {.least_percent = 0, .most_depth = 6}).flame.deep == 0);
}

TEST_CASE("Without call chains a flame graph has the functions of each command", "[annotate][flame]") {
    Calls calls;
    calls.sample("abc", 3).sample("e");
    const Drawn drawn(calls, {.least_percent = 0}, false);
    CHECK(drawn.text() == "all 4(task 4(c 3 e 1))");
    CHECK_FALSE(drawn.flame.chains);
}

TEST_CASE("Code without a name has its place in a flame graph", "[annotate][flame]") {
    Calls calls;
    calls.sample("a?b", 3).sample("a?", 2);
    CHECK(Drawn(calls).text() == "all 5(task 5(a 5(? 5(b 3))))");
}

TEST_CASE("A flame graph of no samples is its root", "[annotate][flame]") {
    Calls calls;
    const Drawn drawn(calls);
    REQUIRE(drawn.flame.nodes.size() == 1);
    CHECK(hits(drawn.flame.nodes[0].cells) == 0);
}
