// SPDX-License-Identifier: MIT
// Debug information that no compiler writes: entries, strings, lists and signatures that libdw itself would traverse
// repeatedly.
#include <initializer_list>

#include "cost/case.hpp"
#include "support/elf.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t mapped_at = 0x10000000, text_at = 64 + 56;
constexpr std::uint32_t code_bytes = 64;
constexpr std::uint32_t header = 11, of_unit = header + 1 + 4 + 8 + 8;  // bytes before the unit's first entry

Writer little() {
    return Writer(std::endian::little);
}
Writer number(std::uint64_t value) {
    auto out = little();
    for (; value >= 0x80; value >>= 7) out.u8(static_cast<std::uint8_t>(value | 0x80));
    return out.u8(static_cast<std::uint8_t>(value));
}
// short_numbers(...) writes numbers below 128.
Writer short_numbers(std::initializer_list<std::uint8_t> values) {
    auto out = little();
    for (const auto value : values) out.u8(value);
    return out;
}
Blob with_size(const Writer& content) {
    return little().u32(static_cast<std::uint32_t>(content.size())).bytes(content.blob()).take();
}
// unit(entries) writes a DWARF 4 unit. Its first entry has abbreviation 1: lines, and the range of its code.
Blob unit(const Writer& entries) {
    return with_size(little().u16(4).u32(0).u8(8).u8(1).u32(0).u64(text_at).u64(code_bytes).bytes(entries.blob()));
}
Writer abbreviations() {
    return short_numbers({1, 0x11, 1, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0});
}
Blob lines() {
    auto head = short_numbers({1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0});
    head.text("a.c").zeros(5);
    auto table = little().u16(4).u32(static_cast<std::uint32_t>(head.size())).bytes(head.blob());
    table.u8(0).u8(9).u8(2).u64(text_at).u8(1).u8(2).u8(code_bytes).u8(0).u8(1).u8(1);
    return with_size(table);
}

struct Section {
    const char* name;
    Blob content;
};
// annotated(...) writes a program with these sections and one sample in it.
Command annotated(const Files& files, std::vector<Section> sections) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(code_bytes, std::byte{0x90});
    elf.segments = {{0, 0, text_at + code_bytes}};
    elf.symbols({{"f", text_at, code_bytes}});
    elf.add({.name = ".debug_line", .content = lines()});
    for (auto& section : sections) elf.add({.name = section.name, .content = std::move(section.content)});
    files.write("root/bin/x", elf.blob());
    Sketch sketch;
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1).sample(mapped_at + text_at, 1, 2);
    return {"annotate",
            "--offline",
            "--symfs",
            files.folder() + "/root",
            "-o",
            files.folder() + "/out.json",
            files.write("perf.data", sketch.build())};
}

// n blocks, each with an inlined call that lacks an end.
Command siblings(const Files& files, std::size_t n) {
    auto codes = abbreviations();
    codes.bytes(short_numbers({2, 0x0b, 1, 1, 0x13, 0, 0}).blob());  // a block: its sibling
    codes.bytes(short_numbers({3, 0x1d, 1, 0, 0, 0}).blob());        // an inlined call
    auto entries = little();
    for (std::uint32_t at = 0; at < n; ++at) entries.u8(2).u32(of_unit + 6 * (at + 1)).u8(3);
    return annotated(files, {{".debug_info", unit(entries.zeros(8))}, {".debug_abbrev", codes.take()}});
}

// n functions whose entries overlap each other's names.
Command strings(const Files& files, std::size_t n) {
    constexpr std::uint32_t room = 1 << 21;  // large enough that no byte of the offsets is 0
    auto codes = abbreviations();
    codes.bytes(short_numbers({2, 0x2e, 0, 1, 0x15, 3, 8, 0, 0}).blob());  // a function: its sibling, its name
    codes.bytes(short_numbers({3, 0x34, 0, 3, 9, 0, 0, 0}).blob());        // a variable: a block
    auto entries = little().u8(3).bytes(number(room).blob()).zeros(room);
    const auto begin = of_unit + static_cast<std::uint32_t>(entries.size());
    for (std::uint32_t at = 0; at < n; ++at) entries.u8(2).bytes(number(begin + 5 * (at + 1)).blob());
    return annotated(files, {{".debug_info", unit(entries.zeros(3))}, {".debug_abbrev", codes.take()}});
}

