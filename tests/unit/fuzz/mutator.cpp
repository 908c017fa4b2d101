// SPDX-License-Identifier: MIT
// The mutator of the fuzz targets: what it makes fits, and is a recording most of the time.
#include "fuzz/mutator.hpp"

#include <algorithm>

#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "support/crafted.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Buffer = std::vector<std::uint8_t>;

// Stands for libFuzzer's own changes: one byte, and now and then one more or less.
std::size_t change_a_byte(std::uint8_t* data, std::size_t size, std::size_t most) {
    if (size == 0) {
        data[0] = 1;
        return 1;
    }
    data[size / 2] = static_cast<std::uint8_t>(data[size / 2] + 1);
    return size % 3 == 0 && size < most ? size + 1 : size % 3 == 1 && size > 1 ? size - 1 : size;
}

std::vector<Blob> recordings() {
    std::vector<Blob> all;
    for (const auto order : {std::endian::little, std::endian::big}) {
        const auto crafted = craft(5, order);
        all.push_back(builder_of(crafted, all_records(crafted)).build());
        all.push_back(as_pipe(crafted, all_records(crafted)));
    }
    return all;
}

Buffer mutant(const Blob& file, std::size_t room, std::uint32_t seed) {
    Buffer buffer(file.size() + room);
    std::ranges::transform(file, buffer.begin(), [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    const auto size = fuzz::mutate_recording(buffer, file.size(), seed, change_a_byte);
    REQUIRE(size <= buffer.size());
    buffer.resize(size);
    return buffer;
}

std::size_t records_of(const Buffer& file) {
    const auto recording = Recording::from_memory(std::as_bytes(std::span(file)));
    if (!recording) return 0;
    std::size_t count = 0;
    auto stream = recording->records();
    for (RecordView record; stream.next(record);) ++count;
    return count;
}

}  // namespace

TEST_CASE("Mutants of a recording fit into the room there is and depend on the seed alone", "[fuzz]") {
    for (const auto& file : recordings()) {
        for (std::uint32_t seed = 0; seed < 100; ++seed) {
            const auto room = std::size_t{seed % 5} * 60;
            CHECK(mutant(file, room, seed) == mutant(file, room, seed));
        }
    }
}

TEST_CASE("Most mutants are recordings with most of their records, and differ from what they were", "[fuzz]") {
    for (const auto& file : recordings()) {
        const Buffer same = [&] {
            Buffer bytes(file.size());
            std::ranges::transform(file, bytes.begin(),
                                   [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
            return bytes;
        }();
        const auto whole = records_of(same);
        REQUIRE(whole > 20);
        int plausible = 0, changed = 0;
        constexpr int mutants = 100;
        for (std::uint32_t seed = 0; seed < mutants; ++seed) {
            const auto bytes = mutant(file, 4096, seed);
            if (records_of(bytes) * 10 >= whole * 9) ++plausible;
            if (bytes != same) ++changed;
        }
        CHECK(plausible > mutants * 8 / 10);
        CHECK(changed > mutants * 7 / 10);
    }
}

TEST_CASE("What is no recording is left to the other mutator", "[fuzz]") {
    for (const std::string_view text : {"", "P", "PERFILE2", "no recording at all, but longer than a header"}) {
        const auto file = blob_of(text);
        Buffer buffer(file.size() + 1);
        std::ranges::transform(file, buffer.begin(),
                               [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
        auto expected = buffer;
        const auto size = change_a_byte(expected.data(), file.size(), expected.size());
        CHECK(fuzz::mutate_recording(buffer, file.size(), 1, change_a_byte) == size);
        CHECK(buffer == expected);
    }
}
