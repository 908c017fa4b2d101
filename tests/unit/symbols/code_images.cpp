// SPDX-License-Identifier: MIT
// Code of the kernel, and code that it generates, at each time.
#include <fstream>

#include "perfdata/symbols/symbolizer.hpp"

#include "unit/symbols/elf_case.hpp"
#include "unit/symbols/patched_scene.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t in_alpha = alpha - kernel_begin;
const Blob first = counted(0x80, 5), second = counted(0xc0, 5);

// alpha_with(bytes) returns alpha's code with these bytes at +8.
Blob alpha_with(const Blob& bytes) {
    return with(part(kernel_code(), in_alpha, 0x40), 8, bytes);
}
Blob original(std::uint64_t offset = 8, std::size_t size = 5) {
    return part(kernel_code(), in_alpha + offset, size);
}

}  // namespace

TEST_CASE("Pokes are applied and taken back, whenever the copy was made", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, original(), first).poke(2 * ms, alpha + 8, first, second);
    scene.poke(2 * ms, alpha + 0x20, original(0x20, 2), counted(0xf0, 2));
    const auto last = with(alpha_with(second), 0x20, counted(0xf0, 2));
    const auto copy = GENERATE_COPY(alpha_with(original()), alpha_with(first), last);
    scene.kcore({{kernel_begin, with(kernel_code(), in_alpha, copy)}});
    const auto opened = scene.open();

    const auto zero = opened.image(alpha, 0), one = opened.image(alpha, 1), two = opened.image(alpha, 2);
    CHECK(zero.bytes == alpha_with(original()));
    CHECK(one.bytes == alpha_with(first));
    CHECK(two.bytes == last);
    for (const auto* image : {&zero, &one, &two}) {
        CHECK(image->problems.empty());
        CHECK(image->gaps.empty());
        CHECK(image->address == Address{alpha});
        CHECK(image->origin == scene.options.kcore);
    }
    CHECK(zero.changes.empty());
    REQUIRE(one.changes.size() == 1);
    CHECK(one.changes[0].offset == 8);
    CHECK(one.changes[0].time == Time{1 * ms});
    CHECK(one.changes[0].before == original());
    CHECK(one.changes[0].after == first);
    REQUIRE(two.changes.size() == 2);
    CHECK(two.changes[1].offset == 0x20);
    CHECK(two.changes[1].after == counted(0xf0, 2));
    CHECK(opened.names.image_problems().empty());
}

TEST_CASE("A copy that fits no time is told of", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, original(), first);
    scene.kcore({{kernel_begin, with(kernel_code(), in_alpha + 8, counted(0x33, 5))}});
    const auto opened = scene.open();
    const auto image = opened.image(alpha, 1);
    REQUIRE(image.problems.size() == 1);
    CHECK(image.problems[0].code == ErrorCode::mismatch);
    CHECK(image.problems[0].offset == opened.timeline.patches().all()[0].offset);
    CHECK(image.problems[0].where == "the code at ffffffff81000108");
    CHECK(image.problems[0].detail.find("33 34 35 36 37") != std::string::npos);
    CHECK(image.problems[0].detail.find("08 09 0a 0b 0c") != std::string::npos);
    CHECK(image.bytes == alpha_with(first));  // as recorded
    CHECK(opened.image(beta).problems.empty());
}

TEST_CASE("A copy of which each place is of another time is right", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, original(), first).poke(2 * ms, alpha + 0x20, original(0x20), second);
    scene.kcore({{kernel_begin, with(kernel_code(), in_alpha + 0x20, second)}});
    CHECK(scene.open().image(alpha, 1).problems.empty());
}

TEST_CASE("Bytes of one place from two times are a mismatch", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, original(), first).poke(2 * ms, alpha + 10, part(first, 2, 3), counted(0x55, 3));
    const auto torn = with(alpha_with(original()), 10, counted(0x55, 3));
    scene.kcore({{kernel_begin, with(kernel_code(), in_alpha, torn)}});
    const auto image = scene.open().image(alpha, 2);
    CHECK(has(image, ErrorCode::mismatch));
    CHECK(image.bytes == with(alpha_with(first), 10, counted(0x55, 3)));
}

TEST_CASE("A poke that finds other bytes than the one before it left is told of", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, original(), first).poke(2 * ms, alpha + 8, second, original());
    scene.kcore({{kernel_begin, kernel_code()}});
    const auto opened = scene.open();
    const auto image = opened.image(alpha, 2);
    REQUIRE(image.problems.size() == 1);
    CHECK(image.problems[0].offset == opened.timeline.patches().all()[1].offset);
    CHECK(image.problems[0].detail.find("lost") != std::string::npos);
    CHECK(image.bytes == alpha_with(original()));
}

