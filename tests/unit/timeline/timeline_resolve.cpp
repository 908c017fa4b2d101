// SPDX-License-Identifier: MIT
// Resolves any address of a sample: code, kernel, modules, processes, or a reason.
#include "catch.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t text = 0xffffffff81000000, module = 0xffffffffc0100000, bpf_code = 0xffffffffc0200000;

// Everything that an address can belong to.
Timeline everything() {
    World world;
    world.kernel_map({text, 0x1000000, text}, "[kernel.kallsyms]_text");
    world.kernel_map({module, 0x4000, 0}, "/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz");
    world.map(0, 7, {0x400000, 0x1000, 0x2000}, "/bin/x");
    world.scene().symbol(live(100), bpf_code, 0x100, "bpf_prog_00000000000000aa_p");
    world.scene().symbol(live(100), module + 0x1000, 0x100, "bpf_prog_00000000000000bb_q");
    world.scene().symbol_gone(live(200), bpf_code, 0x100, "bpf_prog_00000000000000aa_p");
    return world.timeline();
}

std::string text_of(const Timeline& timeline, std::uint64_t address, std::uint64_t time, CpuMode mode,
                    std::uint32_t pid = 7) {
    const auto frame = timeline.frame_at({{time}, {pid}}, {address}, mode);
    if (frame.is_nowhere()) return std::string(to_string(frame.miss()));
    CHECK(frame.mode == mode);
    const std::string_view name =
        frame.is_code() ? timeline.code_of(frame)->symbol : timeline.tasks().objects()[frame.index].path;
    return std::string(name) + "+" + std::to_string(frame.offset);
}

}  // namespace

TEST_CASE("Code, kernel, modules and processes are found in the mode they ran in", "[timeline][resolve]") {
    const auto timeline = everything();
    CHECK(text_of(timeline, bpf_code + 4, 150, CpuMode::kernel) == "bpf_prog_00000000000000aa_p+4");
    CHECK(text_of(timeline, module + 16, 150, CpuMode::kernel) == "/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz+16");
    CHECK(text_of(timeline, module + 0x1004, 150, CpuMode::kernel) == "bpf_prog_00000000000000bb_q+4");
    CHECK(text_of(timeline, 0x400010, 150, CpuMode::user) == "/bin/x+" + std::to_string(0x2010));
    CHECK(timeline.frame_at({{150}, {7}}, {text + 0x1234}, CpuMode::kernel).offset == text + 0x1234);
    CHECK(timeline.frame_at({{150}, {~0u}}, {text + 0x1234}, CpuMode::kernel).offset == text + 0x1234);
}

TEST_CASE("In unknown mode kernel space is searched first, then the process", "[timeline][resolve]") {
    const auto timeline = everything();
    CHECK(text_of(timeline, bpf_code + 4, 150, CpuMode::unknown) == "bpf_prog_00000000000000aa_p+4");
    CHECK(timeline.frame_at({{150}, {7}}, {text}, CpuMode::unknown).offset == text);
    CHECK(text_of(timeline, 0x400010, 150, CpuMode::unknown) == "/bin/x+" + std::to_string(0x2010));
    CHECK(timeline.frame_at({{150}, {7}}, {0x1}, CpuMode::unknown).misses(Miss::unknown_mode));
}

TEST_CASE("What resolves to nothing has its reason", "[timeline][resolve]") {
    const auto timeline = everything();
    const auto why = [&](std::uint64_t address, CpuMode mode, std::uint32_t pid = 7) {
        const auto frame = timeline.frame_at({{250}, {pid}}, {address}, mode);
        REQUIRE(frame.is_nowhere());
        CHECK(frame.offset == address);
        return frame.miss();
    };
    CHECK(why(bpf_code, CpuMode::kernel) == Miss::gone);
    CHECK(why(bpf_code + 0x100, CpuMode::kernel) == Miss::kernel);
    CHECK(why(0x400010, CpuMode::kernel) == Miss::kernel);
    CHECK(why(0x401000, CpuMode::user) == Miss::no_mapping);
    CHECK(why(text, CpuMode::user) == Miss::no_mapping);
    CHECK(why(0x400010, CpuMode::user, 8) == Miss::unknown_process);
    CHECK(why(0x400010, CpuMode::hypervisor) == Miss::hypervisor);
    CHECK(why(0x400010, CpuMode::guest_user) == Miss::guest);
    CHECK(why(text, CpuMode::guest_kernel) == Miss::guest);
}

TEST_CASE("Kernel mappings say what they are", "[timeline][kernel]") {
    const auto timeline = everything();
    const auto& tasks = timeline.tasks();
    const auto* kernel = tasks.kernel_mapping_at({text + 5}, {0});
    REQUIRE(kernel != nullptr);
    CHECK(tasks.object(*kernel).kind == ObjectKind::kernel);
    CHECK(kernel->offset_of({text + 5}) == text + 5);
    const auto* loaded = tasks.kernel_mapping_at({module + 5}, {0});
    REQUIRE(loaded != nullptr);
    CHECK(tasks.object(*loaded).kind == ObjectKind::module);
    CHECK(module_name(tasks.object(*loaded).path) == "nf_nat");
    CHECK(loaded->offset_of({module + 5}) == 5);
    CHECK(tasks.kernel_mapping_at({bpf_code}, {150}) == nullptr);
    CHECK(tasks.mapping_at({~0u}, {text}, {0}) == nullptr);
}
