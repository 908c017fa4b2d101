// SPDX-License-Identifier: MIT
// Code from files: vmlinux, modules, programs, jitdumps.
#include <set>

#include "unit/symbols/elf_case.hpp"
#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t linked_at = 0xffffffff80000000;
constexpr std::uint64_t headers = 64 + 56;  // of an ELF file with one segment; .text follows

// program_file(functions) returns a file with one segment: file offset `headers` is at `vaddr`.
Elf program_file(std::uint64_t vaddr, Blob text, const std::vector<Elf::Symbol>& functions) {
    Elf elf;
    elf.segments = {{headers, vaddr, text.size()}};
    elf.section(Elf::text).content = std::move(text);
    elf.section(Elf::text).address = vaddr;
    elf.section(Elf::text).flags = 6;
    elf.symbols(functions);
    return elf;
}

Blob vmlinux() {
    auto elf = program_file(linked_at, kernel_code(),
                            {{"_text", linked_at, 0, Elf::label}, {"alpha", linked_at + 0x100, 0x40}});
    elf.type = 2;
    return elf.blob();
}

struct UserFrame {
    std::uint64_t address;
    perfdata::Frame in(const OpenedCode& opened) const {
        return frame_at(opened.timeline, &opened.names.jit(), {{5 * ms}, {42}, host}, {address}, CpuMode::user);
    }
};

}  // namespace

TEST_CASE("Code from vmlinux lies where the kernel ran, and is not what ran", "[symbols][code_images]") {
    PatchedScene scene;
    scene.options.finder.vmlinux = scene.dir.write("vmlinux", vmlinux());
    scene.poke(1 * ms, alpha + 8, part(kernel_code(), 0x108, 5), counted(0x80, 5));
    const auto opened = scene.open();
    const auto image = opened.image(alpha, 1);
    CHECK(image.bytes == with(part(kernel_code(), 0x100, 0x40), 8, counted(0x80, 5)));
    CHECK(image.address == Address{alpha});
    CHECK(image.origin == scene.options.finder.vmlinux);
    REQUIRE(image.problems.size() == 1);
    CHECK(image.problems[0].detail.find("boot") != std::string::npos);

    // A copy of memory has priority.
    scene.kcore({{kernel_begin, with(kernel_code(), 0x108, counted(0x80, 5))}});
    CHECK(scene.open().image(alpha, 1).problems.empty());
}

TEST_CASE("A vmlinux that is no use is told of", "[symbols][code_images]") {
    PatchedScene scene;
    scene.options.finder.vmlinux = scene.dir.write("vmlinux", blob_of("nonsense"));
    CHECK(scene.open().why_no_image(alpha).code == ErrorCode::malformed);
    Elf debug;
    debug.symbols({{"_text", linked_at, 0, Elf::label}, {"alpha", linked_at + 0x100, 0x40}});
    debug.section(Elf::text).type = 8;  // NOBITS
    scene.options.finder.vmlinux = scene.dir.write("vmlinux.debug", debug.blob());
    const auto error = scene.open().why_no_image(alpha);
    CHECK(error.code == ErrorCode::missing);
    CHECK(error.detail.find("not the code itself") != std::string::npos);
}

TEST_CASE("Code of a module is from memory, or else from its file", "[symbols][code_images]") {
    constexpr std::uint64_t begin = module_begin + 0x10000;
    const auto code = counted(0x20, 0x60);
    PatchedScene scene;
    scene.world.kernel_map({begin, 0x1000, 0}, "/lib/modules/x.ko");
    Elf module;
    module.type = 1;
    module.section(Elf::text).flags = 6;
    module.section(Elf::text).content = code;
    module.symbols({{"start", 0, 0x20}, {"lying", 0x20, ~std::uint64_t{0} >> 8}});
    std::filesystem::create_directories(scene.dir.path() / "root/lib/modules");
    scene.dir.write("root/lib/modules/x.ko", module.blob());
    // Give a kallsyms without modules: module names of another kernel would hide those of the file.
    scene.options.finder.kallsyms = scene.dir.write("kallsyms", blob_of("ffffffff81000000 T _text\n"));
    const auto error = scene.open().why_no_image(begin + 4);
    CHECK(error.code == ErrorCode::missing);

    scene.options.finder.symfs = (scene.dir.path() / "root").string();
    {
        const auto opened = scene.open();
        const auto image = opened.image(begin + 4);
        CHECK(image.bytes == part(code, 0, 0x20));
        CHECK(image.address == Address{begin});
        CHECK(has(image, ErrorCode::mismatch));
        // Its symbol claims far more bytes than the section has.
        const auto lying = opened.image(begin + 0x30);
        CHECK(lying.bytes == part(code, 0x20, 0x40));
        CHECK(lying.address == Address{begin + 0x20});
    }
    scene.kcore({{begin, counted(0x77, 0x1000)}});
    const auto image = scene.open().image(begin + 4);
    CHECK(image.bytes == counted(0x77, 0x20));
    CHECK(image.problems.empty());
}

