// SPDX-License-Identifier: MIT
// If no record follows a record, either it lost bytes or has a wrong size, or its follower is damaged. In all cases
// every intact record must arrive, and nothing else.
#include <algorithm>

#include "perfdata/recording/record_stream.hpp"

#include "catch.hpp"
#include "support/compressor.hpp"
#include "support/files.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::size_t block = std::size_t{256} << 10;

// ContestedRead is the result of reading some bytes, equal from memory and from a file.
struct ContestedRead {
    std::vector<std::uint64_t> offsets;
    std::uint64_t unread = 0, payload = 0;
    std::vector<Error> problems;

    bool operator==(const ContestedRead& other) const { return offsets == other.offsets && unread == other.unread; }
};

ContestedRead read_from(const std::shared_ptr<const Source>& source, std::endian order) {
    RecordStream stream({{source, 0, source->size()}}, {.order = AnyOrder(order)});
    ContestedRead read;
    for (RecordView record; stream.next(record);) read.offsets.push_back(record.offset);
    read.unread = stream.unread_bytes();
    read.payload = stream.payload_bytes();
    for (const auto& problem : stream.problems().kept()) read.problems.push_back(problem);
    return read;
}

ContestedRead offsets_read(const Blob& data, std::endian order = std::endian::little) {
    const TempDir directory;
    auto read = read_from(memory_source(data), order);
    CHECK(read == read_from(open_source(directory.write("data", data), {}).value(), order));
    return read;
}

// offsets(count, size, from) returns the offsets of that many records of one size.
std::vector<std::uint64_t> offsets(std::size_t count, std::size_t size, std::size_t from = 0) {
    std::vector<std::uint64_t> all;
    for (std::size_t index = 0; index < count; ++index) all.push_back(from + index * size);
    return all;
}

std::vector<std::uint64_t> operator+(std::vector<std::uint64_t> first, const std::vector<std::uint64_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

Blob repeated(const Blob& record, std::size_t count) {
    Blob all;
    for (; count != 0; --count) all.insert(all.end(), record.begin(), record.end());
    return all;
}

// A kernel record of any size whose bytes behind the header do not look like a record.
Blob sample_of(std::endian order, std::size_t size) {
    return Writer(order).u32(9).u16(1).u16(static_cast<std::uint16_t>(size)).fill(size - 8, 0xee).take();
}

void set_size(Blob& data, std::endian order, std::size_t at, std::size_t size) {
    const auto bytes = Writer(order).u16(static_cast<std::uint16_t>(size)).take();
    std::ranges::copy(bytes, data.begin() + static_cast<std::ptrdiff_t>(at) + 6);
}

}  // namespace

TEST_CASE("A record that has lost bytes costs itself alone", "[recording][contested]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto missing = GENERATE(as<std::size_t>(), 1, 4, 7, 8, 16, 31);
    // Index of the damaged record, from the first to the one before the last three.
    const auto which = GENERATE(as<std::size_t>(), 0, 1, 5, 8);
    CAPTURE(missing, which);
    constexpr std::size_t size = 40, count = 12;
    auto data = repeated(sample_of(order, size), count);
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(which * size + 8);
    data.erase(from, from + static_cast<std::ptrdiff_t>(missing));
    const auto read = offsets_read(data, order);
    const auto behind = (which + 1) * size - missing;
    CHECK(read.offsets == offsets(which, size) + offsets(count - which - 1, size, behind));
    CHECK(read.unread == size - missing);
    REQUIRE(read.problems.size() == 1);
    CHECK(read.problems[0].code == ErrorCode::malformed);
    CHECK(read.problems[0].offset == which * size);
}

