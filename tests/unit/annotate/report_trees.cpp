// SPDX-License-Identifier: MIT
// Trees of call chains in text and JSON: their forms, their numbers, and what is left out of them.
#include <algorithm>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/annotate/reported.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// tree_text(reported) returns the lines of rows and trees, without heads and notes.
std::string tree_lines(const Reported& reported) {
    std::string lines;
    std::istringstream text(letters(reported.text()));
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with('#') || line.empty()) continue;
        // A row: only its symbol.
        const auto symbol = line.find("  [k] ");
        lines += (symbol == std::string::npos ? line : line.substr(symbol + 2)) + '\n';
    }
    return lines;
}

ReportOptions trees(bool children, ReportTree tree, TreeStyle style, double limit = 0) {
    auto options = by_symbol(children, tree);
    options.tree_style = style;
    options.tree_limit = limit;
    return options;
}

Recording four_chains(Chains& chains) {
    constexpr std::uint64_t period = 100;
    for (int at = 0; at < 6; ++at) chains.sample("ab", 0, period);
    for (const std::string path : {"abc", "abc", "abd", "ac"}) chains.sample(path, 0, period);
    return chains.open();
}

}  // namespace

TEST_CASE("A graph has perf's layout: one line a branch, no share where there is no other",
          "[annotate][report][trees]") {
    Chains chains;
    const auto recording = four_chains(chains);
    const Reported reported(recording, trees(true, ReportTree::caller, TreeStyle::graph));
    CHECK(tree_lines(reported) == R"([k] a
            |
            ---a
               |
               |--90.00%--b
               |          |
               |          |--20.00%--c
               |          |
               |           --10.00%--d
               |
                --10.00%--c
[k] b
            |
            |--60.00%--a
            |          b
            |
             --30.00%--b
                       |
                       |--20.00%--c
                       |
                        --10.00%--d
[k] c
            |
            ---a
               |
               |--20.00%--b
               |          c
               |
                --10.00%--c
[k] d
            |
            ---a
               b
               d
)");
    // Callers, of samples in the function itself. A tree that only repeats the row is none.
    CHECK(tree_lines(Reported(recording, trees(false, ReportTree::callee, TreeStyle::graph, 15))) == R"([k] b
            |
            ---b
               a
[k] c
            |
            ---c
               |
                --20.00%--b
                          a
[k] d
)");
}

TEST_CASE("Shares of a fractal graph are of what continues from the node above", "[annotate][report][trees]") {
    Chains chains;
    const auto recording = four_chains(chains);
    CHECK(tree_lines(Reported(recording, trees(true, ReportTree::caller, TreeStyle::fractal))) == R"([k] a
            |
            ---a
               |
               |--90.00%--b
               |          |
               |          |--66.67%--c
               |          |
               |           --33.33%--d
               |
                --10.00%--c
[k] b
            |
            |--66.67%--a
            |          b
            |
             --33.33%--b
                       |
                       |--66.67%--c
                       |
                        --33.33%--d
[k] c
            |
            ---a
               |
               |--66.67%--b
               |          c
               |
                --33.33%--c
[k] d
            |
            ---a
               b
               d
)");
    // The limit is of the same, and what it leaves out is a line of its own. d is 10 % of all and 33 % of b's callees.
    const auto cut = tree_lines(Reported(recording, trees(true, ReportTree::caller, TreeStyle::fractal, 34)));
    INFO(cut);
    CHECK(cut.find(R"([k] a
            |
            ---a
               |
               |--90.00%--b
               |          |
               |          |--66.67%--c
               |           --33.33%--[...]
                --10.00%--[...]
)") != std::string::npos);
}

TEST_CASE("The chains of a folded row add up to the row, in either order and with children",
          "[annotate][report][trees]") {
    Chains chains;
    chains.sample("abcab", 0, 7).sample("ab", 0, 5).sample("ab", 0, 5).sample("abc", 0, 100).sample("c", 0, 3);
    chains.sample("aaab", 0, 11).sample("dae", 0, 13).sample("e", 0, 17).sample("ea", 0, 19);
    const auto recording = chains.open();
    std::size_t rows = 0;
    for (const bool children : {false, true}) {
        for (const auto order : {ReportTree::caller, ReportTree::callee}) {
            auto options = trees(children, order, TreeStyle::folded);
            options.tree_value = TreeValue::period;
            const Reported reported(recording, options);
            std::istringstream lines(letters(reported.text()));
            std::map<std::string, std::uint64_t> sums;
            std::string symbol;
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with('#') || line.empty()) continue;
                if (line.starts_with(' ')) {
                    symbol = line.substr(line.rfind(' ') + 1);
                    continue;
                }
                const auto names = line.substr(line.find(' ') + 1);
                INFO(line);
                // Each chain begins or ends with the row's function.
                const bool begins = names.front() == symbol.front(), ends = names.back() == symbol.front();
                CHECK((order == ReportTree::callee ? begins : ends || (children && begins)));
                sums[symbol] += std::stoull(line);
            }
            for (const auto& row : reported.report.rows) {
                const auto name = letters(reported.report.places[row.place].text());
                INFO(name << " " << children << " " << static_cast<int>(order));
                CHECK(sums[name] == (children ? row.total : row.self)[0].periods);
                ++rows;
            }
        }
    }
    CHECK(rows == 18);
}

