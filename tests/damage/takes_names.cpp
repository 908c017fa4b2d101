// SPDX-License-Identifier: MIT
// What names from files take: inlined functions in chains, patterns, many files.
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/random.hpp"
#include "support/sketch.hpp"
#include "takes.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Inlined functions take little memory for each frame, with a word for those left out", "[takes]") {
    // At each frame as many functions are inlined as are read, and each chain is a new one.
    constexpr std::uint64_t functions = 100, samples = 2000;
    constexpr std::uint32_t each = 64, size = functions * each;
    auto elf = program(size);
    DwarfWriter dwarf(text_at, size, {.callee = std::string(60, 'c')});
    std::vector<Elf::Symbol> symbols;
    for (std::uint64_t at = text_at; at < text_at + size; at += each) {
        symbols.push_back({"f" + std::to_string(at), at, each});
        dwarf.function(at, each, symbols.back().name);
        for (int level = 0; level < 63; ++level) dwarf.inlined(at, each, 1);
        for (int level = 0; level < 64; ++level) dwarf.end();
    }
    elf.symbols(symbols);
    dwarf.add_to(elf);
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 20, "/bin/x", 1);
    Random random(7);
    for (std::uint64_t at = 0; at < samples; ++at) {
        std::vector<std::uint64_t> frames{user_mark};
        for (int depth = 0; depth < 31; ++depth) {
            frames.push_back(mapped_at + text_at + each * (random.u64() % functions) + 1 + random.u64() % 50);
        }
        sketch.chain(frames[1], 1, 2 + at, frames);
    }
    const TempDir folder;
    const auto root = put(folder, "x", elf);
    const auto path = folder.write("inlined", sketch.build());
    const auto got = run(folder, {"report", "--offline", "--symfs", root, path});
    REQUIRE(got.status == 0);
    constexpr std::size_t most = std::size_t{360} << 20;
    if (measured) CHECK(got.memory < most);
    CHECK(got.output.find("# Samples: 2000 of event") != std::string::npos);
    CHECK(got.output.find("(inlined)") != std::string::npos);
    CHECK(got.output.find("samples lost inlined functions") != std::string::npos);

    // Of the first six hundred samples all of them would be 120 MB.
    const std::string some = "0,0.0000006";
    const auto script = run(folder, {"script", "--offline", "--time", some, "--symfs", root, path});
    REQUIRE(script.status == 0);
    constexpr std::size_t free_text = std::size_t{64} << 20, each_byte = 48;
    CHECK(script.output.size() < free_text + each_byte * std::filesystem::file_size(path));
    CHECK(script.output.find("(inlined)\n\t                 [61 more inlined functions]\n") != std::string::npos);
    CHECK(script.messages.find("call chains have too many inlined functions: some are not shown") != std::string::npos);
    // What is left of the room depends on all samples before, also where other threads wrote them.
    for (const std::string jobs : {"1", "3"}) {
        const auto again = run(folder, {"script", "--offline", "-j", jobs, "--time", some, "--symfs", root, path});
        CHECK(again.status == 0);
        CHECK(again.output == script.output);
        CHECK(again.messages == script.messages);
    }
    const auto json = run(folder, {"script", "--json", "--offline", "--time", some, "--symfs", root, path});
    REQUIRE(json.status == 0);
    CHECK(json.output.size() < script.output.size() * 4);
    CHECK(json.output.find(R"("inlined_left_out":61)") != std::string::npos);
}

TEST_CASE("script says where more files are mapped than may be open", "[takes]") {
    constexpr std::uint64_t apart = 0x100000, files = 60;
    const TempDir folder;
    Sketch sketch;
    std::string root;
    for (std::uint64_t at = 0; at < files; ++at) {
        const auto name = "x" + std::to_string(at);
        auto elf = program(64);
        elf.symbols({{"f" + std::to_string(at), text_at, 64}});
        root = put(folder, name, elf);
        const auto begin = mapped_at + apart * at;
        sketch.mmap(1, begin, apart, "/bin/" + name, 1 + at).sample(begin + text_at, 1, 100 + at);
    }
    const auto path = folder.write("many", sketch.build());
    for (const bool few : {false, true}) {
        INFO(few);
        // UndefinedBehaviorSanitizer needs descriptors to look at objects.
        if (few && !measured) continue;
        const std::string limited = few ? "ulimit -n 32; exec \"$0\" \"$@\"" : "exec \"$0\" \"$@\"";
        const auto got =
            run(folder, {"-c", limited, PERFDATA_TOOL, "script", "--offline", "--symfs", root, path}, "/bin/sh");
        INFO(got.messages);
        CHECK(got.status == 0);
        CHECK((got.output.find("[unknown]") != std::string::npos) == few);
        CHECK((got.messages.find("the system does not let its file be opened") != std::string::npos) == few);
    }
}

TEST_CASE("A pattern whose states differ at each byte of a name takes little memory", "[takes]") {
    constexpr std::uint64_t functions = 16, each = 64;
    auto elf = program(functions * each);
    std::vector<Elf::Symbol> symbols;
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 20, "/bin/x", 1);
    Random random(8);
    for (std::uint64_t at = 0; at < functions; ++at) {
        std::string name;
        while (name.size() < 4000) name += random.u64() >> 63 == 0 ? 'a' : 'b';
        symbols.push_back({name, text_at + each * at, each});
        const auto ip = mapped_at + text_at + each * at;
        sketch.chain(ip, 1, 2 + at, std::vector<std::uint64_t>{user_mark, ip, mapped_at + text_at + 8});
    }
    elf.symbols(symbols);
    const TempDir folder;
    const auto root = put(folder, "x", elf);
    const auto path = folder.write("names", sketch.build());
    const auto got =
        run(folder, {"report", "--offline", "--symfs", root, "--ignore-callees", "(a|b)*a(a|b){190}c", path});
    CHECK(got.status == 0);
    CHECK(got.output.find("abab") != std::string::npos);
    constexpr std::size_t most = std::size_t{128} << 20;
    if (measured) CHECK(got.memory < most);
}