// n functions that share one list of 3 n entries, all without ranges.
Command bases(const Files& files, std::size_t n) {
    auto codes = abbreviations();
    codes.bytes(short_numbers({2, 0x2e, 0, 0x55, 0x17, 0, 0, 0}).blob());  // a function: its ranges
    auto entries = little();
    for (std::size_t at = 0; at < n; ++at) entries.u8(2).u32(0);
    auto list = little();
    for (std::size_t at = 0; at < 3 * n; ++at) list.u64(UINT64_MAX).u64(text_at);
    return annotated(files, {{".debug_info", unit(entries.u8(0))},
                             {".debug_abbrev", codes.take()},
                             {".debug_ranges", list.zeros(16).take()}});
}

// n entries with an abbreviation that libdw reads as one with 2 n attributes, because it truncates a 33-bit number to
// 32 bits.
Command numbers(const Files& files, std::size_t n) {
    auto codes = short_numbers({1, 0x11, 1, 0x10, 0x17, 0x11, 1, 0x12, 7});
    codes.bytes(number(std::uint64_t{1} << 32).blob()).u8(0).bytes(short_numbers({2, 0x2e, 0, 0}).blob());
    for (std::size_t at = 0; at < n; ++at) codes.bytes(short_numbers({0x19, 0x34, 0x80, 0, 0}).blob());
    auto entries = little();
    for (std::size_t at = 0; at < n; ++at) entries.u8(2);
    return annotated(files, {{".debug_info", unit(entries.u8(0))}, {".debug_abbrev", codes.zeros(16).take()}});
}

// n types whose signatures collide in libdw's hash table.
Command signatures(const Files& files, std::size_t n) {
    constexpr std::uint64_t size = 12853;  // of libdw's table
    auto codes = abbreviations();
    codes.bytes(short_numbers({2, 0x41, 0, 0, 0, 0}).blob());
    auto units = little().bytes(unit(little().u8(0)));
    for (std::size_t at = 0; at < n; ++at) {
        units.bytes(with_size(little().u16(5).u8(2).u8(8).u32(0).u64((at + 1) * size * (size - 2) + 5).u32(24).u8(2)));
    }
    return annotated(files, {{".debug_info", units.take()}, {".debug_abbrev", codes.take()}});
}

// n units of one empty entry each.
Command tiny_units(const Files& files, std::size_t n) {
    auto codes = abbreviations();
    codes.bytes(short_numbers({2, 0x11, 0, 0, 0, 0}).blob());
    const auto tiny = with_size(little().u16(4).u32(0).u8(8).u8(2));
    auto units = little().bytes(unit(little().u8(0)));
    for (std::size_t at = 0; at < n; ++at) units.bytes(tiny);
    return annotated(files, {{".debug_info", units.take()}, {".debug_abbrev", codes.take()}});
}

}  // namespace

CostCases dwarf_cases() {
    constexpr bool refused = true;
    // Both sizes are refused: the limit grows less than the number of units.
    constexpr double most_of_units = 1.6;
    return {
        {"siblings", 2000, siblings},
        {"strings", 50000, strings, {}, 2.3, refused},
        {"bases", 5000, bases, {}, 2.3, refused},
        {"numbers", 5000, numbers, {}, 2.3, refused},
        {"signatures", 5500, signatures, {}, 2.3, refused},
        {"tiny_units", 100000, tiny_units, {}, most_of_units, refused},
    };
}

}  // namespace perfdata::test
