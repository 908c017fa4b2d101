// SPDX-License-Identifier: MIT
// Counts of branches, and the text that llvm-bolt reads.
#include <string>

#include "perfdata/core/stop_token.hpp"

#include "catch.hpp"
#include "export/bolt.hpp"
#include "unit/annotate/branch_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string bolt_text(const OpenedBranches& opened, std::string* said = nullptr) {
    std::string text;
    const auto notes = write_bolt(opened.counts, opened.symbolizer, {}, [&](std::string_view part) { text += part; });
    REQUIRE(notes);
    for (const auto& note : *notes) {
        if (said != nullptr) *said += note + "\n";
    }
    return text;
}

// Two stacks: with the call behind a jump that is taken, and with code behind it.
void add_turns(BranchScene& scene) {
    scene.stack({BranchScene::branch(BranchScene::main + 6, BranchScene::parse),
                 BranchScene::branch(BranchScene::main + 1, BranchScene::main + 6),
                 BranchScene::branch(BranchScene::main + 0xb, BranchScene::main, true),
                 BranchScene::branch(BranchScene::parse + 3, BranchScene::main + 0xb),
                 BranchScene::branch(BranchScene::main + 6, BranchScene::parse)});
    scene.stack({BranchScene::branch(BranchScene::main + 6, BranchScene::parse),
                 BranchScene::branch(BranchScene::main + 0xb, BranchScene::main)});
}

}  // namespace

TEST_CASE("branches and ranges between them are counted by address in the file") {
    BranchScene scene;
    add_turns(scene);
    const OpenedBranches opened(scene);
    const auto& counts = opened.counts;
    CHECK(counts.has_branches);
    REQUIRE(counts.objects.size() == 1);
    CHECK(counts.objects[0].path == "/bin/jumps");
    CHECK(counts.objects[0].hits == 14);
    REQUIRE(counts.branches.size() == 4);
    CHECK(counts.branches[0].place() == std::tuple(BranchScene::main + 1, BranchScene::main + 6));
    CHECK(counts.branches[1].place() == std::tuple(BranchScene::main + 6, BranchScene::parse));
    CHECK(counts.branches[1].taken == 3);
    CHECK(counts.branches[2].place() == std::tuple(BranchScene::main + 0xb, BranchScene::main));
    CHECK(counts.branches[2].taken == 2);
    CHECK(counts.branches[2].mispredicted == 1);
    CHECK(counts.branches[3].place() == std::tuple(BranchScene::parse + 3, BranchScene::main + 0xb));
    REQUIRE(counts.ranges.size() == 5);
    CHECK(counts.ranges[0].place() == std::tuple(BranchScene::main, BranchScene::main + 1, BranchScene::main + 0xb));
    CHECK(counts.ranges[1].place() == std::tuple(BranchScene::main, BranchScene::main + 6, BranchScene::main + 0xb));
    CHECK(counts.ranges[2].place() == std::tuple(BranchScene::main + 6, BranchScene::main + 6, BranchScene::main + 1));
    CHECK(counts.ranges[3].place() ==
          std::tuple(BranchScene::main + 0xb, BranchScene::main + 0xb, BranchScene::parse + 3));
    CHECK(counts.ranges[4].place() == std::tuple(BranchScene::parse, BranchScene::parse + 3, BranchScene::main + 6));
    CHECK(counts.notes("bolt").empty());
}

TEST_CASE("bolt's text has branches that were taken, and code behind jumps that were not") {
    BranchScene scene;
    add_turns(scene);
    std::string said;
    CHECK(bolt_text(OpenedBranches(scene), &said) ==
          "1 main 1 1 main 3 0 1\n"
          "1 main 1 1 main 6 0 1\n"
          "1 main 3 1 main 6 0 1\n"
          "1 main 6 1 parse/1 0 0 3\n"
          "1 main B 1 main 0 1 2\n");
    CHECK(said.empty());
}

TEST_CASE("branches from elsewhere enter the program, and those of the kernel do not count") {
    BranchScene scene;
    scene.stack({BranchScene::branch(BranchScene::main + 0xb, BranchScene::main),
                 BranchScene::branch(BranchScene::kernel, BranchScene::main + 3),
                 BranchScene::branch(BranchScene::main + 1, BranchScene::process),
                 BranchScene::branch(BranchScene::process, BranchScene::main)});
    const OpenedBranches opened(scene);
    CHECK(opened.counts.losses.kernel == 1);
    CHECK(opened.counts.losses.elsewhere == 2);
    std::string said;
    CHECK(bolt_text(opened, &said) ==
          "1 main 1 0 [unknown] 0 0 1\n"
          "1 main 3 1 main 6 0 1\n"
          "1 main B 1 main 0 0 1\n"
          "0 [unknown] 0 1 main 0 0 1\n");
    CHECK(said.find("1 branches from or to the kernel do not count") != std::string::npos);
}

TEST_CASE("ranges that cannot be are dropped and counted") {
    BranchScene scene;
    // Backwards; into another function; over a return; within an instruction.
    scene.stack({BranchScene::branch(BranchScene::main + 1, BranchScene::main + 6),
                 BranchScene::branch(BranchScene::main + 6, BranchScene::main + 0xb)});
    scene.stack({BranchScene::branch(BranchScene::parse + 3, BranchScene::main + 0xb),
                 BranchScene::branch(BranchScene::main + 0xb, BranchScene::main)});
    scene.stack({BranchScene::branch(BranchScene::main + 0xf, BranchScene::parse),
                 BranchScene::branch(BranchScene::main + 1, BranchScene::main + 6)});
    scene.stack({BranchScene::branch(BranchScene::main + 6, BranchScene::parse),
                 BranchScene::branch(BranchScene::main + 1, BranchScene::main + 4)});
    const OpenedBranches opened(scene);
    CHECK(opened.counts.losses.backwards == 1);
    CHECK(opened.counts.losses.across == 1);
    std::string said;
    const auto text = bolt_text(opened, &said);
    CHECK(said.find("bolt: 2 ranges between branches contain a jump") != std::string::npos);
    CHECK(text.find("1 main 1 1 main 3 ") == std::string::npos);
}

TEST_CASE("without branch stacks bolt gets samples, and that is said") {
    BranchScene scene(false);
    scene.sample(BranchScene::main + 3, 2).sample(BranchScene::parse + 3).sample(BranchScene::process);
    std::string said;
    const OpenedBranches opened(scene);
    CHECK_FALSE(opened.counts.has_branches);
    REQUIRE(opened.counts.events.size() == 1);
    CHECK(bolt_text(opened, &said) == "no_lbr " + opened.counts.events[0] + "\n1 main 3 2\n1 parse/1 3 1\n");
    CHECK(said.find("no branch stacks were recorded") != std::string::npos);
}

TEST_CASE("branches are counted for the object that the filter names only") {
    BranchScene scene;
    add_turns(scene);
    BranchCountOptions options;
    options.filter.code.objects = {"other"};
    const OpenedBranches opened(scene, options);
    CHECK(opened.counts.branches.empty());
    CHECK(bolt_text(opened).empty());
}
