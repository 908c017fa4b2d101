// SPDX-License-Identifier: MIT
// Code that was loaded and unloaded: BPF programs, JIT code, kernel patches, each in a form that is slow with simple
// tables.
#include <cstdio>

#include "cost/case.hpp"
#include "support/cfi.hpp"
#include "support/jitdump.hpp"
#include "support/program_info.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t base = 0xffffffffc0000000;
constexpr std::uint64_t tag = 0x0102030405060708;

std::string program_symbol(std::size_t number) {
    return "bpf_prog_0102030405060708_f" + std::to_string(number);
}

// Info describes one program: addresses and sizes of its functions, optionally their code.
struct Info {
    std::uint32_t id = 1;
    std::vector<std::uint64_t> addresses;
    std::vector<std::uint32_t> sizes;
    bool code = false;

    Blob blob() const {
        ProgramInfo info(Sketch::order, id);
        const auto count = static_cast<std::uint32_t>(addresses.size());
        info.u64(info_field::tag, 0x0807060504030201);
        if (code) {
            std::uint32_t bytes = 0;
            for (const auto size : sizes) bytes += size;
            info.array(BpfArray::jited_insns, bytes, Blob(bytes, std::byte{0x90}));
        }
        info.array(BpfArray::jited_ksyms, count, array_u64(Sketch::order, addresses));
        info.array(BpfArray::jited_func_lens, count, array_u32(Sketch::order, sizes));
        return info.encode();
    }
};
Blob feature_of(const std::vector<Blob>& infos) {
    return prog_info_feature(Sketch::order, infos);
}

Info side_by_side(std::size_t n, bool code = false) {
    Info info{1, {}, {}, code};
    for (std::size_t at = 0; at < n; ++at) {
        info.addresses.push_back(base + 64 * at);
        info.sizes.push_back(64);
    }
    return info;
}

Command one_file(const Files& files, const Sketch& sketch, Command command) {
    command.push_back(files.write("perf.data", sketch.build()));
    return command;
}

// n loads of a program with n functions.
Command loads(const Files& files, std::size_t n) {
    Sketch sketch;
    sketch.symbol(base, 64, program_symbol(0), 1);
    for (std::size_t at = 0; at < n; ++at) sketch.bpf(BpfEvent::Kind::load, 1, tag, 2 + at);
    return one_file(files, sketch.feature(Feature::bpf_prog_info, feature_of({side_by_side(n).blob()})), {"bpf"});
}

// n loads; only the last function still exists.
Command loads_of_gone(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) sketch.symbol(base + 64 * at, 64, program_symbol(at), 1);
    sketch.bpf(BpfEvent::Kind::load, 1, tag, 2);
    constexpr std::uint16_t gone = 1;
    for (std::size_t at = 0; at + 1 < n; ++at) sketch.symbol(base + 64 * at, 64, program_symbol(at), 3, gone);
    for (std::size_t at = 0; at < n; ++at) sketch.bpf(BpfEvent::Kind::load, 1, tag, 4 + at);
    return one_file(files, sketch.feature(Feature::bpf_prog_info, feature_of({side_by_side(n).blob()})), {"bpf"});
}

// n symbols at one address and n functions that claim it.
Command claims(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) sketch.symbol(base, 64, program_symbol(at), 1 + at);
    const Info info{1, std::vector<std::uint64_t>(n, base), std::vector<std::uint32_t>(n, 64), false};
    return one_file(files, sketch.feature(Feature::bpf_prog_info, feature_of({info.blob()})), {"bpf"});
}

