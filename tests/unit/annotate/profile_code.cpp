// SPDX-License-Identifier: MIT
// What a profile says of code: functions, their bytes, what they jump to, and code without a name.
#include <algorithm>
#include <string>
#include <vector>

#include "perfdata/timeline/jit_codes.hpp"

#include "catch.hpp"
#include "stored/content_hash.hpp"
#include "support/files.hpp"
#include "unit/annotate/branch_scene.hpp"
#include "unit/annotate/calls_scene.hpp"
#include "unit/annotate/made_profile.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A profile has the code of sampled functions and the names of what they call", "[annotate][stored]") {
    BranchScene scene(false);
    scene.sample(BranchScene::main + 6);
    const auto recording = scene.scene().open();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline, scene.sources());
    for (const unsigned jobs : {1u, 3u}) {
        ProfileMakerOptions options;
        options.jobs = jobs;
        const MadeProfile made(recording, symbolizer, options);
        REQUIRE(made.functions() == MadeTexts{"main"});
        const auto& function = made.function("main");
        CHECK(function.size == 0x40);
        CHECK(function.kind.is(FrameKind::object));
        CHECK(function.kind_of_code.is(CodeClass::user));
        CHECK(made.text(function.object_name) == "/bin/jumps");
        CHECK(made.text(function.place_from) == "/bin/jumps");
        CHECK(function.place_kind.is(CodeOrigin::Kind::file));
        const auto& object = made.model.at(function.object);
        CHECK(made.text(object.path) == "/bin/jumps");
        CHECK(!object.file.missing);
        REQUIRE(object.file.segments.size() == 1);
        const auto& segment = object.file.segments[0];
        CHECK(function.begin - segment.offset + segment.address == BranchScene::main);
        const auto& version = made.version("main");
        CHECK(version.number == 0);
        const auto& image = version.image;
        REQUIRE(image.bytes.size() == 0x40);
        CHECK(image.bytes.substr(0, 3) == std::string("\x55\x74\x03"));
        CHECK(image.address == BranchScene::main);
        // Jumps inside of the function need no names.
        REQUIRE(image.targets.size() == 1);
        CHECK(image.targets[0].address == BranchScene::parse);
        CHECK(!image.targets[0].constant);
        CHECK(made.text(image.targets[0].name) == "parse");
        CHECK(image.targets[0].offset == 0);
    }
}

TEST_CASE("A profile has the function before a return address", "[annotate][stored]") {
    // The call in "first" is its last instruction: it returns to the first byte of "second".
    constexpr auto order = std::endian::little;
    constexpr std::uint64_t base = 0x10000000, in_file = 64 + 56;
    const auto attr = sampling_attr(Scene::sample_type | sample_bit::callchain);
    Scene scene(order, std::vector<Attr>{attr});
    scene.feature(Feature::arch, feature_string(order, "x86_64"));
    auto frame = scene.frame(Stamp{});
    frame.misc = static_cast<std::uint16_t>(CpuMode::user);
    scene.add(encode(Mmap{{7}, {7}, {{base}, 0x1000}, 0, "/bin/calls"}, frame));
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = 0x1400;
    text.flags = 6;  // SHF_ALLOC and SHF_EXECINSTR
    text.content.resize(0x30, std::byte{0x90});
    elf.segments = {{in_file, 0x1400, 0x30}};
    elf.symbols({{"first", 0x1400, 0x10}, {"second", 0x1410, 0x10}, {"third", 0x1420, 0x10}});
    const auto files = std::make_shared<Files>();
    files->content["/bin/calls"] = elf.blob();
    SampleContent content;
    content.fixed.identifier = Scene::first_id;
    content.fixed.pid = content.fixed.tid = 7;
    content.fixed.time = 100;
    content.fixed.ip = base + in_file + 0x24;
    content.callchain = {static_cast<std::uint64_t>(ChainContext::user), content.fixed.ip, base + in_file + 0x10};
    scene.add(encode(order, attr, content, static_cast<std::uint16_t>(CpuMode::user)));
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    SymbolizerOptions options;
    options.finder.allow_local = true;
    options.files = files;
    const auto symbolizer = Symbolizer::open(recording, timeline, options);
    const MadeProfile made(recording, symbolizer);
    REQUIRE(made.cells().size() == 1);
    CHECK(made.cells()[0].find("[second+0^ third+4]") != std::string::npos);
    CHECK(made.functions() == MadeTexts{"first", "second", "third"});
    CHECK(made.version("first").image.bytes.size() == 0x10);
    CHECK(made.lines("first").starts.empty());
}

