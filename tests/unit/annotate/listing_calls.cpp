// SPDX-License-Identifier: MIT
// Callers and callees in listings and on pages.
#include <algorithm>

#include "perfdata/annotate/page/html_page.hpp"

#include "catch.hpp"
#include "support/text_parts.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/profile/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct CalledPage {
    explicit CalledPage(CallsScene& scene)
        : opened(scene.scene()), profile(Profile::count(opened.recording, opened.timeline).value()) {
        listings = listings_of(profile, opened.symbolizer, "x86_64");
        std::vector<CodeVersion> functions;
        for (const auto& listing : listings) functions.push_back(listing.version);
        const auto& versions = opened.symbolizer.versions();
        auto edges = CallEdges::count(opened.recording, versions, functions).value();
        REQUIRE(edges.add_branches(opened.recording, versions, functions));
        add_calls(listings, edges, opened.symbolizer, "x86_64");
    }

    const Listing& listing(std::string_view name) const {
        const auto found =
            std::ranges::find_if(listings, [&](const Listing& listing) { return listing.name.name == name; });
        REQUIRE(found != listings.end());
        return *found;
    }
    PageContext context() const { return {opened.recording, opened.timeline, profile, opened.timeline.completeness()}; }

    template <class Write>
    static std::string collect(Write write) {
        std::string text;
        write([&](std::string_view part) { text += part; });
        return text;
    }
    std::string text(std::string_view name) const {
        return collect([&](const Sink& sink) { write_text_listing(context(), listing(name), {}, sink); });
    }
    std::string json() const {
        return collect([&](const Sink& sink) { write_json_page(context(), listings, {}, sink); });
    }

    AnnotatedScene opened;
    Profile profile;
    std::vector<Listing> listings;
};

// line_of(text, part) returns the first line that contains `part`.
std::string line_of(const std::string& text, std::string_view part) {
    const auto at = text.find(part);
    INFO(part << " in\n" << text);
    REQUIRE(at != std::string::npos);
    const auto begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
}

}  // namespace

TEST_CASE("A call instruction knows what it called and how often", "[annotate][calls]") {
    CallsScene scene;
    const CalledPage page(scene.all());
    const auto& main = page.listing("main");
    REQUIRE(main.calls);
    std::size_t marked = 0;
    for (const auto& row : main.instructions) {
        if (row.calls.empty()) continue;
        ++marked;
        REQUIRE(row.calls.size() == 1);
        const auto& call = main.calls->sites[row.calls[0]];
        CHECK(call.name == "main/sub");
        CHECK(call.offset == row.instruction.offset);
        CHECK(call.returns_to == row.instruction.offset + row.instruction.size);
        const bool direct = row.instruction.offset == 4;
        CHECK(row.instruction.offset == (direct ? 4u : 9u));
        CHECK(call.below[0].hits == (direct ? 3u : 1u));
        CHECK(call.branches[1] == (direct ? 3u : 1u));
    }
    // The jump to `sub` is not a call, although a branch stack contains it.
    CHECK(marked == 2);
    REQUIRE(main.calls->callees.size() == 1);
    CHECK(main.calls->callees[0].branches[1] == 4);
    const auto& sub = page.listing("sub");
    REQUIRE(sub.calls);
    REQUIRE(sub.calls->callers.size() == 3);
    CHECK(sub.calls->callers[0].name == "main");
    CHECK(sub.calls->callers[0].offset == 4u);
    CHECK(sub.calls->callers[0].below[0].hits == 3);
    CHECK(sub.calls->callers[0].branches[1] == 3);
    CHECK(sub.calls->with_callees[0].hits == 4);
}

TEST_CASE("Text tells calls beside their instructions and above them", "[annotate][calls]") {
    CallsScene scene;
    const CalledPage page(scene.all());
    const auto main = page.text("main");
    CHECK(line_of(main, "4: callq").ends_with("<sub>   # 3 samples below; 3 branches"));
    CHECK(line_of(main, "*%rax").ends_with("# calls main/sub: 1 samples below; main/sub: 1 branches"));
    CHECK_FALSE(has(line_of(main, "b: jmp"), "#"));
    CHECK(has(line_of(main, "  to  "), "main/sub  (4 branches)"));
    CHECK(has(line_of(main, "  from  "), "[unknown] 0x401234  (into the kernel)"));
    const auto sub = page.text("sub");
    CHECK(has(line_of(sub, "from  main+0x4"), " 3 "));
    CHECK(has(sub, "from  main+0x9"));
    CHECK(has(sub, "from  main/sub+0x1"));
}

TEST_CASE("JSON has calls with samples, and branches apart from them", "[annotate][calls]") {
    CallsScene scene;
    const CalledPage page(scene.all());
    const auto document = Json::parsed(page.json());
    REQUIRE(document);
    const auto& functions = (*document)["functions"];
    std::size_t calls = 0;
    for (std::size_t index = 0; index < functions.size(); ++index) {
        const auto& function = functions[index];
        const bool main = function["name"].text() == "main";
        CHECK(function["with_callees"]["hits"][0].number() == (main ? 5 : 4));
        CHECK(function["callers"].size() == (main ? 1u : 3u));
        CHECK(function["callees"].size() == 1);
        for (std::size_t at = 0; at < function["instructions"].size(); ++at) {
            const auto& row = function["instructions"][at];
            if (!row.has("calls")) continue;
            ++calls;
            const auto& call = row["calls"][0];
            CHECK(call["name"].text() == "main/sub");
            CHECK(call["offset"].number() == row["offset"].number());
            if (main) CHECK(call["branches"][1].number() == call["hits"][0].number());
        }
    }
    CHECK(calls == 3);
}

TEST_CASE("Without chains and branch stacks a listing says nothing of calls", "[annotate][calls]") {
    CallsScene scene;
    scene.all();
    AnnotatedScene opened(scene.scene());
    const auto profile = Profile::count(opened.recording, opened.timeline).value();
    for (const auto& listing : listings_of(profile, opened.symbolizer, "x86_64")) {
        CHECK_FALSE(listing.calls);
        for (const auto& row : listing.instructions) CHECK(row.calls.empty());
    }
}