TEST_CASE("A record that lost bytes before the last ones costs itself alone", "[recording][contested]") {
    const auto missing = GENERATE(as<std::size_t>(), 3, 8);
    constexpr std::size_t size = 40;
    auto data = repeated(sample_of(std::endian::little, size), 3);
    data.erase(data.begin() + 8, data.begin() + 8 + static_cast<std::ptrdiff_t>(missing));
    CHECK(offsets_read(data).offsets == offsets(2, size, size - missing));
    // A single record is believed only at a place where records begin if no byte was lost, unless a part of another
    // follows.
    data.resize(data.size() - size);
    CHECK(offsets_read(data).offsets == (missing == 8 ? offsets(1, size, size - missing) : offsets(1, size)));
    const auto cut = Writer(std::endian::little).u32(9).u16(1).take();
    data.insert(data.end(), cut.begin(), cut.end());
    CHECK(offsets_read(data).offsets == offsets(1, size, size - missing));
}

TEST_CASE("A size that reaches over other records costs its record alone", "[recording][contested]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    constexpr std::size_t size = 40, count = 3000, which = 3;
    // The size leads between records, or to a record but exceeds the type's maximum, or the type is unknown.
    const auto [type, wrong] = GENERATE(table<std::uint32_t, std::size_t>({{9, 48},
                                                                           {9, 72},
                                                                           {9, 1008},
                                                                           {9, 65528},
                                                                           {9, 8000},
                                                                           {9, 65520},
                                                                           {3, 65528},
                                                                           {3, 8000},
                                                                           {5000, 800},
                                                                           {0x12345678, 1200}}));
    CAPTURE(type, wrong);
    auto data = repeated(sample_of(order, size), count);
    const auto word = Writer(order).u32(type).take();
    std::ranges::copy(word, data.begin() + which * size);
    set_size(data, order, which * size, wrong);
    const auto read = offsets_read(data, order);
    CHECK(read.offsets == offsets(which, size) + offsets(count - which - 1, size, (which + 1) * size));
    CHECK(read.unread == size);
}

TEST_CASE("A long sample is not taken for few records", "[recording][contested]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    constexpr std::size_t size = 40, count = 20, extra = 8000;
    const auto [inside, found] = GENERATE(table<std::size_t, bool>({{0, false}, {2, false}, {3, true}, {50, true}}));
    CAPTURE(inside);
    auto data = joined(
        {sample_of(order, extra), repeated(sample_of(order, size), inside), repeated(sample_of(order, size), count)});
    const auto all = extra + inside * size;
    set_size(data, order, 0, all);
    const auto first = found ? offsets(inside, size, extra) : offsets(1, all);
    CHECK(offsets_read(data, order).offsets == first + offsets(count, size, all));
    // A record no longer than an earlier one is not examined.
    const auto before = sample_of(order, all);
    CHECK(offsets_read(joined({before, data}), order).offsets == offsets(2, all) + offsets(count, size, 2 * all));
}

TEST_CASE("A record whose follower is damaged arrives", "[recording][contested]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    constexpr std::size_t size = 40, count = 20, which = 4;
    auto data = repeated(sample_of(order, size), count);
    std::fill_n(data.begin() + (which + 1) * size, 8, std::byte{0});
    const auto read = offsets_read(data, order);
    CHECK(read.offsets == offsets(which + 1, size) + offsets(count - which - 2, size, (which + 2) * size));
    CHECK(read.unread == size);
}

TEST_CASE("A record that may come one day is not looked into", "[recording][contested]") {
    constexpr std::size_t size = 40;
    auto one = bare_record(std::endian::little, 90, 0, 8 + 4 * size);
    const auto inner = repeated(sample_of(std::endian::little, size), 4);
    const auto behind = repeated(sample_of(std::endian::little, size), 4);
    CHECK(offsets_read(joined({one, inner, behind})).offsets == offsets(1, size) + offsets(4, size, 8 + 4 * size));
    // With an impossible type it is examined.
    one[1] = std::byte{0x13};
    CHECK(offsets_read(joined({one, inner, behind})).offsets == offsets(8, size, 8));
}

