// SPDX-License-Identifier: MIT
// Copies of user stacks, unwound by the files that were mapped when they were made.
#include <algorithm>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/cfi.hpp"
#include "support/files.hpp"
#include "support/samples.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto little = std::endian::little;
constexpr std::uint64_t exclude_callchain_user = 1u << 22;
constexpr auto with_stack = sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::callchain |
                            sample_bit::regs_user | sample_bit::stack_user;
// perf's numbers of bp, sp and ip.
constexpr std::uint64_t bp_sp_ip = 1u << 6 | 1u << 7 | 1u << 8;

// The program lies at `base`: offset 0x1000 of the file is its first instruction.
constexpr std::uint64_t base = 0x555500000000, stack = 0x7ffc00001000;
// Offsets of functions. `bare` has no unwind information.
constexpr std::uint64_t leaf = 0x1000, middle = 0x1020, outer = 0x1060, bare = 0x10a0, popped = 0x1100;
// `inner` lies in `around`. `far` saves rbp high on the stack. `looping` has an expression that takes long.
constexpr std::uint64_t around = 0x1140, inner = 0x1150, far = 0x1180, looping = 0x11a0, startup = 0x1200, plt = 0x3000;
// Trampolines of signals: without unwind information, at the start of a page, and with a row of its own.
constexpr std::uint64_t trampoline = 0x1240, at_page = 0x2000, described = 0x1260;

Blob unwind_information() {
    Writer out(little);
    const auto entry = [&](std::uint32_t id, const Blob& body) {
        Writer padded(little);
        padded.bytes(body).align(8);
        out.u32(static_cast<std::uint32_t>(padded.size() + 4)).u32(id).bytes(padded.blob());
    };
    std::size_t common_at = 0;
    const auto function = [&](std::uint64_t begin, std::uint64_t size, std::vector<std::uint8_t> instructions) {
        Writer body(little);
        body.u64(begin).u64(size).u8(0);
        for (const auto byte : instructions) body.u8(byte);
        entry(static_cast<std::uint32_t>(out.size() + 4 - common_at), body.blob());
    };
    Writer common(little);
    // Version 1, "zR", code alignment 1, data alignment -8, return address in column 16, addresses as they are.
    common.u8(1).text("zR").u8(0).u8(1).u8(0x78).u8(16).u8(1).u8(0);
    common.u8(0x0c).u8(7).u8(8);  // DW_CFA_def_cfa: rsp + 8
    common.u8(0x80 | 16).u8(1);   // DW_CFA_offset: return address at CFA - 8
    entry(0, common.blob());
    function(leaf, 0x20, {});
    // push rbp; mov rsp, rbp: CFA is rbp + 16, rbp at CFA - 16.
    function(middle, 0x40, {0x0c, 6, 16, 0x80 | 6, 2});
    function(outer, 0x40, {0x07, 16});  // DW_CFA_undefined: return address
    function(popped, 0x20, {0x80 | 6, 2});
    function(around, 0x40, {0x0e, 16});  // DW_CFA_def_cfa_offset
    function(inner, 0x10, {});
    function(far, 0x20, {0x11, 6, 0x7e});  // DW_CFA_offset_extended_sf: rbp at CFA + 16
    // The CFA is rsp + 8, after 1000 turns of four operations: const2u 1000; lit1, minus, dup, bra -6; drop; breg7 8.
    function(looping, 0x20, {0x0f, 12, 0x0a, 0xe8, 0x03, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff, 0x13, 0x77, 8});
    // The same for signal frames. The interrupted address is at rsp + 16.
    Writer of_signals(little);
    of_signals.u8(1).text("zRS").u8(0).u8(1).u8(0x78).u8(16).u8(1).u8(0);
    of_signals.u8(0x0c).u8(7).u8(24).u8(0x80 | 16).u8(1);
    common_at = out.size();
    entry(0, of_signals.blob());
    function(described, 0x10, {});
    out.u32(0);
    return out.take();
}

// Returns .gnu_debugdata with a .debug_frame: in `bare`, an expression says that the CFA is rsp + 16.
Blob mini_debug_information() {
    CfiBuilder::Options options;
    options.debug_frame = true;
    CfiBuilder builder(options);
    CfiBuilder::Common common;
    common.augmentation.clear();
    builder.fde(builder.cie(common), bare, 0x20, Instructions().op(0x0f).block(Instructions().op(0x77).sleb(16)));
    Elf mini;
    mini.add({.name = ".debug_frame", .content = builder.section()});
    return compressed(Compression::xz, mini.blob());
}

