// SPDX-License-Identifier: MIT
#include "perfdata/recording/record_stream.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::size_t read_block = std::size_t{256} << 10;

// The origin of the bytes must not matter.
enum class From { memory, file };

class Input {
  public:
    Input(From from, Blob blob) : blob_(std::move(blob)) {
        if (from == From::memory) {
            source_ = memory_source(blob_);
        } else {
            source_ = open_source(directory_.write("data", blob_), {}).value();
        }
    }
    RecordStream stream(std::endian order, std::uint64_t begin = 0) const {
        return {{{source_, begin, source_->size()}}, {.order = AnyOrder(order)}};
    }

  private:
    TempDir directory_;
    Blob blob_;
    std::shared_ptr<const Source> source_;
};

// simpleperf's types: such records may have any size.
constexpr std::uint32_t type_of(std::uint32_t number) {
    return 32768 + number % 64;
}

// numbered(order, number, size) returns a record of an unknown type whose bytes are derived from its number.
Blob numbered(std::endian order, std::uint32_t number, std::uint16_t size) {
    return Writer(order)
        .u32(type_of(number))
        .u16(0)
        .u16(size)
        .fill(size - 8u, static_cast<std::uint8_t>(number))
        .take();
}

bool is_numbered(const RecordView& record, std::uint32_t number, std::size_t size) {
    if (record.bytes.size() != size || record.header().type != type_of(number)) return false;
    for (const auto byte : record.bytes.subspan(8)) {
        if (byte != static_cast<std::byte>(number)) return false;
    }
    return true;
}

void append(Blob& all, const Blob& part) {
    all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

TEST_CASE("Records follow each other with their place in the file", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const Input input(from, joined({Blob(104, std::byte{0xee}), numbered(order, 1, 8), numbered(order, 2, 13),
                                    numbered(order, 3, 65535)}));
    auto stream = input.stream(order, 104);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 1, 8));
    CHECK(record.offset == 104);
    CHECK(record.order.endian() == order);
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 2, 13));
    CHECK(record.offset == 112);
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 3, 65535));
    CHECK(record.offset == 125);
    CHECK_FALSE(stream.next(record));
    CHECK(stream.problems().empty());
    CHECK_FALSE(stream.next(record));
}

TEST_CASE("Records that straddle the blocks of a file arrive whole", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    // Sizes that share no divisor with the block's, so that blocks end in headers and bodies.
    Blob data;
    std::vector<std::uint16_t> sizes;
    while (data.size() < 5 * read_block) {
        const auto number = static_cast<std::uint32_t>(sizes.size());
        sizes.push_back(static_cast<std::uint16_t>(number % 50 == 0 ? 65535 - number % 7 : 8 + number * 37 % 1500));
        append(data, numbered(order, number, sizes.back()));
    }
    const Input input(from, data);
    auto stream = input.stream(order);
    RecordView record;
    std::uint64_t offset = 0;
    std::uint32_t number = 0;
    for (; stream.next(record); ++number) {
        REQUIRE(number < sizes.size());
        REQUIRE(is_numbered(record, number, sizes[number]));
        REQUIRE(record.offset == offset);
        offset += sizes[number];
    }
    CHECK(number == sizes.size());
    CHECK(offset == data.size());
    CHECK(stream.problems().empty());
}

TEST_CASE("A record that is cut by the block's end at any byte arrives whole", "[recording][record_stream]") {
    const auto order = std::endian::little;
    for (std::size_t before = 0; before <= 24; ++before) {
        CAPTURE(before);
        // `before` bytes of the second record are in the first block.
        Blob data;
        std::uint32_t number = 0;
        for (auto left = read_block - before; left != 0; ++number) {
            const auto size = left > 40000 ? std::size_t{32768} : left;
            append(data, numbered(order, number, static_cast<std::uint16_t>(size)));
            left -= size;
        }
        append(data, numbered(order, number, 24));
        append(data, numbered(order, number + 1, 16));
        const Input input(From::file, data);
        auto stream = input.stream(order);
        RecordView record;
        for (std::uint32_t index = 0; index < number; ++index) REQUIRE(stream.next(record));
        REQUIRE(stream.next(record));
        CHECK(is_numbered(record, number, 24));
        CHECK(record.offset == read_block - before);
        REQUIRE(stream.next(record));
        CHECK(is_numbered(record, number + 1, 16));
        CHECK_FALSE(stream.next(record));
        CHECK(stream.problems().empty());
    }
}

