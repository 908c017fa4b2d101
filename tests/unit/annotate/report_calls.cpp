// SPDX-License-Identifier: MIT
// Sums over call chains: what they are, the memory that they take, and the same report from any number of threads.
#include "report/report_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "report/report_tree.hpp"
#include "support/random.hpp"
#include "unit/annotate/reported.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto none = ChainNode::none;

ReportOptions by_thread(ReportTree tree, double limit) {
    ReportOptions options;
    options.keys = {ReportKey::tid, ReportKey::symbol};
    options.children = true;
    options.tree = tree;
    options.tree_limit = limit;
    return options;
}

// Chains of up to `depth` calls between five functions, so that most are recursive, in so many threads. The first has
// so many of 100 samples before the rest are dealt out.
Recording many_chains(Chains& chains, std::size_t samples, std::uint32_t threads, unsigned depth = 8,
                      unsigned first = 0) {
    Random random(7);
    for (std::size_t at = 0; at < samples; ++at) {
        std::string path;
        for (auto left = 1 + random.below(depth); left != 0; --left) path += static_cast<char>('a' + random.below(5));
        const auto tid = at % 100 < first ? 0 : static_cast<std::uint32_t>(random.below(threads));
        chains.sample(path, 0, 1 + random.below(1000), 1 + tid);
    }
    return chains.open();
}

// place_of_frame(counts) returns each frame as a place of its own, but the first frame has none.
std::vector<std::uint32_t> places(const SampleCounts& counts) {
    std::vector<std::uint32_t> place;
    for (std::uint32_t frame = 0; frame < counts.frames().size(); ++frame) {
        place.push_back(frame == 0 ? no_place : frame - 1);
    }
    return place;
}

bool is_same(const std::vector<ReportNode>& a, const std::vector<ReportNode>& b) {
    return std::ranges::equal(a, b, [](const ReportNode& one, const ReportNode& other) {
        return one.place == other.place && one.cells == other.cells && one.ends == other.ends &&
               is_same(one.below, other.below);
    });
}

void check_same(const Report& one, const Report& other) {
    REQUIRE(one.rows.size() == other.rows.size());
    for (std::size_t row = 0; row < one.rows.size(); ++row) {
        const auto& a = one.rows[row];
        const auto& b = other.rows[row];
        REQUIRE(a.task == b.task);
        REQUIRE(a.place == b.place);
        REQUIRE(std::ranges::equal(a.self, b.self));
        REQUIRE(std::ranges::equal(a.total, b.total));
        REQUIRE(is_same(a.tree, b.tree));
    }
    REQUIRE(one.places.size() == other.places.size());
    for (std::size_t place = 0; place < one.places.size(); ++place) {
        CHECK(one.places[place].text() == other.places[place].text());
        CHECK(one.places[place].object == other.places[place].object);
        CHECK(one.places[place].address == other.places[place].address);
        CHECK(one.places[place].level == other.places[place].level);
        CHECK(one.places[place].kind == other.places[place].kind);
    }
    CHECK(one.tree_places.size() == other.tree_places.size());
    CHECK(one.whole == other.whole);
    CHECK(one.kept == other.kept);
    CHECK(one.small_branches == other.small_branches);
    CHECK(one.rows_without_tree == other.rows_without_tree);
    CHECK(one.no_symbol.size() == other.no_symbol.size());
}

}  // namespace

TEST_CASE("A report has the same rows and trees for any number of threads", "[annotate][report][jobs]") {
    Chains chains;
    const auto recording = many_chains(chains, 30000, 40);
    for (const auto tree : {ReportTree::caller, ReportTree::callee, ReportTree::none}) {
        auto options = by_thread(tree, 0.05);
        const Reported one(recording, options);
        CHECK(one.counts.rows().size() > 3 * 4096);  // there are several parts
        CHECK(one.report.rows.size() == 200);
        if (tree != ReportTree::none) CHECK(one.report.small_branches != 0);
        for (const unsigned jobs : {2u, 7u}) {
            options.jobs = jobs;
            const Reported several(recording, options);
            check_same(one.report, several.report);
            CHECK(several.text() == one.text());
            CHECK(several.json() == one.json());
        }
    }
}

TEST_CASE("Trees of large and small tasks are the same for any number of threads", "[annotate][report][jobs]") {
    for (const auto& [threads, first] : {std::pair{1u, 0u}, std::pair{40u, 60u}}) {
        Chains chains;
        const auto recording = many_chains(chains, 30000, threads, 16, first);
        // Without a limit they have too many nodes: which rows lack a tree does not depend on threads either.
        for (const double limit : {0.05, 0.0}) {
            for (const auto tree : {ReportTree::caller, ReportTree::callee}) {
                for (const bool children : {true, false}) {
                    INFO(threads << " threads, first " << first << ", limit " << limit << ", children " << children);
                    auto options = by_thread(tree, limit);
                    options.children = children;
                    const Reported one(recording, options);
                    CHECK(one.counts.chains().size() >= std::size_t{1} << 16);  // or all grow on one thread
                    if (children && limit == 0) CHECK(one.report.rows_without_tree != 0);
                    for (const unsigned jobs : {2u, 7u}) {
                        if (limit == 0 && jobs == 2) continue;  // once is enough: it takes long
                        options.jobs = jobs;
                        check_same(one.report, Reported(recording, options).report);
                    }
                }
            }
        }
    }
}

