// SPDX-License-Identifier: MIT
// Unwinding from code that is special: stubs, trampolines of signals, code without rows.
#include "catch.hpp"
#include "unit/symbols/unwind_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;
using namespace perfdata::test::unwinding;

TEST_CASE("Stubs of a linkage table need no unwind information", "[symbols][unwind]") {
    // The frame pointer is the caller's: followed, it would lead past it.
    const std::uint64_t bp = stack + 24;
    const std::vector<std::uint64_t> called{base + middle + 8, 1, 2, stack + 64, base + outer + 5};
    const std::vector<std::uint64_t> pushed{0, base + middle + 8, 2, stack + 64, base + outer + 5};
    const std::vector<std::uint64_t> twice{0, 1, base + middle + 8, stack + 64, base + outer + 5};
    Scenario scenario;
    scenario.samples = {sample_of({base + plt + 16, stack, bp, called}),
                        sample_of({base + plt + 27, stack, bp, pushed}), sample_of({base + plt, stack, bp, pushed}),
                        sample_of({base + plt + 6, stack, bp, twice})};
    Stacks expected;
    for (const auto at : {plt + 16, plt + 27, plt, plt + 6}) expected.push_back({at, middle + 7, outer + 4});
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == expected);
    CHECK(ended(counts, StackEnd::bottom) == 4);
}

TEST_CASE("A register that an epilogue has popped has its caller's value", "[symbols][unwind]") {
    // Behind `leave` the CFA is rsp + 8, and gcc still says that rbp is at CFA - 16: below the stack pointer.
    Scenario scenario;
    scenario.samples = {
        sample_of({base + popped + 1, stack, stack + 16, {base + middle + 8, 0, stack + 64, base + outer + 5}})};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{popped + 1, middle + 7, outer + 4}});
}

TEST_CASE("Frame pointers lead through code without unwind information", "[symbols][unwind]") {
    Scenario scenario;
    scenario.samples = {
        sample_of({base + bare + 9, stack, stack + 8, {1, stack + 64, base + outer + 5, 2}}),
        // The frame pointer leads to no code: it may be any number.
        sample_of({base + bare + 8, stack, stack + 8, {1, stack + 64, 0x1234, 2}}),
        sample_of({base + bare + 7, stack, 3, {1, stack + 64, 0x1234, 2}}),
    };
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{bare + 9, outer + 4}, {bare + 8}, {bare + 7}});
    CHECK(ended(counts, StackEnd::bottom) == 1);
    CHECK(ended(counts, StackEnd::no_unwind_info) == 2);
    CHECK(counts.chain_losses().stacks.without_information().size() == 1);
}

TEST_CASE("A frame pointer is believed only if it leads behind a call, where the code is here", "[symbols][unwind]") {
    // What looks like a frame is a structure with a pointer to a function.
    const auto sample = sample_of({base + bare + 9, stack, stack + 8, {1, stack + 64, base + outer + 6, 2}});
    Scenario with, without;
    without.has_file = false;
    with.samples = without.samples = {sample};
    const auto counts = with.count();
    CHECK(Scenario::stacks(counts) == Stacks{{bare + 9}});
    CHECK(ended(counts, StackEnd::no_unwind_info) == 1);
    CHECK(ended(without.count(), StackEnd::no_file) == 1);
    // A trampoline is not called. What it restores is behind it.
    std::vector<std::uint64_t> words(30);
    words[1] = base + trampoline;
    words[2 + 5 + 15] = stack + 29 * 8;
    words[2 + 5 + 16] = base + leaf + 6;
    words[29] = base + outer + 5;
    with.samples = {sample_of({base + bare + 9, stack, stack, words})};
    CHECK(Scenario::stacks(with.count()) == Stacks{{bare + 9, trampoline, leaf + 6, outer + 4}});
}

TEST_CASE("The first function of a coroutine was called by nobody", "[symbols][unwind]") {
    // `popped` has a row that begins there, nothing lies before it.
    Scenario scenario;
    scenario.samples = {sample_of({base + leaf + 4, stack, 0, {base + popped, base + outer + 5}})};
    const auto by_row = scenario.count();
    CHECK(Scenario::stacks(by_row) == Stacks{{leaf + 4, popped, outer + 4}});
    CHECK(ended(by_row, StackEnd::bottom) == 1);
    // In `bare` only symbols tell. A symbol behind a call is a label.
    constexpr std::uint64_t first = bare + 0x20;
    scenario.symbols = {{"first", first, 16}, {"label", bare + 8, 8}};
    scenario.samples = {sample_of({base + leaf + 4, stack, 3, {base + first, base + outer + 5}}),
                        sample_of({base + leaf + 4, stack, 3, {base + first + 4, base + outer + 5}}),
                        sample_of({base + leaf + 4, stack, 3, {base + bare + 8, base + outer + 5}})};
    const auto by_symbol = scenario.count();
    CHECK(Scenario::stacks(by_symbol) == Stacks{{leaf + 4, first}, {leaf + 4, first + 3}, {leaf + 4, bare + 7}});
    CHECK(ended(by_symbol, StackEnd::bottom) == 1);
    CHECK(ended(by_symbol, StackEnd::no_unwind_info) == 2);
}

