// SPDX-License-Identifier: MIT
// Copies of user stacks, unwound by the files that were mapped when they were made.
#include "catch.hpp"
#include "unit/symbols/unwind_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;
using namespace perfdata::test::unwinding;

TEST_CASE("A copied stack is unwound to its bottom by call frame information", "[symbols][unwind]") {
    Scenario scenario;
    scenario.samples = {sample_of(whole())};
    const auto counts = scenario.count();
    // Callers are the instructions before the return addresses.
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4, middle + 7, outer + 4}});
    CHECK(counts.chain_losses().stacks.stacks() == 1);
    CHECK(ended(counts, StackEnd::bottom) == 1);
    CHECK(counts.chain_losses().stacks.incomplete() == 0);
    CHECK(counts.chain_losses().stacks.lost() == 0);
    REQUIRE(counts.totals().size() == 1);
    CHECK(counts.totals()[0].hits == 1);
}

TEST_CASE("The kernel's part of a chain is called by the unwound one", "[symbols][unwind]") {
    constexpr auto kernel = static_cast<std::uint64_t>(-128);
    Scenario scenario;
    scenario.samples = {sample_of(whole(), {kernel, 0xffffffff81000010, 0xffffffff81000020})};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) ==
          Stacks{{0xffffffff81000010, 0xffffffff81000020, leaf + 4, middle + 7, outer + 4}});
}

TEST_CASE("A copy that is too short ends the stack, and its size is told", "[symbols][unwind]") {
    auto state = whole();
    state.words.pop_back();
    Scenario scenario;
    scenario.samples = {sample_of(state), sample_of(whole())};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4, middle + 7}, {leaf + 4, middle + 7, outer + 4}});
    CHECK(ended(counts, StackEnd::short_copy) == 1);
    CHECK(ended(counts, StackEnd::bottom) == 1);
    CHECK(counts.chain_losses().stacks.short_copies() == std::map<std::uint64_t, std::uint64_t>{{24, 1}});
    CHECK(counts.chain_losses().stacks.wanted_copies() == std::map<std::uint64_t, std::uint64_t>{{24, 32}});
}

TEST_CASE("A frame on another stack ends the stack without damage", "[symbols][unwind]") {
    // middle's frame pointer leads to another stack: below, in the same page, above, and above on the same one, beyond
    // all copies.
    std::vector<Blob> samples;
    for (const std::uint64_t bp : {stack - 0x100000, stack - 0x100, stack + 0x1000000, stack + 0x20000}) {
        auto state = whole();
        state.bp = bp;
        samples.push_back(sample_of(state));
    }
    Scenario scenario;
    scenario.samples = samples;
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4, middle + 7}});
    CHECK(ended(counts, StackEnd::out_of_reach) == 4);
    CHECK(counts.chain_losses().stacks.incomplete() == 4);
    CHECK(counts.chain_losses().stacks.lost() == 0);
    CHECK(counts.chain_losses().stacks.short_copies().empty());
}

TEST_CASE("A stack at an odd address is unwound", "[symbols][unwind]") {
    auto state = whole();
    state.sp += 5;
    state.bp += 5;
    Scenario scenario;
    scenario.samples = {sample_of(state)};
    CHECK(Scenario::stacks(scenario.count()) == Stacks{{leaf + 4, middle + 7, outer + 4}});
}

TEST_CASE("A copy that the kernel could not finish needs no larger one", "[symbols][unwind]") {
    auto part = whole(), nothing = whole(), empty = whole();
    part.not_copied = 8;
    nothing.not_copied = 32;
    empty.words.clear();
    constexpr auto kernel = static_cast<std::uint64_t>(-128);
    constexpr std::uint64_t in_kernel = 0xffffffff81000010;
    Scenario scenario;
    // The last has callers, found by the recorder.
    constexpr auto user = static_cast<std::uint64_t>(-512);
    scenario.samples = {sample_of(part), sample_of(nothing, {kernel, in_kernel}), sample_of(empty),
                        sample_of(empty, {user, base + leaf + 4, base + outer + 4})};
    const auto counts = scenario.count();
    // perf shows no frame of user space where nothing is copied.
    CHECK(Scenario::stacks(counts) ==
          Stacks{{leaf + 4, middle + 7}, {in_kernel}, {leaf + 4}, {base + leaf + 4, outer + 4}});
    CHECK(counts.chain_losses().stacks.stacks() == 3);
    CHECK(ended(counts, StackEnd::failed_copy) == 3);
    CHECK(counts.chain_losses().stacks.incomplete() == 3);
    CHECK(counts.chain_losses().stacks.short_copies().empty());
}

TEST_CASE("A register that is saved beyond the copy makes it too short", "[symbols][unwind]") {
    // middle needs rbp, which far saved at CFA + 16.
    Scenario scenario;
    scenario.samples = {sample_of({base + far + 1, stack, 0, {base + middle + 8, 0, 0}}),
                        sample_of({base + far + 1, stack, 0, {base + middle + 8, 0, 0, 0x1234}})};
    const auto counts = scenario.count();
    CHECK(ended(counts, StackEnd::short_copy) == 1);
    CHECK(ended(counts, StackEnd::damaged) == 1);
    CHECK(ended(counts, StackEnd::lost_register) == 0);
}

