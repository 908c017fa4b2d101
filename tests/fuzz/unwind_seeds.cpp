// SPDX-License-Identifier: MIT
#include "unwind_seeds.hpp"

#include "support/cfi.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t code_at = 0x1000, stack_at = 0x7000;

// Architecture is one of fuzz_unwind.cpp's list, by its place there.
struct Architecture {
    const char* name;
    std::uint8_t place;
    unsigned address_bytes, stack_pointer, return_register;
    std::uint64_t cfa_offset;  // when a function begins
};
constexpr Architecture architectures[] = {
    {"x86_64", 0, 8, 7, 16, 8},   {"i386", 1, 4, 4, 8, 4},   {"arm64", 2, 8, 31, 30, 0},
    {"s390x", 4, 8, 15, 14, 160}, {"ppc64", 5, 8, 1, 65, 0}, {"riscv64", 7, 8, 2, 1, 0},
};

// input(...) writes what fuzz_unwind.cpp reads.
Blob input(std::uint8_t architecture, std::uint8_t choices, const Blob& section, const Blob& table, const Blob& stack) {
    Writer out(std::endian::little);
    out.u8(architecture).u8(choices);
    for (const auto* part : {&section, &table, &stack}) out.u16(static_cast<std::uint16_t>(part->size()));
    for (const auto* part : {&section, &table, &stack}) out.bytes(*part);
    out.u16(code_at + 4);
    for (std::uint16_t slot = 0; slot < 33; ++slot) out.u16(static_cast<std::uint16_t>(slot * 8));
    return out.take();
}

// stack_of(...) writes words that are return addresses, frame pointers, or neither.
Blob stack_of(std::endian order, unsigned address_bytes) {
    Writer out(order);
    for (std::uint64_t word = 0; word < 32; ++word) {
        const auto value = word % 2 == 0 ? stack_at + 16 * (word + 2) : code_at + 8 + word;
        if (address_bytes == 8) {
            out.u64(value);
        } else {
            out.u32(static_cast<std::uint32_t>(value));
        }
    }
    return out.take();
}

// code_of(...) uses each instruction once.
Instructions code_of(std::endian order, const Architecture& one) {
    Instructions code(order);
    code.advance(2).def_cfa_offset(16).offset(3, 2).advance(2).op(0x0a);
    code.op(0x0c).uleb(one.stack_pointer).uleb(32).op(0x05).uleb(6).uleb(3).op(0x11).uleb(5).sleb(-3);
    code.op(2).op(1).op(0x07).uleb(2).op(0x08).uleb(4).op(0x09).uleb(1).uleb(0).op(0x14).uleb(5).uleb(1);
    code.op(3).u16(1).op(0x15).uleb(6).sleb(-1).op(0x2e).uleb(16).op(0x0b).op(0xc0 | 3).op(0x06).uleb(6);
    code.op(4).u32(1).op(0x12).uleb(one.stack_pointer).sleb(-4).op(0x13).sleb(-2).op(0x0d).uleb(one.stack_pointer);
    code.advance(1).op(0x10).uleb(3).block(Instructions(order).op(0x06).op(0x23).uleb(8));
    code.op(0x16).uleb(4).block(Instructions(order).op(0x31).op(0x28).u16(1).op(0x96).op(0x12).op(0x22));
    code.advance(1).op(0x0f).block(
        Instructions(order).op(0x92).uleb(one.stack_pointer).sleb(8).op(0x08).op(3).op(0x1a).op(0x38).op(0x22).op(6));
    if (one.place == 2) code.advance(1).op(0x2d);
    return code;
}

Blob frames(std::endian order, const Architecture& one, bool debug_frame, const std::string& augmentation) {
    CfiBuilder::Options options;
    options.order = order;
    options.wide_addresses = one.address_bytes == 8;
    options.debug_frame = debug_frame;
    CfiBuilder builder(options);
    CfiBuilder::Common common;
    common.version = debug_frame ? 4 : 1;
    common.augmentation = augmentation;
    common.address_bytes = one.address_bytes;
    common.data_alignment = -static_cast<std::int64_t>(one.address_bytes);
    common.return_register = one.return_register;
    common.instructions = Instructions(order).def_cfa(one.stack_pointer, one.cfa_offset);
    if (one.place < 2) common.instructions.offset(one.return_register, 1);
    const auto cie = builder.cie(common);
    builder.fde(cie, code_at, 0x10, code_of(order, one));
    builder.fde(cie, code_at + 0x10, 0x40,
                Instructions(order).advance(1).def_cfa_offset(16).offset(one.return_register, 1));
    const auto big = order == std::endian::big ? 1 : 0;
    return input(one.place, static_cast<std::uint8_t>(big | (debug_frame ? 2 : 0)), builder.section(),
                 debug_frame ? Blob() : builder.table(), stack_of(order, one.address_bytes));
}

// arm(order): three functions, one with its operations in the table.
Blob arm(std::endian order) {
    constexpr std::uint64_t index_at = 0x10000, table_at = 0x8000;
    Writer index(order), table(order);
    const auto entry = [&](std::uint64_t function, std::uint32_t word) {
        index.u32(static_cast<std::uint32_t>(function - (index_at + index.size())) & 0x7fffffff).u32(word);
    };
    entry(code_at, 0x8001a9b0);
    entry(code_at + 0x10, static_cast<std::uint32_t>(table_at - (index_at + 12)) & 0x7fffffff);
    entry(code_at + 0x40, 1);
    table.u32(0x8102b20a).u32(0xb10fc904).u32(0x848081b0);
    return input(3, static_cast<std::uint8_t>(4 | (order == std::endian::big ? 1 : 0)), index.blob(), table.blob(),
                 stack_of(order, 4));
}

}  // namespace

std::vector<std::pair<std::string, Blob>> unwind_seeds() {
    std::vector<std::pair<std::string, Blob>> seeds;
    for (const auto order : {std::endian::little, std::endian::big}) {
        const std::string end = order == std::endian::little ? "-little" : "-big";
        for (const auto& one : architectures) {
            const auto name = "seed-" + std::string(one.name);
            seeds.emplace_back(name + end, frames(order, one, false, "zPLR"));
            seeds.emplace_back(name + "-debug" + end, frames(order, one, true, ""));
        }
        seeds.emplace_back("seed-signal" + end, frames(order, architectures[0], false, "zRS"));
        seeds.emplace_back("seed-arm" + end, arm(order));
    }
    return seeds;
}

}  // namespace perfdata::test
