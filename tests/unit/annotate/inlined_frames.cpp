// SPDX-License-Identifier: MIT
// Inlined functions in reports, scripts and flame graphs.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/report.hpp"

#include "catch.hpp"
#include "script/script.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using S = InlinedScene;

// InlinedTold is a report of an opened scene.
struct InlinedTold {
    InlinedTold(const OpenedInlined& opened, const ReportOptions& options)
        : counts(SampleCounts::count(opened.recording, opened.timeline, count_options(options, opened.symbolizer))
                     .value()),
          report(Report::make(opened.recording, counts, opened.symbolizer, options)) {}

    // rows() returns "children self" by name.
    std::map<std::string, std::string> rows() const {
        std::map<std::string, std::string> found;
        for (const auto& row : report.rows) {
            found[report.places[row.place].text()] =
                std::to_string(hits(row.total)) + " " + std::to_string(hits(row.self));
        }
        return found;
    }
    std::string tree(const std::vector<ReportNode>& nodes) const {
        std::string text;
        for (const auto& node : nodes) {
            const auto& place = report.tree_places[node.place];
            text += (text.empty() ? "" : " ") + std::string(place.symbol) + (place.inlined ? "!" : "") + "(" +
                    std::to_string(node.cells[0].hits) + (node.below.empty() ? "" : " " + tree(node.below)) + ")";
        }
        return text;
    }
    // tree(name) returns the tree of its row: "main(3 work(3 outer!(3)))".
    std::string tree(std::string_view name) const {
        for (const auto& row : report.rows) {
            if (report.places[row.place].text() == name) return tree(row.tree);
        }
        FAIL("no row " << name);
        return {};
    }
    std::string text() const {
        std::string out;
        write_report_text(report, {}, [&](std::string_view part) { out += part; });
        return out;
    }
    std::string json() const {
        std::string out;
        write_report_json(report, [&](std::string_view part) { out += part; });
        return out;
    }

    SampleCounts counts;
    Report report;
};

ReportOptions by(std::vector<ReportKey> keys, bool children, ReportTree tree) {
    ReportOptions options;
    options.keys = std::move(keys);
    options.children = children;
    options.tree = tree;
    return options;
}
ReportOptions by_symbol(bool children, ReportTree tree) {
    return by({ReportKey::symbol}, children, tree);
}

// Ten samples, all below main.
struct Ten {
    Ten() {
        scene.chain({S::turn, S::outer + 2, S::main + 5}, 4).chain({S::step, S::outer + 2, S::main + 5}, 2);
        scene.chain({S::leaf + 0x30, S::main + 5}, 1).chain({S::plain, S::turn + 2, S::main + 5}, 3);
    }
    S scene;
};

std::string script(const OpenedInlined& opened, ScriptOptions options, ScriptCounts* counts = nullptr) {
    std::string text;
    REQUIRE(options.fields.fit(opened.recording, options.chains));
    const auto written =
        write_script(opened.recording, opened.symbolizer, options, [&](std::string_view part) { text += part; });
    REQUIRE(written);
    if (counts != nullptr) *counts = *written;
    return text;
}

// frames(text) returns the lines of frames: those that begin with a tab.
std::vector<std::string> frames(const std::string& text) {
    std::vector<std::string> found;
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
        if (text[begin] != '\t') continue;
        const auto line = text.substr(begin + 1, end - begin - 1);
        found.push_back(line.substr(line.find_first_not_of(' ')));
    }
    return found;
}

}  // namespace

TEST_CASE("Inlined functions have rows without samples of their own", "[annotate][report][inlined]") {
    Ten ten;
    const OpenedInlined opened(ten.scene);
    auto options = by_symbol(true, ReportTree::none);
    const InlinedTold with(opened, options);
    CHECK(with.rows() == std::map<std::string, std::string>{{"main", "10 0"},
                                                            {"work", "6 0"},
                                                            {"leaf", "10 7"},
                                                            {"plain", "3 3"},
                                                            {"outer (inlined)", "6 0"},
                                                            {"step (inlined)", "9 0"},
                                                            {"turn (inlined)", "7 0"}});
    options.inlines = false;
    const InlinedTold without(opened, options);
    CHECK(without.rows() ==
          std::map<std::string, std::string>{{"main", "10 0"}, {"work", "6 0"}, {"leaf", "10 7"}, {"plain", "3 3"}});
    CHECK(with.report.whole == without.report.whole);
    CHECK(with.report.kept == without.report.kept);
    CHECK(with.text().find("  [.] turn (inlined)\n") != std::string::npos);
    CHECK(without.text().find("inlined") == std::string::npos);
    // Without children there is nothing to count for them.
    CHECK(InlinedTold(opened, by_symbol(false, ReportTree::none)).rows() ==
          std::map<std::string, std::string>{{"leaf", "7 7"}, {"plain", "3 3"}});
    // Nor with keys that do not tell functions apart.
    CHECK(InlinedTold(opened, by({ReportKey::object}, true, ReportTree::none)).rows().size() == 1);
}

