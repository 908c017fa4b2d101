// SPDX-License-Identifier: MIT
// Files with names of code, and code with many samples, calls and patches.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cost/case.hpp"
#include "support/elf.hpp"
#include "support/jitdump.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t text_size = std::uint64_t{1} << 20;

// mapped(n) writes a process with /bin/x at 0x10000000 and n samples in it at `place(number)`.
template <class Place>
Sketch mapped(std::size_t n, Place&& place) {
    Sketch sketch;
    sketch.mmap(1, 0x10000000, text_size, "/bin/x", 1);
    for (std::size_t at = 0; at < n; ++at) sketch.sample(0x10000000 + place(at), 1, 2 + at);
    return sketch.sample(1, 1, 5 + n);
}

Command below_symfs(const Files& files, const Sketch& sketch, const Elf& elf) {
    files.write("root/bin/x", elf.blob());
    return {"report", "--offline", "--symfs", files.folder() + "/root", files.write("perf.data", sketch.build())};
}

Elf program() {
    Elf elf;
    elf.section(Elf::text).only_size = text_size;
    elf.segments.push_back({0, 0, text_size, 5, 1});
    return elf;
}

// Each symbol is inside all before it; samples are behind the innermost.
Command nested_symbols(const Files& files, std::size_t n) {
    auto elf = program();
    std::vector<Elf::Symbol> symbols;
    for (std::size_t at = 0; at <= n; ++at) symbols.push_back({"f" + std::to_string(at), at, 2 * n + 16 - 2 * at});
    elf.symbols(symbols);
    return below_symfs(files, mapped(n, [&](std::size_t at) { return n + 2 + at % (n + 1); }), elf);
}

// Symbols whose names are suffixes of one text.
Command long_names(const Files& files, std::size_t n) {
    auto elf = program();
    Writer entries(Sketch::order);
    entries.zeros(24);
    for (std::size_t at = 0; at <= n; ++at) {
        entries.u32(static_cast<std::uint32_t>(1 + at)).u8(0x12).u8(0).u16(Elf::text).u64(16 * at).u64(16);
    }
    Writer text(Sketch::order);
    text.u8(0).fill(100 * n + 1, 'f').u8(0);
    const auto strings = elf.add({.name = ".strtab", .type = 3, .content = text.take()});
    elf.add({.name = ".symtab", .type = 2, .content = entries.take(), .link = strings, .entry_size = 24});
    return below_symfs(files, mapped(n, [](std::size_t at) { return 16 * at; }), elf);
}

// n sections that all refer to the same n notes, none of which is a build-id.
Command notes(const Files& files, std::size_t n) {
    auto elf = program();
    constexpr std::uint32_t type = 7, size = 16;
    Writer content(Sketch::order);
    for (std::size_t at = 0; at <= n; ++at) content.u32(4).u32(0).u32(1).u32(0);
    for (std::size_t at = 0; at < n; ++at) elf.add({.name = ".n", .type = type, .only_size = size * n});
    elf.add({.name = ".n", .type = type, .content = content.take()});
    return below_symfs(files, mapped(1, [](std::size_t) { return std::uint64_t{0}; }), elf);
}

// n overlapping segments; only the last contains the samples.
Command segments(const Files& files, std::size_t n) {
    auto elf = program();
    elf.segments.clear();
    for (std::size_t at = 0; at < n; ++at) elf.segments.push_back({at, at, 1, 4, 1});
    elf.segments.push_back({0, 0x100000, text_size, 5, 1});
    elf.symbols({{"f", 0x100000, text_size}});
    return below_symfs(files, mapped(n, [&](std::size_t at) { return 8 * at; }), elf);
}

// linked(files, n, file, link) creates n links to a file below root; link(number) returns their paths.
template <class Link>
void linked(const Files& files, std::size_t n, const std::string& file, Link&& link) {
    for (std::size_t at = 0; at < n; ++at) {
        const std::filesystem::path name = files.folder() + "/root/" + link(at);
        std::filesystem::create_directories(name.parent_path());
        std::filesystem::create_symlink("/" + file, name);
    }
}