TEST_CASE("Code of a program is what its file has, where the file has it", "[symbols][code_images]") {
    const auto code = counted(5, 0x100);
    PatchedScene scene;
    auto elf =
        program_file(0x401000, code, {{"main", 0x401010, 0x30}, {"huge", 0x401080, ~std::uint64_t{0} - 0x500000}});
    elf.build_id(id(3).bytes());
    scene.dir.write("prog", elf.blob());
    scene.options.finder.symfs = scene.dir.path().string();
    Mmap2 map;
    map.pid = {42};
    map.tid = {42};
    map.range = {{0x7f0000000000}, 0x1000};
    map.page_offset = 0;
    map.filename = "/prog";
    const bool proven = GENERATE(true, false);
    if (proven) map.build_id = id(3);
    scene.world.map(1, map);
    const auto opened = scene.open();

    const auto frame = UserFrame{0x7f0000000000 + headers + 0x14}.in(opened);
    const auto versions = opened.versions.versions(frame);
    REQUIRE(versions.size() == 1);
    CHECK(versions[0].size == 0x30);
    CHECK_FALSE(versions[0].address);
    const auto image = opened.names.image(versions[0]).value();
    CHECK(image.bytes == part(code, 0x10, 0x30));
    CHECK(image.address == Address{0x401010});
    CHECK(image.origin == scene.dir.path().string() + "/prog");
    CHECK(image.problems.empty() == proven);

    const auto huge = opened.versions.version(UserFrame{0x7f0000000000 + headers + 0x90}.in(opened), 0);
    const auto cut = opened.names.image(huge).value();
    CHECK(cut.bytes == part(code, 0x80, 0x80));
    CHECK(has(cut, ErrorCode::truncated));
}

TEST_CASE("A program whose file is not there has no code", "[symbols][code_images]") {
    PatchedScene scene;
    scene.world.map(1, 42, {0x400000, 0x1000, 0}, "/gone/prog");
    const auto opened = scene.open();
    const auto version = opened.versions.version(UserFrame{0x400010}.in(opened), 0);
    const auto image = opened.names.image(version);
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::missing);
}

TEST_CASE("A perf map has names but no code", "[symbols][code_images]") {
    PatchedScene scene;
    scene.world.map(1, 42, {0x7f0000000000, 0x1000, 0}, "//anon");
    scene.options.perf_maps = true;
    scene.options.jit.given_maps = {scene.dir.write("perf-42.map", blob_of("7f0000000100 40 jitted\n"))};
    const auto opened = scene.open();
    const auto frame = UserFrame{0x7f0000000110}.in(opened);
    const auto extent = opened.names.extent(frame);
    CHECK(extent.size == 0x40);
    CHECK(extent.begin.offset == 0x7f0000000100);
    const auto image = opened.names.image(opened.versions.version(frame, 0));
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::missing);
    CHECK(image.error().where == "jitted");
    CHECK(image.error().detail.find("jitdump") != std::string::npos);
}