TEST_CASE("Trees have inlined functions between the functions", "[annotate][report][inlined]") {
    Ten ten;
    const OpenedInlined opened(ten.scene);
    const auto tree = [&](bool children, ReportTree kind, std::string_view name) {
        return InlinedTold(opened, by_symbol(children, kind)).tree(name);
    };
    // Callees, and the paths of the samples in the function itself: with what was inlined into it.
    CHECK(tree(true, ReportTree::caller, "main") ==
          "main(10 work(6 outer!(6 leaf(6 step!(6 turn!(4))))) leaf(4 step!(3 turn!(3 plain(3)))))");
    CHECK(tree(true, ReportTree::caller, "leaf") ==
          "main(7 work(6 outer!(6 leaf(6 step!(6 turn!(4))))) leaf(1)) leaf(3 step!(3 turn!(3 plain(3))))");
    CHECK(tree(true, ReportTree::caller, "step (inlined)") == "step!(9 turn!(7 plain(3)))");
    CHECK(tree(false, ReportTree::caller, "leaf") == "main(7 work(6 outer!(6 leaf(6 step!(6 turn!(4))))) leaf(1))");
    // Callers, from the innermost frame up.
    CHECK(tree(false, ReportTree::callee, "leaf") ==
          "turn!(4 step!(4 leaf(4 outer!(4 work(4 main(4)))))) step!(2 leaf(2 outer!(2 work(2 main(2))))) "
          "leaf(1 main(1))");
    CHECK(tree(true, ReportTree::callee, "leaf") ==
          "leaf(4 main(4)) turn!(4 step!(4 leaf(4 outer!(4 work(4 main(4)))))) "
          "step!(2 leaf(2 outer!(2 work(2 main(2)))))");
    CHECK(tree(true, ReportTree::callee, "turn (inlined)") ==
          "turn!(7 step!(7 leaf(7 outer!(4 work(4 main(4))) main(3))))");
    CHECK(tree(true, ReportTree::callee, "plain") == "plain(3 turn!(3 step!(3 leaf(3 main(3)))))");
}

TEST_CASE("Trees below rows of objects and of lines have inlined functions, the rows none",
          "[annotate][report][inlined]") {
    Ten ten;
    const OpenedInlined opened(ten.scene);
    const InlinedTold objects(opened, by({ReportKey::object}, true, ReportTree::caller));
    REQUIRE(objects.report.rows.size() == 1);
    CHECK(hits(objects.report.rows[0].total) == 10);
    CHECK(hits(objects.report.rows[0].self) == 10);
    CHECK(objects.tree(objects.report.rows[0].tree) ==
          "main(10 work(6 outer!(6 leaf(6 step!(6 turn!(4))))) leaf(4 step!(3 turn!(3 plain(3)))))");
    const InlinedTold callers(opened, by({ReportKey::object}, true, ReportTree::callee));
    REQUIRE(callers.report.rows.size() == 1);
    CHECK(callers.tree(callers.report.rows[0].tree) ==
          "turn!(4 step!(4 leaf(4 outer!(4 work(4 main(4)))))) plain(3 turn!(3 step!(3 leaf(3 main(3))))) "
          "step!(2 leaf(2 outer!(2 work(2 main(2))))) leaf(1 main(1))");
    const InlinedTold lines(opened, by({ReportKey::line}, true, ReportTree::caller));
    std::uint64_t self = 0;
    for (const auto& row : lines.report.rows) self += hits(row.self);
    CHECK(self == 10);
    for (const auto& place : lines.report.places) CHECK_FALSE(place.inlined);
    CHECK(std::ranges::any_of(lines.report.tree_places, [](const ReportPlace& place) { return place.inlined; }));
}

