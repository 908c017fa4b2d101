// SPDX-License-Identifier: MIT
// What a profile counts: tasks, chains, cells and branches.
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/annotate/branch_scene.hpp"
#include "unit/annotate/calls_scene.hpp"
#include "unit/annotate/made_profile.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A profile has the chains of a recording, and says where calls return to", "[annotate][stored]") {
    Calls calls;
    calls.sample("abc", 2).sample("abc", 1, 1).sample("d").sample("ab");
    const AnnotatedScene scene(calls.scene());
    const MadeProfile made(scene);
    // The callers are return addresses; the innermost frame was sampled. The order is that of the first samples.
    CHECK(made.cells() == MadeTexts{"0:  [a+4^ b+4^ c+4] 0 2 20", "1:  [a+4^ b+4^ c+4] 1 1 10", "2:  [d+4] 0 1 10",
                                    "3:  [a+4^ b+4] 0 1 10"});
    CHECK(made.functions() == MadeTexts{"a", "b", "c", "d"});
    CHECK(made.model.events.size() == 2);
    CHECK(made.model.facts.partial.empty());
}

TEST_CASE("A profile of some events has no others", "[annotate][stored]") {
    Calls calls;
    calls.sample("a", 2).sample("b", 3, 1);
    const AnnotatedScene scene(calls.scene());
    ProfileMakerOptions options;
    options.filter.events = {1};
    const MadeProfile made(scene, options);
    CHECK(made.cells() == MadeTexts{"0:  [b+4] 1 3 30"});
    REQUIRE(made.model.events.size() == 1);
    CHECK(made.model.events[0].position == 1);
    CHECK(made.text(made.model.events[0].name) == scene.recording.events().events()[1].name);
    CHECK(made.functions() == MadeTexts{"b"});
}

TEST_CASE("A profile cuts chains as it is told, and says so", "[annotate][stored]") {
    Calls calls;
    calls.sample("abc");
    const AnnotatedScene scene(calls.scene());
    ProfileMakerOptions options;
    options.max_stack = 2;
    const MadeProfile made(scene, options);
    CHECK(made.cells() == MadeTexts{"0:  [b+4^ c+4] 0 1 10"});
    CHECK(made.model.facts.max_stack == 2);
    CHECK(made.model.facts.chains_deep == 1);
}

TEST_CASE("A profile without room for chains is partial", "[annotate][stored]") {
    Calls calls;
    calls.sample("abc").sample("abd").sample("eb");
    OpenOptions little;
    little.limits.chain_nodes = 3;
    const auto recording = calls.scene().open(little);
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = offline_book(recording, timeline);
    const MadeProfile made(recording, symbolizer);
    CHECK(made.model.facts.chains_cut != 0);
    REQUIRE(made.model.facts.partial.size() == 1);
    CHECK(made.text(made.model.facts.partial[0].where) == "call chains");
    CHECK(made.model.facts.partial[0].kind.is(stored::PartialKind::limit));
}

TEST_CASE("Tasks of a profile have all that tells them apart", "[annotate][stored]") {
    Scene scene;
    scene.known({1, 1, {{0x1000, 0x100, "main", 1}}});
    scene.sample(0x1004, 100);
    scene.add(encode(Comm{Pid{101}, Tid{101}, "worker"}, scene.frame(live(200))));
    scene.sample(0x1004, 300);
    const AnnotatedScene opened(scene);
    const MadeProfile made(opened);
    REQUIRE(made.model.tasks.size() == 2);
    for (const auto& task : made.model.tasks) {
        CHECK(task.pid == 101);
        CHECK(task.tid == 101);
        CHECK(task.cpu == 1);
        CHECK(!task.cgroup);
        CHECK(!task.further);
    }
    // Nobody had named the thread at first.
    CHECK(!made.model.tasks[0].comm);
    CHECK(made.text(made.model.tasks[1].comm) == "worker");
    CHECK(made.model.events[0].first_time == 100);
    CHECK(made.model.events[0].last_time == 300);
    CHECK_FALSE(made.model.events[0].from_zero);
}

TEST_CASE("A profile knows a first sample at time 0", "[annotate][stored]") {
    Scene scene;
    scene.known({1, 1, {{0x1000, 0x100, "main", 1}}});
    scene.sample(0x1004, 0).sample(0x1004, 300);
    const AnnotatedScene opened(scene);
    const MadeProfile made(opened);
    CHECK(made.model.events[0].first_time == 0);
    CHECK(made.model.events[0].last_time == 300);
    CHECK(made.model.events[0].from_zero);
}

TEST_CASE("A profile keeps branches that may be calls", "[annotate][stored]") {
    BranchScene scene;
    const auto call = BranchScene::branch(BranchScene::main + 6, BranchScene::parse);
    const auto jump = BranchScene::branch(BranchScene::main + 1, BranchScene::main + 6);
    const auto back = BranchScene::branch(BranchScene::parse + 3, BranchScene::main + 11);
    auto sure = call;
    sure.type = 4;  // CALL
    auto other = call;
    other.type = 1;  // COND
    scene.stack({back, call, jump}).stack({call, other}).stack({sure});
    const auto recording = scene.scene().open();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline, scene.sources());
    const MadeProfile made(recording, symbolizer);
    MadeTexts branches;
    for (const auto& branch : made.model.branches) {
        branches.push_back(made.place(branch.from) + " " + made.place(branch.to) + " " + std::to_string(branch.times) +
                           (branch.proven ? " call" : "") + (branch.entry ? " entry" : ""));
        CHECK(made.model.at(branch.task).pid == BranchScene::pid);
        CHECK(made.model.at(branch.event).position == 0);
    }
    CHECK(branches == MadeTexts{"main+6 parse+0 2", "main+6 parse+0 1 call"});
}