// Two programs alternately claim one symbol with a long name.
Command long_name(const Files& files, std::size_t n) {
    Sketch sketch;
    sketch.symbol(base, 64, "bpf_prog_0102030405060708_" + std::string(60'000, 'n'), 1);
    for (std::size_t at = 0; at < n; ++at) {
        sketch.bpf(BpfEvent::Kind::load, static_cast<std::uint32_t>(1 + at % 2), tag, 2 + at);
    }
    const Info one{1, {base}, {64}, false}, two{2, {base}, {64}, false};
    return one_file(files, sketch.feature(Feature::bpf_prog_info, feature_of({one.blob(), two.blob()})), {"bpf"});
}

// Each symbol grows downwards over all before it, with lookups between.
Command growing(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        sketch.symbol(base - 16 * at, static_cast<std::uint32_t>(64 + 16 * at), program_symbol(at), 1 + 2 * at);
        sketch.sample(base, 1, 2 + 2 * at, Sketch::kernel);
    }
    return one_file(files, sketch, {"symbols", "--history", "ffffffffc0000000"});
}

// Listings with code of all n functions of a program.
Command functions(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) sketch.symbol(base + 64 * at, 64, program_symbol(at), 1);
    sketch.bpf(BpfEvent::Kind::load, 1, tag, 2);
    for (std::size_t at = 0; at < n; ++at) sketch.sample(base + 64 * at + 4, 1, 3 + at, Sketch::kernel);
    sketch.feature(Feature::bpf_prog_info, feature_of({side_by_side(n, true).blob()}));
    return one_file(files, sketch, {"annotate", "--offline", "--format", "json", "-o", files.folder() + "/out.json"});
}

// One row per function of a program, with BTF names.
Command rows(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) sketch.symbol(base + 64 * at, 64, program_symbol(at), 1);
    sketch.bpf(BpfEvent::Kind::load, 1, tag, 2);
    for (std::size_t at = 0; at < n; ++at) sketch.sample(base + 64 * at + 4, 1, 3 + at, Sketch::kernel);
    sketch.feature(Feature::bpf_prog_info, feature_of({side_by_side(n).blob()}));
    return one_file(files, sketch, {"report", "--offline", "--json", "-o", files.folder() + "/out.json"});
}

// One large image over many small ones, all patched.
Command nested(const Files& files, std::size_t n) {
    Sketch sketch;
    sketch.symbol(base, 1 << 26, "bpf_trampoline_1", 1);
    for (std::size_t at = 0; at < n; ++at) sketch.symbol(base + 64 + 64 * at, 16, "bpf_trampoline_2", 2 + at);
    sketch.poke(base + 2, "\1\1\1\1\1", "\2\2\2\2\2", n + 10);
    for (std::size_t at = 0; at < n; ++at) {
        sketch.poke(base + 66 + 64 * at, "\1\1\1\1\1", "\2\2\2\2\2", n + 11 + at);
    }
    for (std::size_t at = 0; at < n; ++at) sketch.sample(base + 164 + 64 * n + at, 1, 2 * n + 11 + at, Sketch::kernel);
    return one_file(files, sketch, {"annotate", "--offline", "-o", files.folder() + "/out.txt"});
}

// Slots at one address, each created, changed and removed before the next.
Command slots(const Files& files, std::size_t n) {
    constexpr std::uint16_t out_of_line = 2;
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        const auto slot = [&](std::uint16_t flags, std::uint64_t time) {
            const auto body = Writer(Sketch::order).u64(base).u32(64).u16(out_of_line).u16(flags).padded_text("slot");
            sketch.kernel_record(RecordType::ksymbol, Writer(body).take(), time);
        };
        slot(0, 10 * at + 1);
        sketch.poke(base, "", std::string(64, '\x90'), 10 * at + 2);
        sketch.poke(base + 2, "\x90", "\xcc", 10 * at + 4);
        slot(1, 10 * at + 9);
    }
    for (std::size_t at = 0; at < n; ++at) sketch.sample(base + 3, 1, 10 * at + 5, Sketch::kernel);
    return one_file(files, sketch, {"annotate", "--offline", "-o", files.folder() + "/out.txt"});
}