TEST_CASE("Filters find inlined functions by their names", "[annotate][report][inlined]") {
    Ten ten;
    const OpenedInlined opened(ten.scene);
    auto options = by_symbol(true, ReportTree::none);
    options.code.symbols = {"turn", "plain"};
    const InlinedTold named(opened, options);
    CHECK(named.rows() == std::map<std::string, std::string>{{"turn (inlined)", "7 0"}, {"plain", "3 3"}});
    CHECK(hits(named.report.kept) == 3);
    options.code.symbols.clear();
    options.code.kinds = {CodeClass::user};
    CHECK(InlinedTold(opened, options).rows().size() == 7);
    options.code.kinds = {CodeClass::kernel};
    CHECK(InlinedTold(opened, options).rows().empty());
}

TEST_CASE("JSON marks inlined functions in rows and trees", "[annotate][report][json][inlined]") {
    Ten ten;
    const OpenedInlined opened(ten.scene);
    const InlinedTold told(opened, by({ReportKey::object, ReportKey::symbol}, true, ReportTree::caller));
    const auto json = Json::parsed(told.json());
    REQUIRE(json);
    std::size_t marked = 0;
    const auto& rows = (*json)["rows"];
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const auto& row = rows[at];
        const auto name = row["symbol"].text();
        const bool inlined = name == "outer" || name == "step" || name == "turn";
        CHECK(row.has("inlined") == inlined);
        CHECK(row["object"].text() == "nest");
        marked += inlined ? 1 : 0;
        if (name != "step") continue;
        const auto& node = row["callees"][0];
        CHECK(node["symbol"].text() == "step");
        CHECK(node["inlined"].truth());
        CHECK(node["callees"][0]["symbol"].text() == "turn");
        CHECK(node["callees"][0]["inlined"].truth());
    }
    CHECK(marked == 3);
    CHECK_FALSE(json->has("inlined_problems"));
}

TEST_CASE("Reports tell why inlined functions are missing", "[annotate][report][inlined]") {
    Ten ten;
    auto elf = S::program();
    elf.replace(".debug_abbrev", Blob(64));
    ten.scene.replace_program(elf);
    const OpenedInlined opened(ten.scene);
    const InlinedTold told(opened, by_symbol(true, ReportTree::none));
    CHECK(told.rows().size() == 4);
    CHECK(told.text().find("# Inlined calls are missing: /bin/nest: DWARF: ") != std::string::npos);
    const auto json = Json::parsed(told.json());
    REQUIRE(json);
    CHECK((*json)["inlined_problems"].size() == 1);
    CHECK(told.report.completeness.diagnostics.count() == 1);
}

TEST_CASE("Scripts have a line for each inlined function, as perf's", "[annotate][script][inlined]") {
    S scene;
    scene.chain({S::turn + 1, S::after_middle, S::main + 5}).chain({S::after_middle, S::main + 5});
    const OpenedInlined opened(scene);
    const std::vector<std::string> first = {"489 turn+0x9 (inlined)",   "489 step+0x9 (inlined)",
                                            "489 leaf+0x9 (/bin/nest)", "468 middle+0x28 (inlined)",
                                            "468 outer+0x28 (inlined)", "468 work+0x28 (/bin/nest)",
                                            "405 main+0x5 (/bin/nest)"};
    const std::vector<std::string> second = {"468 outer+0x28 (inlined)", "468 work+0x28 (/bin/nest)",
                                             "405 main+0x5 (/bin/nest)"};
    auto expected = first;
    expected.insert(expected.end(), second.begin(), second.end());
    CHECK(frames(script(opened, {})) == expected);
    ScriptOptions options;
    options.inlines = false;
    CHECK(frames(script(opened, options)) ==
          std::vector<std::string>{"489 leaf+0x9 (/bin/nest)", "468 work+0x28 (/bin/nest)", "405 main+0x5 (/bin/nest)",
                                   "468 work+0x28 (/bin/nest)", "405 main+0x5 (/bin/nest)"});
    options.inlines = true;
    REQUIRE(options.fields.choose("ip,sym"));
    CHECK(frames(script(opened, options)).front() == "489 turn (inlined)");
    // Only so many addresses are shown, with all that was inlined there.
    options = {};
    options.most_frames = 1;
    CHECK(frames(script(opened, options)) ==
          std::vector<std::string>{"489 turn+0x9 (inlined)", "489 step+0x9 (inlined)", "489 leaf+0x9 (/bin/nest)",
                                   "468 outer+0x28 (inlined)", "468 work+0x28 (/bin/nest)"});
    options = {};
    options.chains = false;
    CHECK(script(opened, options).find("inlined") == std::string::npos);
}