// A program with n names: links cost almost nothing to create.
Command linked_programs(const Files& files, std::size_t n) {
    auto elf = program();
    std::vector<Elf::Symbol> symbols;
    for (std::size_t at = 0; at <= 10 * n; ++at) symbols.push_back({"f" + std::to_string(at), 16 * at, 16});
    elf.symbols(symbols);
    linked(files, n, "bin/x", [](std::size_t at) { return "bin/x" + std::to_string(at); });
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        const auto pid = static_cast<std::uint32_t>(at + 1);
        sketch.mmap(pid, 0x10000000, text_size, "/bin/x" + std::to_string(at), 1).sample(0x10000008, pid, 2 + at);
    }
    return below_symfs(files, sketch.sample(1, 1, 5 + n), elf);
}

// in_links(...) writes n processes with a sample at `address` each.
Command in_links(const Files& files, std::size_t n, const std::string& mapping, std::uint64_t address) {
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        const auto pid = static_cast<std::uint32_t>(at + 1);
        const auto path = mapping.starts_with("//") ? mapping : "/" + std::to_string(at) + mapping;
        sketch.mmap(pid, address & ~std::uint64_t{0xfff}, text_size, path, 1).sample(address, pid, 1000 + at);
    }
    return {"report", "--offline", "--symfs", files.folder() + "/root",
            files.write("perf.data", sketch.sample(1, 1, 5000 + n).build())};
}

Command linked_perf_maps(const Files& files, std::size_t n) {
    std::string text;
    for (std::size_t at = 0; at < 10 * n; ++at) {
        char line[64];
        std::snprintf(line, sizeof line, "%zx 10 f%zu\n", 0x10000000 + 16 * at, at);
        text += line;
    }
    files.write("root/tmp/all.map", blob_of(text));
    linked(files, n, "tmp/all.map", [](std::size_t at) { return "tmp/perf-" + std::to_string(at + 1) + ".map"; });
    return in_links(files, n, "//anon", 0x10000008);
}

Command linked_jit_dumps(const Files& files, std::size_t n) {
    JitDumpWriter dump(Sketch::order);
    for (std::size_t at = 1; at <= 10 * n; ++at) dump.load({10, 0x10000000 + 16 * at, "f", "\x90\x90", at});
    files.write("root/jit-42.dump", dump.blob());
    linked(files, n, "jit-42.dump", [](std::size_t at) { return std::to_string(at) + "/jit-42.dump"; });
    return in_links(files, n, "/jit-42.dump", 0x10000010);
}

// Two modules with names of 100 n letters that differ in the last one, and n samples at the border.
Command kernel_modules(const Files& files, std::size_t n) {
    constexpr std::uint64_t begin = 0xffffffffc0000000;
    const std::string name(100 * n, 'm');
    const auto text =
        "ffffffffc0000000 t f\t[" + name + "1]\nffffffffc1000000 t g\t[" + name + "2]\nffffffffc1000010 t h\n";
    Sketch sketch;
    for (std::size_t at = 0; at <= n; ++at) sketch.sample(begin + at, 1, 1 + at, Sketch::kernel);
    return {"report", "--offline", "--kallsyms", files.write("kallsyms", blob_of(text)),
            files.write("perf.data", sketch.build())};
}

Command kallsyms(const Files& files, std::size_t n) {
    std::string text = "ffffffff81000000 T _text\n";
    Sketch sketch;
    const auto kernel =
        Writer(Sketch::order).u32(~0u).u32(0).u64(0xffffffff81000000).u64(1 << 24).u64(0xffffffff81000000);
    sketch.kernel_record(RecordType::mmap, Writer(kernel).padded_text("[kernel.kallsyms]_text").take(), 0, 0,
                         Sketch::kernel);
    for (std::size_t at = 1; at <= n; ++at) {
        char line[64];
        std::snprintf(line, sizeof line, "%016zx T f%zu\n", 0xffffffff81000000 + 16 * (n - at + 1), at);
        text += line;
        sketch.sample(0xffffffff81000000 + 16 * at + 3, 1, 1 + at, Sketch::kernel);
    }
    const auto names = files.write("kallsyms", blob_of(text));
    return {"report", "--offline", "--kallsyms", names, files.write("perf.data", sketch.sample(1, 1, n + 2).build())};
}

