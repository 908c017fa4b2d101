// SPDX-License-Identifier: MIT
// Owners of addresses, reasons for their absence, limits, and the place of the kernel's text.
#include <set>
#include <stop_token>

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& located_program() {
    static const Program one{5, 0x55, {{0x1400, 0x80, "main", 0x55}}};
    return one;
}

// why(timeline, address, time, mode) returns the miss; requires one.
Miss why(const Timeline& timeline, std::uint64_t address, std::uint64_t time, CpuMode mode) {
    const auto frame = timeline.frame_at({{time}, {7}}, {address}, mode);
    REQUIRE(frame.is_nowhere());
    CHECK(frame.offset == address);
    CHECK(frame.mode == mode);
    CHECK(timeline.code_of(frame) == nullptr);
    CHECK(timeline.load_of(frame) == nullptr);
    return frame.miss();
}

}  // namespace

TEST_CASE("Code that came and went is found in kernel mode only", "[timeline][frame_at]") {
    Scene scene;
    scene.loaded(live(100), located_program());
    const auto timeline = scene.timeline();
    const auto place = timeline.frame_at({{150}, {7}}, {0x1404}, CpuMode::kernel);
    REQUIRE(place.is_code());
    CHECK(place.index == 0);
    CHECK(place.offset == 4);
    CHECK(place.mode == CpuMode::kernel);
    CHECK(timeline.code_of(place) == &timeline.code()[0]);
    CHECK(timeline.load_of(place) == &timeline.loads()[0]);
    CHECK(why(timeline, 0x1404, 150, CpuMode::user) == Miss::unknown_process);
    CHECK(why(timeline, 0x1404, 150, CpuMode::hypervisor) == Miss::hypervisor);
    CHECK(why(timeline, 0x1404, 150, CpuMode::guest_kernel) == Miss::guest);
    CHECK(why(timeline, 0x1404, 150, CpuMode::guest_user) == Miss::guest);
}

TEST_CASE("An unknown mode is no obstacle where code is known, and the reason where not", "[timeline][frame_at]") {
    Scene scene;
    scene.loaded(live(100), located_program()).unloaded(live(200), located_program());
    const auto timeline = scene.timeline();
    CHECK(timeline.frame_at({{150}, {7}}, {0x1404}, CpuMode::unknown).is_code());
    CHECK(why(timeline, 0x9999, 150, CpuMode::unknown) == Miss::unknown_mode);
    CHECK(why(timeline, 0x1404, 250, CpuMode::unknown) == Miss::unknown_mode);
}

TEST_CASE("A kernel address is gone if code was there at another time, else plain kernel", "[timeline][frame_at]") {
    Scene scene;
    scene.loaded(live(100), located_program()).unloaded(live(200), located_program());
    scene.symbol(live(300), 0x1440, 0x100, "bpf_trampoline_9");  // overlaps: both ranges merge
    const auto timeline = scene.timeline();
    CHECK(why(timeline, 0x1400, 98, CpuMode::kernel) == Miss::gone);
    CHECK(why(timeline, 0x1400, 250, CpuMode::kernel) == Miss::gone);
    CHECK(why(timeline, 0x143f, 400, CpuMode::kernel) == Miss::gone);
    CHECK(why(timeline, 0x153f, 250, CpuMode::kernel) == Miss::gone);
    CHECK(why(timeline, 0x1540, 250, CpuMode::kernel) == Miss::kernel);
    CHECK(why(timeline, 0x13ff, 150, CpuMode::kernel) == Miss::kernel);
    CHECK(why(timeline, 0, 150, CpuMode::kernel) == Miss::kernel);
}

TEST_CASE("Every reason for a miss has words of its own", "[timeline][frame_at]") {
    std::set<std::string_view> words;
    const auto all = {Miss::no_address, Miss::user,  Miss::kernel,      Miss::gone,
                      Miss::hypervisor, Miss::guest, Miss::unknown_mode};
    for (const auto miss : all) words.insert(to_string(miss));
    CHECK(words.size() == all.size());
    CHECK_FALSE(words.contains(""));
    CHECK_FALSE(words.contains("unknown"));
}

TEST_CASE("code_at() takes no mode and gives the same place", "[timeline][frame_at]") {
    Scene scene;
    scene.loaded(live(100), located_program());
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code_at({0x147f}, {100}));
    CHECK(timeline.code_at({0x147f}, {100})->offset == 0x7f);
    CHECK_FALSE(timeline.code_at({0x1480}, {100}));
    CHECK_FALSE(timeline.code_at({0x147f}, {98}));
}

