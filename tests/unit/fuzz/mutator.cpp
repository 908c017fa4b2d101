// SPDX-License-Identifier: MIT
// The fuzz targets' mutator: its output fits the buffer, and is usually a recording.
#include "fuzz/mutator.hpp"

#include <algorithm>

#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "fuzz/choices.hpp"
#include "support/crafted.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Buffer = std::vector<std::uint8_t>;

// Stands in for libFuzzer's mutation: changes one byte, sometimes adds or removes one.
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

TEST_CASE("Choices behind a recording change on their own", "[fuzz]") {
    const auto file = recordings().front();
    const auto with_choices = [](Buffer content, std::uint8_t choice) {
        content.insert(content.end(), fuzz::choice_bytes, choice);
        content.insert(content.end(), fuzz::choice_mark.begin(), fuzz::choice_mark.end());
        return content;
    };
    Buffer plain(file.size());
    std::ranges::transform(file, plain.begin(), [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    const auto input = with_choices(plain, 7);
    int recordings_changed = 0, choices_changed = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        Buffer buffer = input;
        buffer.resize(input.size() + 512);
        buffer.resize(fuzz::mutate_with_choices(buffer, input.size(), seed, change_a_byte));
        REQUIRE(fuzz::has_choices(buffer));
        const auto choices = std::span(buffer).last(fuzz::choice_block);
        const bool same_choices = std::ranges::equal(choices, std::span(input).last(fuzz::choice_block));
        const auto recording = std::span(buffer).first(buffer.size() - fuzz::choice_block);
        const bool same_recording = std::ranges::equal(recording, plain);
        CHECK((same_choices || same_recording));
        recordings_changed += same_recording ? 0 : 1;
        choices_changed += same_choices ? 0 : 1;
    }
    CHECK(recordings_changed > 100);
    CHECK(choices_changed > 10);
}

TEST_CASE("A recording without choices gets some if there is room", "[fuzz]") {
    const auto file = recordings().front();
    Buffer buffer(file.size());
    std::ranges::transform(file, buffer.begin(), [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    auto full = buffer;
    CHECK_FALSE(
        fuzz::has_choices(std::span(full).first(fuzz::mutate_with_choices(full, full.size(), 1, change_a_byte))));
    auto roomy = buffer;
    roomy.resize(buffer.size() + fuzz::choice_block);
    CHECK(fuzz::mutate_with_choices(roomy, buffer.size(), 1, change_a_byte) == roomy.size());
    CHECK(fuzz::has_choices(roomy));
    CHECK(std::ranges::equal(std::span(roomy).first(buffer.size()), buffer));
}
