// SPDX-License-Identifier: MIT
// Truncated or damaged files beside the recording: every command that names code reports them, and with --strict by its
// status.
#include <array>
#include <cstdio>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"
#include "support/sketch.hpp"
#include "support/writer.hpp"
#include "tool/file_status.hpp"
#include "tool/run.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t kernel_at = 0xffffffff81000000, heap = 0x7f0000000000, memory = 0x7f4000000000;
constexpr std::size_t names = 400;

std::string text_of(const Blob& blob) {
    return std::string(as_text(blob));
}

std::string hex(std::uint64_t number) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(number));
    return text.data();
}

// Three files that name `names` functions each, of 16 bytes. The kernel has more below them: half of one zstd block
// unpacks to nothing, and a given file without content is an error.
Blob kallsyms() {
    constexpr std::uint64_t more = 24000, below = kernel_at - more * 16;
    std::string text;
    for (std::uint64_t at = 0; at < more; ++at) text += hex(below + at * 16) + " T f" + std::to_string(at) + "\n";
    for (std::size_t at = 0; at < names; ++at) text += hex(kernel_at + at * 16) + " T k" + std::to_string(at) + "\n";
    return blob_of(text);
}

Blob perf_map() {
    std::string text;
    for (std::size_t at = 0; at < names; ++at) text += hex(memory + at * 16) + " 10 p" + std::to_string(at) + "\n";
    return blob_of(text);
}

Blob jit_dump() {
    const std::string code(16, '\x90');
    JitDumpWriter dump(Sketch::order);
    for (std::size_t at = 0; at < names; ++at) {
        const auto name = "j" + std::to_string(at);
        dump.load({10, heap + at * 16, name, code, at + 1});
    }
    return dump.blob();
}

Blob half(Blob content) {
    content.resize(content.size() / 2);
    return content;
}

// Has a sample in the last function of each file.
std::string recording() {
    constexpr std::uint64_t last = (names - 1) * 16 + 4;
    Sketch sketch;
    sketch.monotonic().comm(42, 1);
    sketch.mmap(42, 0x400000, 0x1000, "/tmp/jit-42.dump", 2).mmap(42, memory, 0x10000, "//anon", 3);
    sketch.sample(kernel_at + last, 42, 15, Sketch::kernel).sample(heap + last, 42, 16).sample(memory + last, 42, 17);
    return text_of(sketch.build());
}

// run(place, command) passes the three files.
Ended run(const Place& place, const std::vector<std::string>& command) {
    return place.run(with(command, {"--offline", "--kallsyms", "kallsyms", "--jitdump", "jit-42.dump", "--perf-map",
                                    "perf-42.map", "perf.data"}));
}

const std::vector<std::vector<std::string>> commands = {
    {"report"},   {"report", "--json"},   {"script"},
    {"annotate"}, {"annotate", "--json"}, {"symbols", "--at", "0.00000002", "--address", "ffffffff81000000"}};

}  // namespace

TEST_CASE("Files of names that break off or are damaged are told by all that name code", "[losses]") {
    struct File {
        std::string name;
        Blob (*content)();
        std::string last;    // last function
        std::string packed;  // message if the packed file is truncated
    };
    const std::vector<File> files = {{"kallsyms", kallsyms, "k399", "kallsyms: "},
                                     {"jit-42.dump", jit_dump, "j399", "jit-42.dump: "},
                                     {"perf-42.map", perf_map, "p399", "perf-42.map: "}};
    const Place place;
    place.write("perf.data", recording());
    for (const auto& file : files) place.write(file.name, text_of(file.content()));
    for (const auto& command : commands) {
        INFO(in_words(command));
        const auto whole = run(place, with(command, {"--strict"}));
        CHECK(whole.status == 0);
        CHECK_FALSE(has(whole.messages, "warning"));
        CHECK_FALSE(has(whole.messages, "does not begin like"));
        if (command[0] == "symbols" || command[0] == "annotate") continue;
        for (const auto& file : files) CHECK(has(whole.output, file.last));
    }
    const auto compression = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    for (const auto& file : files) {
        place.write(file.name, text_of(half(compressed(compression, file.content()))));
        for (const auto& command : commands) {
            INFO(in_words(command) << ' ' << file.name);
            const auto ended = run(place, command);
            CHECK(ended.status == 0);
            CHECK(has(ended.messages, "warning: "));
            CHECK(has(ended.messages, file.packed));
            CHECK_FALSE(has(ended.output, file.last));
            CHECK(run(place, with(command, {"--strict"})).status == 3);
        }
        place.write(file.name, text_of(file.content()));
    }
}

