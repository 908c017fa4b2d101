// SPDX-License-Identifier: MIT
// Source lines and inlined calls in DWARF; names, prototypes and lines in BTF; relocations of a module.
#include "cost/case.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/features.hpp"
#include "support/program_info.hpp"
#include "support/sketch.hpp"
#include "unit/symbols/btf_builder.hpp"

namespace perfdata::test {
namespace {

// The first section of a file with one segment begins here; its addresses are file offsets.
constexpr std::uint64_t text_at = 64 + 56;
// In relocatable files addresses are offsets in the section.
constexpr std::uint64_t in_module = std::uint64_t{0} - text_at;
constexpr std::uint64_t mapped_at = 0x10000000;
constexpr std::uint32_t spare = 64;  // bytes of code in every file

std::uint32_t code_bytes(std::size_t n) {
    return static_cast<std::uint32_t>(n) + spare;
}

Elf program(std::uint32_t size, const std::vector<Elf::Symbol>& symbols) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + size}};
    elf.symbols(symbols);
    return elf;
}

// listed(...) annotates the program, with one sample at each place.
Command listed(const Files& files, const Elf& elf, const std::vector<std::uint64_t>& places,
               const std::vector<std::string>& options = {"annotate"}) {
    Sketch sketch;
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1);
    std::uint64_t time = 2;
    for (const auto place : places) sketch.sample(mapped_at + text_at + place, 1, time++);
    files.write("root/bin/x", elf.blob());
    auto command = options;
    for (const auto& word : {std::string("--offline"), std::string("--symfs"), files.folder() + "/root",
                             std::string("-o"), files.folder() + "/out.json"}) {
        command.push_back(word);
    }
    command.push_back(files.write("perf.data", sketch.build()));
    return command;
}

// A function of n instructions, each with its own line.
Command dwarf_rows(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size);
    dwarf.function(text_at, size, "f").end();
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    return listed(files, elf, {0});
}

// n functions, all with samples.
Command dwarf_functions(const Files& files, std::size_t n, const std::vector<std::string>& options) {
    constexpr std::uint32_t each = 16;
    const auto size = code_bytes(each * n);
    std::vector<Elf::Symbol> symbols;
    std::vector<std::uint64_t> places;
    DwarfWriter dwarf(text_at, size);
    for (std::uint64_t at = 0; at + each <= size; at += each) {
        const auto name = "f" + std::to_string(at);
        symbols.push_back({name, text_at + at, each});
        dwarf.function(text_at + at, each, name).inlined(text_at + at + 4, 4, 7).end().end();
        places.push_back(at + 5);
    }
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    auto elf = program(size, symbols);
    dwarf.add_to(elf);
    return listed(files, elf, places, options);
}
Command dwarf_listings(const Files& files, std::size_t n) {
    return dwarf_functions(files, n, {"annotate"});
}
// n lines in 60 nested inlined calls.
Command dwarf_deep(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size);
    dwarf.function(text_at, size, "f");
    constexpr std::uint16_t deep = 60;
    for (std::uint16_t line = 1; line <= deep; ++line) dwarf.inlined(text_at, size, line);
    for (std::uint16_t line = 0; line <= deep; ++line) dwarf.end();
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    return listed(files, elf, {0}, {"annotate", "--json"});
}

// n inlined calls, one per instruction.
Command dwarf_inlined(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size);
    dwarf.function(text_at, size, "f");
    for (std::uint32_t at = 0; at < size; ++at) {
        dwarf.inlined(text_at + at, 1, static_cast<std::uint16_t>(at)).end().row();
    }
    dwarf.end().add_to(elf);
    return listed(files, elf, {0}, {"annotate", "--json"});
}

