// SPDX-License-Identifier: MIT
// Gives records of every type every wrong size. That may cost only the records that the wrong size covers.
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "damage/salvage.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// examples(frames) returns the first and the middle record of each type.
std::vector<std::size_t> examples(const Frames& frames) {
    std::map<std::uint32_t, std::vector<std::size_t>> of_type;
    for (std::size_t index = 0; index < frames.all.size(); ++index) of_type[frames.all[index].type].push_back(index);
    std::vector<std::size_t> chosen;
    for (const auto& [type, indices] : of_type) {
        chosen.push_back(indices.front());
        if (indices.size() > 1) chosen.push_back(indices[indices.size() / 2]);
    }
    return chosen;
}

std::vector<std::uint64_t> sizes(std::uint64_t own) {
    const auto most = std::min<std::uint64_t>(2 * own, 65535);
    auto all = thinned(most + 1, 12);
    for (const std::uint64_t size : {own - 1, own, own + 1, own - 8, own + 8}) {
        if (size <= most) all.push_back(size);
    }
    for (const std::uint64_t size : {7u, 8u, 9u, 65528u, 65535u}) all.push_back(size);
    return all;
}

}  // namespace

TEST_CASE("A record of a wrong size costs the records that it covers", "[damage]") {
    Salvage salvage("size of a record replaced");
    std::uint64_t misled = 0, runs = 0;
    for (const auto& fixture : fixtures()) {
        const auto& frames = fixture.frames;
        for (const auto index : examples(frames)) {
            const auto& frame = frames.all[index];
            for (const auto size : sizes(frame.size)) {
                INFO(fixture.name << ": record of type " << frame.type << " at byte " << frame.offset << ", size "
                                  << frame.size << ", made " << size);
                const auto file =
                    patched(fixture.file, frames.order, frame.offset + 6, static_cast<std::uint16_t>(size));
                const auto covered = frame.offset + std::max(frame.whole, size);
                const bool damaged = size != frame.size;
                const auto starts = damaged ? starts_without(frames, frame.offset, frame.end()) : starts_of(frames);
                const auto untouched = damaged ? starts_without(frames, frame.offset, covered) : starts;
                ++runs;
                const auto expected = expect(file, frames, frames.begin, frames.end, starts);
                salvage.check(file, expected, samples_in(untouched), frames.samples());
                CHECK(expected.saved + expected.swallowed + expected.too_few == samples_in(starts));
                // More are saved if the size is not believed. Fewer are saved if it leads to an apparent record inside
                // others, whose range is then lost as well: no reader could avoid that.
                const auto lost = samples_in(untouched) - std::min(expected.saved, samples_in(untouched));
                CHECK(lost <= expected.swallowed + expected.too_few);
                if (lost != 0) ++misled;
            }
        }
    }
    INFO(misled << " of " << runs);
    CHECK(misled * 1000 <= runs);
}
