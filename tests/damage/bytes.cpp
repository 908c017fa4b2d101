// SPDX-License-Identifier: MIT
// Overwrites, removes and inserts bytes in records. The reader must find all untouched records, even if moved.
#include <algorithm>

#include "catch.hpp"
#include "damage/salvage.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t lengths[] = {1, 4, 7, 8, 64, 100, 512, 4096};

// for_each_place(...) calls visit(fixture, at, length, random) for random places in the records.
template <class Visit>
void for_each_place(std::uint64_t seed, Visit&& visit) {
    Random random(seed_of(seed));
    for (const auto& fixture : fixtures()) {
        const auto& frames = fixture.frames;
        for (const auto length : lengths) {
            const auto size = frames.end - frames.begin;
            if (length >= size) continue;
            for (std::uint64_t count = everything() ? 1000 : 6; count != 0; --count) {
                visit(fixture, frames.begin + random.below(size - length), length, random);
            }
        }
    }
}

// Damaged packed bytes may have an intact header; see Expectation::exact.
void check(Salvage& salvage, const Fixture& fixture, const Blob& file, const std::vector<Start>& starts,
           std::uint64_t end) {
    const auto& frames = fixture.frames;
    const auto expected = expect(file, frames, frames.begin, end, starts);
    salvage.check(file, expected, samples_in(starts), frames.samples());
    CHECK(expected.saved + expected.swallowed + expected.too_few == samples_in(starts));
}

}  // namespace

TEST_CASE("Records behind zeroed bytes are found", "[damage]") {
    Salvage salvage("bytes zeroed");
    for_each_place(1, [&](const Fixture& fixture, std::uint64_t at, std::uint64_t length, Random&) {
        INFO(fixture.name << ": " << length << " bytes at " << at);
        auto file = fixture.file;
        std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at), length, std::byte{0});
        check(salvage, fixture, file, starts_in(fixture.frames, fixture.file, file), fixture.frames.end);
    });
}

TEST_CASE("Records behind random bytes are found", "[damage]") {
    Salvage salvage("bytes replaced by random ones");
    for_each_place(2, [&](const Fixture& fixture, std::uint64_t at, std::uint64_t length, Random& random) {
        INFO(fixture.name << ": " << length << " bytes at " << at);
        auto file = fixture.file;
        const auto noise = random.bytes(length);
        std::ranges::copy(noise, file.begin() + static_cast<std::ptrdiff_t>(at));
        check(salvage, fixture, file, starts_in(fixture.frames, fixture.file, file), fixture.frames.end);
    });
}

TEST_CASE("Records behind bytes that are missing are found", "[damage]") {
    Salvage salvage("bytes missing");
    for_each_place(3, [&](const Fixture& fixture, std::uint64_t at, std::uint64_t length, Random&) {
        INFO(fixture.name << ": " << length << " bytes at " << at);
        auto file = fixture.file;
        const auto from = file.begin() + static_cast<std::ptrdiff_t>(at);
        file.erase(from, from + static_cast<std::ptrdiff_t>(length));
        const auto starts = starts_without(fixture.frames, at, at + length, -static_cast<std::int64_t>(length));
        check(salvage, fixture, file, starts, std::min<std::uint64_t>(fixture.frames.end, file.size()));
    });
}

TEST_CASE("Records behind bytes that were added are found", "[damage]") {
    Salvage salvage("bytes added");
    for_each_place(4, [&](const Fixture& fixture, std::uint64_t at, std::uint64_t length, Random& random) {
        INFO(fixture.name << ": " << length << " bytes at " << at);
        auto file = fixture.file;
        const auto noise = random.bytes(length);
        file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), noise.begin(), noise.end());
        // The header still has the old size, so the last bytes are no longer part of the data.
        auto starts = starts_without(fixture.frames, at, at, static_cast<std::int64_t>(length));
        const auto& frames = fixture.frames;
        const auto data_size = frames.pipe ? 0 : number(file, 48, 8, frames.order);
        const auto end = data_size == 0 ? file.size() : frames.end;
        std::erase_if(starts, [&](const Start& start) {
            return start.offset + number(file, start.offset + 6, 2, frames.order) > end;
        });
        check(salvage, fixture, file, starts, end);
    });
}