// Overlapping units: n units with the same content, and n functions with samples.
Command dwarf_units(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    std::vector<Elf::Symbol> symbols;
    std::vector<std::uint64_t> places;
    DwarfWriter dwarf(text_at, size, {.units = n + 1});
    for (std::uint32_t at = 0; at < size; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, 1});
        places.push_back(at);
        dwarf.row();
    }
    auto elf = program(size, symbols);
    dwarf.add_to(elf);
    return listed(files, elf, places);
}
// A unit that lists the range of its code n times; the code has n lines.
Command dwarf_ranges(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size, {.ranges = n + 1});
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    return listed(files, elf, {0});
}
// n units that share a table of n abbreviations, and use the last ones.
Command dwarf_abbreviations(const Files& files, std::size_t n) {
    const auto size = code_bytes(0);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter(text_at, size, {.units = n + 1, .abbreviations = n}).row().add_to(elf);
    return listed(files, elf, {0});
}
// n units with one table of n lines and no other information on where their code is.
Command dwarf_unplaced(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size, {.units = n + 1, .placed = false});
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    return listed(files, elf, {0});
}
// n entries of 100 attributes without bytes; more than 128 are not read.
Command dwarf_attributes(const Files& files, std::size_t n) {
    const auto size = code_bytes(0);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size, {.attributes = 100});
    for (std::size_t number = 0; number < n; ++number) dwarf.empty();
    dwarf.row().add_to(elf);
    return listed(files, elf, {0});
}
// n DWARF functions, or n inlined calls in one, each covering all code; and n functions with samples.
Command dwarf_over_each_other(const Files& files, std::size_t n, bool inlined) {
    const auto size = code_bytes(n);
    std::vector<Elf::Symbol> symbols;
    std::vector<std::uint64_t> places;
    DwarfWriter dwarf(text_at, size);
    if (inlined) dwarf.function(text_at, size, "f");
    for (std::uint32_t at = 0; at < size; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, 1});
        places.push_back(at);
        if (!inlined) dwarf.function(text_at, size, "f");
        dwarf.inlined(text_at, size, 7).end();
        if (!inlined) dwarf.end();
        dwarf.row();
    }
    if (inlined) dwarf.end();
    auto elf = program(size, symbols);
    dwarf.add_to(elf);
    return listed(files, elf, places);
}
Command dwarf_functions_over(const Files& files, std::size_t n) {
    return dwarf_over_each_other(files, n, false);
}
Command dwarf_inlined_over(const Files& files, std::size_t n) {
    return dwarf_over_each_other(files, n, true);
}

// n functions that extend to the end of the code, each with a sample, and a line per byte.
Command srcline_over(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    std::vector<Elf::Symbol> symbols;
    std::vector<std::uint64_t> places;
    DwarfWriter dwarf(text_at, size);
    for (std::uint32_t at = 0; at < size; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, size - at});
        places.push_back(at);
        dwarf.row();
    }
    auto elf = program(size, symbols);
    dwarf.add_to(elf);
    return listed(files, elf, places, {"report", "--sort", "srcline"});
}

// n lines of a file whose name has n bytes, each shown as six bytes in JSON.
Command dwarf_long_file(const Files& files, std::size_t n) {
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size, {.file = "a" + std::string(n, '\x01')});
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    return listed(files, elf, {0}, {"annotate", "--json"});
}

// A relocatable file with n sections.
Command dwarf_sections(const Files& files, std::size_t n) {
    const auto size = code_bytes(0);
    auto elf = program(size, {{"f", 0, size}});
    elf.type = 1;
    elf.section(Elf::text).address = 0;
    for (std::size_t at = 0; at < n; ++at) {
        elf.add({.name = ".s" + std::to_string(at), .content = Blob(1, std::byte{0x90})});
    }
    DwarfWriter dwarf(0, size);
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    return listed(files, elf, {in_module + 8});
}

// A relocatable file with n relocations, and n relocation sections for debug information that is never read.
Command dwarf_relocations(const Files& files, std::size_t n) {
    const auto size = code_bytes(0);
    auto elf = program(size, {{"f", 0, size}});
    elf.type = 1;
    elf.section(Elf::text).address = 0;
    DwarfWriter dwarf(0, size);
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    const auto symbols = elf.symbols({});
    const auto strings = elf.add({.name = ".debug_str", .content = Blob(64)});
    const auto macros = elf.add({.name = ".debug_macro", .content = Blob(64)});
    Writer table(std::endian::little);
    for (std::size_t at = 0; at < n; ++at) table.u64(0).u64(1).u64(0);  // misaligned: not at a multiple of 8
    const auto relocations = elf.add(
        {.name = ".rela", .type = 4, .content = table.take(), .link = symbols, .entry_size = 24, .info = strings});
    for (std::size_t at = 0; at < n; ++at) {
        elf.add(
            {.name = ".rela", .type = 4, .link = symbols, .entry_size = 24, .info = macros, .bytes_of = relocations});
    }
    return listed(files, elf, {in_module + 8});
}

// n identical symbol tables of n bytes at unaligned offsets: reading one would need a copy.
Command dwarf_symbol_tables(const Files& files, std::size_t n) {
    const auto size = code_bytes(0);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size);
    for (std::uint32_t at = 0; at < size; ++at) dwarf.row();
    dwarf.add_to(elf);
    elf.add({.name = ".odd", .content = Blob(2)});  // they do not begin at a multiple of 8
    const auto symbols = elf.add({.name = ".s", .type = 2, .content = Blob(24 * n), .entry_size = 24});
    for (std::size_t at = 0; at < n; ++at) {
        elf.add({.name = ".s", .type = 2, .entry_size = 24, .bytes_of = symbols});
    }
    return listed(files, elf, {8});
}