TEST_CASE("A poke that two events tell of is one", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, original(), first).poke(1 * ms + 900, alpha + 8, original(), first);
    scene.kcore({{kernel_begin, kernel_code()}});
    const auto image = scene.open().image(alpha, 1);
    CHECK(image.problems.empty());
    CHECK(image.changes.size() == 1);
    CHECK(image.bytes == alpha_with(first));
}

TEST_CASE("A breakpoint in the first byte is one place with the rest", "[symbols][code_images]") {
    PatchedScene scene;
    const auto armed = with(original(), 0, counted(0xcc, 1));
    scene.poke(1 * ms, alpha + 8, original(8, 1), counted(0xcc, 1)).poke(2 * ms, alpha + 8, armed, first);
    scene.kcore({{kernel_begin, kernel_code()}});
    const auto opened = scene.open();
    CHECK(opened.image(alpha, 1).bytes == alpha_with(armed));
    CHECK(opened.image(alpha, 2).bytes == alpha_with(first));
    CHECK(opened.image(alpha, 2).problems.empty());
}

TEST_CASE("A poke that begins before the function changes what of it it covers", "[symbols][code_images]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha - 3, part(kernel_code(), in_alpha - 3, 5), first);
    scene.kcore({{kernel_begin, kernel_code()}});
    const auto image = scene.open().image(alpha, 1);
    CHECK(image.bytes == with(alpha_with(original()), 0, part(first, 3, 2)));
    REQUIRE(image.changes.size() == 1);
    CHECK(image.changes[0].offset == 0);
    CHECK(image.changes[0].after == part(first, 3, 2));
    CHECK(image.problems.empty());
}

TEST_CASE("An excerpt of memory says what it lacks", "[symbols][code_images]") {
    PatchedScene scene;
    const auto code = kernel_code();
    scene.poke(1 * ms, alpha + 0x30, original(0x30), first);
    SECTION("at the end") {
        scene.kcore({{kernel_begin, part(code, 0, in_alpha + 0x20)}});
        const auto image = scene.open().image(alpha, 0);
        // The bytes before the poke are known.
        CHECK(image.bytes.size() == 0x35);
        CHECK(image.gaps == std::vector<CodeGap>{{0x20, 0x10}});
        CHECK(part(image.bytes, 0x30, 5) == original(0x30));
        CHECK(has(image, ErrorCode::truncated));
    }
    SECTION("in the middle") {
        scene.kcore(
            {{kernel_begin, part(code, 0, in_alpha + 0x10)}, {alpha + 0x20, part(code, in_alpha + 0x20, 0x20)}});
        const auto image = scene.open().image(alpha, 1);
        CHECK(image.bytes.size() == 0x40);
        CHECK(image.gaps == std::vector<CodeGap>{{0x10, 0x10}});
        CHECK(part(image.bytes, 0x10, 0x10) == Blob(0x10));
        CHECK(part(image.bytes, 0x30, 5) == first);
        CHECK(has(image, ErrorCode::truncated));
    }
    SECTION("at the beginning") {
        scene.kcore({{alpha + 0x20, part(code, in_alpha + 0x20, 0x20)}});
        const auto image = scene.open().image(alpha, 1);
        CHECK(image.bytes.size() == 0x40);
        CHECK(image.gaps == std::vector<CodeGap>{{0, 0x20}});
        CHECK(part(image.bytes, 0x20, 0x10) == part(code, in_alpha + 0x20, 0x10));
        CHECK(part(image.bytes, 0x30, 5) == first);
        REQUIRE(has(image, ErrorCode::truncated));
        CHECK(image.problems[0].detail.find("only 32") != std::string::npos);
    }
    SECTION("all of it") {
        scene.kcore({{kernel_begin, part(code, 0, 16)}});
        const auto error = scene.open().why_no_image(alpha);
        CHECK(error.code == ErrorCode::missing);
        CHECK(error.detail.find(scene.options.kcore) != std::string::npos);
    }
}

TEST_CASE("Without a copy of the kernel's code it is said what would supply it", "[symbols][code_images]") {
    PatchedScene scene;
    const auto error = scene.open().why_no_image(alpha);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.detail.find("--kcore") != std::string::npos);
    CHECK(error.detail.find("--vmlinux") != std::string::npos);
}