Blob program(Blob information, Blob mini = {}) {
    Elf elf;
    if (!mini.empty()) elf.add({.name = ".gnu_debugdata", .content = std::move(mini)});
    elf.segments.push_back({0, 0, 0x4000});
    elf.section(Elf::text).address = 0x1000;
    Elf::Section section;
    section.name = ".eh_frame";
    section.flags = 2;
    section.address = 0x2000;
    section.content = std::move(information);
    elf.add(section);
    Elf::Section stubs;
    stubs.name = ".plt";
    stubs.flags = 6;
    stubs.address = plt;
    Writer code(little);
    code.u16(0x35ff).u32(0).u16(0x25ff).u32(0).u32(0);                 // push GOT[1]; jmp *GOT[2]
    code.u16(0x25ff).u32(0).u8(0x68).u32(0).u8(0xe9).u32(0xffffffe0);  // jmp *GOT[3]; push 0; jmp to the first
    stubs.content = code.take();
    elf.add(stubs);
    elf.build_id(id(1).bytes());
    auto blob = elf.blob();
    constexpr std::size_t at_entry = 24;  // e_entry
    const auto start = Writer(little).u64(startup).take();
    std::ranges::copy(start, blob.begin() + at_entry);
    REQUIRE(blob.size() < trampoline);
    blob.resize(0x4000);
    const auto sigreturn = Writer(little).u32(0x0fc0c748).u32(0x0f000000).u8(0x05).take();  // mov $15, %rax; syscall
    for (const auto at : {trampoline, at_page}) {
        std::ranges::copy(sigreturn, blob.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return blob;
}

struct State {
    std::uint64_t ip = base + leaf, sp = stack, bp = 0;
    std::vector<std::uint64_t> words;  // of the stack, from sp
    std::size_t not_copied = 0;        // bytes at the end
    std::uint64_t abi = 2;
};

Attr attr_of() {
    auto attr = sampling_attr(with_stack);
    attr.flags |= exclude_callchain_user;
    attr.sample_regs_user = bp_sp_ip;
    attr.sample_stack_user = 1024;
    attr.sample_period = 1;
    return attr;
}

Blob sample_of(const State& state, std::vector<std::uint64_t> chain = {}) {
    SampleContent content;
    content.fixed.ip = chain.size() > 1 ? chain[1] : state.ip;
    content.fixed.pid = content.fixed.tid = 7;
    content.fixed.time = 2'000'000'000;
    content.callchain = std::move(chain);
    content.user_registers = {state.abi, {state.bp, state.sp, state.ip}};
    Writer words(little);
    for (const auto word : state.words) words.u64(word);
    content.stack = words.blob();
    content.stack_copied = words.size() - state.not_copied;
    return encode(little, attr_of(), content, content.callchain.empty() ? 2 : 1);
}

struct Scenario {
    std::string arch = "x86_64";
    bool has_file = true;
    Blob information = unwind_information();
    Blob mini{};  // .gnu_debugdata, if there is one
    std::string filename = "/bin/program";
    std::uint64_t at = base;
    std::uint64_t first_mapped = 0x1000;  // offset in the file
    std::vector<Blob> samples;

    // Counts the samples with their callers.
    SampleCounts count(std::uint32_t max_stack = 127) {
        RecordingBuilder builder(little);
        builder.event(attr_of());
        builder.feature(Feature::arch, feature_string(little, arch));
        Mmap2 map;
        map.pid = {7};
        map.tid = {7};
        map.range = {{at + first_mapped}, 0x4000 - first_mapped};
        map.page_offset = first_mapped;
        if (filename == "[vdso]") {
            map.range = {{at}, 0x4000};
            map.page_offset = 0;
        }
        map.build_id = id(1);
        map.protection = 5;
        map.filename = filename;
        SampleValues mapped;
        mapped.pid = mapped.tid = 7;
        mapped.time = 1'000'000'000;
        builder.add(encode(map, {little, trailer(little, with_stack, mapped), 2}));
        for (const auto& sample : samples) builder.add(sample);
        file = builder.build();
        recording.emplace(Recording::from_memory(file).value());
        timeline.emplace(Timeline::build(*recording).value());
        const auto files = std::make_shared<Files>();
        const std::string in_cache = "/cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/vdso";
        if (has_file) files->content[filename == "[vdso]" ? in_cache : filename] = program(information, mini);
        SymbolizerOptions options;
        options.finder.buildid_dir = "/cache";
        options.files = files;
        options.jit.as_recorded = false;
        symbolizer.emplace(Symbolizer::open(*recording, *timeline, options));
        SampleCountOptions counting;
        counting.chains = true;
        counting.max_stack = max_stack;
        counting.functions = &symbolizer->functions();
        return SampleCounts::count(*recording, *timeline, counting).value();
    }

    // Returns the frames of each row's chain, innermost first: offsets in the program, other addresses as they are.
    static std::vector<std::vector<std::uint64_t>> stacks(const SampleCounts& counts) {
        std::vector<std::vector<std::uint64_t>> all;
        for (const auto& row : counts.rows()) {
            auto& chain = all.emplace_back();
            for (auto node = row.chain; node != ChainNode::none; node = counts.chains()[node].caller) {
                chain.push_back(counts.frames()[counts.chains()[node].frame].offset);
            }
        }
        return all;
    }

    Blob file;
    std::optional<Recording> recording;
    std::optional<Timeline> timeline;
    std::optional<Symbolizer> symbolizer;
};

using Stacks = std::vector<std::vector<std::uint64_t>>;

// leaf is called by middle, which is called by outer.
State whole() {
    return {base + leaf + 4, stack, stack + 16, {base + middle + 8, 0, stack + 64, base + outer + 5}};
}

std::uint64_t ended(const SampleCounts& counts, StackEnd end) {
    return counts.chain_losses().stacks.ended(end);
}

}  // namespace

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
    // middle's frame pointer leads to another stack: below, above, and above on the same one, beyond all copies.
    std::vector<Blob> samples;
    for (const std::uint64_t bp : {stack - 0x100000, stack + 0x1000000, stack + 0x20000}) {
        auto state = whole();
        state.bp = bp;
        samples.push_back(sample_of(state));
    }
    Scenario scenario;
    scenario.samples = samples;
    const auto counts = scenario.count();
    CHECK(Scenario::stacks(counts) == Stacks(3, {leaf + 4, middle + 7}));
    CHECK(ended(counts, StackEnd::out_of_reach) == 3);
    CHECK(counts.chain_losses().stacks.incomplete() == 3);
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
