// SPDX-License-Identifier: MIT
// Measures the memory and time that the tool needs for small crafted recordings, and its behaviour under limits.
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfdata/recording/record_stream.hpp"

#include "catch.hpp"
#include "cost/sketch.hpp"
#include "golden/json.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/features.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"
#include "support/line_table.hpp"
#include "support/program_info.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

extern char** environ;

namespace {

struct Run {
    int status = -1;         // -1: a signal
    std::size_t memory = 0;  // most bytes held
    double seconds = 0;      // CPU time
    std::string output, messages;
};

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// forget_peak() resets the peak for the next child, which shares our memory until it executes the tool.
void forget_peak() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;  // proc(5)
}

Run run(const TempDir& folder, std::vector<std::string> command, const char* program = PERFDATA_TOOL) {
    forget_peak();
    command.insert(command.begin(), program);
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const auto output = (folder.path() / "output").string(), messages = (folder.path() / "messages").string();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, 2, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const auto failed = ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    REQUIRE(failed == 0);
    int status = 0;
    ::rusage use{};
    REQUIRE(::wait4(child, &status, 0, &use) == child);
    Run result;
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    result.memory = static_cast<std::size_t>(use.ru_maxrss) * 1024;
    const auto seconds = [](const ::timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    result.seconds = seconds(use.ru_utime) + seconds(use.ru_stime);
    result.output = content_of(output);
    result.messages = content_of(messages);
    return result;
}

// Sanitizers need memory of their own, which leaves no room for limits.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFDATA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFDATA_SANITIZED
#endif
#endif
#ifdef PERFDATA_SANITIZED
constexpr bool measured = false;
#else
constexpr bool measured = true;
#endif

// unlike_chains(n) writes n samples with distinct chains of 128 frames.
Blob unlike_chains(std::size_t n) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(5);
    for (std::uint64_t at = 0; at < n; ++at) {
        std::vector<std::uint64_t> frames = {~std::uint64_t{0} - 511};
        for (int depth = 0; depth < 127; ++depth) frames.push_back(random.u64() >> 19);
        sketch.chain(random.u64() >> 19, 5, 10 + at, frames);
    }
    return sketch.build();
}

Blob unlike_places(std::size_t n) {
    Sketch sketch;
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(6);
    for (std::uint64_t at = 0; at < n; ++at) sketch.sample(random.u64() >> 19, 5, 10 + at);
    return sketch.build();
}

}  // namespace

TEST_CASE("What is reported of a recording takes little more memory than the recording", "[takes]") {
    const TempDir folder;
    for (const auto& [name, content] : {std::pair("chains", unlike_chains(measured ? 2000 : 200)),
                                        {"places", unlike_places(measured ? 80000 : 8000)}}) {
        const auto path = folder.write(name, content);
        for (const auto* command : {"report", "script", "annotate"}) {
            for (const bool json : {false, true}) {
                INFO(name << " " << command << (json ? " --json" : ""));
                std::vector<std::string> arguments = {command, "--offline", path};
                if (json) arguments.emplace_back("--json");
                const auto got = run(folder, arguments);
                CHECK(got.status == 0);
                constexpr std::size_t itself = std::size_t{64} << 20, a_byte = 48;
                if (measured) CHECK(got.memory < itself + a_byte * content.size());
            }
        }
    }
}

TEST_CASE("With less memory places are joined before anything fails", "[takes]") {
    if (!measured) return;  // AddressSanitizer reserves terabytes of addresses: no limit is set
    const TempDir folder;
    const auto chains = folder.write("chains", unlike_chains(6000));
    const auto places = folder.write("places", unlike_places(200000));
    for (const auto* most : {"48M", "192M"}) {
        INFO(most);
        const auto cut = run(folder, {"report", "--offline", "--json", "--max-memory", most, chains});
        CHECK(cut.status == 0);
        if (cut.status == 0) CHECK(Json::parse(cut.output)["events"].items().at(0)["samples"].number() == 6000);
        CHECK(cut.output.find("more distinct places than the limits of memory allow") != std::string::npos);
        const auto text = run(folder, {"report", "--offline", "--max-memory", most, chains});
        CHECK(text.status == 0);
        CHECK(text.output.find("more distinct places than the limits of memory allow") != std::string::npos);
        for (const auto* command : {"script", "annotate"}) {
            INFO(command);
            CHECK(run(folder, {command, "--offline", "--max-memory", most, chains}).status == 0);
            CHECK(run(folder, {command, "--offline", "--max-memory", most, places}).status == 0);
        }
        CHECK(run(folder, {"report", "--offline", "--max-memory", most, places}).status == 0);
    }
}