TEST_CASE("A given copy that cannot be used is told of", "[symbols][code_images]") {
    PatchedScene scene;
    scene.options.kcore = scene.dir.path().string() + "/none";
    CHECK(scene.open().names.image_problems().at(0).code == ErrorCode::io);
    scene.options.kcore = scene.dir.write("nonsense", blob_of("nonsense"));
    CHECK(scene.open().names.image_problems().at(0).code == ErrorCode::malformed);
    scene.options.kcore = scene.dir.write("program", core_file({{kernel_begin, kernel_code()}}, 2));
    const auto opened = scene.open();
    REQUIRE(opened.names.image_problems().size() == 1);
    CHECK(opened.names.image_problems()[0].code == ErrorCode::mismatch);
    CHECK(opened.names.image_problems()[0].where == scene.options.kcore);
    CHECK(opened.why_no_image(alpha).code == ErrorCode::missing);
}

TEST_CASE("A copy with another kernel's notes is refused", "[symbols][code_images]") {
    PatchedScene scene;
    const std::string symbols(kernel_symbols);
    scene.options.finder.kallsyms = scene.dir.write(
        "kallsyms", blob_of(symbols + "ffffffff81001000 R __start_notes\nffffffff81001024 R __stop_notes\n"));
    const auto note = [](std::uint8_t seed) {
        Writer out(std::endian::little);
        return out.u32(4).u32(20).u32(3).text("GNU").u8(0).bytes(id(seed).bytes()).take();
    };
    Writer recorded(std::endian::little);  // of the feature BUILD_ID: header, pid, id padded to 24 bytes, name
    constexpr std::string_view name = "[kernel.kallsyms]";
    recorded.u32(0).u16(1).u16(36 + 24).u32(~0u).bytes(id(1).bytes()).u32(0).padded_text(name, 24);
    scene.world.scene().feature(Feature::build_id, recorded.take());
    const auto code = kernel_code();
    scene.kcore({{kernel_begin, with(code, 0x1000, note(1))}});
    CHECK(scene.open().names.image_problems().empty());
    scene.kcore({{kernel_begin, with(code, 0x1000, note(2))}});
    {
        const auto opened = scene.open();
        REQUIRE(opened.names.image_problems().size() == 1);
        CHECK(opened.names.image_problems()[0].code == ErrorCode::mismatch);
        CHECK(opened.why_no_image(alpha).code == ErrorCode::missing);
    }
    // A copy without notes is accepted: nothing contradicts it.
    scene.kcore({{kernel_begin, part(code, 0, 0x1000)}});
    CHECK(scene.open().names.image_problems().empty());
}

TEST_CASE("The copy in a recording's directory is used", "[symbols][code_images]") {
    PatchedScene scene;
    const auto recorded = scene.dir.path() / "recorded";
    std::filesystem::create_directories(recorded / "kcore_dir");
    // perf record --kcore writes the records to the file `data`.
    RecordingBuilder builder;
    builder.event(sampling_attr(Scene::sample_type), {Scene::first_id});
    const Mmap map{{~0u}, {0}, {{kernel_begin}, kernel_size}, kernel_begin, "[kernel.kallsyms]_text"};
    auto frame = scene.world.frame(0, static_cast<std::uint16_t>(CpuMode::kernel));
    builder.add(encode(map, frame));
    scene.dir.write("recorded/data", builder.build());
    const auto kcore = scene.dir.write("recorded/kcore_dir/kcore", core_file({{kernel_begin, kernel_code()}}));
    auto recording = Recording::open(recorded.string());
    REQUIRE(recording);
    const OpenedCode opened(std::move(*recording), scene.options);
    const auto image = opened.image(alpha);
    CHECK(image.bytes == alpha_with(original()));
    CHECK(image.origin == kcore);
}

TEST_CASE("BPF code captured before or after a poke is the same code", "[symbols][code_images]") {
    constexpr std::uint64_t place = module_begin + 0x200000;
    const auto code = counted(0x40, 32);
    const bool before = GENERATE(true, false);
    PatchedScene scene;
    CraftedProgram program({7, 1, {{place, 32, "main", 1}}});
    program.code(before ? code : with(code, 11, first));
    program.loaded_in(scene.world.scene(), live(1 * ms));
    scene.poke(2 * ms, place + 11, part(code, 11, 5), first);
    // Pokes of code that was there earlier or later.
    scene.poke(1, place + 11, counted(1, 5), counted(2, 5));
    scene.world.scene().unloaded(live(3 * ms), program.program());
    scene.poke(4 * ms, place + 11, counted(3, 5), counted(4, 5));
    const auto opened = scene.open();
    const auto versions = opened.versions_at(place, 2 * ms);
    REQUIRE(versions.size() == 2);
    CHECK(versions[1].from == Time{2 * ms});
    const auto zero = opened.image(place, 0, 2 * ms), one = opened.image(place, 1, 2 * ms);
    CHECK(zero.bytes == code);
    CHECK(one.bytes == with(code, 11, first));
    CHECK(one.origin == "the recording");
    CHECK(one.address == Address{place});
    CHECK(zero.problems.empty());
    CHECK(one.problems.empty());
    REQUIRE(one.changes.size() == 1);
    CHECK(one.changes[0].offset == 11);
}