// Overlapping entries.
Command perf_map(const Files& files, std::size_t n) {
    std::string text = "100000 10 first\n";
    Sketch sketch;
    sketch.mmap(77, 0x100000, 0x1000000, "//anon", 1);
    for (std::size_t at = 1; at <= n; ++at) {
        char line[64];
        std::snprintf(line, sizeof line, "%zx %zx f%zu\n", 0x100000 + 16 * at, 16 * (2 * n - at), at);
        text += line;
        sketch.sample(0x100000 + 16 * at + 3, 77, 1 + at);
    }
    const auto map = files.write("perf-77.map", blob_of(text));
    return {"report", "--offline", "--perf-map", map, files.write("perf.data", sketch.sample(1, 1, n + 2).build())};
}

// One function with as many callers as there are samples.
Command callers(const Files& files, std::size_t n) {
    constexpr std::uint64_t image = 0xffffffffc0000000;
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.symbol(image, 64, "bpf_trampoline_1", 1);
    for (std::uint64_t at = 0; at < n; ++at) {
        const auto caller = image + 0x10000 + 64 * at;
        sketch.symbol(caller, 64, "bpf_trampoline_" + std::to_string(2 + at), 2 + at);
    }
    for (std::uint64_t at = 0; at <= n; ++at) {
        const std::uint64_t frames[] = {~std::uint64_t{0} - 127, image + 8, image + 0x10000 + 64 * at + 16};
        sketch.chain(image + 8, 1, n + 10 + at, frames, Sketch::kernel);
    }
    return {"annotate", "--offline", "-s", "bpf_trampoline_1", files.write("perf.data", sketch.build())};
}

// n functions that extend to the end of the code and only call.
Command callers_over(const Files& files, std::size_t n) {
    constexpr std::uint64_t text_at = 64 + 56, callee_size = 16;
    const auto size = 2 * n + callee_size;
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + size}};
    const auto callee = text_at + 2 * n;
    std::vector<Elf::Symbol> symbols{{"g", callee, callee_size}};
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, 0x10000000, text_size, "/bin/x", 1);
    for (std::size_t at = 0; at <= n; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, 2 * n - at});
        const std::uint64_t frames[] = {~std::uint64_t{0} - 511, 0x10000000 + callee + 4,
                                        0x10000000 + text_at + at + 1};
        sketch.chain(0x10000000 + callee + 4, 1, 2 + at, frames);
    }
    elf.symbols(symbols);
    files.write("root/bin/x", elf.blob());
    return {"annotate",
            "--calls",
            "--offline",
            "--symfs",
            files.folder() + "/root",
            "-o",
            files.folder() + "/out.txt",
            files.write("perf.data", sketch.build())};
}

// A module of n sections before its code, and n functions with a listing each.
Command sections(const Files& files, std::size_t n) {
    constexpr std::uint64_t code = 4, executable = 6;
    Elf elf;
    elf.type = 1;
    for (std::size_t at = 0; at < n; ++at) elf.add({.name = ".s"});
    Writer bytes(Sketch::order);
    bytes.fill(code * n + 16, 0x90);
    const auto text = elf.add({.name = ".code.text", .flags = executable, .content = bytes.take()});
    std::vector<Elf::Symbol> symbols{{.name = "f", .size = 16, .section = text}};
    for (std::size_t at = 0; at < n; ++at) {
        symbols.push_back({.name = "f" + std::to_string(at), .value = 16 + code * at, .size = code, .section = text});
    }
    elf.symbols(symbols);
    // Find the code's file offset: its first bytes of this kind.
    const auto blob = elf.blob();
    const auto begin = std::ranges::search(blob, std::vector(16, std::byte{0x90})).begin();
    const auto offset = static_cast<std::uint64_t>(begin - blob.begin());
    files.write("root/bin/x.ko", blob);
    Sketch sketch;
    sketch.mmap(1, 0x10000000, text_size, "/bin/x.ko", 1);
    for (std::size_t at = 0; at < n; ++at) sketch.sample(0x10000000 + offset + 16 + code * at, 1, 2 + at);
    const auto recording = files.write("perf.data", sketch.sample(0x10000000 + offset, 1, 5 + n).build());
    return {"annotate", "--offline", "--symfs", files.folder() + "/root", recording};
}