TEST_CASE("AUX data behind its record are skipped, inside a block and across blocks", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const std::size_t payload = GENERATE(std::size_t{0}, std::size_t{8}, std::size_t{1000}, read_block - 128,
                                         read_block - 64, read_block - 63, read_block, 3 * read_block + 5);
    CAPTURE(payload);
    // The payload would be impossible records.
    const auto aux = auxtrace(order, payload, Blob(payload));
    Blob data = numbered(order, 1, 16);
    append(data, aux);
    append(data, numbered(order, 2, 24));
    append(data, aux);
    append(data, numbered(order, 3, 32));
    const Input input(from, data);
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 1, 16));
    for (std::uint32_t number = 2; number <= 3; ++number) {
        REQUIRE(stream.next(record));
        // The record stays readable after its payload was skipped.
        CHECK(record.type() == RecordType::auxtrace);
        CHECK(record.bytes.size() == 48);
        CHECK(record.order.load<std::uint64_t>(record.bytes.data() + 8) == payload);
        CHECK(record.order.load<std::uint64_t>(record.bytes.data() + 16) == 0x1000);
        CHECK(record.order.load<std::uint32_t>(record.bytes.data() + 40) == 5);
        const auto behind = stream.payload();
        REQUIRE(behind);
        CHECK(behind->offset == record.offset + record.bytes.size());
        CHECK(behind->size == payload);
        CHECK(behind->announced == payload);
        std::byte last{1};
        if (payload != 0) {
            REQUIRE(behind->source.read_at(behind->offset + payload - 1, std::span(&last, 1)));
            CHECK(last == std::byte{0});
        }
        REQUIRE(stream.next(record));
        CHECK_FALSE(stream.payload());
        CHECK(stream.payload_bytes() == (number - 1) * payload);
        CHECK(is_numbered(record, number, std::size_t{number} * 8 + 8));
    }
    CHECK(record.offset == data.size() - 32);
    CHECK_FALSE(stream.next(record));
    CHECK(stream.problems().empty());
}

TEST_CASE("AUX data may end the data section", "[recording][record_stream]") {
    const auto from = GENERATE(From::memory, From::file);
    const std::size_t payload = GENERATE(std::size_t{40}, 2 * read_block);
    const Input input(from, auxtrace(std::endian::little, payload, Blob(payload)));
    auto stream = input.stream(std::endian::little);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK_FALSE(stream.next(record));
    CHECK(stream.problems().empty());
    CHECK(stream.payload_bytes() == payload);
}

TEST_CASE("AUX data that go beyond the data section are a loss that is reported", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const std::uint64_t claimed = GENERATE(std::uint64_t{101}, std::uint64_t{1} << 40, ~std::uint64_t{0});
    CAPTURE(claimed);
    const Input input(from, joined({numbered(order, 1, 16), auxtrace(order, claimed, Blob(100))}));
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::auxtrace);
    REQUIRE(stream.payload());
    CHECK(stream.payload()->size == 100);
    CHECK(stream.payload()->announced == claimed);
    CHECK_FALSE(stream.next(record));
    CHECK(stream.payload_bytes() == 100);
    REQUIRE(stream.problems().count() == 1);
    CHECK(stream.problems().kept()[0].code == ErrorCode::truncated);
}

TEST_CASE("Records behind data whose size is a lie are found", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    // More than a block, so that they must be read first.
    const std::size_t data = GENERATE(std::size_t{0}, std::size_t{96}, 2 * read_block);
    CAPTURE(data);
    Blob all = auxtrace(order, std::uint64_t{1} << 40, Blob(data));
    for (const std::uint32_t number : {1u, 2u, 3u}) append(all, numbered(order, number, 16));
    const Input input(from, all);
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::auxtrace);
    for (const std::uint32_t number : {1u, 2u, 3u}) {
        REQUIRE(stream.next(record));
        CHECK(is_numbered(record, number, 16));
    }
    CHECK_FALSE(stream.next(record));
    CHECK(stream.payload_bytes() == data);
    CHECK(stream.unread_bytes() == 0);
    REQUIRE(stream.problems().count() == 1);
    CHECK(stream.problems().kept()[0].code == ErrorCode::truncated);
}

TEST_CASE("Fewer than three records in data that are cut off are data", "[recording][record_stream]") {
    const auto order = std::endian::little;
    const auto from = GENERATE(From::memory, From::file);
    const auto data = joined({Blob(64), numbered(order, 1, 16), numbered(order, 2, 16)});
    const Input input(from, auxtrace(order, 1000, data));
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK_FALSE(stream.next(record));
    CHECK(stream.payload_bytes() == data.size());
    CHECK(stream.unread_bytes() == 0);
    CHECK(stream.problems().count() == 1);
}

TEST_CASE("An AUXTRACE record too short for a size has no payload", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const Input input(from, joined({bare_record(order, 71, 0, 8), numbered(order, 2, 16)}));
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 2, 16));
    CHECK(stream.payload_bytes() == 0);
}

