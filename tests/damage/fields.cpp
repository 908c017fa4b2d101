// SPDX-License-Identifier: MIT
// Replaces numbers in the header, attrs, ids, feature table and all features, including programs and BTF. This must not
// cost a sample that the header still covers.
#include <algorithm>
#include <limits>
#include <optional>

#include "catch.hpp"
#include "damage/examine.hpp"
#include "damage/salvage.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t header_bytes = 104, data_offset = 40, data_size = 48;

struct Change {
    std::uint64_t at = 0;
    unsigned size = 0;
    std::uint64_t value = 0;
};

// changes(...) returns a change for every aligned number of 2, 4 and 8 bytes in a part of a file and each of these
// values: 0, 1, the maximum, half of it, one more and one less.
std::vector<Change> changes(const Fixture& fixture, std::uint64_t begin, std::uint64_t end) {
    std::vector<Change> all;
    for (const unsigned size : {2u, 4u, 8u}) {
        const auto largest = ~std::uint64_t{0} >> (64 - 8 * size);
        for (auto at = begin; at + size <= end; at += size) {
            const auto own = number(fixture.file, at, size, fixture.frames.order);
            for (const auto value : {std::uint64_t{0}, std::uint64_t{1}, largest, largest / 2, own + 1, own - 1}) {
                all.push_back({at, size, value & largest});
            }
        }
    }
    return all;
}

Blob changed(const Fixture& fixture, const Change& change) {
    const auto order = fixture.frames.order;
    if (change.size == 2) return patched(fixture.file, order, change.at, static_cast<std::uint16_t>(change.value));
    if (change.size == 4) return patched(fixture.file, order, change.at, static_cast<std::uint32_t>(change.value));
    return patched(fixture.file, order, change.at, change.value);
}

// header_is_refused(file) returns true if the file lacks what every recording must have.
bool header_is_refused(Bytes file, std::endian order) {
    constexpr std::uint64_t magic_little = 0x32454c4946524550;
    const auto size = number(file, 8, 8, order);
    return number(file, 0, 8, order) != magic_little || (size != 104 && size != 72 && size != 16);
}

std::string described(const Fixture& fixture, const Change& change) {
    return fixture.name + ": " + std::to_string(change.size) + " bytes at " + std::to_string(change.at) + " made " +
           std::to_string(change.value);
}

}  // namespace

TEST_CASE("No number in the header costs samples that it still tells of", "[damage]") {
    Salvage salvage("number in the header replaced");
    for (const auto& fixture : fixtures()) {
        const auto& frames = fixture.frames;
        if (frames.pipe) continue;  // all 16 bytes of the header are needed
        const auto all = changes(fixture, 0, header_bytes);
        for (const auto index : thinned(all.size(), 80)) {
            INFO(described(fixture, all[index]));
            const auto file = changed(fixture, all[index]);
            const bool pipe = number(file, 8, 8, frames.order) == 16;
            const bool other_header = header_is_refused(file, frames.order) || pipe;
            if (other_header) {
                salvage.run(std::size_t{2} << 20, [&] {
                    const auto got = count_samples(file);
                    CHECK((pipe || !got.opened));
                });
                continue;
            }
            // The data are the header's range, clipped to the file.
            const std::uint64_t total = file.size();
            const auto begin = std::min(number(file, data_offset, 8, frames.order), total);
            const auto size = number(file, data_size, 8, frames.order);
            const auto end = size == 0 || size > total - begin ? total : begin + size;
            auto starts = starts_of(frames);
            std::erase_if(starts, [&](const Start& start) {
                const auto length = number(fixture.file, start.offset + 6, 2, frames.order);
                return start.offset < begin || start.offset + length > end;
            });
            const auto expected = expect(file, frames, begin, end, starts);
            salvage.check(file, expected, samples_in(starts), frames.samples());
            CHECK(expected.saved + expected.swallowed + expected.too_few == samples_in(starts));
        }
    }
}

TEST_CASE("No number in attrs and ids costs the framing of a sample", "[damage]") {
    Salvage salvage("number in attrs or ids replaced");
    for (const auto& fixture : fixtures()) {
        const auto& frames = fixture.frames;
        if (frames.pipe) continue;
        const auto all = changes(fixture, header_bytes, frames.begin);
        for (const auto index : thinned(all.size(), 10)) {
            INFO(described(fixture, all[index]));
            const auto file = changed(fixture, all[index]);
            const Expectation expected{.framed = frames.samples(), .saved = frames.samples()};
            salvage.check(file, expected, frames.samples(), frames.samples());
            salvage.run(std::size_t{64} << 20, [&] {
                const auto examined = examine(file, fixture.symfs);
                REQUIRE(examined);
                CHECK(examined->samples == frames.samples());
            });
        }
    }
}

TEST_CASE("No number in the feature table and the features costs a sample", "[damage]") {
    Salvage salvage("number in a feature replaced");
    for (const auto& fixture : fixtures()) {
        const auto& frames = fixture.frames;
        if (frames.pipe || frames.end == fixture.file.size()) continue;
        const auto whole = count_samples(fixture.file);
        const auto all = changes(fixture, frames.end, fixture.file.size());
        const auto counted = thinned(all.size(), 64);
        for (std::size_t at = 0; at < counted.size(); ++at) {
            INFO(described(fixture, all[counted[at]]));
            const auto file = changed(fixture, all[counted[at]]);
            const Expectation expected{.framed = frames.samples(), .saved = frames.samples()};
            const auto got = salvage.check(file, expected, frames.samples(), frames.samples());
            CHECK(got.decoded == whole.decoded);
            if (at % 8 != 0 && !everything()) continue;
            salvage.run(std::size_t{64} << 20, [&] {
                const auto examined = examine(file, fixture.symfs);
                REQUIRE(examined);
                CHECK(examined->decoded == whole.decoded);
            });
        }
    }
}
