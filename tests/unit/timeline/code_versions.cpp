// SPDX-License-Identifier: MIT
// Which pokes start a new version of a function, and when.
#include "perfdata/timeline/code_versions.hpp"

#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Times = std::vector<std::uint64_t>;

// from(versions) returns when each begins; each must end where the next one begins.
Times from(const std::vector<CodeVersion>& versions) {
    Times times;
    for (std::size_t index = 0; index < versions.size(); ++index) {
        CHECK(versions[index].number == index);
        if (index != 0) CHECK(versions[index - 1].until == versions[index].from);
        times.push_back(versions[index].from.nanoseconds);
    }
    return times;
}

const Blob nop = counted(0x10, 5), jump = counted(0x80, 5), call = counted(0xc0, 5);

}  // namespace

TEST_CASE("Each change of a function begins a version", "[symbols][code_versions]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha + 8, nop, jump).poke(2 * ms, alpha + 8, jump, nop).poke(3 * ms, beta, nop, call);
    const auto opened = scene.open();
    const auto versions = opened.versions_at(alpha + 20);
    CHECK(from(versions) == Times{0, 1 * ms, 2 * ms});
    for (const auto& version : versions) {
        CHECK(version.function == opened.names.function(opened.at(alpha)));
        CHECK(version.size == 0x40);
        CHECK(version.address == Address{alpha});
    }
    CHECK(versions.back().until == Time::forever());
    CHECK(from(opened.versions_at(beta + 1)) == Times{0, 3 * ms});
    CHECK(from(opened.versions_at(omega)) == Times{0});
    CHECK(opened.versions.version(opened.at(alpha), 1) == versions[1]);

    CHECK(opened.versions.number_at({alpha}, {0}) == 0);
    CHECK(opened.versions.number_at({alpha + 0x3f}, {1 * ms - 1}) == 0);
    CHECK(opened.versions.number_at({alpha}, {1 * ms}) == 1);
    CHECK(opened.versions.number_at({alpha + 0x3f}, {2 * ms - 1}) == 1);
    CHECK(opened.versions.number_at({alpha}, {9 * ms}) == 2);
    CHECK(opened.versions.number_at({beta}, {9 * ms}) == 1);
    CHECK(opened.versions.number_at({alpha - 1}, {9 * ms}) == 0);
    CHECK(opened.versions.number_at({omega}, {9 * ms}) == 0);
    CHECK(opened.versions.number_at({0x401000}, {9 * ms}) == 0);
}

TEST_CASE("A poke across two functions changes both", "[symbols][code_versions]") {
    PatchedScene scene;
    scene.poke(1 * ms, beta - 2, nop, jump);
    const auto opened = scene.open();
    CHECK(from(opened.versions_at(alpha)) == Times{0, 1 * ms});
    CHECK(from(opened.versions_at(beta)) == Times{0, 1 * ms});
}

TEST_CASE("Places that are changed at once make one version", "[symbols][code_versions]") {
    PatchedScene scene;
    constexpr auto gap = CodeVersions::batch_gap;
    scene.poke(ms, alpha, nop, jump).poke(ms + gap, alpha + 8, nop, jump).poke(ms + 2 * gap, alpha + 16, nop, jump);
    scene.poke(ms + 3 * gap + 1, alpha + 24, nop, jump);
    scene.poke(ms, beta, nop, jump).poke(ms, beta + 8, nop, jump).poke(ms, beta, jump, call);
    SECTION("unless they follow each other later") {
        const auto opened = scene.open();
        CHECK(from(opened.versions_at(alpha)) == Times{0, ms, ms + 3 * gap + 1});
        CHECK(from(opened.versions_at(beta)) == Times{0, ms});
    }
    SECTION("or are the same place again") {
        scene.poke(ms + gap + 1, alpha, jump, nop);
        CHECK(from(scene.open().versions_at(alpha)) == Times{0, ms, ms + gap + 1, ms + 3 * gap + 1});
    }
}