// n versions of a function of 1 KiB, each with a listing.
Command versions(const Files& files, std::size_t n) {
    Sketch sketch;
    const std::uint32_t size = 1024;
    sketch.symbol(base, size, program_symbol(1), 1).bpf(BpfEvent::Kind::load, 1, tag, 2);
    for (std::size_t at = 0; at < n; ++at) {
        const std::string one(1, '\x90'), other(1, '\xcc');
        const auto time = 100'000 * (at + 1);
        sketch.poke(base + 2, at % 2 == 0 ? one : other, at % 2 == 0 ? other : one, time);
        sketch.sample(base + 2, 1, time + 5, Sketch::kernel);
    }
    const Info info{1, {base}, {size}, true};
    sketch.feature(Feature::bpf_prog_info, feature_of({info.blob()}));
    return one_file(files, sketch, {"annotate", "--offline", "-o", files.folder() + "/out.txt"});
}

constexpr std::uint64_t heap = 0x7f0000000000;

Command jit(const Files& files, const JitDumpWriter& dump) {
    Sketch sketch;
    sketch.mmap(42, 0x400000, 0x1000, "/tmp/jit-42.dump", 1);
    for (std::uint64_t time = 1000; time < 1003; ++time) sketch.sample(heap + 72, 42, time);
    return one_file(files, sketch, {"report", "--offline", "--jitdump", files.write("jit-42.dump", dump.blob())});
}

constexpr std::string_view nops = "\x90\x90\x90\x90\x90\x90\x90\x90";

