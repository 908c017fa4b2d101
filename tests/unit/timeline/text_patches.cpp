// SPDX-License-Identifier: MIT
// TEXT_POKE records by time and address.
#include "perfdata/timeline/text_patches.hpp"

#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<std::uint64_t> times(const std::vector<const TextPatch*>& patches) {
    std::vector<std::uint64_t> result;
    for (const auto* patch : patches) result.push_back(patch->time.nanoseconds);
    return result;
}

}  // namespace

TEST_CASE("Patches are in order of time, whatever the order of the recording", "[timeline][text_patches]") {
    PatchedScene scene;
    scene.poke(300, alpha, counted(1, 5), counted(2, 5));
    scene.poke(100, beta, counted(3, 2), {});
    scene.poke(200, alpha, {}, counted(4, 207));
    const auto timeline = scene.world.timeline();
    const auto all = timeline.patches().all();
    REQUIRE(all.size() == 3);
    CHECK(all[0].time == Time{100});
    CHECK(all[1].time == Time{200});
    CHECK(all[2].time == Time{300});
    CHECK(all[0].offset > all[2].offset);
    CHECK(all[0].address == Address{beta});
    CHECK(Blob(all[0].old_bytes.begin(), all[0].old_bytes.end()) == counted(3, 2));
    CHECK(all[0].new_bytes.empty());
    CHECK(all[1].old_bytes.empty());
    CHECK(Blob(all[1].new_bytes.begin(), all[1].new_bytes.end()) == counted(4, 207));
    CHECK(all[1].range() == AddressRange{{alpha}, 207});
    CHECK(Blob(all[2].old_bytes.begin(), all[2].old_bytes.end()) == counted(1, 5));
}

TEST_CASE("Patches of equal time are in order of the recording", "[timeline][text_patches]") {
    PatchedScene scene;
    scene.poke(100, beta, counted(1, 1), counted(2, 1)).poke(100, alpha, counted(3, 1), counted(4, 1));
    const auto timeline = scene.world.timeline();
    REQUIRE(timeline.patches().all().size() == 2);
    CHECK(timeline.patches().all()[0].address == Address{beta});
}

TEST_CASE("Patches that touch a range are found by their first and last byte", "[timeline][text_patches]") {
    PatchedScene scene;
    scene.poke(400, 0x1000, counted(1, 5), counted(2, 5));
    scene.poke(300, 0x0fff, counted(1, 1), counted(2, 1));
    scene.poke(200, 0x0f00, {}, counted(2, 0x200));
    scene.poke(100, 0x1010, {}, {});
    scene.poke(50, ~std::uint64_t{0} - 1, counted(0, 5), {});
    const auto timeline = scene.world.timeline();
    const auto& patches = timeline.patches();
    using Times = std::vector<std::uint64_t>;
    CHECK(times(patches.touching({{0x1000}, 1})) == Times{200, 400});
    CHECK(times(patches.touching({{0x0fff}, 1})) == Times{200, 300});
    CHECK(times(patches.touching({{0x1004}, 10})) == Times{200, 400});
    CHECK(times(patches.touching({{0x1005}, 10})) == Times{200});
    CHECK(times(patches.touching({{0x1100}, 10})).empty());
    CHECK(times(patches.touching({{0x0e00}, 0x100})).empty());
    CHECK(times(patches.touching({{0x0e00}, 0x101})) == Times{200});
    CHECK(times(patches.touching({{0}, ~std::uint64_t{0}})) == Times{50, 200, 300, 400});
    CHECK(times(patches.touching({{~std::uint64_t{0}}, 5})) == Times{50});
    CHECK(times(patches.touching({{0x1000}, 0})).empty());
    const auto copied = patches;
    CHECK(copied.touching({{0x1000}, 1}).at(1)->new_bytes[4] == std::byte{6});
}

TEST_CASE("More patches than the limits allow are told of once", "[timeline][text_patches]") {
    PatchedScene scene;
    for (std::uint64_t time = 1; time <= 5; ++time) scene.poke(time, alpha, counted(1, 5), counted(2, 5));
    OpenOptions options;
    const auto kept = [&] {
        const auto timeline = scene.world.timeline(options);
        std::size_t told = 0;
        for (const auto& diagnostic : timeline.completeness().diagnostics.kept()) {
            told += diagnostic.code == ErrorCode::limit;
        }
        return std::pair(timeline.patches().all().size(), told);
    };
    CHECK(kept() == std::pair<std::size_t, std::size_t>(5, 0));
    options.limits.text_patches = 3;
    CHECK(kept() == std::pair<std::size_t, std::size_t>(3, 1));
    options.limits.text_patch_bytes = 29;
    CHECK(kept() == std::pair<std::size_t, std::size_t>(2, 1));
}
