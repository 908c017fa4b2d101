// SPDX-License-Identifier: MIT
// Compares the assignment of patches to functions with a model that examines all patches for each function.
#include <algorithm>
#include <random>

#include "perfdata/timeline/code_versions.hpp"

#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<const TextPatch*> patches_of(const Timeline& timeline, const perfdata::Frame& function,
                                         AddressRange range) {
    std::vector<const TextPatch*> found;
    for (const auto& patch : timeline.patches().all()) {
        if (!patch.range().overlaps(range)) continue;
        const auto owner = timeline.code_at(std::max(patch.address, range.begin), patch.time);
        const bool own = function.kind == FrameKind::code ? owner && owner->index == function.index : !owner;
        if (own) found.push_back(&patch);
    }
    return found;
}

}  // namespace

TEST_CASE("A function has the patches that a look at all of them gives it", "[symbols][code_versions][property]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint64_t bound) {
        return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random);
    };
    constexpr std::uint64_t begin = module_begin + 0x100;  // in the last function of the module, which has a name
    PatchedScene scene;
    std::uint64_t time = 1;
    for (int change = 0; change < 400; ++change) {
        time += 1 + below(60'000);
        const auto place = begin + 0x20 * below(12);
        switch (below(4)) {
            case 0: scene.out_of_line(time, place, 0x20, below(2) == 0); break;
            case 1:
                scene.poke(time, begin - 8 + below(0x190), {}, counted(static_cast<unsigned>(below(250)), below(90)));
                break;
            default: {
                const auto size = 1 + below(6);
                scene.poke(time, begin - 8 + below(0x190), counted(static_cast<unsigned>(below(250)), size),
                           counted(static_cast<unsigned>(below(250)), size));
            }
        }
    }
    const auto opened = scene.open();
    const auto& timeline = opened.timeline;
    std::size_t found = 0, versions = 0;
    const auto check = [&](const perfdata::Frame& function, AddressRange range) {
        const auto expected = patches_of(timeline, function, range);
        CHECK(opened.versions.patches(function, range) == expected);
        found += expected.size();
        const auto all = opened.versions.versions(function);
        CHECK(opened.versions.count(function) == all.size());
        for (std::uint32_t number = 0; number < all.size(); ++number) {
            CHECK(opened.versions.version(function, number) == all[number]);
            const auto last = all[number].until == Time::forever() ? all[number].from : all[number].until;
            // Each version is found by its first and its last moment.
            const auto address = range.begin;
            const auto owner = timeline.code_at(address, all[number].from);
            const bool own = function.kind == FrameKind::code ? owner && owner->index == function.index : !owner;
            if (own) CHECK(opened.versions.number_at(address, all[number].from) == number);
            const auto later = timeline.code_at(address, Time{last.nanoseconds - 1});
            const bool same = later.has_value() == owner.has_value() && (!owner || later->index == owner->index);
            if (own && same && last > all[number].from) {
                CHECK(opened.versions.number_at(address, Time{last.nanoseconds - 1}) == number);
            }
        }
        versions += all.size();
        CHECK(opened.versions.version(function, 1'000'000) == all.back());
    };
    for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
        check({0, index, FrameKind::code, CpuMode::kernel}, timeline.code()[index].range);
    }
    const auto of_module = opened.names.function(opened.at(begin));
    const auto extent = opened.names.extent(of_module);
    REQUIRE(extent.address);
    check(of_module, {*extent.address, extent.size});
    CHECK(found > 150);
    CHECK(versions > timeline.code().size() + 10);
}
