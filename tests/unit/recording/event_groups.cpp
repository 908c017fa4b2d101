// SPDX-License-Identifier: MIT
#include "perfdata/recording/event_groups.hpp"

#include "catch.hpp"
#include "support/counter_scene.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// {name, leader, size}
EventGroups::Group group_of(std::string name, std::uint32_t leader, std::uint32_t size) {
    return {std::move(name), leader, size};
}

}  // namespace

TEST_CASE("Groups are the events behind their leaders", "[recording][groups]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CounterScene scene(7, false, order);
    scene.group("mine", 1, 2).group("{anon_group}", 4, 3);
    const auto recording = scene.open();
    const auto groups = EventGroups::read(recording);
    CHECK(groups.diagnostics().empty());
    CHECK(groups.groups() == std::vector{group_of("mine", 1, 2), group_of("", 4, 3)});
    const std::vector<std::optional<std::size_t>> expected{{}, 0, 0, {}, 1, 1, 1, {}};
    for (std::uint32_t event = 0; event < expected.size(); ++event) CHECK(groups.of(event) == expected[event]);
    CHECK(EventGroups::read(Recording::open(fixture("records/group.data")).value()).groups() ==
          std::vector{group_of("", 0, 2)});
    CHECK(EventGroups::read(Recording::open(fixture("records/multi.data")).value()).empty());
}

TEST_CASE("Groups that share events or lie outside are left out and told", "[recording][groups][hostile]") {
    CounterScene scene(4);
    scene.group("first", 0, 2).group("shared", 1, 2).group("beyond", 3, 2).group("alone", 2, 1);
    const auto recording = scene.open();
    const auto groups = EventGroups::read(recording);
    CHECK(groups.groups() == std::vector{group_of("first", 0, 2)});
    REQUIRE(groups.diagnostics().size() == 1);
    CHECK(groups.diagnostics()[0].detail ==
          "2 groups have events that another group has or that do not exist: left out");

    CounterScene huge(4);
    huge.group("all", 0, 0xffffffff).group("far", 0xffffffff, 2);
    const auto wide = huge.open();
    CHECK(EventGroups::read(wide).empty());
    CHECK(EventGroups::read(wide).diagnostics().size() == 1);
}

TEST_CASE("No more groups are read than there are events", "[recording][groups][hostile]") {
    CounterScene scene(2);
    for (int at = 0; at < 9; ++at) scene.group("", 0, 2);
    const auto recording = scene.open();
    const auto groups = EventGroups::read(recording);
    CHECK(groups.groups().size() == 1);
    CHECK(groups.diagnostics().size() == 2);

    CounterScene claiming(2);
    claiming.group("one", 0, 2);
    const auto cut = claiming.open_claiming(0xffffffff);
    const auto some = EventGroups::read(cut);
    CHECK(some.groups().empty());
    CHECK(some.diagnostics().size() == 2);
}