TEST_CASE("Long strings in little memory end in an answer or in an error", "[takes]") {
    Sketch sketch;
    const auto controls = feature_string(Sketch::order, std::string(measured ? 1'000'000 : 100'000, '\x01'));
    sketch.feature(Feature::hostname, controls);
    sketch.feature(Feature::cmdline, joined({Writer(Sketch::order).u32(1).take(), controls}));
    sketch.sample(0x400010, 7, 100);
    const TempDir folder;
    const auto path = folder.write("controls", sketch.build());
    const std::string largest = "96M";
    for (const auto& most : {std::string("16M"), std::string("24M"), largest}) {
        for (const auto* command : {"info", "report", "annotate", "bpf"}) {
            INFO(command << " " << most);
            const auto got = run(folder, {command, "--json", "--max-memory", most, path});
            CHECK((got.status == 0 || got.status == 1));
            if (got.status == 1) CHECK(!got.messages.empty());
            if (got.status == 0) CHECK(got.output.ends_with("}\n"));
            if (got.status == 0 && most == largest) CHECK(Json::parse(got.output).is_object());
        }
    }
}

TEST_CASE("Code of callers over each other is looked at a few times, with a word for the others", "[takes]") {
    // Functions that extend to the end of the code and only call.
    constexpr std::uint64_t text_at = 64 + 56, base = 0x10000000, functions = 1000, size = 2 * functions, callee = 16;
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(size + callee, std::byte{0x90});
    elf.segments = {{0, 0, text_at + size + callee}};
    std::vector<Elf::Symbol> symbols{{"g", text_at + size, callee}};
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(1, base, std::uint64_t{1} << 20, "/bin/x", 1);
    for (std::uint64_t at = 0; at < functions; ++at) {
        symbols.push_back({"f" + std::to_string(at), text_at + at, size - at});
        // Return addresses are behind a function's first byte: a caller is looked up one byte before them.
        const std::uint64_t frames[] = {~std::uint64_t{0} - 511, base + text_at + size + 4, base + text_at + at + 1};
        sketch.chain(base + text_at + size + 4, 1, 2 + at, frames);
    }
    elf.symbols(symbols);
    const TempDir folder;
    std::filesystem::create_directories(folder.path() / "root/bin");
    folder.write("root/bin/x", elf.blob());
    const auto path = folder.write("callers", sketch.build());
    const auto root = (folder.path() / "root").string();
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

TEST_CASE("A call chain that many samples share is written in full once", "[takes]") {
    constexpr std::size_t frames = 8000, samples = 500;
    constexpr auto deferred = static_cast<std::uint64_t>(-640);  // PERF_CONTEXT_USER_DEFERRED
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.defer_callchains().mmap(7, 0x400000, 0x100000, "/bin/x", 1);
    std::vector<std::uint64_t> rest = {99, frames};
    for (std::uint64_t at = 0; at < frames; ++at) rest.push_back(0x400000 + at);
    for (std::uint64_t at = 0; at < samples; ++at) {
        sketch.chain(0x400010, 7, 10 + at,
                     std::vector<std::uint64_t>{static_cast<std::uint64_t>(-512), 0x400010, deferred, 99});
    }
    sketch.kernel_record(RecordType::callchain_deferred, words(rest), 5000, 7);
    const TempDir folder;
    const auto path = folder.write("deferred", sketch.build());
    const auto got = run(folder, {"dump", "--json", path});
    CHECK(got.status == 0);
    CHECK(got.output.size() < 300 * std::filesystem::file_size(path));
    std::size_t cut = 0, whole = 0;
    for (std::size_t begin = 0; begin < got.output.size();) {
        const auto end = got.output.find('\n', begin);
        const auto line = Json::parse(got.output.substr(begin, end - begin));
        begin = end + 1;
        if (line["type"].text() == "CALLCHAIN_DEFERRED") {
            whole += line["ips"].items().size();
        } else if (line["type"].text() == "SAMPLE") {
            CHECK(line["user_callchain"].items().size() == 127);
            CHECK(line["user_callchain_more"].number() == frames - 127);
            ++cut;
        }
    }
    CHECK(cut == samples);
    CHECK(whole == frames);
}

TEST_CASE("A long name stands shortened in every line", "[takes]") {
    Sketch sketch;
    const std::string name(60000, 'n');
    sketch.comm(7, 1, name).symbol(0xffffffffc0000000, 64, name, 1);
    for (std::uint64_t at = 0; at < 2000; ++at) sketch.sample(0xffffffffc0000000 + at % 64, 7, 10 + at, Sketch::kernel);
    const TempDir folder;
    const auto path = folder.write("names", sketch.build());
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"script"}, {"script", "--json"}, {"report", "--sort", "cpu,tid,symbol"}, {"annotate"}, {"bpf"}}) {
        auto arguments = command;
        if (command[0] != "bpf") arguments.emplace_back("--offline");
        arguments.push_back(path);
        const auto got = run(folder, arguments);
        INFO(command[0]);
        CHECK(got.status == 0);
        CHECK(got.output.size() < 2000 * 8000);  // three names in a line of script output, all shortened from 60 KB
        CHECK(got.output.find("nnn… (and 57952 more bytes)") != std::string::npos);
    }
}