TEST_CASE("A return address at the start of a mapping is not of what is mapped before it", "[symbols][unwind]") {
    Mmap2 before;
    before.pid = {7};
    before.tid = {7};
    before.range = {{base + plt - 0x1000}, 0x1000};
    before.protection = GENERATE(3u, 5u);
    before.filename = "/lib/old";
    Scenario scenario;
    scenario.earlier_maps = {before};
    scenario.first_mapped = plt;
    // The first stub has pushed a word.
    scenario.samples = {sample_of({base + plt + 16, stack, 0, {base + plt, 0, 0}}),
                        sample_of({base + plt + 17, stack, 0, {base + plt - 8, 0, 0}})};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{plt + 16, plt}, {plt + 17, 0x1000 - 9}});
    CHECK(ended(counts, StackEnd::bottom) == 1);
    // Code does not lie where it may not run.
    CHECK(ended(counts, before.protection == 3 ? StackEnd::no_mapping : StackEnd::no_file) == 1);
}

TEST_CASE("Frame pointers do not replace unwind information that is damaged", "[symbols][unwind]") {
    // The frame pointer leads past the caller, whose entry is behind the damage.
    Scenario scenario;
    const Blob four(4, std::byte{0xf0});
    scenario.information.resize(scenario.information.size() - 4);
    scenario.information.insert(scenario.information.end(), four.begin(), four.end());
    scenario.samples = {sample_of({base + bare + 9, stack, stack + 8, {1, stack + 64, base + outer + 5, 2}})};
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks{{bare + 9}});
    CHECK(ended(counts, StackEnd::damaged) == 1);
    CHECK(counts.chain_losses().stacks.lost() == 1);
}

TEST_CASE("Mini debug information has rows, too", "[symbols][unwind]") {
    // The frame pointer leads past the caller.
    const auto sample = sample_of({base + bare + 9, stack, stack + 24, {1, base + leaf + 5, base + outer + 5, 0, 0}});
    Scenario with, without, damaged;
    with.mini = mini_debug_information();
    damaged.mini = Blob(64, std::byte{0x55});
    for (auto* one : {&with, &without, &damaged}) one->samples = {sample};
    CHECK(Scenario::stacks(with.count()) == Stacks{{bare + 9, leaf + 4, outer + 4}});
    CHECK(Scenario::stacks(without.count()) == Stacks{{bare + 9}});
    // It may have described the code.
    const auto counts = damaged.count();
    CHECK(Scenario::stacks(counts) == Stacks{{bare + 9}});
    CHECK(ended(counts, StackEnd::damaged) == 1);
}

TEST_CASE("A frame pointer of 0 ends stacks where calls and frame pointers led", "[symbols][unwind]") {
    Scenario scenario;
    scenario.samples = {
        // Code without frame pointer has any number there.
        sample_of({base + bare + 7, stack, 0, {base + outer + 5, 2}}),
        // Startup code has called.
        sample_of({base + leaf + 4, stack, 0, {base + bare + 8, 2}}),
        // The frame pointer leads to startup code.
        sample_of({base + bare + 9, stack, stack, {0, base + bare + 8, 2}}),
        // The entry point.
        sample_of({base + startup + 3, stack, 0, {1, 2}}),
        // It leads to zeros.
        sample_of({base + bare + 10, stack, stack, {0, 0, 0}}),
    };
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) ==
          Stacks{{bare + 7}, {leaf + 4, bare + 7}, {bare + 9, bare + 7}, {startup + 3}, {bare + 10}});
    CHECK(ended(counts, StackEnd::bottom) == 3);
    CHECK(ended(counts, StackEnd::no_unwind_info) == 2);
}

