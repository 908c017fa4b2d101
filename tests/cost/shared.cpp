// SPDX-License-Identifier: MIT
// Small files that all refer to one large file.
#include "cost/case.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t text_at = 64 + 56, mapped_at = 0x10000000, apart = 0x100000;
constexpr std::uint32_t code_bytes = 64;

Elf program(std::uint32_t size, Bytes build_id) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + size}};
    elf.build_id(build_id);
    return elf;
}

// mapped(n) maps the files /bin/0 to /bin/n and has a sample in each.
Sketch mapped(std::size_t n) {
    Sketch sketch;
    for (std::size_t at = 0; at <= n; ++at) {
        sketch.mmap(1, mapped_at + apart * at, apart, "/bin/" + std::to_string(at), 1);
        sketch.sample(mapped_at + apart * at + text_at, 1, 2);
    }
    return sketch;
}
Command annotated(const Files& files, std::size_t n) {
    return {"annotate",
            "--offline",
            "--symfs",
            files.folder() + "/root",
            "-o",
            files.folder() + "/out.json",
            files.write("perf.data", mapped(n).build())};
}

// n copies of a program, with one debug file of 20 n symbols and functions.
Command copies(const Files& files, std::size_t n) {
    const auto size = static_cast<std::uint32_t>(20 * n + code_bytes);
    const Blob id(20, std::byte{1});
    auto debug = program(size, id);
    DwarfWriter dwarf(text_at, size);
    std::vector<Elf::Symbol> symbols;
    for (std::uint32_t at = 0; at < size; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, 1});
        dwarf.function(text_at + at, 1, "f").end().row();
    }
    debug.symbols(symbols);
    dwarf.add_to(debug);
    std::string name = "root/usr/lib/debug/.build-id/01/";
    for (int byte = 1; byte < 20; ++byte) name += "01";
    files.write(name + ".debug", debug.blob());
    const auto copy = program(code_bytes, id).blob();
    for (std::size_t at = 0; at <= n; ++at) files.write("root/bin/" + std::to_string(at), copy);
    return annotated(files, n);
}

// n programs with debug information that refers to an alternate of 20 n units.
Command alternates(const Files& files, std::size_t n) {
    constexpr std::uint32_t callee = 11 + 21;  // bytes of the header and of the first entry
    const Blob alternate_id(20, std::byte{2});
    auto alternate = program(code_bytes, alternate_id);
    DwarfWriter(text_at, code_bytes, {.units = 20 * n + 1}).add_to(alternate);
    files.write("root/bin/alternate", alternate.blob());
    for (std::size_t at = 0; at <= n; ++at) {
        auto elf = program(code_bytes, Writer(Sketch::order).u64(at).u64(3).take());
        elf.symbols({{"f" + std::to_string(at), text_at, code_bytes}});
        DwarfWriter dwarf(text_at, code_bytes);
        dwarf.function(text_at, code_bytes, "f").in_alternate(text_at, 8, callee).end().row().add_to(elf);
        elf.add({.name = ".gnu_debugaltlink",
                 .content = Writer(Sketch::order).text("alternate").u8(0).bytes(alternate_id).take()});
        files.write("root/bin/" + std::to_string(at), elf.blob());
    }
    return annotated(files, n);
}

}  // namespace

CostCases shared_cases() {
    return {
        {"copies", 100, copies},
        {"alternates", 100, alternates},
    };
}

}  // namespace perfdata::test