TEST_CASE("The generations of re-used JIT code have images of their own", "[symbols][code_images]") {
    SymbolizerOptions options;
    options.finder.offline = true;
    options.perf_maps = false;
    options.jit.beside = {PERFDATA_FIXTURES "/jit"};
    const OpenedCode opened(Recording::open(PERFDATA_FIXTURES "/jit/tinyjit.data").value(), options);
    std::set<Blob> images;
    std::size_t generations = 0;
    for (std::uint32_t index = 0; index < 6; ++index) {
        const perfdata::Frame frame{5, index, FrameKind::jit, CpuMode::user};
        if (!opened.names.name(frame).symbol.starts_with("jit_gen")) continue;
        ++generations;
        const auto versions = opened.versions.versions(frame);
        REQUIRE(versions.size() == 1);
        const auto& function = opened.names.jit().function(index);
        CHECK(versions[0].address == Address{0x7f484ca8a000});
        CHECK(versions[0].size == function.range.size);
        CHECK(versions[0].from == function.from);
        CHECK(versions[0].until == function.until);
        const auto image = opened.names.image(versions[0]).value();
        CHECK(image.bytes.size() == function.range.size);
        CHECK(image.address == Address{0x7f484ca8a000});
        CHECK(image.origin.ends_with("jit-32346.dump"));
        images.insert(image.bytes);
    }
    CHECK(generations == 4);
    CHECK(images.size() == 4);
}

TEST_CASE("A function gets no more bytes than a kcore has whose segments share them", "[symbols][code_images]") {
    PatchedScene scene;
    Elf elf;
    elf.type = 4;
    elf.segments.clear();
    constexpr std::uint64_t pieces = 100, piece = 4096;
    for (std::uint64_t at = 0; at < pieces; ++at) elf.segments.push_back({0, omega + at * piece, piece});
    elf.section(Elf::text).content = counted(0, piece);
    const auto content = elf.blob();
    scene.options.kcore = scene.dir.write("kcore", content);
    scene.options.finder.kallsyms = scene.dir.write("kallsyms", blob_of("ffffffff81000000 T _text\n"
                                                                        "ffffffff81000180 T omega\n"
                                                                        "ffffffff81900000 T behind\n"));
    const auto opened = scene.open();
    const auto image = opened.image(omega);
    CHECK(image.bytes.size() == content.size());
    CHECK(has(image, ErrorCode::limit));
    // Code of one place in the file is the same code, whatever its address.
    const auto place = [&](std::uint64_t address) {
        auto version = opened.versions.version(opened.at(omega), 0);
        version.address = Address{address};
        version.size = 16;
        return opened.names.place(version);
    };
    CHECK(place(omega + 8).origin == place(omega + 8 + 5 * piece).origin);
    CHECK(place(omega + 8).begin == place(omega + 8 + 5 * piece).begin);
    CHECK(place(omega + 8).begin != place(omega + 9).begin);
    CHECK(place(omega - 8).begin == place(omega).begin);
    CHECK(place(kernel_begin).origin.kind == CodeOrigin::Kind::kernel);
}

TEST_CASE("A kcore that is cut off is a loss", "[symbols][code_images]") {
    PatchedScene scene;
    constexpr std::uint64_t there = 0x1000;
    auto content = core_file({{kernel_begin, part(kernel_code(), 0, there)}});
    const auto lacking = GENERATE(std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40);
    // The segment claims bytes behind the end of the file.
    const auto behind = content.size() - (64 + 56) - there;
    const auto claimed = there + (lacking == 0 ? 0 : behind + lacking);
    content = with(content, 64 + 32, Writer(std::endian::little).u64(claimed).take());
    scene.options.kcore = scene.dir.write("kcore", content);
    const auto opened = scene.open();
    CHECK(opened.names.image_problems().empty());
    CHECK(opened.image(alpha).bytes == part(kernel_code(), 0x100, 0x40));
    const auto losses = opened.names.losses();
    REQUIRE(losses.count() == (lacking == 0 ? 0 : 1));
    if (lacking == 0) return;
    CHECK(losses.kept()[0].code == ErrorCode::truncated);
    CHECK(losses.kept()[0].where == scene.options.kcore);
    CHECK(losses.kept()[0].offset == content.size());
    CHECK(losses.kept()[0].detail.find(" " + std::to_string(lacking) + " bytes behind its end") != std::string::npos);
}