TEST_CASE("A long list of ids that look like records is not looked into", "[recording][contested]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // The beginning of a pipe from a machine with many CPUs: HEADER_ATTR, longer than any kernel record.
    constexpr std::size_t ids = 1000, size = 8 + 136 + 8 * ids, sample = 40;
    auto attr = Writer(order).u32(64).u16(0).u16(size).fill(136, 0).take();
    // Every two ids look like the header and the body of a sample of 16 bytes.
    const auto like_a_sample = Writer(order).u32(9).u16(1).u16(16).u64(7).take();
    const auto list = repeated(like_a_sample, ids / 2);
    attr.insert(attr.end(), list.begin(), list.end());
    REQUIRE(attr.size() == size);
    const auto samples = repeated(sample_of(order, sample), 5);
    const auto read = offsets_read(joined({repeated(attr, 4), samples}), order);
    CHECK(read.offsets == offsets(4, size) + offsets(5, sample, 4 * size));
    CHECK(read.unread == 0);
    CHECK(read.problems.empty());
}

TEST_CASE("A record is contested across the blocks of a file", "[recording][contested]") {
    // Moves the damaged record across the block's end in steps of 8 bytes.
    constexpr std::size_t size = 40, missing = 3, large = 32768;
    for (std::size_t shift = 0; shift < 2 * size; shift += 8) {
        CAPTURE(shift);
        const auto before = block - 2 * size + shift;
        Blob data = repeated(sample_of(std::endian::little, large), before / large);
        const auto rest = sample_of(std::endian::little, before % large);
        data = joined({data, rest, repeated(sample_of(std::endian::little, size), 10)});
        const auto from = data.begin() + static_cast<std::ptrdiff_t>(before + size + 9);
        data.erase(from, from + missing);
        const auto read = offsets_read(data);
        const auto expected = offsets(before / large + 1, large) + offsets(1, size, before) +
                              offsets(8, size, before + 2 * size - missing);
        CHECK(read.offsets == expected);
    }
}

TEST_CASE("Behind damage the largest records are found wherever they lie", "[recording][contested]") {
    // More than a block: six such records in a row do not fit into one.
    constexpr std::size_t large = 65528, count = 12;
    const auto missing = GENERATE(as<std::size_t>(), 3, 8);
    auto data = repeated(sample_of(std::endian::little, large), count);
    data.erase(data.begin() + 8, data.begin() + 8 + static_cast<std::ptrdiff_t>(missing));
    CHECK(offsets_read(data).offsets == offsets(count - 1, large, large - missing));
    // In truncated data six records in a row are required.
    const auto cut = auxtrace(std::endian::little, std::uint64_t{1} << 40,
                              joined({Blob(3), repeated(sample_of(std::endian::little, large), count)}));
    CHECK(offsets_read(cut).offsets == offsets(1, 48) + offsets(count, large, 51));
}

TEST_CASE("Of a compressed record that lost bytes its beginning is unpacked", "[recording][contested]") {
    const auto lost = [](std::uint64_t number) { return encode(Lost{EventId{3}, number}); };
    Compressor compressor, other;
    const auto first = compressor.piece(lost(1));
    const auto second = compressor.piece(lost(2));
    auto cut = compressed_record(std::endian::little, RecordType::compressed, joined({first, second}));
    // The last bytes are missing: one of the two pieces is complete.
    cut.resize(cut.size() - 5);
    const auto behind = repeated(sample_of(std::endian::little, 40), 4);
    const auto orphan = compressed_record(std::endian::little, RecordType::compressed, compressor.piece(lost(3)));
    const auto anew = compressed_record(std::endian::little, RecordType::compressed, other.piece(lost(4)));
    const auto data = joined({cut, behind, orphan, anew});
    RecordStream stream({{memory_source(data), 0, data.size()}}, {.order = AnyOrder(std::endian::little)});
    std::vector<std::uint64_t> counts;
    std::size_t samples = 0;
    for (RecordView record; stream.next(record);) {
        if (record.type() == RecordType::lost) counts.push_back(Lost::decode(record, 0).value().lost);
        if (record.type() == RecordType::sample) ++samples;
    }
    CHECK(counts == std::vector<std::uint64_t>{1, 4});
    CHECK(samples == 4);
    CHECK(stream.unread_bytes() == cut.size());
}