TEST_CASE("A poke that changes nothing makes no version", "[symbols][code_versions]") {
    PatchedScene scene;
    scene.poke(1 * ms, alpha, jump, jump);
    CHECK(from(scene.open().versions_at(alpha)) == Times{0});
    // If two events ask for pokes, each poke is recorded twice, at different times.
    scene.poke(2 * ms, alpha, jump, nop).poke(2 * ms + 700, alpha, jump, nop);
    CHECK(from(scene.open().versions_at(alpha)) == Times{0, 2 * ms});
}

TEST_CASE("A poke outside all known code makes no version of anything", "[symbols][code_versions]") {
    PatchedScene scene;
    scene.poke(1 * ms, kernel_begin - 0x100, nop, jump);
    scene.poke(1 * ms, 0x1000, nop, jump);
    scene.poke(1 * ms, ~std::uint64_t{0} - 2, nop, jump);
    const auto opened = scene.open();
    CHECK(opened.timeline.patches().all().size() == 3);
    CHECK(opened.versions.number_at({kernel_begin - 0x100}, {2 * ms}) == 0);
    CHECK(opened.versions.number_at({~std::uint64_t{0}}, {2 * ms}) == 0);
    CHECK(from(opened.versions_at(alpha)) == Times{0});
}

TEST_CASE("Without names of the kernel nothing has versions", "[symbols][code_versions]") {
    PatchedScene scene;
    scene.options.finder.kallsyms.clear();
    scene.poke(1 * ms, alpha, nop, jump);
    const auto opened = scene.open();
    CHECK(opened.versions.number_at({alpha}, {2 * ms}) == 0);
    CHECK(from(opened.versions_at(alpha)) == Times{0});
    CHECK(opened.why_no_image(alpha).code == ErrorCode::missing);
}

TEST_CASE("Code that came and went has the versions of its own time", "[symbols][code_versions]") {
    PatchedScene scene;
    constexpr std::uint64_t place = module_begin + 0x800;  // in the last function of the module
    scene.poke(1 * ms, place + 4, nop, jump);              // in that function
    scene.out_of_line(2 * ms, place, 64).poke(2 * ms + 1, place, {}, counted(0, 64));
    scene.poke(3 * ms, place + 4, counted(4, 5), jump);
    scene.out_of_line(4 * ms, place, 64, true);
    scene.out_of_line(5 * ms, place, 32).poke(5 * ms + 1, place, {}, counted(9, 32));
    scene.poke(6 * ms, place + 8, counted(17, 5), jump).poke(7 * ms, place + 8, jump, call);
    const auto opened = scene.open();
    CHECK(from(opened.versions_at(place, 2 * ms)) == Times{2 * ms, 3 * ms});
    CHECK(opened.versions_at(place, 2 * ms).back().until == Time{4 * ms});
    CHECK(from(opened.versions_at(place, 5 * ms)) == Times{5 * ms, 6 * ms, 7 * ms});
    CHECK(opened.versions_at(place, 5 * ms).back().until == Time::forever());
    CHECK(from(opened.versions_at(place, 1 * ms)) == Times{0, 1 * ms});

    const auto number = [&](std::uint64_t time) { return opened.versions.number_at({place + 4}, {time}); };
    CHECK(number(0) == 0);
    CHECK(number(1 * ms) == 1);
    CHECK(number(2 * ms) == 0);
    CHECK(number(3 * ms) == 1);
    CHECK(number(4 * ms) == 1);  // in the module's function again
    CHECK(number(5 * ms) == 0);
    CHECK(number(7 * ms) == 2);
}

TEST_CASE("Slots that are laid and taken away are versions only where others lay before", "[symbols][code_versions]") {
    PatchedScene scene;
    constexpr std::uint64_t page = module_begin + 0x100000;
    scene.out_of_line(1 * ms, page, 4096);
    scene.poke(2 * ms, page, {}, counted(1, 16)).poke(3 * ms, page + 16, {}, counted(2, 16));
    scene.poke(4 * ms, page, counted(1, 16), {}).poke(5 * ms, page, {}, counted(1, 16));
    CHECK(from(scene.open().versions_at(page, 1 * ms)) == Times{1 * ms});
    scene.poke(6 * ms, page, counted(1, 16), {}).poke(7 * ms, page, {}, counted(7, 16));
    CHECK(from(scene.open().versions_at(page, 1 * ms)) == Times{1 * ms, 7 * ms});
}