TEST_CASE("Trampolines of signals lead to what was interrupted", "[symbols][unwind]") {
    // What the kernel wrote for x86-64: 40 bytes, then r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
    const auto frame_at = [](std::vector<std::uint64_t>& words, std::size_t index) {
        words.resize(30);
        words[index + 5 + 15] = stack + 29 * 8;
        words[index + 5 + 16] = base + leaf + 6;
        words[29] = base + outer + 5;
    };
    std::vector<std::uint64_t> returning{base + trampoline}, inside, page{base + at_page}, row;
    frame_at(returning, 1);
    frame_at(inside, 0);
    frame_at(page, 1);
    row = {base + described, 0, 0, base + leaf + 6, base + outer + 5};
    Scenario scenario;
    scenario.samples = {sample_of({base + leaf + 4, stack, 0, returning}),
                        sample_of({base + trampoline, stack, 0, inside}),
                        sample_of({base + trampoline + 7, stack, 0, inside}),
                        // In the system call.
                        sample_of({base + trampoline + 9, stack, 0, inside}),
                        // Its row does not begin a byte early.
                        sample_of({base + leaf + 4, stack, 0, row})};
    Stacks expected{{leaf + 4, trampoline, leaf + 6, outer + 4}};
    for (const auto at : {trampoline, trampoline + 7, trampoline + 9}) expected.push_back({at, leaf + 6, outer + 4});
    expected.push_back({leaf + 4, described, leaf + 6, outer + 4});
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == expected);
    CHECK(ended(counts, StackEnd::bottom) == 5);

    // Nothing is mapped before the trampoline. The handler is a stub that has pushed nothing, as is what it
    // interrupted.
    page[1 + 5 + 16] = base + plt + 16;
    page[29] = 0;
    Scenario begins;
    begins.first_mapped = at_page;
    begins.samples = {sample_of({base + plt + 16, stack, 0, page})};
    CHECK(Scenario::stacks(begins.count()) == Stacks{{plt + 16, at_page, plt + 16}});
}

TEST_CASE("A trampoline that the kernel wrote onto the stack leads on", "[symbols][unwind]") {
    // mov $15, %rax; syscall, behind the frame.
    std::vector<std::uint64_t> words(31);
    words[0] = stack + 27 * 8;
    words[1 + 5 + 15] = stack + 29 * 8;
    words[1 + 5 + 16] = base + leaf + 6;
    words[27] = 0x0f0000000fc0c748;
    words[28] = 0x05;
    words[29] = base + outer + 5;
    Scenario scenario;
    scenario.samples = {sample_of({base + leaf + 4, stack, 0, words})};
    CHECK(Scenario::stacks(scenario.count()) == Stacks{{leaf + 4, stack + 27 * 8, leaf + 6, outer + 4}});
}

TEST_CASE("The vdsos of 64-bit and of 32-bit processes are not mixed up", "[symbols][unwind]") {
    constexpr std::uint64_t vdso = 0xf7000000, low = 0xff001000;
    State wide{vdso + leaf + 4, low, low + 16, {vdso + middle + 8, 0, low + 64, vdso + outer + 5}};
    auto narrow = wide;
    narrow.abi = 1;
    for (const bool first : {true, false}) {
        Scenario scenario;
        scenario.filename = "[vdso]";
        scenario.at = vdso;
        scenario.samples = {sample_of(first ? wide : narrow), sample_of(first ? narrow : wide)};
        const auto counts = scenario.count();
        CHECK(ended(counts, StackEnd::bottom) == 1);
        CHECK(ended(counts, StackEnd::no_file) == 1);  // the one that is here is of 64 bits
    }
}

TEST_CASE("A file that names a debug file which is not here says so", "[symbols][unwind]") {
    Scenario scenario;
    scenario.debug_link = "program.debug";
    scenario.samples = {sample_of({base + bare + 9, stack, 3, {1, 2}})};
    const auto told = [&]() -> std::string {
        const auto counts = scenario.count();
        CHECK(ended(counts, StackEnd::no_unwind_info) == 1);
        REQUIRE(counts.chain_losses().stacks.without_information().size() == 1);
        const auto missing =
            scenario.symbolizer->missing_debug(counts.chain_losses().stacks.without_information().begin()->first);
        REQUIRE(counts.frames().size() == 1);
        const auto frame = counts.frames()[0];
        CHECK(scenario.symbolizer->lines(frame, 1).value().empty());
        const auto problem = scenario.symbolizer->lines_problem(frame, {});
        CHECK(problem.has_value() == missing.has_value());
        if (problem) CHECK(problem->message() == "/bin/program: " + missing->text());
        if (problem) CHECK_FALSE(scenario.symbolizer->is_line_loss(frame, *problem));
        return missing ? std::string(to_string(missing->why)) : "none";
    };
    CHECK(told() == "not_found");
    Elf debug;
    debug.build_id(id(2).bytes());
    scenario.more_files["/bin/program.debug"] = debug.blob();
    CHECK(told() == "build_id_differs");
    scenario.debug_link.clear();
    CHECK(told() == "none");
}
