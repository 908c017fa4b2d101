// SPDX-License-Identifier: MIT
// A kernel that patched itself in every way it supports, with an earlier copy of its code.
#include <algorithm>
#include <map>
#include <set>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/frame_at.hpp"
#ifdef PERFDATA_ANNOTATE
#include "perfdata/annotate/disassembly/disassembler.hpp"
#endif

#include "catch.hpp"
#include "folder.hpp"

namespace corpus {
namespace {

using namespace perfdata;

const std::string folder = PERFDATA_RECORDINGS "/g61/";
constexpr Address modules{0xffffffffc0000000};  // above the kernel's own code

SymbolizerOptions options() {
    SymbolizerOptions names;
    names.finder.offline = true;
    names.finder.kallsyms = folder + "kallsyms.gz";
    names.kcore = folder + "textpoke_all.kcore";
    return names;
}

struct Patched {
    Recording recording = Recording::open(folder + "textpoke_all.data").value();
    Timeline timeline = Timeline::build(recording).value();
    Symbolizer names = Symbolizer::open(recording, timeline, options());
    const CodeVersions& versions = names.versions();

    // functions() returns each function that a poke changed, once.
    std::vector<Frame> functions() const {
        std::map<std::pair<Address, std::uint32_t>, Frame> found;
        for (const auto& patch : timeline.patches().all()) {
            const auto frame = frame_at(timeline, nullptr, {patch.time, {}, host}, patch.address, CpuMode::kernel);
            const auto extent = names.extent(frame);
            REQUIRE(extent.address);
            found.try_emplace({*extent.address, frame.kind == FrameKind::code ? frame.index : 0}, extent.begin);
        }
        std::vector<Frame> frames;
        for (const auto& [key, frame] : found) frames.push_back(frame);
        return frames;
    }
};

}  // namespace

TEST_CASE("what the first poke of each place found is in the copy of memory", "[pokes]") {
    const Patched patched;
    CHECK(patched.names.image_problems().empty());
    CHECK(patched.timeline.patches().all().size() == 289);
    auto source = open_source(folder + "textpoke_all.kcore", {}).value();
    const auto kcore = ElfFile::open(std::move(source)).value();
    std::set<Address> seen;
    std::size_t equal = 0;
    for (const auto& patch : patched.timeline.patches().all()) {
        if (patch.address >= modules || !seen.insert(patch.address).second) continue;
        std::vector<std::byte> bytes(patch.old_bytes.size());
        CHECK(kcore.read(patch.address.value, bytes).value() == bytes.size());
        equal += std::ranges::equal(bytes, patch.old_bytes);
    }
    CHECK(seen.size() == 99);
    CHECK(equal == 99);
}

TEST_CASE("versions of a function differ in exactly the poked bytes", "[pokes]") {
    const Patched patched;
    const auto& timeline = patched.timeline;
    std::size_t changed = 0, versions = 0;
    for (const auto& frame : patched.functions()) {
        INFO(patched.names.name(frame).symbol);
        const auto all = patched.versions.versions(frame);
        changed += all.size() > 1;
        std::optional<CodeImage> before;
        for (const auto& version : all) {
            ++versions;
            INFO("version " << version.number);
            auto image = patched.names.image(version);
            REQUIRE(image);
            for (const auto& problem : image->problems) CHECK(problem.code == ErrorCode::truncated);
            // The image contains what each poke of this time wrote; all other bytes are unchanged.
            std::set<std::size_t> may_differ;
            for (const auto* patch : timeline.patches().touching({*version.address, version.size})) {
                if (patch->time < version.from || patch->time >= version.until) continue;
                const auto offset = static_cast<std::size_t>(patch->address - *version.address);
                for (std::size_t index = 0; index < patch->new_bytes.size(); ++index) {
                    may_differ.insert(offset + index);
                    CHECK(image->bytes.at(offset + index) == patch->new_bytes[index]);
                }
            }
            std::set<std::size_t> told;
            for (const auto& change : image->changes) {
                for (std::size_t index = 0; index < change.before.size(); ++index) {
                    if (change.before[index] != change.after[index]) told.insert(change.offset + index);
                }
            }
            std::set<std::size_t> differ;
            if (before) {
                REQUIRE(before->bytes.size() == image->bytes.size());
                for (std::size_t offset = 0; offset < image->bytes.size(); ++offset) {
                    if (before->bytes[offset] != image->bytes[offset]) differ.insert(offset);
                }
                CHECK(!differ.empty());
            }
            CHECK(told == differ);
            CHECK(std::ranges::includes(may_differ, differ));
            before = std::move(*image);
        }
    }
    CHECK(changed == 52);
    CHECK(versions == 257);
}

#ifdef PERFDATA_ANNOTATE
TEST_CASE("every version of patched code disassembles from its start", "[pokes]") {
    const Patched patched;
    const auto disassembler = Disassembler::create("x86_64").value();
    std::size_t decoded = 0, pokes = 0;
    for (const auto& frame : patched.functions()) {
        INFO(patched.names.name(frame).symbol);
        for (const auto& version : patched.versions.versions(frame)) {
            const auto image = patched.names.image(version).value();
            // Decode up to the first gap: slots have gaps between them, and an excerpt may end inside an instruction.
            auto size = image.gaps.empty() ? image.bytes.size() : image.gaps.front().offset;
            const auto instructions = disassembler.decode(Bytes(image.bytes).first(size), image.address);
            if (image.bytes.size() < version.size) size -= std::min<std::uint64_t>(size, 15);
            // An ftrace trampoline ends with a pointer to its ftrace_ops.
            if (patched.names.name(frame).symbol == "ftrace_trampoline") size -= 8;
            for (const auto& instruction : instructions) {
                if (instruction.offset >= size) break;
                INFO("version " << version.number << " +" << instruction.offset);
                CHECK(instruction.decoded);
                ++decoded;
            }
            // A poke begins at an instruction.
            for (const auto& change : image.changes) {
                if (change.offset >= size) continue;
                ++pokes;
                CHECK(std::ranges::any_of(instructions,
                                          [&](const Instruction& one) { return one.offset == change.offset; }));
            }
        }
    }
    CHECK(decoded > 10'000);
    CHECK(pokes > 200);
}
#endif

}  // namespace corpus