TEST_CASE("A profile says why code has no name, and why code is not there", "[annotate][stored]") {
    Scene scene;
    scene.known({1, 1, {{0x1000, 0x100, "main", 1}}});
    scene.sample(0x1004, 100).sample(0x9000, 101);
    const AnnotatedScene opened(scene);
    const MadeProfile made(opened);
    REQUIRE(made.model.nameless.size() == 1);
    const auto frame = Frame::nowhere(Address{0x9000}, Miss::kernel, CpuMode::kernel);
    const auto why = opened.symbolizer.why_unnamed(frame);
    CHECK(made.text(made.model.nameless[0].reason) == why.reason);
    CHECK(made.text(made.model.nameless[0].remedy) == why.remedy);
    const auto unnamed =
        std::ranges::find_if(made.model.frames, [](const stored::Frame& one) { return !one.function; });
    REQUIRE(unnamed != made.model.frames.end());
    CHECK(unnamed->kind.is(FrameKind::nowhere));
    CHECK(unnamed->offset == 0x9000);
    CHECK(unnamed->nameless);
    const auto& image = made.version("main").image;
    CHECK(image.absent);
    REQUIRE(image.problems.size() == 1);
    CHECK(image.problems[0].code.is(ErrorCode::missing));
}

TEST_CASE("Functions of a JIT compiler have the hash of their code", "[annotate][stored][fixtures]") {
    const auto recording = Recording::open(fixture("jit/tinyjit.data")).value();
    const auto timeline = Timeline::build(recording).value();
    SymbolizerOptions options;
    options.finder.offline = true;
    options.jit.as_recorded = false;
    options.jit.given = {fixture("jit/jit-32346.dump")};
    const auto symbolizer = Symbolizer::open(recording, timeline, options);
    const MadeProfile made(recording, symbolizer);
    const auto found = std::ranges::find_if(made.model.functions,
                                            [](const stored::Function& one) { return one.kind.is(FrameKind::jit); });
    REQUIRE(found != made.model.functions.end());
    const auto& jit = symbolizer.jit();
    const auto bytes = jit.code(found->number).image(jit.function(found->number)).value();
    CHECK(found->code_hash == hash_of_code(bytes));
    CHECK(found->code_hash.size() == 32);
    CHECK(made.text(found->symbol) == jit.function(found->number).name);
    CHECK(found->has_address);
    CHECK(found->address == jit.function(found->number).range.begin.value);
}

TEST_CASE("Lines, calls and versions of a profile are those of the symbolizer", "[annotate][stored][fixtures]") {
    const FixtureTimeline real("bpf_many");
    const auto symbolizer = offline_book(real.recording, real.timeline);
    const MadeProfile made(real.recording, symbolizer);
    std::size_t checked = 0;
    for (const auto& lines : made.model.lines) {
        const auto& function = made.model.at(lines.function);
        if (!function.code) continue;
        const auto& code = made.model.at(function.code);
        const auto index = std::ranges::find_if(real.timeline.code(), [&](const Code& one) {
            return one.range.begin.value == code.address && one.from.nanoseconds == code.from;
        });
        REQUIRE(index != real.timeline.code().end());
        const auto frame = Frame::in_code(static_cast<CodeIndex>(index - real.timeline.code().begin()), 0);
        const auto expected = symbolizer.lines(frame, code.size).value();
        REQUIRE(lines.starts.size() == expected.size());
        for (std::size_t at = 0; at < expected.size(); ++at) {
            const auto& place = made.model.at(lines.starts[at].place);
            CHECK(lines.starts[at].offset == expected[at].offset);
            CHECK(lines.starts[at].instruction == expected[at].instruction);
            CHECK(made.text(place.file) == expected[at].source.file);
            CHECK(place.line == expected[at].source.line);
            CHECK(place.column == expected[at].source.column);
            CHECK(made.text(place.text) == expected[at].source.text);
        }
        checked += expected.size();
    }
    CHECK(checked > 20);
    REQUIRE(made.model.loads.size() == 1);
    const auto& load = made.model.loads[0];
    CHECK(load.info.known);
    CHECK(load.id == real.timeline.loads()[0].id.value);
    CHECK(load.functions == real.timeline.loads()[0].function_count());
    CHECK(made.text(load.program_name) == symbolizer.bpf().program_name(real.timeline.loads()[0]));
}