TEST_CASE("Flat and folded rows have the samples of each chain, most first", "[annotate][report][trees]") {
    Chains chains;
    const auto recording = four_chains(chains);
    auto options = trees(true, ReportTree::caller, TreeStyle::folded);
    CHECK(tree_lines(Reported(recording, options)) == R"([k] a
60.00% a;b
20.00% a;b;c
10.00% a;b;d
10.00% a;c
[k] b
60.00% a;b
20.00% b;c
10.00% b;d
[k] c
20.00% a;b;c
10.00% a;c
[k] d
10.00% a;b;d
)");
    options.tree_value = TreeValue::count;
    options.tree_entries = 2;
    const Reported few(recording, options);
    CHECK(tree_lines(few).starts_with("[k] a\n6 a;b\n2 a;b;c\n[k] b\n"));
    CHECK(few.text().find("# 3 chains are left out by the print limit of -g\n") != std::string::npos);
    options = trees(false, ReportTree::callee, TreeStyle::flat, 15);
    options.tree_value = TreeValue::period;
    const Reported flat(recording, options);
    CHECK(tree_lines(flat) == R"([k] b
           600
                b
                a
[k] c
           200
                c
                b
                a
[k] d
)");
    CHECK(flat.text().find("# Chains with less than 15 percent are left out (-g ...,0 shows all)\n") !=
          std::string::npos);
    options.tree_limit = 0;
    CHECK(Reported(recording, options).text().find("left out") == std::string::npos);
    // Inner nodes have the limit of their own samples, not of those below.
    options = trees(true, ReportTree::caller, TreeStyle::folded, 35);
    const auto some = tree_lines(Reported(recording, options));
    CHECK(some.starts_with("[k] a\n60.00% a;b\n[k] b\n60.00% a;b\n[k] c\n"));
}