TEST_CASE("A BPF image that is shorter than its function is told of", "[symbols][code_images]") {
    constexpr std::uint64_t place = module_begin + 0x200000;
    PatchedScene scene;
    // The program info has 32 bytes, the KSYMBOL record 48.
    CraftedProgram program({7, 1, {{place, 32, "main", 1}}});
    program.code(counted(0, 32));
    scene.world.scene().info(program.info());
    scene.world.scene().symbol(live(1 * ms), place, 48, symbol_of(tag_of(1), "main"));
    scene.world.scene().event(live(1 * ms + 1), BpfEvent::Kind::load, 7, 1);
    const auto image = scene.open().image(place, 0, 2 * ms);
    CHECK(image.bytes == counted(0, 32));
    CHECK(has(image, ErrorCode::truncated));
}

TEST_CASE("Out-of-line code is what pokes laid there", "[symbols][code_images]") {
    constexpr std::uint64_t place = module_begin + 0x200000;
    PatchedScene scene;
    const auto code = counted(1, 64), other = counted(0x90, 64);
    scene.out_of_line(1 * ms, place, 64).poke(1 * ms + 10, place, {}, code);
    scene.poke(2 * ms, place + 20, part(code, 20, 5), first);
    scene.poke(3 * ms, place, with(code, 20, first), {});
    scene.out_of_line(3 * ms + 1, place, 64, true);
    scene.out_of_line(4 * ms, place, 64).poke(4 * ms + 10, place, {}, other);
    scene.out_of_line(5 * ms, place + 0x1000, 64);
    const auto opened = scene.open();
    CHECK(opened.versions_at(place, 1 * ms).size() == 2);
    CHECK(opened.image(place, 0, 1 * ms).bytes == code);
    const auto one = opened.image(place, 1, 1 * ms);
    CHECK(one.bytes == with(code, 20, first));
    CHECK(one.changes.size() == 1);
    CHECK(one.origin == "the recording");
    CHECK(opened.image(place, 0, 4 * ms).bytes == other);
    CHECK(opened.image(place, 0, 4 * ms).problems.empty());
    const auto error = opened.why_no_image(place + 0x1000, 5 * ms);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.detail.find("--kcore") != std::string::npos);
}

TEST_CASE("Of a page of slots the gaps between them are said to be unknown", "[symbols][code_images]") {
    constexpr std::uint64_t page = module_begin + 0x200000;
    PatchedScene scene;
    scene.out_of_line(1 * ms, page, 4096);
    scene.poke(2 * ms, page, {}, counted(1, 2)).poke(3 * ms, page + 15, {}, counted(7, 5));
    const auto image = scene.open().image(page, 0, 1 * ms);
    CHECK(image.bytes.size() == 20);
    CHECK(image.gaps == std::vector<CodeGap>{{2, 13}});
    CHECK(part(image.bytes, 15, 5) == counted(7, 5));
    CHECK(has(image, ErrorCode::truncated));
}

TEST_CASE("Code without pokes that was there all the time may be in a copy of memory", "[symbols][code_images]") {
    constexpr std::uint64_t place = module_begin + 0x200000;
    PatchedScene scene;
    scene.world.scene().symbol({}, place, 64, "bpf_trampoline_1");
    scene.world.scene().symbol(live(1 * ms), place + 0x1000, 64, "bpf_trampoline_2");
    scene.kcore({{place, counted(3, 0x2000)}});
    const auto opened = scene.open();
    CHECK(opened.image(place).bytes == counted(3, 64));
    CHECK(opened.image(place).origin == scene.options.kcore);
    // The other was loaded later: the copy may be older.
    CHECK(opened.why_no_image(place + 0x1000, 2 * ms).code == ErrorCode::missing);
}

TEST_CASE("A huge function does not cost more memory than the limits allow", "[symbols][code_images]") {
    constexpr std::uint64_t place = module_begin + 0x200000;
    PatchedScene scene;
    scene.out_of_line(1 * ms, place, ~std::uint32_t{0});
    scene.poke(2 * ms, place, {}, counted(1, 16)).poke(3 * ms, place + 0xfffffff0, {}, counted(1, 8));
    OpenOptions options;
    options.limits.function_bytes = 4096;
    const OpenedCode opened(scene.world.scene().open(options), scene.options);
    const auto image = opened.image(place, 0, 1 * ms);
    CHECK(image.bytes == counted(1, 16));
    CHECK(has(image, ErrorCode::truncated));
}