TEST_CASE("Registrations beyond the limit are left out, and said once", "[timeline][limits]") {
    OpenOptions options;
    options.limits.code_versions = 3;
    Scene scene;
    for (std::uint64_t index = 0; index < 10; ++index) {
        scene.symbol(live(10 + index), 0x1000 * (1 + index), 16, "bpf_prog_00000000000000aa_x");
    }
    const auto timeline = scene.timeline(options);
    CHECK(timeline.code().size() == 3);
    CHECK(owner_of(timeline, 0x3000, 100) != "-");
    CHECK(owner_of(timeline, 0x4000, 100) == "-");
    REQUIRE(timeline.completeness().diagnostics.count() == 1);
    const auto& diagnostic = timeline.completeness().diagnostics.kept()[0];
    CHECK(diagnostic.code == ErrorCode::limit);
    CHECK(diagnostic.where == "timeline");
    CHECK(diagnostic.offset != Error::no_offset);
    CHECK(diagnostic.detail.find("more than 3 ") == 0);
    CHECK(timeline.completeness().records.at(17).decoded == 10);
}

TEST_CASE("Registrations up to the limit are all there without complaint", "[timeline][limits]") {
    OpenOptions options;
    options.limits.code_versions = 2;
    Scene scene;
    scene.loaded(live(100), located_program());
    const auto timeline = scene.timeline(options);
    CHECK(program_at(timeline, 0x1400, 100) == 5);
    CHECK(timeline.completeness().diagnostics.empty());
}

TEST_CASE("The kernel's mapping comes from MMAP or MMAP2 of kernel mode", "[timeline][kernel]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool second_form = GENERATE(true, false);
    Scene scene(order);
    auto frame = scene.frame({});
    frame.misc = 1;
    if (second_form) {
        Mmap2 map;
        map.range = {{0xffffffff81000000}, 0x1000000};
        map.page_offset = 0xffffffff81000000;
        map.filename = "[kernel.kallsyms]_stext";
        scene.add(encode(map, frame));
    } else {
        scene.add(encode(
            Mmap{{~0u}, {0}, {{0xffffffff81000000}, 0x1000000}, 0xffffffff81000000, "[kernel.kallsyms]_stext"}, frame));
    }
    const auto timeline = scene.timeline();
    REQUIRE(timeline.kernel());
    CHECK(timeline.kernel()->range == AddressRange{{0xffffffff81000000}, 0x1000000});
    CHECK(timeline.kernel()->reference_symbol == "_stext");
    CHECK(timeline.kernel()->reference_address == Address{0xffffffff81000000});
}

TEST_CASE("Of several kernel mappings the first counts; user, guest and module mappings do not", "[timeline][kernel]") {
    Scene scene;
    const auto map = [&](std::uint16_t mode, std::uint64_t begin, std::string_view name) {
        auto frame = scene.frame({});
        frame.misc = mode;
        scene.add(encode(Mmap{{~0u}, {0}, {{begin}, 0x1000}, begin, name}, frame));
    };
    map(2, 0x1000, "[kernel.kallsyms]_text");
    map(4, 0x2000, "[guest.kernel.kallsyms]_text");
    map(1, 0x3000, "[ext4]");
    map(1, 0x4000, "[kernel.kallsyms]_text");
    map(1, 0x5000, "[kernel.kallsyms]_text");
    const auto timeline = scene.timeline();
    REQUIRE(timeline.kernel());
    CHECK(timeline.kernel()->range.begin == Address{0x4000});
}

TEST_CASE("A recording without such a mapping has none", "[timeline][kernel]") {
    Scene scene;
    CHECK_FALSE(scene.timeline().kernel());
}

TEST_CASE("build() stops when asked to", "[timeline]") {
    Scene scene;
    for (int index = 0; index < 5000; ++index) scene.sample(1, 2);
    const auto recording = scene.open();
    std::stop_source stop;
    CHECK(Timeline::build(recording, {stop.get_token()}));
    stop.request_stop();
    const auto stopped = Timeline::build(recording, {stop.get_token()});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("A timeline outlives its recording and moves", "[timeline]") {
    Scene scene;
    scene.loaded(live(100), located_program()).info(info_of(located_program()));
    auto first = scene.timeline();  // its recording is destroyed already
    const auto second = std::move(first);
    REQUIRE(second.loads()[0].info != nullptr);
    CHECK(second.loads()[0].info == second.bpf().program({5}));
    CHECK(second.loads()[0].info->jited_ksyms()[0] == 0x1400);
    CHECK(program_at(second, 0x1400, 100) == 5);
}