TEST_CASE("The print limit leaves out branches at each fork, and says how many", "[annotate][report][trees]") {
    Chains chains;
    const auto recording = four_chains(chains);
    auto options = trees(true, ReportTree::caller, TreeStyle::graph);
    options.tree_entries = 1;
    const Reported reported(recording, options);
    CHECK(tree_lines(reported).starts_with(R"([k] a
            |
            ---a
               |
                --90.00%--b
                          |
                           --20.00%--c
[k] b
            |
             --60.00%--a
                       b
[k] c
)"));
    CHECK(reported.text().find("# 4 branches are left out by the print limit of -g\n") != std::string::npos);
}

TEST_CASE("Trees by address tell the places in a function apart, in text and JSON", "[annotate][report][trees]") {
    Chains chains;
    chains.sample("ab").sample("aB").sample("AB").sample("AB");
    const auto recording = chains.open();
    auto options = trees(false, ReportTree::callee, TreeStyle::folded);
    CHECK(tree_lines(Reported(recording, options)) == "[k] b\n100.00% b;a\n");
    options.tree_key = TreeKey::address;
    const Reported reported(recording, options);
    CHECK(tree_lines(reported) == "[k] b\n50.00% b+0x8;a+0x8\n25.00% b+0x8;a+0x4\n25.00% b+0x4;a+0x4\n");
    const auto page = Json::parsed(reported.json());
    REQUIRE(page);
    const auto& callers = (*page)["rows"][std::size_t{0}]["callers"];
    CHECK(callers[std::size_t{0}]["offset"].number() == 8);
    CHECK(callers[std::size_t{0}]["callers"][std::size_t{0}]["offset"].number() == 8);
    CHECK(callers[std::size_t{1}]["offset"].number() == 4);
    CHECK((*page)["call_graph"]["key"].text() == "address");
    // Lines are not known here: functions stay apart, which perf joins.
    options.tree_key = TreeKey::line;
    CHECK(tree_lines(Reported(recording, options)) == "[k] b\n100.00% b;a\n");
}

TEST_CASE("JSON has the trees, how they were asked for, and where chains end", "[annotate][report][trees]") {
    Chains chains;
    const auto recording = four_chains(chains);
    auto options = trees(true, ReportTree::caller, TreeStyle::fractal, 1.5);
    options.tree_value = TreeValue::count;
    options.tree_entries = 7;
    const auto page = Json::parsed(Reported(recording, options).json());
    REQUIRE(page);
    const auto& graph = (*page)["call_graph"];
    CHECK(graph["type"].text() == "fractal");
    CHECK(graph["order"].text() == "caller");
    CHECK(graph["key"].text() == "function");
    CHECK(graph["value"].text() == "count");
    CHECK(graph["print_limit"].number() == 7);
    CHECK((*page)["small_branches"].number() == 0);
    // In each tree what ends at a node and what continues below it are its samples.
    std::size_t nodes = 0;
    const auto check = [&](auto& self, const Json& list) -> std::uint64_t {
        std::uint64_t all = 0;
        for (std::size_t at = 0; at < list.size(); ++at) {
            const auto& node = list[at];
            ++nodes;
            const auto ends = node.has("ends") ? node["ends"]["hits"][std::size_t{0}].number() : 0;
            const auto hits = node["hits"][std::size_t{0}].number();
            CHECK(ends + self(self, node["callees"]) == hits);
            all += hits;
        }
        return all;
    };
    for (std::size_t at = 0; at < (*page)["rows"].size(); ++at) {
        const auto& row = (*page)["rows"][at];
        CHECK(check(check, row["callees"]) == row["with_callers"][std::size_t{0}].number());
    }
    CHECK(nodes == 17);
}

TEST_CASE("Samples below a parent are a row of their own: the innermost, or the outermost",
          "[annotate][report][trees]") {
    Chains chains;
    chains.sample("abc").sample("abdc").sample("ac").sample("c").sample("dbc");
    const auto recording = chains.open();
    auto options = by_symbol(false, ReportTree::none);
    options.keys = {ReportKey::symbol, ReportKey::parent};
    const auto b = Chains::name('b'), d = Chains::name('d');
    options.parent = NamePattern::parse("^(" + b + "|" + d + ")$").value();
    const auto rows = [&] {
        const Reported reported(recording, options);
        std::map<std::string, std::uint64_t> found;
        for (const auto& row : reported.report.rows) {
            const auto parent = reported.report.tasks[row.task].parent;
            auto name = letters(reported.report.places[row.place].text() + " below " + std::string(parent));
            found[name] = hits(options.children ? row.total : row.self);
        }
        return found;
    };
    using Rows = std::map<std::string, std::uint64_t>;
    CHECK(rows() == Rows{{"c below b", 2}, {"c below d", 1}, {"c below ", 2}});
    options.tree = ReportTree::caller;
    CHECK(rows() == Rows{{"c below b", 2}, {"c below d", 1}, {"c below ", 2}});
    options.children = true;
    CHECK(rows() == Rows{{"a below b", 2},
                         {"b below b", 2},
                         {"c below b", 2},
                         {"d below b", 1},
                         {"b below d", 1},
                         {"c below d", 1},
                         {"d below d", 1},
                         {"a below ", 1},
                         {"c below ", 2}});
    options.tree = ReportTree::callee;
    CHECK(rows().at("c below b") == 2);
    // The sampled function is one of those that are searched, too.
    options.children = false;
    options.parent = NamePattern::parse(Chains::name('c')).value();
    CHECK(rows() == Rows{{"c below c", 5}});

    options.parent = NamePattern::parse(d).value();
    options.exclude_other = true;
    const Reported reported(recording, options);
    CHECK(rows() == Rows{{"c below d", 2}});
    CHECK(reported.report.kept[0].hits == 2);
    CHECK(reported.report.whole[0].hits == 5);
    CHECK(reported.text().find("# Filters keep 2 of 5 samples: --exclude-other drops 3; percentages are of 5") !=
          std::string::npos);
    const auto page = Json::parsed(reported.json());
    REQUIRE(page);
    CHECK((*page)["dropped"]["exclude-other"].number() == 3);
    CHECK((*page)["rows"][std::size_t{0}]["parent"].text() == d);
    options.parent.reset();  // perf's default
    CHECK(rows().empty());
    options.exclude_other = false;
    CHECK(rows() == Rows{{"c below ", 5}});
    CHECK(letters(Reported(recording, options).text()).find("[k] c  [other]\n") != std::string::npos);
}

TEST_CASE("Where callees are ignored, the outermost function that matches has their samples",
          "[annotate][report][trees]") {
    Chains chains;
    chains.sample("abc").sample("abdb").sample("eb").sample("ac").sample("ebab").sample("abc");
    const auto recording = chains.open();
    auto options = trees(false, ReportTree::callee, TreeStyle::folded);
    options.tree_value = TreeValue::count;
    options.ignore_callees = NamePattern::parse(Chains::name('b')).value();
    CHECK(tree_lines(Reported(recording, options)) == "[k] b\n3 b;a\n2 b;e\n[k] c\n1 c;a\n");
    options.tree = ReportTree::caller;
    options.children = true;
    CHECK(tree_lines(Reported(recording, options)) ==
          "[k] b\n3 a;b\n2 e;b\n[k] a\n3 a;b\n1 a;c\n[k] e\n2 e;b\n[k] c\n1 a;c\n");
    // It does not take trees, and parents are those of the whole chain.
    options = by_symbol(false, ReportTree::none);
    options.ignore_callees = NamePattern::parse(Chains::name('b')).value();
    options.parent = NamePattern::parse(Chains::name('d')).value();
    options.keys = {ReportKey::symbol, ReportKey::parent};
    const auto text = letters(Reported(recording, options).text());
    INFO(text);
    CHECK(text.find("[k] b  [other]\n") != std::string::npos);
    CHECK(text.find("[k] b  d\n") != std::string::npos);
}

TEST_CASE("Branches of any depth are shown, indented so far only", "[annotate][report][trees]") {
    Chains chains;
    std::string path;
    for (int at = 0; at < 100; ++at) chains.sample(path += "ab");
    const auto recording = chains.open();
    const auto options = trees(false, ReportTree::caller, TreeStyle::graph);
    // Each chain ends where the next one goes on.
    const Reported reported(recording, options, 1024);
    const auto text = letters(reported.text());
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    CHECK(longest > 64 * 11);
    CHECK(longest < 64 * 11 + 60);
    CHECK(text.find("[level 99] ") != std::string::npos);
}
