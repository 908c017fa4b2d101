// SPDX-License-Identifier: MIT
// A program with unwind information, and samples with copies of its stack.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

namespace perfdata::test::unwinding {

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

inline Blob unwind_information() {
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
inline Blob mini_debug_information() {
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

inline Blob program(Blob information, Blob mini = {}, const std::string& debug_link = {},
                    const std::vector<Elf::Symbol>& symbols = {}) {
    Elf elf;
    if (!symbols.empty()) elf.symbols(symbols);
    if (!debug_link.empty()) elf.debug_link(debug_link);
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
    REQUIRE(blob.size() <= leaf);
    blob.resize(0x4000);
    // Calls end at middle + 8, outer + 5 and bare + 8.
    for (const auto at : {middle + 3, outer, bare + 3}) blob[at] = std::byte{0xe8};
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

inline Attr attr_of() {
    auto attr = sampling_attr(with_stack);
    attr.flags |= exclude_callchain_user;
    attr.sample_regs_user = bp_sp_ip;
    attr.sample_stack_user = 1024;
    attr.sample_period = 1;
    return attr;
}

inline Blob sample_of(const State& state, std::vector<std::uint64_t> chain = {}) {
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
    Blob mini{};               // .gnu_debugdata, if there is one
    std::string debug_link{};  // .gnu_debuglink, if there is one
    std::vector<Elf::Symbol> symbols{};
    std::vector<Mmap2> earlier_maps{};  // of the process, before the program's
    std::map<std::string, Blob> more_files{};
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
        for (const auto& earlier : earlier_maps) {
            builder.add(encode(earlier, {little, trailer(little, with_stack, mapped), 2}));
        }
        builder.add(encode(map, {little, trailer(little, with_stack, mapped), 2}));
        for (const auto& sample : samples) builder.add(sample);
        file = builder.build();
        recording.emplace(Recording::from_memory(file).value());
        timeline.emplace(Timeline::build(*recording).value());
        const auto files = std::make_shared<Files>();
        const std::string in_cache = "/cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/vdso";
        if (has_file)
            files->content[filename == "[vdso]" ? in_cache : filename] =
                program(information, mini, debug_link, symbols);
        for (const auto& [name, content] : more_files) files->content[name] = content;
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
inline State whole() {
    return {base + leaf + 4, stack, stack + 16, {base + middle + 8, 0, stack + 64, base + outer + 5}};
}

inline std::uint64_t ended(const SampleCounts& counts, StackEnd end) {
    return counts.chain_losses().stacks.ended(end);
}

}  // namespace perfdata::test::unwinding