namespace {

constexpr std::uint64_t text_at = 64 + 56, mapped_at = 0x10000000;
constexpr std::uint32_t code_size = 64;

Elf crafted_program(std::uint32_t size = code_size) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + size}};
    return elf;
}

// listed(folder, elf, options) annotates one sample at the code's beginning.
Run listed(const TempDir& folder, const Elf& elf, const std::vector<std::string>& options = {"annotate"}) {
    Sketch sketch;
    sketch.mmap(1, mapped_at, std::uint64_t{1} << 24, "/bin/x", 1).sample(mapped_at + text_at, 1, 2);
    std::filesystem::create_directories(folder.path() / "root/bin");
    folder.write("root/bin/x", elf.blob());
    auto command = options;
    command.insert(command.end(), {"--offline", "--symfs", (folder.path() / "root").string()});
    command.push_back(folder.write("perf.data", sketch.build()));
    return run(folder, command);
}

// packed(filter, zeros) packs that many zeros. It never holds them in memory: this process's memory counts for its
// children.
template <class Filter>
Blob packed(const Filter& filter, std::size_t zeros) {
    namespace io = boost::iostreams;
    const std::string block(std::size_t{1} << 16, '\0');
    std::string text;
    io::filtering_ostream out;
    out.push(filter);
    out.push(io::back_inserter(text));
    for (std::size_t at = 0; at < zeros; at += block.size()) out.write(block.data(), std::ssize(block));
    out.reset();
    return blob_of(text);
}

// compressed_section(zeros) returns an Elf64_Chdr and zlib data.
Blob compressed_section(std::size_t zeros) {
    Writer out(std::endian::little);
    out.u32(1).u32(0).u64(zeros).u64(1);
    return out.bytes(packed(boost::iostreams::zlib_compressor(), zeros)).take();
}

constexpr std::size_t little = std::size_t{64} << 20;

}  // namespace

TEST_CASE("Names in line tables take little memory", "[takes]") {
    const TempDir folder;
    LineTable table;
    table.version = GENERATE(std::uint8_t{4}, std::uint8_t{5});
    table.directory = std::string(40000, 'd');
    table.files = 10000;  // 400 MB when joined
    auto elf = crafted_program();
    elf.symbols({{"f", text_at, code_size}});
    table.add_to(elf, text_at, code_size);
    const auto got = listed(folder, elf);
    CHECK(got.status == 0);
    CHECK(got.output.find("line tables take too much memory") != std::string::npos);
    if (measured) CHECK(got.memory < little);
}

TEST_CASE("Long names of files and functions stand shortened in each line", "[takes]") {
    const TempDir folder;
    constexpr std::uint32_t size = 2000;
    auto elf = crafted_program(size);
    elf.symbols({{"f", text_at, size}});
    DwarfWriter dwarf(text_at, size,
                      {.callee = std::string(3000, 'c'), .file = "/src" + std::string(3000, '\x01') + "/tail.c"});
    dwarf.function(text_at, size, "f");
    constexpr std::uint16_t deep = 60;
    for (std::uint16_t line = 1; line <= deep; ++line) dwarf.inlined(text_at, size, line);
    for (std::uint32_t at = 0; at < size; ++at) {
        dwarf.inlined(text_at + at, 1, static_cast<std::uint16_t>(at)).end().row();
    }
    for (std::uint16_t line = 0; line <= deep; ++line) dwarf.end();
    dwarf.add_to(elf);
    for (const auto* format : {"text", "json", "html"}) {
        INFO(format);
        const auto got = listed(folder, elf, {"annotate", "--format", format});
        CHECK(got.status == 0);
        // Each line has 60 inlined calls; JSON contains all of them.
        const std::size_t a_line = format == std::string_view("json") ? 24000 : 4000;
        CHECK(got.output.size() < a_line * size);
        if (measured) CHECK(got.memory < little);
        if (format == std::string_view("html")) continue;
        CHECK(got.output.find("…/tail.c") != std::string::npos);
        CHECK(got.output.find("ccc… (and ") != std::string::npos);
    }
}