Command jit_names(const Files& files, std::size_t n) {
    JitDumpWriter dump(Sketch::order);
    dump.load({10, heap, std::string(60'000, 'f'), nops, 1});
    auto from = heap;
    for (std::size_t at = 0; at < n; ++at) {
        const auto to = heap + 64 * (at % 2 + 1);
        dump.move(11 + at, from, to, nops.size(), 1);
        from = to;
    }
    return jit(files, dump);
}

// A few bytes of code that move often, with many lines outside of them.
Command jit_moved(const Files& files, std::size_t n, std::vector<std::string> options) {
    JitDumpWriter dump(Sketch::order);
    std::vector<JitLineValues> lines;
    for (std::size_t at = 0; at < 10 * n; ++at) lines.push_back({heap + at, 1, 0, "a.c"});
    dump.debug_info(1, heap, lines);
    dump.load({10, heap, "f", nops, 1});
    Sketch sketch;
    sketch.monotonic().mmap(42, 0x400000, 0x1000, "/tmp/jit-42.dump", 1).sample(heap + 2, 42, 15);
    for (std::size_t at = 0; at < n; ++at) {
        dump.move(20 + 10 * at, heap + 16 * at, heap + 16 * (at + 1), nops.size(), 1);
        sketch.sample(heap + 16 * (at + 1) + 2, 42, 25 + 10 * at);
    }
    for (const auto& word : {std::string("--offline"), std::string("-o"), files.folder() + "/out.txt",
                             std::string("--jitdump"), files.write("jit-42.dump", dump.blob())}) {
        options.push_back(word);
    }
    return one_file(files, sketch, options);
}
Command jit_moved_lines(const Files& files, std::size_t n) {
    return jit_moved(files, n, {"annotate"});
}
Command jit_moved_srcline(const Files& files, std::size_t n) {
    return jit_moved(files, n, {"report", "--sort", "srcline"});
}

// n moves of one function with n entries of unwind information. Each copy has a user stack.
Command jit_moved_stacks(const Files& files, std::size_t n) {
    CfiBuilder frames;
    const auto cie = frames.cie();
    for (std::size_t at = 0; at < n; ++at) frames.fde(cie, 0x100000 + 16 * at, 16);
    const auto information = frames.section();
    JitDumpWriter dump(Sketch::order);
    dump.unwinding(9, information);
    dump.load({10, heap, "f", nops, 1});
    constexpr std::uint64_t sp_ip = 1u << 7 | 1u << 8, stack = 0x7ffc00000000;
    Sketch sketch(Sketch::plain | sample_bit::regs_user | sample_bit::stack_user);
    sketch.monotonic().user_stacks(sp_ip, 8).mmap(42, 0x400000, 0x1000, "/tmp/jit-42.dump", 1);
    for (std::size_t at = 0; at < n; ++at) {
        const auto to = heap + 16 * (at + 1), time = 20 + 10 * at;
        dump.move(time, heap + 16 * at, to, nops.size(), 1);
        Writer sample(Sketch::order);
        sample.u64(to).u32(42).u32(42).u64(time + 5);
        sample.u64(2).u64(stack).u64(to).u64(8).u64(0).u64(8);
        sketch.record(RecordType::sample, sample.take(), Sketch::user);
    }
    return one_file(files, sketch, {"report", "-g", "--offline", "--jitdump", files.write("jit-42.dump", dump.blob())});
}

// A bucket count of std::unordered_map: all its multiples fall into one bucket.
constexpr std::uint64_t bucket_count = 85229;

Command jit_numbers(const Files& files, std::size_t n) {
    JitDumpWriter dump(Sketch::order);
    for (std::size_t at = 1; at <= n; ++at) dump.load({10 + at, heap + 16 * at, "f", nops, at * bucket_count});
    for (std::size_t at = 1; at <= n; ++at) {
        dump.move(n + 10 + at, heap + 16 * at, heap + 16 * (n + at), nops.size(), at * bucket_count);
    }
    return jit(files, dump);
}

Command jit_debug(const Files& files, std::size_t n) {
    JitDumpWriter dump(Sketch::order);
    for (std::size_t at = 1; at <= n; ++at) dump.debug_info(1, at * bucket_count, {});
    return jit(files, dump);
}

// One dump under n names.
Command jit_files(const Files& files, std::size_t n) {
    JitDumpWriter dump(Sketch::order);
    for (std::size_t at = 1; at <= n; ++at) dump.load({10 + at, heap + 16 * at, "f", nops, at});
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        sketch.mmap(42, 0x400000, 0x1000, "/tmp/" + std::to_string(at) + "/jit-42.dump", 1);
    }
    return one_file(files, sketch.sample(heap + 20, 42, 1000),
                    {"report", "--offline", "--jitdump", files.write("jit-42.dump", dump.blob())});
}

// Nested lines of a perf map.
Command perf_map(const Files& files, std::size_t n) {
    std::string text;
    for (std::size_t at = 0; at < n; ++at) {
        char line[64];
        std::snprintf(line, sizeof line, "%zx %zx f%zu\n", at + 1, 2 * (n - at), at);
        text += line;
    }
    Sketch sketch;
    sketch.mmap(42, 0, std::uint64_t{1} << 40, "//anon", 1);
    for (std::size_t at = 0; at < n; ++at) sketch.sample(at + 1, 42, 9 + at);
    return one_file(files, sketch, {"report", "--offline", "--perf-map", files.write("perf-42.map", blob_of(text))});
}

}  // namespace

CostCases code_cases() {
    return {
        {"loads", 2000, loads},
        {"loads_of_gone", 2000, loads_of_gone},
        {"claims", 2000, claims},
        {"long_name", 2000, long_name},
        {"growing", 2000, growing},
        {"functions", 200, functions},
        {"rows", 500, rows},
        {"nested", 1000, nested},
        {"slots", 200, slots},
        {"versions", 40, versions},
        {"jit_names", 2000, jit_names},
        {"jit_numbers", 1000, jit_numbers},
        {"jit_debug", 2000, jit_debug},
        {"jit_moved_lines", 500, jit_moved_lines},
        {"jit_moved_srcline", 500, jit_moved_srcline},
        {"jit_moved_stacks", 500, jit_moved_stacks},
        {"jit_files", 500, jit_files},
        {"perf_map", 1000, perf_map},
    };
}

}  // namespace perfdata::test