// One file under n names, without symbols but with n sections to search for each name.
Command sections_of_names(const Files& files, std::size_t n) {
    auto elf = program();
    for (std::size_t at = 0; at < n; ++at) elf.add({.name = ".s"});
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        const auto pid = static_cast<std::uint32_t>(at + 1);
        const auto path = "/bin/" + std::to_string(at) + "/../x";
        sketch.mmap(pid, 0x10000000, text_size, path, 1).sample(0x10000008, pid, 2 + at);
    }
    return below_symfs(files, sketch.sample(1, 1, 5 + n), elf);
}

// A copy of the kernel's memory that lacks every other byte of a function.
Command kcore_gaps(const Files& files, std::size_t n) {
    constexpr std::uint64_t kernel = 0xffffffff81000000;
    Elf elf;
    elf.type = 4;
    for (std::size_t at = 0; at <= n; ++at) elf.segments.push_back({0, kernel + 2 * at, 1});
    char text[128];
    std::snprintf(text, sizeof text, "%zx T _text\n%zx T f\n%zx T g\n", kernel - 16, kernel, kernel + 2 * n + 2);
    Sketch sketch;
    const auto mapping = Writer(Sketch::order).u32(~0u).u32(0).u64(kernel - 16).u64(1 << 24).u64(kernel - 16);
    sketch.kernel_record(RecordType::mmap, Writer(mapping).padded_text("[kernel.kallsyms]_text").take(), 0, 0,
                         Sketch::kernel);
    return {"annotate",
            "--offline",
            "--kcore",
            files.write("kcore", elf.blob()),
            "--kallsyms",
            files.write("kallsyms", blob_of(text)),
            files.write("perf.data", sketch.sample(kernel, 1, 2, Sketch::kernel).build())};
}

// n symbols at one address that share two names. Demangling a name takes as long as reading all symbols.
Command names_of_one_address(const Files& files, std::size_t n) {
    constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const auto reference = [&](std::size_t place) {
        const auto number = place - 1;
        const auto low = std::string("B") + digits[number % 62] + "_";
        return number < 62 ? low : std::string("B") + digits[number / 62] + low.substr(1);
    };
    // Nested pairs, each made with back-references.
    const auto name = [&](const std::string& crate) {
        auto path = "INvC1" + crate + "1f";
        auto last = path.size();
        path += "TuuE";
        for (std::size_t steps = 2; steps < n + 2; steps *= 2) {
            const auto next = path.size();
            path += "T" + reference(last) + reference(last) + "E";
            last = next;
        }
        return "_R" + path + "E";
    };
    auto elf = program();
    const auto first = name("a");
    Writer text(Sketch::order);
    text.u8(0).text(first).u8(0).text(name("b")).u8(0);
    Writer entries(Sketch::order);
    entries.zeros(24);
    for (std::size_t at = 0; at <= n; ++at) {
        const auto begin = at % 2 == 0 ? 1 : 2 + first.size();
        entries.u32(static_cast<std::uint32_t>(begin)).u8(0x12).u8(0).u16(Elf::text).u64(0).u64(16);
    }
    const auto strings = elf.add({.name = ".strtab", .type = 3, .content = text.take()});
    elf.add({.name = ".symtab", .type = 2, .content = entries.take(), .link = strings, .entry_size = 24});
    return below_symfs(files, mapped(1, [](std::size_t) { return std::uint64_t{0}; }), elf);
}

}  // namespace

CostCases symbol_cases() {
    return {
        {"notes", 2000, notes},
        {"nested_symbols", 1000, nested_symbols},
        {"long_names", 1000, long_names},
        {"segments", 1000, segments},
        {"sections", 1000, sections},
        {"sections_of_names", 1000, sections_of_names},
        {"kcore_gaps", 4000, kcore_gaps},
        {"names_of_one_address", 2000, names_of_one_address},
        {"linked_programs", 200, linked_programs},
        {"linked_perf_maps", 200, linked_perf_maps},
        {"linked_jit_dumps", 200, linked_jit_dumps},
        {"kallsyms", 1000, kallsyms},
        {"kernel_modules", 1000, kernel_modules},
        {"perf_map", 1000, perf_map},
        {"callers", 500, callers},
        {"callers_over", 1000, callers_over},
    };
}

}  // namespace perfdata::test
