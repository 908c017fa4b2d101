// SPDX-License-Identifier: MIT
// Recordings cut at any place: all samples before the cut are counted, none is invented.
#include <algorithm>
#include <set>

#include "catch.hpp"
#include "damage/salvage.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

void check_cut(Salvage& salvage, const Fixture& fixture, std::uint64_t size) {
    INFO(fixture.name << " cut to " << size << " bytes");
    const auto& frames = fixture.frames;
    const auto rest = Bytes(fixture.file).first(size);
    const bool has_header = size >= (frames.pipe ? 16u : 104u);
    const auto starts = has_header ? starts_without(frames, size, ~std::uint64_t{0}) : std::vector<Start>{};
    const auto end = std::min(frames.end, size);
    const auto expected = has_header ? expect(rest, frames, std::min(frames.begin, end), end, starts) : Expectation{};
    const auto got = salvage.check(rest, expected, samples_in(starts), frames.samples());
    // Attrs precede the records, so everything framed is decoded.
    REQUIRE(got.opened == has_header);
    REQUIRE(expected.saved == samples_in(starts));
    REQUIRE(got.decoded == expected.saved);
}

}  // namespace

TEST_CASE("A recording cut at any multiple of 8 keeps all samples in front of the cut", "[damage]") {
    Salvage salvage("cut at multiples of 8");
    for (const auto& fixture : fixtures()) {
        for (const auto at : thinned(fixture.file.size() / 8 + 1, 80)) check_cut(salvage, fixture, at * 8);
    }
}

TEST_CASE("A recording cut around the end of any record keeps all samples in front of the cut", "[damage]") {
    Salvage salvage("cut at ends of records, 1 more, 1 less");
    for (const auto& fixture : fixtures()) {
        const auto& all = fixture.frames.all;
        for (const auto index : thinned(all.size(), 25)) {
            for (const auto difference : {-1, 0, 1}) {
                const auto size = static_cast<std::int64_t>(all[index].end()) + difference;
                if (size <= static_cast<std::int64_t>(fixture.file.size())) {
                    check_cut(salvage, fixture, static_cast<std::uint64_t>(size));
                }
            }
        }
    }
}