TEST_CASE("Operations of expressions are bounded for a whole stack", "[symbols][unwind]") {
    Scenario scenario;
    scenario.samples = {sample_of({base + looping + 1, stack, 0, std::vector<std::uint64_t>(100, base + looping + 2)})};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{std::vector<std::uint64_t>(5, looping + 1)});
    CHECK(ended(counts, StackEnd::damaged) == 1);
}

TEST_CASE("Where functions overlap, rows do not depend on what was asked before", "[symbols][unwind]") {
    const std::vector<std::uint64_t> words{base + leaf + 1, base + outer + 1, base + outer + 1};
    const auto in_around = sample_of({base + around + 1, stack, 0, words});
    const auto in_inner = sample_of({base + inner + 1, stack, 0, words});
    const auto behind = sample_of({base + inner + 0x11, stack, 0, words});
    const std::vector<std::uint64_t> of_around{around + 1, outer}, of_behind{inner + 0x11, outer};
    const std::vector<std::uint64_t> of_inner{inner + 1, leaf, outer};
    Scenario first, last;
    first.samples = {in_inner, in_around, behind};
    last.samples = {behind, in_around, in_inner};
    CHECK(Scenario::stacks(first.count()) == Stacks{of_inner, of_around, of_behind});
    CHECK(Scenario::stacks(last.count()) == Stacks{of_behind, of_around, of_inner});
}

TEST_CASE("Without its file a stack has its innermost frame", "[symbols][unwind]") {
    Scenario scenario;
    scenario.has_file = false;
    scenario.samples = {sample_of(whole())};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4}});
    CHECK(ended(counts, StackEnd::no_file) == 1);
    REQUIRE(counts.chain_losses().stacks.without_file().size() == 1);
    const auto object = counts.chain_losses().stacks.without_file().begin()->first;
    CHECK(scenario.timeline->tasks().objects()[object].path == "/bin/program");
    CHECK(counts.chain_losses().stacks.lost() == 0);  // another file would supply it
}

TEST_CASE("A return address that nothing is mapped at is shown, and ends the stack", "[symbols][unwind]") {
    auto state = whole();
    state.words[3] = 0x1234;
    Scenario scenario;
    scenario.samples = {sample_of(state)};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4, middle + 7, 0x1233}});
    CHECK(ended(counts, StackEnd::no_mapping) == 1);
}

TEST_CASE("A stack ends at the limit of frames", "[symbols][unwind]") {
    Scenario scenario;
    scenario.samples = {sample_of(whole())};
    const auto counts = scenario.count(2);
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4, middle + 7}});
    CHECK(ended(counts, StackEnd::frame_limit) == 1);
    CHECK(counts.chain_losses().deep == 1);
    CHECK(counts.chain_losses().stacks.incomplete() == 0);
}

TEST_CASE("A chain that is too deep in the kernel already counts once", "[symbols][unwind]") {
    constexpr auto kernel = static_cast<std::uint64_t>(-128);
    Scenario scenario;
    scenario.samples = {sample_of(whole(), {kernel, 0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030})};
    const auto counts = scenario.count(2);
    CHECK(Scenario::stacks(counts) == Stacks{{0xffffffff81000010, 0xffffffff81000020}});
    CHECK(ended(counts, StackEnd::frame_limit) == 1);
    CHECK(counts.chain_losses().deep == 1);
}

TEST_CASE("A stack that points into itself ends", "[symbols][unwind]") {
    // middle is its own caller: its frame pointer points at itself.
    Scenario scenario;
    scenario.samples = {sample_of({base + middle + 8, stack, stack, {stack, base + middle + 8, 0, 0}})};
    const auto counts = scenario.count();
    CHECK(ended(counts, StackEnd::damaged) == 1);
    CHECK(counts.chain_losses().stacks.lost() == 1);
}

TEST_CASE("Stacks of an architecture that cannot be unwound are told", "[symbols][unwind]") {
    Scenario scenario;
    scenario.arch = "mips64";
    scenario.samples = {sample_of(whole())};
    const auto counts = scenario.count();
    CHECK(ended(counts, StackEnd::unsupported) == 1);
    CHECK(counts.chain_losses().stacks.lost() == 1);
    CHECK(Scenario::stacks(counts) == Stacks{{leaf + 4}});
}

TEST_CASE("Without names nothing is unwound, and that is told", "[symbols][unwind]") {
    Scenario scenario;
    scenario.samples = {sample_of(whole())};
    (void)scenario.count();
    SampleCountOptions counting;
    counting.chains = true;
    const auto counts = SampleCounts::count(*scenario.recording, *scenario.timeline, counting).value();
    CHECK(counts.chain_losses().stacks.not_unwound() == 1);
    CHECK(counts.chain_losses().stacks.lost() == 1);
    CHECK(counts.chain_losses().stacks.stacks() == 0);
}
