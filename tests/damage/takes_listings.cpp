// SPDX-License-Identifier: MIT
// What listings take: versions of code, long functions, callers.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/build.hpp"
#include "support/features.hpp"
#include "support/jitdump.hpp"
#include "support/json.hpp"
#include "support/program_info.hpp"
#include "support/sketch.hpp"
#include "takes.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t nops_at = 0xffffffffc0000000;

// nops_info(size) describes a BPF program of `size` one-byte instructions; nops(size) loads and samples it.
Blob nops_info(std::uint32_t size) {
    ProgramInfo info(Sketch::order, 1);
    info.u64(info_field::tag, 0x0807060504030201);
    info.array(BpfArray::jited_insns, size, Blob(size, std::byte{0x90}));
    info.array(BpfArray::jited_ksyms, 1, array_u64(Sketch::order, {nops_at}));
    info.array(BpfArray::jited_func_lens, 1, array_u32(Sketch::order, {size}));
    return prog_info_feature(Sketch::order, {info.encode()});
}
Sketch nops(std::uint32_t size) {
    Sketch sketch;
    sketch.symbol(nops_at, size, "bpf_prog_0102030405060708_f", 1);
    sketch.bpf(BpfEvent::Kind::load, 1, 0x0102030405060708, 2);
    return sketch.sample(nops_at, 1, 50, Sketch::kernel);
}

}  // namespace

TEST_CASE("Many versions of short instructions take little memory", "[takes]") {
    const TempDir folder;
    constexpr std::uint32_t size = 100000;
    auto sketch = nops(size);
    sketch.feature(Feature::bpf_prog_info, nops_info(size));
    for (std::uint64_t change = 1; change <= 50; ++change) {
        const bool even = change % 2 == 0;
        sketch.poke(nops_at + 1, even ? "\xcc" : "\x90", even ? "\x90" : "\xcc", 100 * change);
        sketch.sample(nops_at, 1, 100 * change + 5, Sketch::kernel);
    }
    const auto path = folder.write("versions", sketch.build());
    for (const auto* format : {"text", "json", "html"}) {
        INFO(format);
        const auto got = run(folder, {"annotate", "--offline", "--format", format, path});
        CHECK(got.status == 0);
        if (measured) CHECK(got.memory < 2 * little);
    }
}

TEST_CASE("Listings of short instructions keep to --max-memory, and the rest is told", "[takes]") {
    const TempDir folder;
    SECTION("one function") {
        constexpr std::uint32_t size = 2'000'000;
        auto sketch = nops(size);
        const auto path = folder.write("long", sketch.feature(Feature::bpf_prog_info, nops_info(size)).build());
        const auto got = run(folder, {"annotate", "--offline", "--max-memory", "400M", path});
        CHECK(got.status == 0);
        CHECK(got.messages.find("out of memory") == std::string::npos);
        CHECK(got.output.find("of its 2000000 bytes only ") != std::string::npos);
    }
    SECTION("one function of a compiler") {
        constexpr std::uint64_t heap = 0x7f0000000000;
        Sketch sketch;
        sketch.monotonic().mmap(42, 0x400000, 0x1000, "/tmp/jit-42.dump", 2).sample(heap, 42, 15);
        JitDumpWriter dump(Sketch::order);
        dump.load({10, heap, "f", std::string(2'000'000, '\x90')});
        const auto path = folder.write("jit", sketch.build());
        const auto got = run(folder, {"annotate", "--offline", "--max-memory", "400M", "--jitdump",
                                      folder.write("jit-42.dump", dump.blob()), path});
        CHECK(got.status == 0);
        CHECK(got.messages.find("out of memory") == std::string::npos);
        CHECK(got.output.find("of its 2000000 bytes only ") != std::string::npos);
    }
    SECTION("many functions") {
        constexpr std::uint32_t size = 2'000, count = 1'000;
        Sketch sketch;
        std::vector<std::uint64_t> begins;
        for (std::uint32_t at = 0; at < count; ++at) {
            begins.push_back(nops_at + std::uint64_t{at} * size);
            sketch.symbol(begins.back(), size, "bpf_prog_0102030405060708_f", 1);
        }
        sketch.bpf(BpfEvent::Kind::load, 1, 0x0102030405060708, 2);
        for (const auto begin : begins) sketch.sample(begin, 1, 50, Sketch::kernel);
        ProgramInfo info(Sketch::order, 1);
        info.u64(info_field::tag, 0x0807060504030201);
        info.array(BpfArray::jited_insns, count * size, Blob(count * size, std::byte{0x90}));
        info.array(BpfArray::jited_ksyms, count, array_u64(Sketch::order, begins));
        info.array(BpfArray::jited_func_lens, count, array_u32(Sketch::order, std::vector<std::uint32_t>(count, size)));
        sketch.feature(Feature::bpf_prog_info, prog_info_feature(Sketch::order, {info.encode()}));
        const auto path = folder.write("many", sketch.build());
        const auto got = run(folder, {"annotate", "--offline", "--max-memory", "400M", path});
        CHECK(got.status == 0);
        CHECK(got.messages.find("out of memory") == std::string::npos);
        CHECK(got.messages.find("the listings before it take all") != std::string::npos);
    }
}