TEST_CASE("Packed debug information takes little memory", "[takes]") {
    const TempDir folder;
    constexpr std::size_t zeros = std::size_t{160} << 20;
    auto elf = crafted_program();
    SECTION("lines") {
        elf.symbols({{"f", text_at, code_size}});
        DwarfWriter(text_at, code_size).row().add_to(elf);
        elf.add({.name = ".debug_str", .flags = 0x800, .content = compressed_section(zeros)});
    }
    SECTION("symbols") {
        elf.add({.name = ".gnu_debugdata", .content = packed(boost::iostreams::lzma_compressor(), zeros)});
    }
    const auto got = listed(folder, elf);
    CHECK(got.status == 0);
    if (measured) CHECK(got.memory < little);
}

TEST_CASE("A long path of a source is not looked for at each of its parts", "[takes]") {
    const TempDir folder;
    auto elf = crafted_program();
    elf.symbols({{"f", text_at, code_size}});
    std::string path;
    for (int part = 0; part < 50000; ++part) path += "/a";
    DwarfWriter dwarf(text_at, code_size, {.file = path});
    for (std::uint32_t at = 0; at < code_size; ++at) dwarf.row();
    dwarf.add_to(elf);
    std::filesystem::create_directories(folder.path() / "sources");
    const auto got = listed(folder, elf, {"annotate", "--source-dir", (folder.path() / "sources").string()});
    CHECK(got.status == 0);
    if (measured) CHECK(got.seconds < 2);
}

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

namespace {

constexpr std::uint64_t program_at = 64 + 56, user_mark = ~std::uint64_t{0} - 511;

// program(size) returns a program of so many bytes of code, from program_at on.
Elf program(std::uint64_t size) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = program_at;
    text.content = Blob(static_cast<std::size_t>(size), std::byte{0x90});
    elf.segments = {{0, 0, program_at + size}};
    return elf;
}

// put(folder, name, elf) writes it below root/bin, and returns the root.
std::string put(const TempDir& folder, const std::string& name, const Elf& elf) {
    std::filesystem::create_directories(folder.path() / "root/bin");
    folder.write("root/bin/" + name, elf.blob());
    return (folder.path() / "root").string();
}

}  // namespace

TEST_CASE("Inlined functions take little memory for each frame, with a word for those left out", "[takes]") {
    // At each frame as many functions are inlined as are read, and each chain is a new one.
    constexpr std::uint64_t functions = 100, samples = 2000;
    constexpr std::uint32_t each = 64, size = functions * each;
    auto elf = program(size);
    DwarfWriter dwarf(program_at, size);
    std::vector<Elf::Symbol> symbols;
    for (std::uint64_t at = program_at; at < program_at + size; at += each) {
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
            frames.push_back(mapped_at + program_at + each * (random.u64() % functions) + 1 + random.u64() % 50);
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
}

TEST_CASE("A long bitmap is cut in text, with a word, and whole in JSON", "[takes]") {
    constexpr std::uint64_t blocks = 64 * 80000;
    std::vector<std::uint64_t> topology{1, std::uint64_t{1} << 27, 1, 0, std::uint64_t{1} << 40, blocks};
    topology.resize(topology.size() + blocks / 64, 0x5555555555555555);
    Sketch sketch;
    sketch.sample(1, 1, 1).feature(Feature::mem_topology, words(topology));
    const TempDir folder;
    const auto path = folder.write("topology", sketch.build());
    const auto got = run(folder, {"info", "--verbose", path});
    CHECK(got.status == 0);
    constexpr std::size_t most = std::size_t{64} << 20;
    if (measured) CHECK(got.memory < most);
    CHECK(got.output.find("... and " + std::to_string(blocks / 2 - 4096) + " more") != std::string::npos);
    const auto json = run(folder, {"info", "--json", path});
    CHECK(json.status == 0);
    CHECK(json.output.find(std::to_string(blocks - 2)) != std::string::npos);
}

TEST_CASE("script says where more files are mapped than may be open", "[takes]") {
    constexpr std::uint64_t apart = 0x100000, files = 60;
    const TempDir folder;
    Sketch sketch;
    std::string root;
    for (std::uint64_t at = 0; at < files; ++at) {
        const auto name = "x" + std::to_string(at);
        auto elf = program(64);
        elf.symbols({{"f" + std::to_string(at), program_at, 64}});
        root = put(folder, name, elf);
        const auto begin = mapped_at + apart * at;
        sketch.mmap(1, begin, apart, "/bin/" + name, 1 + at).sample(begin + program_at, 1, 100 + at);
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
        CHECK((got.messages.find("cannot be opened here, so no function names") != std::string::npos) == few);
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
        symbols.push_back({name, program_at + each * at, each});
        const auto ip = mapped_at + program_at + each * at;
        sketch.chain(ip, 1, 2 + at, std::vector<std::uint64_t>{user_mark, ip, mapped_at + program_at + 8});
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
