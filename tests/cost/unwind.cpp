// SPDX-License-Identifier: MIT
// Call frame information that no compiler writes. Each address in it is looked up once.
#include "cost/case.hpp"
#include "support/cfi.hpp"

namespace perfdata::test {
namespace {

using Code = Instructions;

CfiBuilder builder() {
    CfiBuilder::Options options;
    options.address = 0x10000000;
    options.table_address = 0x8000000;
    return CfiBuilder(options);
}

// looked_up(...) writes the input of unwind_rows.cpp.
Command looked_up(const Files& files, const Blob& section, const Blob& table,
                  const std::vector<std::uint64_t>& addresses) {
    Writer out(std::endian::little);
    out.u64(section.size()).u64(table.size()).u64(8 * addresses.size());
    out.bytes(section).bytes(table);
    for (const auto address : addresses) out.u64(address);
    return {files.write("frames", out.take())};
}

constexpr std::uint64_t code_at = 0x400000;

// n functions, each within the one before it.
Command nested(const Files& files, std::size_t n) {
    auto frames = builder();
    const auto cie = frames.cie();
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        frames.fde(cie, code_at + 16 * at, 32 * n + 64 - 32 * at);
        addresses.push_back(code_at + 32 * n + 32 - 16 * at);
    }
    return looked_up(files, frames.section(), {}, addresses);
}

// n functions that all begin at one address.
Command stacked(const Files& files, std::size_t n) {
    auto frames = builder();
    const auto cie = frames.cie();
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        frames.fde(cie, code_at, 16 * (at + 1));
        addresses.push_back(code_at + 16 * at);
    }
    return looked_up(files, frames.section(), {}, addresses);
}

// n functions of no size at one address, in a table.
Command empty(const Files& files, std::size_t n) {
    auto frames = builder();
    const auto cie = frames.cie();
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        frames.fde(cie, code_at, 0);
        addresses.push_back(code_at + at);
    }
    return looked_up(files, frames.section(), frames.table(), addresses);
}

// n CIEs, and n functions, each with another one's.
Command commons(const Files& files, std::size_t n) {
    auto frames = builder();
    std::vector<std::size_t> cies;
    for (std::size_t at = 0; at < n; ++at) {
        CfiBuilder::Common common;
        common.augmentation = "zPLRS";
        cies.push_back(frames.cie(common));
    }
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        addresses.push_back(code_at + 16 * at);
        frames.fde(cies[(at * 7919) % n], addresses.back(), 16);
    }
    return looked_up(files, frames.section(), {}, addresses);
}

// One CIE with n instructions, and n functions.
Command shared(const Files& files, std::size_t n) {
    auto frames = builder();
    CfiBuilder::Common common;
    for (std::size_t at = 0; at < n; ++at) common.instructions.op(0);
    const auto cie = frames.cie(common);
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        addresses.push_back(code_at + 16 * at);
        frames.fde(cie, addresses.back(), 16);
    }
    return looked_up(files, frames.section(), frames.table(), addresses);
}

// A CIE of n bytes that cannot be used, and n functions, every other one with it.
Command long_text(const Files& files, std::size_t n) {
    auto frames = builder();
    CfiBuilder::Common common;
    common.augmentation = std::string(20 * n, 'z');
    const auto unusable = frames.cie(common), cie = frames.cie();
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        frames.fde(at % 2 == 0 ? unusable : cie, code_at + 16 * at, 16);
        addresses.push_back(code_at + 16 * at);
    }
    return looked_up(files, frames.section(), {}, addresses);
}

// One function with n rows, which remembers and restores its state in each.
Command rows(const Files& files, std::size_t n) {
    auto frames = builder();
    const auto cie = frames.cie();
    Code code;
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < n; ++at) {
        code.op(0x0a).offset(3, at % 100).advance(1).op(0x0b);
        addresses.push_back(code_at + at);
    }
    frames.fde(cie, code_at, n + 1, code);
    return looked_up(files, frames.section(), frames.table(), addresses);
}

// n entries of a table that leads into one long entry: each lays claim to all that follows it. Every 20 bytes of it are
// an FDE, which those before it take for instructions.
Command overlaid(const Files& files, std::size_t n) {
    auto frames = builder();
    const auto cie = frames.cie();
    const auto begin = frames.section().size();
    constexpr std::size_t entry = 20;
    const auto end = begin + entry * (n + 1);
    Writer section(std::endian::little), table(std::endian::little);
    section.bytes(frames.section());
    table.u8(1).u8(0x1b).u8(3).u8(0x3b).u32(0x10000000 - 0x8000004).u32(static_cast<std::uint32_t>(n));
    std::vector<std::uint64_t> addresses;
    for (std::size_t at = begin; at + entry < end; at += entry) {
        const auto vaddr = code_at + 16 * addresses.size();
        addresses.push_back(vaddr);
        section.u32(static_cast<std::uint32_t>(end - at - 4)).u32(static_cast<std::uint32_t>(at + 4 - cie));
        section.u32(static_cast<std::uint32_t>(vaddr - (0x10000000 + at + 8))).u32(16).u32(0);
        table.u32(static_cast<std::uint32_t>(vaddr - 0x8000000));
        table.u32(static_cast<std::uint32_t>(0x10000000 + at - 0x8000000));
    }
    section.zeros(entry);
    return looked_up(files, section.take(), table.take(), addresses);
}

}  // namespace

CostCases unwind_cases() {
    constexpr std::string_view program = PERFDATA_COST_UNWIND;
    const auto of = [&](std::string_view name, std::size_t n, auto make) {
        CostCase one{name, n, make};
        one.program = program;
        return one;
    };
    return {of("nested", 10000, nested),    of("stacked", 10000, stacked),   of("empty", 10000, empty),
            of("commons", 5000, commons),   of("shared", 2000, shared),      of("rows", 5000, rows),
            of("overlaid", 3000, overlaid), of("long_text", 5000, long_text)};
}

}  // namespace perfdata::test