TEST_CASE("Instructions without samples take no memory for each event", "[takes]") {
    const TempDir folder;
    constexpr std::uint32_t size = 50000;
    const auto one = nops(size);
    RecordingBuilder builder(Sketch::order);
    for (int event = 0; event < 347; ++event) builder.event(one.attr());
    builder.add(one.records());
    builder.feature(Feature::bpf_prog_info, nops_info(size));
    const auto path = folder.write("events", builder.build());
    for (const auto* format : {"text", "json", "html"}) {
        INFO(format);
        const auto got = run(folder, {"annotate", "--offline", "--format", format, path});
        CHECK(got.status == 0);
        if (measured) CHECK(got.memory < little);
    }
}
TEST_CASE("Code of callers over each other is looked at a few times, with a word for the others", "[takes]") {
    // Functions that extend to the end of the code and only call.
    constexpr std::uint64_t functions = 1000, size = 2 * functions, callee = 16;
    auto elf = program(size + callee);
    std::vector<Elf::Symbol> symbols{{"g", text_at + size, callee}};
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 20, "/bin/x", 1);
    for (std::uint64_t at = 0; at < functions; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, size - at});
        // Return addresses are behind a function's first byte: a caller is looked up one byte before them.
        const std::uint64_t frames[] = {user_mark, mapped_at + text_at + size + 4, mapped_at + text_at + at + 1};
        sketch.chain(mapped_at + text_at + size + 4, 1, 2 + at, frames);
    }
    elf.symbols(symbols);
    const TempDir folder;
    const auto root = put(folder, "x", elf);
    const auto path = folder.write("callers", sketch.build());
    constexpr std::string_view word = "callers: the code of some is not looked at";
    const auto got = run(folder, {"annotate", "--offline", "--calls", "--symfs", root, path});
    CHECK(got.status == 0);
    CHECK(got.output.find(word) != std::string::npos);
    const auto json = run(folder, {"annotate", "--offline", "--calls", "--json", "--symfs", root, path});
    REQUIRE(json.status == 0);
    const auto document = Json::parse(json.output);
    std::size_t placed = 0, others = 0;
    for (const auto& caller : document["functions"].items().at(0)["callers"].items()) {
        if (caller.has("offset")) {
            ++placed;
        } else {
            ++others;
        }
    }
    CHECK(placed + others == functions);
    // 64 KiB, plus a few times the file's size.
    CHECK(placed >= 32);
    CHECK(placed <= 40);
}

TEST_CASE("A kcore whose segments share their bytes takes little memory, and writes little", "[takes]") {
    // Long functions, or one for each segment.
    const std::size_t functions = GENERATE(std::size_t{10}, std::size_t{1000});
    constexpr std::uint64_t kernel = 0xffffffff81000000, segments = 1000, piece = 90000;
    const TempDir folder;
    Elf elf;
    elf.type = 4;
    elf.segments.clear();
    elf.section(Elf::text).content = Blob(piece, std::byte{0x90});
    for (std::uint64_t at = 0; at < segments; ++at) {
        elf.segments.push_back({64 + 56 * segments, kernel + at * piece, piece});
    }
    const auto step = segments * piece / functions;
    const auto line = [](std::uint64_t address, const std::string& name) {
        std::array<char, 17> number{};
        std::snprintf(number.data(), number.size(), "%llx", static_cast<unsigned long long>(address));
        return number.data() + (" T " + name) + "\n";
    };
    auto symbols = line(kernel - 16, "_text");
    Sketch sketch;
    const auto mapping = Writer(Sketch::order).u32(~0u).u32(0).u64(kernel - 16).u64(1 << 28).u64(kernel - 16);
    sketch.kernel_record(RecordType::mmap, Writer(mapping).padded_text("[kernel.kallsyms]_text").take(), 0, 0,
                         Sketch::kernel);
    for (std::size_t at = 0; at < functions; ++at) {
        symbols += line(kernel + at * step, "f" + std::to_string(at));
        sketch.sample(kernel + at * step, 1, 2 + at, Sketch::kernel);
    }
    symbols += line(kernel + segments * piece, "end");
    const auto path = folder.write("perf.data", sketch.build());
    const auto got = run(folder, {"annotate", "--offline", "--kcore", folder.write("kcore", elf.blob()), "--kallsyms",
                                  folder.write("kallsyms", blob_of(symbols)), path});
    CHECK(got.status == 0);
    CHECK(got.output.size() < std::size_t{40} << 20);
    if (measured) CHECK(got.memory < 6 * little);
}