// chained(...) reports the program, with one sample at each place, called from the place behind it.
Command chained(const Files& files, const Elf& elf, std::size_t n, std::uint64_t distance) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1);
    for (std::uint64_t at = 0; at <= n; ++at) {
        const auto place = mapped_at + text_at + at * distance;
        const std::uint64_t frames[] = {~std::uint64_t{0} - 511, place, place + 1};
        sketch.chain(place, 1, 2 + at, frames);
    }
    files.write("root/bin/x", elf.blob());
    return {"report",
            "--offline",
            "--symfs",
            files.folder() + "/root",
            "-o",
            files.folder() + "/out.json",
            files.write("perf.data", sketch.build())};
}

// n functions inlined side by side.
Command chains_inlined(const Files& files, std::size_t n) {
    constexpr std::uint32_t each = 8;
    const auto size = code_bytes(each * n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size);
    std::vector<std::uint32_t> callees;
    for (std::size_t at = 0; at <= n; ++at) callees.push_back(dwarf.callee("f" + std::to_string(at)));
    dwarf.function(text_at, size, "f");
    for (std::uint64_t at = 0; at <= n; ++at) {
        dwarf.inlined(text_at + each * at, each, 1, callees[static_cast<std::size_t>(at)]).end();
    }
    dwarf.end();
    dwarf.add_to(elf);
    return chained(files, elf, n, each);
}

