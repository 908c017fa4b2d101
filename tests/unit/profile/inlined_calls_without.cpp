// SPDX-License-Identifier: MIT
// Chains counted by a library without libdw.
#include "perfdata/profile/sample_counts.hpp"

#include "catch.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Without libdw nothing is inlined, and that is told once", "[profile][counts][inlined]") {
    using S = InlinedScene;
    S scene;
    scene.chain({S::turn, S::outer + 2, S::main + 5}, 3).chain({S::middle, S::main + 5});
    const OpenedInlined opened(scene);
    SampleCountOptions options;
    options.chains = true;
    options.functions = &opened.symbolizer.functions();
    options.inlines = true;
    const auto counts = SampleCounts::count(opened.recording, opened.timeline, options).value();
    CHECK(hits(counts.totals()) == 4);
    for (const auto& frame : counts.frames()) CHECK_FALSE(frame.is_inlined());
    const auto problems = opened.symbolizer.inlined_problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().code == ErrorCode::unsupported);
    CHECK(problems.front().detail.find("built without libdw") != std::string::npos);
    CHECK(opened.symbolizer.losses().count() == 0);
}