TEST_CASE("Behind a record that claims less than its header the stream goes on", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const std::uint16_t size = GENERATE(std::uint16_t{0}, std::uint16_t{7});
    const RecordFrame frame{order, {}, 0};
    const auto lost = encode(Lost{EventId{5}, 6}, frame);
    const Input input(from, joined({numbered(order, 1, 24), bare_record(order, 77, 0, size), lost, lost, lost, lost}));
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 1, 24));
    for (std::uint64_t index = 0; index < 4; ++index) {
        REQUIRE(stream.next(record));
        CHECK(record.type() == RecordType::lost);
        CHECK(record.offset == 32 + index * lost.size());
    }
    CHECK_FALSE(stream.next(record));
    CHECK(stream.unread_bytes() == 8);
    REQUIRE(stream.problems().count() == 1);
    CHECK(stream.problems().kept()[0].code == ErrorCode::malformed);
    CHECK(stream.problems().kept()[0].offset == 24);
    CHECK(stream.problems().kept()[0].where == "data section");
    CHECK_FALSE(stream.next(record));
}

TEST_CASE("A wrong size in the middle costs only the records that it covers", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const std::uint16_t wrong = GENERATE(as<std::uint16_t>{}, 16, 32, 36, 40, 65528);
    CAPTURE(wrong);
    const auto lost = encode(Lost{EventId{5}, 6}, RecordFrame{order, {}, 0});
    constexpr std::size_t before = 10;
    constexpr std::size_t after = 10;
    Blob data;
    for (std::size_t index = 0; index < before; ++index) append(data, lost);
    auto damaged = lost;
    const auto size = Writer(order).u16(wrong).take();
    std::ranges::copy(size, damaged.begin() + 6);
    append(data, damaged);
    for (std::size_t index = 0; index < after; ++index) append(data, lost);
    const Input input(from, data);
    auto stream = input.stream(order);
    RecordView record;
    std::uint64_t last = 0;
    std::uint64_t whole = 0;
    while (stream.next(record)) {
        last = record.offset;
        if (record.type() == RecordType::lost && record.bytes.size() == lost.size()) ++whole;
    }
    CHECK(last == data.size() - lost.size());
    // Lost: the damaged record, and at most the next.
    CHECK(whole >= before + after - 1);
}

TEST_CASE("A last record that is cut ends the stream with its place", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    for (std::size_t left = 1; left < 24; ++left) {
        CAPTURE(left);
        auto data = joined({numbered(order, 1, 16), numbered(order, 2, 24)});
        data.resize(16 + left);
        const Input input(from, data);
        auto stream = input.stream(order);
        RecordView record;
        REQUIRE(stream.next(record));
        CHECK_FALSE(stream.next(record));
        REQUIRE(stream.problems().count() == 1);
        CHECK(stream.problems().kept()[0].code == ErrorCode::truncated);
        CHECK(stream.problems().kept()[0].offset == 16);
    }
}

TEST_CASE("An empty data section has no records and no error", "[recording][record_stream]") {
    const auto from = GENERATE(From::memory, From::file);
    const Input input(from, Blob(104));
    auto stream = input.stream(std::endian::little, 104);
    RecordView record;
    CHECK_FALSE(stream.next(record));
    CHECK(stream.problems().empty());
    CHECK(stream.payload_bytes() == 0);
}

TEST_CASE("The stream ends at the end of the data section, not of the file", "[recording][record_stream]") {
    const auto from = GENERATE(From::memory, From::file);
    const TempDir directory;
    const auto blob = joined({numbered(std::endian::little, 1, 16), numbered(std::endian::little, 2, 24)});
    const auto source =
        from == From::memory ? memory_source(blob) : open_source(directory.write("data", blob), {}).value();
    RecordView record;
    RecordStream whole({{source, 0, 16}}, {.order = AnyOrder(std::endian::little)});
    REQUIRE(whole.next(record));
    CHECK_FALSE(whole.next(record));
    CHECK(whole.problems().empty());
    // A record that extends beyond the section is cut, although the file has its bytes.
    RecordStream cut({{source, 0, 39}}, {.order = AnyOrder(std::endian::little)});
    REQUIRE(cut.next(record));
    CHECK_FALSE(cut.next(record));
    REQUIRE(cut.problems().count() == 1);
    CHECK(cut.problems().kept()[0].code == ErrorCode::truncated);
}

TEST_CASE("AUX data that look like records of the kernel are none", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto from = GENERATE(From::memory, From::file);
    const auto decoy = encode(Lost{EventId{5}, 6}, RecordFrame{order, {}, 0});
    const Input input(from,
                      joined({auxtrace(order, 2 * decoy.size(), joined({decoy, decoy})), numbered(order, 2, 24)}));
    auto stream = input.stream(order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::auxtrace);
    REQUIRE(stream.next(record));
    CHECK(is_numbered(record, 2, 24));
    CHECK(stream.payload_bytes() == 2 * decoy.size());
    CHECK_FALSE(stream.next(record));
    CHECK(stream.problems().empty());
}