TEST_CASE("Scripts in JSON mark inlined functions", "[annotate][script][json][inlined]") {
    S scene;
    scene.chain({S::turn + 1, S::main + 5});
    const OpenedInlined opened(scene);
    ScriptOptions options;
    options.json = true;
    const auto json = Json::parsed(script(opened, options));
    REQUIRE(json);
    CHECK((*json)["symbol"].text() == "leaf");
    CHECK_FALSE(json->has("inlined"));
    const auto& chain = (*json)["callchain"];
    REQUIRE(chain.size() == 4);
    for (std::size_t at = 0; at < chain.size(); ++at) {
        CHECK(chain[at].has("inlined") == (at < 2));
        CHECK(chain[at].has("offset") == (at >= 2));
        CHECK(chain[at]["object"].text() == "/bin/nest");
        CHECK(chain[at]["ip"].text() == (at < 3 ? "0x489" : "0x405"));
    }
    CHECK(chain[0]["symbol"].text() == "turn");
    CHECK(chain[0]["inlined"].truth());
    CHECK(chain[1]["symbol"].text() == "step");
}

TEST_CASE("A name of a filter that only inlined functions have is told", "[annotate][script][inlined]") {
    S scene;
    scene.chain({S::turn + 1, S::main + 5});
    const OpenedInlined opened(scene);
    ScriptOptions options;
    options.filter.code.symbols = {"leaf", "turn"};
    ScriptCounts counts;
    script(opened, options, &counts);
    CHECK(counts.samples == 1);
    CHECK(counts.absent_symbols == std::vector<std::string>{"turn"});
    CHECK(counts.inlined_symbols == std::vector<std::string>{"step", "turn"});
}

TEST_CASE("Inlined functions in a flame graph lead to the function that contains them", "[annotate][flame][inlined]") {
    Ten ten;
    const OpenedInlined opened(ten.scene);
    auto counting = flame_counting(opened.symbolizer, true);
    counting.inlines = true;
    const auto counts = SampleCounts::count(opened.recording, opened.timeline, counting).value();
    const auto flame = Flame::make(counts, opened.symbolizer, {.least_percent = 0});
    std::string text;
    for (const auto& node : flame.nodes) {
        const auto& name = flame.names[node.name];
        text += (text.empty() ? "" : " ") + std::to_string(node.depth) + name.symbol + (name.inlined ? "!" : "") + "=" +
                std::to_string(node.cells[0].hits);
    }
    const auto task = text.find("2main");
    REQUIRE(task != std::string::npos);
    CHECK(text.substr(task) ==
          "2main=10 3work=6 4outer!=6 5leaf=6 6step!=6 7turn!=4 3leaf=4 4step!=3 5turn!=3 6plain=3");

    const auto profile = Profile::count(opened.recording, opened.symbolizer.versions()).value();
    const auto listings = listings_of(profile, opened.symbolizer, "x86_64");
    std::string html;
    const Completeness completeness;
    write_html_page({opened.recording, opened.timeline, profile, completeness, {}, false, 0}, listings, {}, flame, {},
                    [&](std::string_view part) { html += part; });
    // Each label with what it leads to: the same for leaf and what was inlined into it.
    const auto link = [&](const std::string& label) {
        const auto at = html.find(">" + label + "</a>");
        REQUIRE(at != std::string::npos);
        const auto tag = html.substr(0, at).substr(html.rfind("<a", at));
        const auto begin = tag.find("href=");
        return begin == std::string::npos ? std::string() : tag.substr(begin);
    };
    CHECK(link("leaf").starts_with("href=#f"));
    CHECK(link("step (inlined)") == link("leaf"));
    CHECK(link("turn (inlined)") == link("leaf"));
    CHECK(link("plain") != link("leaf"));
    CHECK(link("outer (inlined)").empty());  // work has no samples of its own, and so no listing
}
