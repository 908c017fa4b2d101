// SPDX-License-Identifier: MIT
// Lines of code from the recording, or from dumps beside it.
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

SymbolizerOptions offline() {
    SymbolizerOptions options;
    options.finder.offline = true;
    options.jit.beside = {PERFDATA_FIXTURES "/jit"};
    options.jit.as_recorded = false;
    return options;
}

bool same(const SourceLine& one, const SourceLine& other) {
    return one.file == other.file && one.line == other.line && one.column == other.column && one.text == other.text;
}

}  // namespace

TEST_CASE("Lines of BPF code are those of its BTF", "[symbols][lines][fixtures]") {
    const FixtureTimeline real("bpf_many");
    const auto names = Symbolizer::open(real.recording, real.timeline, offline());
    const BpfPrograms symbols(real.timeline);
    std::size_t compared = 0;
    for (CodeIndex index = 0; index < real.timeline.code().size(); ++index) {
        const auto expected = symbols.lines(index);
        const auto found = names.lines({0, index, FrameKind::code, CpuMode::kernel}, 4096);
        REQUIRE(expected.has_value() == found.has_value());
        if (!expected) continue;
        REQUIRE(expected->size() == found->size());
        for (std::size_t line = 0; line < found->size(); ++line, ++compared) {
            CHECK((*found)[line].offset == (*expected)[line].offset);
            CHECK((*found)[line].instruction == (*expected)[line].instruction);
            CHECK(same((*found)[line].source, (*expected)[line].source));
            CHECK((*found)[line].inlined.empty());
        }
    }
    CHECK(compared > 100);
}

TEST_CASE("Lines of JIT code are those of the dump, with text where the source is", "[symbols][lines][fixtures]") {
    const auto recording = Recording::open(fixture("jit/tinyjit.data")).value();
    const auto timeline = Timeline::build(recording).value();
    const TempDir sources;
    std::string text;
    for (unsigned line = 1; line <= 12; ++line) text += "line " + std::to_string(line) + "\n";
    sources.write("tinyjit_source.toy", as_bytes(text));
    auto options = offline();
    options.sources = {{sources.path().string()}, false};
    const auto names = Symbolizer::open(recording, timeline, options);
    REQUIRE(names.jit().codes().size() == 1);
    std::size_t compared = 0;
    const auto& code = *names.jit().codes()[0];
    for (std::uint32_t function = 0; function < code.functions().size(); ++function) {
        const auto expected = code.lines(code.functions()[function]).value();
        const auto found = names.lines({0, function, FrameKind::jit, CpuMode::user}, 64).value();
        REQUIRE(expected.size() == found.size());
        for (std::size_t line = 0; line < found.size(); ++line, ++compared) {
            CHECK(found[line].offset == expected[line].offset);
            CHECK(found[line].source.file == expected[line].file);
            CHECK(found[line].source.line == expected[line].line);
            // The source file is shorter than the program's was.
            const auto number = expected[line].line;
            CHECK(found[line].source.text == (number <= 12 ? "line " + std::to_string(number) : std::string()));
        }
    }
    CHECK(compared == 18);
}

TEST_CASE("Code without debug information has no lines and is no error", "[symbols][lines]") {
    const FixtureTimeline real("bpf_many");
    const auto names = Symbolizer::open(real.recording, real.timeline, offline());
    for (std::uint32_t object = 0; object < real.timeline.tasks().objects().size(); ++object) {
        const auto found = names.lines({0x1000, object, FrameKind::object, CpuMode::user}, 4096);
        REQUIRE(found);
        CHECK(found->empty());
    }
    CHECK(names.lines({0x1000, 1, FrameKind::memory, CpuMode::user}, 1)->empty());
    CHECK(names.lines({0x1000, 0, FrameKind::nowhere, CpuMode::user}, 1)->empty());
}
