// SPDX-License-Identifier: MIT
// LLVM's sample profile as text.
#include <string>

#include "catch.hpp"
#include "export/autofdo.hpp"
#include "export/autofdo_profile.hpp"
#include "unit/annotate/branch_scene.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string autofdo_text(const AutofdoProfile& profile, std::uint64_t* left_out = nullptr) {
    std::string text;
    const auto count = profile.write([&](std::string_view part) { text += part; });
    if (left_out != nullptr) *left_out = count;
    return text;
}

}  // namespace

TEST_CASE("a sample profile has functions, lines, calls and what was inlined") {
    AutofdoProfile profile;
    const auto small = profile.top("small"), large = profile.top("large");
    profile.head(small, 3);
    profile.greatest(small, {1, 0}, 4);
    profile.greatest(small, {1, 0}, 2);
    profile.total(small, 6);
    const auto inner = profile.inlined(large, {2, 1}, "inner");
    profile.greatest(large, {10, 0}, 5);
    profile.call(large, {10, 0}, "small", 3);
    profile.call(large, {10, 0}, "other", 4);
    profile.sum(inner, {0, 0}, 7);
    profile.sum(inner, {0, 0}, 1);
    profile.total(inner, 20);
    CHECK(autofdo_text(profile) ==
          "large:20:0\n"
          " 10: 7 other:4 small:3\n"
          " 2.1: inner:20\n"
          "  0: 8\n"
          "small:6:3\n"
          " 1: 4\n");
}

TEST_CASE("names that a sample profile cannot hold are left out and counted") {
    AutofdoProfile profile;
    profile.greatest(profile.top("two words"), {1, 0}, 1);
    const auto good = profile.top("good");
    profile.greatest(good, {1, 0}, 1);
    profile.call(good, {1, 0}, "1st", 1);
    profile.greatest(profile.inlined(good, {2, 0}, "line\nbreak"), {1, 0}, 1);
    std::uint64_t left_out = 0;
    CHECK(autofdo_text(profile, &left_out) == "good:0:0\n 1: 1\n");
    CHECK(left_out == 3);
}

TEST_CASE("lines count from the declaration, and discriminators have parts") {
    CHECK(autofdo_location(12, {"f", 10}, 0) == AutofdoLocation{2, 0});
    CHECK(autofdo_location(9, {"f", 10}, 0) == AutofdoLocation{0xffff, 0});
    CHECK(autofdo_location(10, {"f", 10}, 4) == AutofdoLocation{0, 2});
    CHECK(autofdo_location(10, {"f", 10}, 1) == AutofdoLocation{0, 0});
    CHECK(autofdo_duplicates(0) == 1);
    CHECK(autofdo_duplicates(9) == 2);           // no base: one bit; then 2, shifted by one
    CHECK(autofdo_duplicates(4 | 6 << 7) == 3);  // base 2 in seven bits; then 3
    CHECK(autofdo_name("f.llvm.123") == "f");
    CHECK(autofdo_name("f.part.0") == "f");
    CHECK(autofdo_name("f.cold") == "f");
    CHECK(autofdo_name("f.llvm.1.x") == "f.llvm.1.x");
}

TEST_CASE("compiled lines have the functions around and those inlined") {
    InlinedScene scene;
    const OpenedInlined opened(scene);
    const auto lines = opened.symbolizer.compiled_lines(InlinedScene::frame(InlinedScene::work), 0x40);
    REQUIRE(lines);
    const auto at = [&](std::uint64_t address) {
        const CompiledLine* found = nullptr;
        for (const auto& line : *lines) {
            if (line.offset <= address - InlinedScene::work) found = &line;
        }
        REQUIRE(found != nullptr);
        return *found;
    };
    CHECK(at(InlinedScene::work).function.name == "work");
    CHECK(at(InlinedScene::work).calls == nullptr);
    CHECK(at(InlinedScene::work).line != at(InlinedScene::work + 1).line);
    const auto middle = at(InlinedScene::middle);
    CHECK(middle.function.name == "work");
    REQUIRE(middle.calls);
    REQUIRE(middle.calls->size() == 2);
    CHECK(middle.calls->at(0).function.name == "middle");
    CHECK(middle.calls->at(0).line == 12);
    CHECK(middle.calls->at(1).function.name == "outer");
    CHECK(middle.calls->at(1).line == 11);
    CHECK(opened.symbolizer.compiled_lines(InlinedScene::frame(InlinedScene::plain), 0x40)->empty());
}

TEST_CASE("without debug information nothing is written for compilers, and that is said") {
    BranchScene scene;
    scene.stack({BranchScene::branch(BranchScene::main + 6, BranchScene::parse),
                 BranchScene::branch(BranchScene::main + 0xb, BranchScene::main)});
    const OpenedBranches opened(scene);
    std::string text;
    const auto notes =
        write_autofdo(opened.counts, opened.symbolizer, {}, [&](std::string_view part) { text += part; });
    REQUIRE(notes);
    CHECK(text.empty());
    REQUIRE(notes->size() == 1);
    CHECK(notes->at(0).starts_with("autofdo: 1 ranges between branches have no lines"));
}