TEST_CASE("Rows count the samples that pass their place, once each", "[annotate][report]") {
    Chains chains;
    const auto recording = many_chains(chains, 2000, 3);
    const Reported reported(recording, by_thread(ReportTree::none, 0));
    std::map<std::pair<std::uint32_t, std::uint32_t>, EventCount> self, total;  // by task and frame
    const auto nodes = reported.counts.chains();
    for (std::size_t number = 0; number < reported.counts.rows().size(); ++number) {
        const auto& row = reported.counts.rows()[number];
        const auto cell = reported.counts.cells(number)[0];
        self[{row.task, nodes[row.chain].frame}] += cell;
        std::set<std::uint32_t> frames;
        for (auto node = row.chain; node != none; node = nodes[node].caller) frames.insert(nodes[node].frame);
        for (const auto frame : frames) total[{row.task, frame}] += cell;
    }
    CHECK(reported.report.rows.size() == total.size());
    for (const auto& row : reported.report.rows) {
        // Each function is one frame and one place.
        CHECK(row.self[0] == self[{row.task, row.place}]);
        CHECK(row.total[0] == total[{row.task, row.place}]);
    }
}

TEST_CASE("Sums, callees and outer nodes of chains are those that a walk along each chain finds",
          "[annotate][report]") {
    Chains chains;
    const auto recording = many_chains(chains, 3000, 3);
    const Reported reported(recording, by_thread(ReportTree::none, 0));
    const auto& counts = reported.counts;
    const auto nodes = counts.chains();
    const auto place = places(counts);
    const std::vector<std::size_t> columns{0};
    const TaskRows rows(counts);
    const Callees callees(nodes);
    const auto nearest = outer_nodes(nodes, callees, place, Outer::nearest);
    const auto outermost = outer_nodes(nodes, callees, place, Outer::outermost);
    std::vector<std::vector<std::uint32_t>> below(nodes.size());
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node].caller != none) below[nodes[node].caller].push_back(node);
        std::uint32_t first = none, last = none;
        for (auto at = nodes[node].caller; at != none; at = nodes[at].caller) {
            if (place[nodes[at].frame] != place[nodes[node].frame]) continue;
            if (first == none) first = at;
            last = at;
        }
        REQUIRE(nearest[node] == first);
        REQUIRE(outermost[node] == last);
    }
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        std::vector<std::uint32_t> found;
        callees.each(node, [&](std::uint32_t callee) { found.push_back(callee); });
        std::ranges::sort(found);
        REQUIRE(found == below[node]);
    }
    TaskCalls calls(counts, columns, rows);
    for (std::uint32_t task = 0; task < rows.tasks(); ++task) {
        std::map<std::uint32_t, EventCount> sums;
        for (const auto row : rows.of(task)) {
            CHECK(counts.rows()[row].task == task);
            for (auto node = counts.rows()[row].chain; node != none; node = nodes[node].caller) {
                sums[node] += counts.cells(row)[0];
            }
        }
        std::set<std::uint32_t> touched;
        calls.load(task, [&](std::uint32_t node) { CHECK(touched.insert(node).second); });
        CHECK(touched.size() == sums.size());
        CHECK(calls.size() == sums.size());
        for (std::uint32_t node = 0; node < nodes.size(); ++node) REQUIRE(calls.holds(node) == sums.contains(node));
        auto next = sums.begin();
        calls.each([&](std::uint32_t node, std::span<const EventCount> sum) {
            REQUIRE(node == next->first);
            REQUIRE(sum[0] == next->second);
            REQUIRE(calls.sum(node)[0] == next->second);
            ++next;
        });
        CHECK(next == sums.end());
    }
}

TEST_CASE("Sums over chains take few bytes for a node and a row", "[annotate][report][memory]") {
    Chains chains;
    const auto recording = many_chains(chains, 20000, 4);
    const Reported reported(recording, by_thread(ReportTree::none, 0));
    const auto& counts = reported.counts;
    const auto nodes = counts.chains().size();
    const std::vector<std::size_t> columns{0};
    const TaskRows rows(counts);
    CHECK(rows.bytes() == 4 * (counts.rows().size() + counts.tasks().size() + 1));
    SharedCalls calls(Callees(counts.chains()), counts, columns, rows, places(counts), Outer::outermost);
    std::size_t others = 0, largest = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) {
        const auto caller = counts.chains()[node].caller;
        others += caller != none && caller + 1 != node;
    }
    CHECK(calls.callees.bytes() == 8 * (others + (nodes + 63) / 64) + 4 * ((nodes + 63) / 64 + 1));
    CHECK(calls.outer.capacity() == nodes);
    for (std::uint32_t task = 0; task < rows.tasks(); ++task) {
        calls.tasks.load(task);
        largest = std::max(largest, calls.tasks.size());
    }
    CHECK(largest < nodes);
    // Loaded one after the other, tasks grow the sums to no more than twice the largest.
    CHECK(calls.tasks.bytes() <= 2 * 16 * largest + nodes * 3 / 8 + 64);
    CHECK(sizeof(ReportPlace) <= 112);
    CHECK(sizeof(ReportRow) <= 64);
}
