// SPDX-License-Identifier: MIT
#include "format/loss_text.hpp"

#include "catch.hpp"

using namespace perfdata;
using namespace std::string_literals;

namespace {

Completeness with_samples(std::uint64_t samples) {
    Completeness completeness;
    if (samples != 0) completeness.records[9] = {samples, 0, 0};
    return completeness;
}

}  // namespace

TEST_CASE("One line says how many samples the recorder lost of how many", "[annotate][losses]") {
    auto completeness = with_samples(827);
    CHECK(loss_lines(completeness).empty());
    completeness.lost_samples = 763;
    completeness.losses[0] = {"cycles", 827, 763, 0};
    CHECK(loss_lines(completeness) == std::vector{"827 samples, 763 lost (48 %)"s});
    CHECK(recorder_lost(completeness));
    completeness.lost_samples = completeness.losses[0].lost = 1;
    CHECK(loss_lines(completeness) == std::vector{"827 samples, 1 lost (<1 %)"s});
    completeness.lost_samples = completeness.losses[0].lost = 1'000'000;
    CHECK(loss_lines(completeness) == std::vector{"827 samples, 1000000 lost (>99 %)"s});
    auto all = with_samples(0);
    all.lost_samples = 5;
    CHECK(loss_lines(all) == std::vector{"0 samples, 5 lost (100 %)"s});
}

TEST_CASE("Records lost are of any kind, and those that samples lost include are not said twice",
          "[annotate][losses]") {
    auto completeness = with_samples(60);
    completeness.lost_events = 20;
    CHECK(loss_lines(completeness) ==
          std::vector{"60 samples, 20 records of any kind lost (25 % if all were samples)"s});
    completeness.lost_samples = 30;
    CHECK(loss_lines(completeness) == std::vector{"60 samples, 30 lost (33 %), 20 more records of any kind lost"s});
    completeness.counts_losses = true;
    CHECK(loss_lines(completeness) == std::vector{"60 samples, 30 lost (33 %)"s});
}

TEST_CASE("What a BPF filter drops is no loss", "[annotate][losses]") {
    auto completeness = with_samples(100);
    completeness.filtered_samples = 300;
    CHECK(loss_lines(completeness) == std::vector{"100 samples, 300 dropped by a BPF filter on purpose"s});
    CHECK_FALSE(recorder_lost(completeness));
    CHECK(completeness.lossless());
    completeness.lost_samples = 25;
    CHECK(loss_lines(completeness) ==
          std::vector{"100 samples, 25 lost (20 %), 300 dropped by a BPF filter on purpose"s});
}

TEST_CASE("Losses are told by event where the records name it", "[annotate][losses]") {
    auto completeness = with_samples(300);
    completeness.lost_samples = 110;
    completeness.filtered_samples = 7;
    completeness.losses[0] = {"cycles", 100, 10, 0};
    completeness.losses[2] = {"faults\x1b", 100, 100, 7};
    completeness.losses[3] = {"dummy", 0, 0, 0};  // its record tells of no loss
    CHECK(loss_lines(completeness) ==
          std::vector{"300 samples, 110 lost (27 %), 7 dropped by a BPF filter on purpose"s,
                      "faults\\x1b: 100 samples, 100 lost (50 %), 7 dropped by a BPF filter on purpose"s,
                      "cycles: 100 samples, 10 lost (9 %)"s});
    for (std::uint32_t event = 4; event < 24; ++event) completeness.losses[event] = {"more", 1, 1, 0};
    const auto lines = loss_lines(completeness);
    REQUIRE(lines.size() == loss_events + 2);
    CHECK(lines.back() == "14 more events; --json has all");
}

TEST_CASE("Percentages of losses hold for counts that no file can mean", "[annotate][losses]") {
    CHECK(loss_percent(0, 0) == 0);
    CHECK(loss_percent(1, 3) == 25);
    CHECK(loss_percent(~std::uint64_t{0}, ~std::uint64_t{0}) == 50);
    // A part is never all, although the double is 100.
    auto completeness = with_samples(1);
    completeness.lost_samples = ~std::uint64_t{0};
    CHECK(loss_lines(completeness) == std::vector{"1 sample, 18446744073709551615 lost (>99 %)"s});
}