TEST_CASE("Lines that are none of kallsyms or of a perf map, and records that are none of a jitdump, are told",
          "[losses]") {
    const Place place;
    place.write("perf.data", recording());
    place.write("kallsyms", text_of(kallsyms()));
    const auto told = [&](const std::string& what) {
        for (const auto& command : commands) {
            INFO(in_words(command) << ' ' << what);
            CHECK(has(run(place, command).messages, what));
            CHECK(run(place, with(command, {"--strict"})).status == 3);
        }
    };
    SECTION("lines of kallsyms") {
        place.write("jit-42.dump", text_of(jit_dump()));
        place.write("perf-42.map", text_of(perf_map()));
        place.write("kallsyms", text_of(kallsyms()) + "zzz zzz\n" + hex(kernel_at) + " T\n");
        told("2 of its lines are none of kallsyms");
    }
    SECTION("lines") {
        place.write("jit-42.dump", text_of(jit_dump()));
        place.write("perf-42.map", text_of(perf_map()) + "zzz zzz\n" + hex(memory) + " 0 nothing\nxyz\n");
        told("2 of its lines are none of a perf map");
    }
    SECTION("a record") {
        auto dump = jit_dump();
        constexpr std::size_t second_record = 40 + 56 + 3 + 16;
        dump[second_record + 4] = std::byte{15};
        place.write("perf-42.map", text_of(perf_map()));
        place.write("jit-42.dump", text_of(dump));
        told("jit-42.dump: ");
    }
}

TEST_CASE("A perf map that no process can have had is told", "[losses]") {
    const Place place;
    place.write("perf.data", recording());
    place.write("perf-7.map", text_of(perf_map()));
    const auto ended = place.run({"report", "--offline", "--perf-map", "perf-7.map", "--strict", "perf.data"});
    CHECK(ended.status == 0);
    CHECK(has(ended.messages, "perf-7.map: not used"));
}

TEST_CASE("A kcore that is cut off is told", "[losses]") {
    constexpr std::size_t headers = 64 + 56, size = names * 16;
    const Place place;
    place.write("perf.data", recording());
    place.write("kallsyms", text_of(kallsyms()));
    Writer out(std::endian::little);
    out.text("\x7f").text("ELF").u8(2).u8(1).u8(1).zeros(9).u16(4).u16(62).u32(1).u64(0).u64(64).u64(0).u32(0);
    out.u16(64).u16(56).u16(1).u16(0).u16(0).u16(0);
    out.u32(1).u32(5).u64(headers).u64(kernel_at).u64(0).u64(size).u64(size).u64(4096).fill(size, 0x90);
    const auto whole = text_of(out.take());
    const auto run_with = [&](const std::string& kcore) {
        place.write("kcore", kcore);
        return place.run(
            {"annotate", "--offline", "--kallsyms", "kallsyms", "--kcore", "kcore", "--strict", "perf.data"});
    };
    CHECK(run_with(whole).status == 0);
    const auto cut = run_with(whole.substr(0, whole.size() - 1));
    CHECK(cut.status == 3);
    CHECK(has(cut.messages, "kcore: it is cut off: its segments have 1 bytes behind its end"));
}