// n places at which as many functions are inlined into each other as are read.
Command chains_inlined_deep(const Files& files, std::size_t n) {
    constexpr int depth = 64;
    const auto size = code_bytes(n);
    auto elf = program(size, {{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size);
    dwarf.function(text_at, size, "f");
    for (int level = 0; level < depth; ++level) dwarf.inlined(text_at, size, 1);
    for (int level = 0; level < depth; ++level) dwarf.end();
    dwarf.end();
    dwarf.add_to(elf);
    return chained(files, elf, n, 1);
}

// A BPF program of n functions, each with a prototype and `lines` lines.
Command bpf_program(const Files& files, std::size_t n, std::size_t lines, std::size_t parameters) {
    constexpr std::uint64_t base = 0xffffffffc0000000, tag = 0x0102030405060708;
    const auto each = static_cast<std::uint32_t>(lines + 16);
    BtfBuilder types(Sketch::order);
    const auto integer = types.integer("int");
    const auto file = types.text("a.c");
    Sketch sketch;
    std::vector<std::uint64_t> addresses, line_addresses;
    std::vector<std::uint32_t> sizes;
    Writer functions(Sketch::order), places(Sketch::order);
    for (std::size_t at = 0; at <= n; ++at) {
        const auto name = "f" + std::to_string(at);
        std::vector<BtfBuilder::Parameter> list;
        for (std::size_t number = 0; number < parameters; ++number) {
            list.push_back({"p" + std::to_string(number), types.pointer(types.constant(integer))});
        }
        functions.u32(static_cast<std::uint32_t>(at)).u32(types.function(name, types.prototype(integer, list)));
        addresses.push_back(base + each * at);
        sizes.push_back(each);
        for (std::size_t line = 0; line < lines; ++line) {
            line_addresses.push_back(base + each * at + line);
            const auto number = static_cast<std::uint32_t>(line);
            places.u32(number).u32(file).u32(types.text("x = " + std::to_string(line) + ";")).u32(number << 10 | 1);
        }
        sketch.symbol(base + each * at, each, "bpf_prog_0102030405060708_" + name, 1);
    }
    sketch.bpf(BpfEvent::Kind::load, 1, tag, 2);
    for (std::size_t at = 0; at <= n; ++at) sketch.sample(base + each * at, 1, 3 + at, Sketch::kernel);
    const auto count = static_cast<std::uint32_t>(n + 1), rows = static_cast<std::uint32_t>(line_addresses.size());
    ProgramInfo info(Sketch::order, 1);
    info.u64(info_field::tag, 0x0807060504030201).u32(info_field::btf_id, 5);
    info.array(BpfArray::jited_insns, each * count, Blob(each * count, std::byte{0x90}));
    info.array(BpfArray::jited_ksyms, count, array_u64(Sketch::order, addresses));
    info.array(BpfArray::jited_func_lens, count, array_u32(Sketch::order, sizes));
    info.array(BpfArray::func_info, count, functions.take());
    info.array(BpfArray::line_info, rows, places.take());
    info.array(BpfArray::jited_line_info, rows, array_u64(Sketch::order, line_addresses));
    sketch.feature(Feature::bpf_prog_info, prog_info_feature(Sketch::order, {info.encode()}));
    sketch.feature(Feature::bpf_btf, bpf_btf(Sketch::order, {{5, types.blob()}}));
    return {"annotate", "--offline", "-o", files.folder() + "/out.txt", files.write("perf.data", sketch.build())};
}
Command btf_functions(const Files& files, std::size_t n) {
    return bpf_program(files, n, 1, 3);
}
Command btf_lines(const Files& files, std::size_t n) {
    return bpf_program(files, 1, n + 1, 1);
}

// A BPF program of n calls of a function with n parameters.
Command bpf_calls(const Files& files, std::size_t n) {
    constexpr std::uint64_t base = 0xffffffffc0000000, tag = 0x0102030405060708;
    constexpr std::uint32_t callee = 16, call = 5;
    const auto caller = code_bytes(call * n);
    BtfBuilder types(Sketch::order);
    const auto integer = types.integer("int");
    std::vector<BtfBuilder::Parameter> list;
    for (std::size_t at = 0; at < n; ++at) list.push_back({"parameter_" + std::to_string(at), integer});
    Writer functions(Sketch::order), code(Sketch::order);
    functions.u32(0).u32(types.function("f", types.prototype(integer, list)));
    functions.u32(2).u32(types.function("g", types.prototype(integer, {})));
    for (std::uint32_t at = 0; at < callee; ++at) code.u8(0x90);
    for (std::uint32_t at = 0; at < n; ++at) code.u8(0xe8).u32(0 - (callee + call * (at + 1)));  // call f
    while (code.size() < callee + caller) code.u8(0x90);
    Sketch sketch;
    sketch.symbol(base, callee, "bpf_prog_0102030405060708_f", 1);
    sketch.symbol(base + callee, caller, "bpf_prog_0102030405060708_g", 1);
    sketch.bpf(BpfEvent::Kind::load, 1, tag, 2).sample(base + callee, 1, 3, Sketch::kernel);
    ProgramInfo info(Sketch::order, 1);
    info.u64(info_field::tag, 0x0807060504030201).u32(info_field::btf_id, 5);
    info.array(BpfArray::jited_insns, callee + caller, code.take());
    info.array(BpfArray::jited_ksyms, 2, array_u64(Sketch::order, {base, base + callee}));
    info.array(BpfArray::jited_func_lens, 2, array_u32(Sketch::order, {callee, caller}));
    info.array(BpfArray::func_info, 2, functions.take());
    sketch.feature(Feature::bpf_prog_info, prog_info_feature(Sketch::order, {info.encode()}));
    sketch.feature(Feature::bpf_btf, bpf_btf(Sketch::order, {{5, types.blob()}}));
    return {"annotate", "--offline", "-o", files.folder() + "/out.txt", files.write("perf.data", sketch.build())};
}

}  // namespace

CostCases line_cases() {
    constexpr bool refused = true;
    return {
        {"dwarf_rows", 2000, dwarf_rows},
        {"dwarf_listings", 200, dwarf_listings},
        {"dwarf_deep", 2000, dwarf_deep},
        {"dwarf_inlined", 1000, dwarf_inlined},
        {"dwarf_units", 200, dwarf_units},
        {"dwarf_ranges", 500, dwarf_ranges},
        {"dwarf_abbreviations", 1000, dwarf_abbreviations},
        {"dwarf_unplaced", 500, dwarf_unplaced},
        {"dwarf_attributes", 3000, dwarf_attributes, {}, 2.3, refused},
        {"dwarf_functions_over", 200, dwarf_functions_over},
        {"dwarf_inlined_over", 200, dwarf_inlined_over},
        {"chains_inlined", 1000, chains_inlined},
        {"chains_inlined_deep", 1000, chains_inlined_deep},
        {"srcline_over", 500, srcline_over},
        {"dwarf_long_file", 1000, dwarf_long_file},
        {"dwarf_sections", 2000, dwarf_sections},
        {"dwarf_relocations", 1000, dwarf_relocations},
        {"dwarf_symbol_tables", 3000, dwarf_symbol_tables},
        {"btf_functions", 500, btf_functions},
        {"btf_lines", 2000, btf_lines},
        {"bpf_calls", 120, bpf_calls},
    };
}

}  // namespace perfdata::test
