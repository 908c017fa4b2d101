// SPDX-License-Identifier: MIT
// A kernel that patches itself during a recording, and files with its code.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/frame_at.hpp"

#include "catch.hpp"
#include "support/elf.hpp"
#include "support/files.hpp"
#include "support/world.hpp"

namespace perfdata::test {

// A millisecond, in nanoseconds.
inline constexpr std::uint64_t ms = 1'000'000;

// The kernel's functions: 64 bytes each, except the last.
inline constexpr std::uint64_t kernel_begin = 0xffffffff81000000, alpha = kernel_begin + 0x100, beta = alpha + 0x40,
                               omega = beta + 0x40, kernel_size = 0x2000;
inline constexpr std::uint64_t module_begin = 0xffffffffc0000000;
inline constexpr std::string_view kernel_symbols =
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 T alpha\n"
    "ffffffff81000140 T beta\n"
    "ffffffff81000180 T omega\n"
    "ffffffffc0000000 t helper\t[mod]\n"
    "ffffffffc0000030 t helped\t[mod]\n";

// has(image, code) returns whether that is a problem of the image.
inline bool has(const CodeImage& image, ErrorCode code) {
    return std::ranges::any_of(image.problems, [&](const Error& problem) { return problem.code == code; });
}

// counted(first, size) returns bytes that differ from their neighbours: first, first + 1, ...
inline Blob counted(unsigned first, std::size_t size) {
    Blob bytes;
    for (std::size_t at = 0; at < size; ++at) bytes.push_back(static_cast<std::byte>((first + at) & 0xff));
    return bytes;
}

// kernel_code() returns the code from kernel_begin on before the first poke.
inline Blob kernel_code() {
    return counted(0, kernel_size);
}

// with(code, offset, bytes) returns the code with other bytes at that offset.
inline Blob with(Blob code, std::uint64_t offset, const Blob& bytes) {
    std::ranges::copy(bytes, code.begin() + static_cast<std::ptrdiff_t>(offset));
    return code;
}

inline Blob part(const Blob& code, std::uint64_t offset, std::size_t size) {
    const auto first = code.begin() + static_cast<std::ptrdiff_t>(offset);
    return Blob(first, first + static_cast<std::ptrdiff_t>(size));
}

using Pages = std::vector<std::pair<std::uint64_t, Blob>>;

// core_file(pages, type) returns memory in the format of /proc/kcore.
inline Blob core_file(const Pages& pages, std::uint16_t type = 4) {
    Elf elf;
    elf.type = type;
    elf.segments.clear();
    auto offset = 64 + 56 * pages.size();
    auto& all = elf.section(Elf::text).content;
    all.clear();
    for (const auto& [address, bytes] : pages) {
        elf.segments.push_back({offset, address, bytes.size()});
        offset += bytes.size();
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return elf.blob();
}

// OpenedCode is a recording with everything known about its code.
struct OpenedCode {
    OpenedCode(Recording from, const SymbolizerOptions& options)
        : recording(std::move(from)),
          timeline(Timeline::build(recording).value()),
          names(Symbolizer::open(recording, timeline, options)),
          versions(names.versions()) {}
    OpenedCode(const OpenedCode&) = delete;

    perfdata::Frame at(std::uint64_t address, std::uint64_t time = 0) const {
        return frame_at(timeline, &names.jit(), {{time}, {}, host}, {address}, CpuMode::kernel);
    }
    std::vector<CodeVersion> versions_at(std::uint64_t address, std::uint64_t time = 0) const {
        return versions.versions(at(address, time));
    }
    // image(address, number, time) requires an image.
    CodeImage image(std::uint64_t address, std::uint32_t number = 0, std::uint64_t time = 0) const {
        auto made = names.image(versions.version(at(address, time), number));
        if (!made) FAIL(made.error().message());
        return std::move(*made);
    }
    Error why_no_image(std::uint64_t address, std::uint64_t time = 0) const {
        auto made = names.image(versions.version(at(address, time), 0));
        REQUIRE_FALSE(made);
        return made.error();
    }

    Recording recording;
    Timeline timeline;
    Symbolizer names;
    const CodeVersions& versions;
};

// PatchedScene is a World with a kernel. open() may be called several times.
struct PatchedScene {
    PatchedScene() {
        options.finder.offline = true;
        options.finder.kallsyms = dir.write("kallsyms", blob_of(kernel_symbols));
        options.perf_maps = false;
        world.kernel_map({kernel_begin, kernel_size, kernel_begin}, "[kernel.kallsyms]_text");
        world.kernel_map({module_begin, 0x1000, 0}, "[mod]");
    }

    PatchedScene& poke(std::uint64_t time, std::uint64_t address, const Blob& before, const Blob& after) {
        Writer body(world.scene().order());
        body.u64(address).u16(static_cast<std::uint16_t>(before.size())).u16(static_cast<std::uint16_t>(after.size()));
        body.bytes(before).bytes(after).align(8);
        world.scene().add(record(RecordType::text_poke, world.frame(time), body.blob()));
        return *this;
    }
    PatchedScene& kcore(const Pages& pages) {
        options.kcore = dir.write("kcore", core_file(pages));
        return *this;
    }
    PatchedScene& out_of_line(std::uint64_t time, std::uint64_t address, std::uint32_t size, bool gone = false) {
        constexpr std::uint16_t kind = 2;
        auto& scene = world.scene();
        if (gone) {
            scene.symbol_gone(live(time), address, size, "ftrace_trampoline", 0, kind);
        } else {
            scene.symbol(live(time), address, size, "ftrace_trampoline", 0, kind);
        }
        return *this;
    }
    OpenedCode open() { return OpenedCode(world.scene().open(), options); }

    TempDir dir;
    World world;
    SymbolizerOptions options;
};

}  // namespace perfdata::test
