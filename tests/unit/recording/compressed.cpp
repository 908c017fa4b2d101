// SPDX-License-Identifier: MIT
// Compressed records: one continuous zstd stream cut at arbitrary places.
#include "perfdata/recording/record_stream.hpp"

#include "catch.hpp"
#include "support/compressor.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<std::uint64_t> lost_counts(RecordStream& stream) {
    std::vector<std::uint64_t> counts;
    RecordView record;
    while (stream.next(record)) {
        if (record.type() != RecordType::lost) continue;
        CHECK(record.unpacked);
        counts.push_back(Lost::decode(record, 0).value().lost);
    }
    return counts;
}

RecordStream stream_of(const Blob& data, std::endian order, RecordStreamOptions options = {}) {
    options.order = AnyOrder(order);
    return {{{memory_source(data), 0, data.size()}}, options};
}

}  // namespace

TEST_CASE("Records inside compressed records arrive, wherever the stream is cut", "[recording][compressed]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = GENERATE(RecordType::compressed, RecordType::compressed2);
    const std::size_t piece = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{24}, std::size_t{1000});
    constexpr std::uint64_t records = 200;
    Blob plain;
    for (std::uint64_t number = 0; number < records; ++number) {
        const auto one = encode(Lost{EventId{3}, number}, RecordFrame{order, {}, 0});
        plain.insert(plain.end(), one.begin(), one.end());
    }
    Compressor compressor;
    Blob data;
    for (std::size_t at = 0; at < plain.size(); at += piece) {
        const auto part = compressed_record(
            order, type, compressor.piece(Bytes(plain).subspan(at).first(std::min(piece, plain.size() - at))));
        data.insert(data.end(), part.begin(), part.end());
    }
    auto stream = stream_of(data, order);
    const auto counts = lost_counts(stream);
    REQUIRE(counts.size() == records);
    for (std::uint64_t number = 0; number < records; ++number) CHECK(counts[number] == number);
    CHECK(stream.problems().empty());
    CHECK(stream.unpacked_bytes() == plain.size());
}

TEST_CASE("Compressed records without a payload do not break the stream", "[recording][compressed]") {
    const auto order = std::endian::little;
    const auto type = GENERATE(RecordType::compressed, RecordType::compressed2);
    const auto plain = joined({encode(Lost{EventId{3}, 7}), encode(Lost{EventId{3}, 8})});
    Compressor compressor;
    auto data = compressed_record(order, type, compressor.piece(Bytes(plain).first(20)));
    for (int count = 0; count < 40; ++count) data = joined({data, compressed_record(order, type, {})});
    data = joined({data, compressed_record(order, type, compressor.piece(Bytes(plain).subspan(20)))});
    auto stream = stream_of(data, order);
    CHECK(lost_counts(stream) == std::vector<std::uint64_t>{7, 8});
    CHECK(stream.problems().empty());
    CHECK(stream.unread_bytes() == 0);
}

TEST_CASE("A record of an odd size at the end of a compressed stream arrives", "[recording][compressed]") {
    const auto order = std::endian::little;
    const std::size_t piece = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{16}, std::size_t{1000});
    auto odd = encode(Lost{EventId{3}, 9});
    odd.resize(16);
    odd[0] = std::byte{84};  // SCHEDSTAT_DOMAIN has at least 24 bytes
    odd[6] = std::byte{16};
    const auto plain = joined({encode(Lost{EventId{3}, 7}), odd});
    Compressor compressor;
    Blob data;
    for (std::size_t at = 0; at < plain.size(); at += piece) {
        const auto part = Bytes(plain).subspan(at).first(std::min(piece, plain.size() - at));
        data = joined({data, compressed_record(order, RecordType::compressed, compressor.piece(part))});
    }
    auto stream = stream_of(data, order);
    std::vector<std::size_t> sizes;
    for (RecordView record; stream.next(record);) {
        if (record.unpacked) sizes.push_back(record.bytes.size());
    }
    CHECK(sizes == std::vector<std::size_t>{24, 16});
    CHECK(stream.problems().empty());
}

TEST_CASE("A record bigger than what the buffer holds at once arrives whole", "[recording][compressed]") {
    const auto order = std::endian::little;
    Blob plain;
    for (int number = 0; number < 40; ++number) {
        const auto one =
            record(RecordType::comm, RecordFrame{order, {}, 0}, Blob(65528 - 8, static_cast<std::byte>(number)));
        plain.insert(plain.end(), one.begin(), one.end());
    }
    Compressor compressor;
    const auto data = compressed_record(order, RecordType::compressed, compressor.piece(plain));
    auto stream = stream_of(data, order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::compressed);
    CHECK_FALSE(record.unpacked);
    for (int number = 0; number < 40; ++number) {
        REQUIRE(stream.next(record));
        CHECK(record.bytes.size() == 65528);
        CHECK(record.bytes[8] == static_cast<std::byte>(number));
        CHECK(record.bytes[65527] == static_cast<std::byte>(number));
        CHECK(record.offset == 0);
    }
    CHECK_FALSE(stream.next(record));
}

TEST_CASE("A stream that ends inside a record says how much of it is left", "[recording][compressed]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto one = encode(Lost{EventId{3}, 9}, RecordFrame{order, {}, 0});
    Compressor compressor;
    const auto data = compressed_record(order, RecordType::compressed, compressor.piece(Bytes(one).first(20)));
    auto stream = stream_of(data, order);
    CHECK(lost_counts(stream).empty());
    REQUIRE(stream.problems().count() == 1);
    CHECK(stream.problems().kept()[0].code == ErrorCode::truncated);
    CHECK(stream.problems().kept()[0].detail.find("20 bytes") != std::string::npos);
}

TEST_CASE("A stream that ends inside a block of zstd says so", "[recording][compressed]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = GENERATE(RecordType::compressed, RecordType::compressed2);
    const auto one = encode(Lost{EventId{3}, 9}, RecordFrame{order, {}, 0});
    Compressor compressor;
    const auto first = compressor.piece(one), second = compressor.piece(one);
    const auto stream_with = [&](std::size_t cut) {
        const auto part = Blob(second.begin(), second.end() - static_cast<std::ptrdiff_t>(cut));
        return joined({compressed_record(order, type, first), compressed_record(order, type, part)});
    };
    const auto whole = stream_with(0), broken = stream_with(2);
    auto stream = stream_of(whole, order);
    CHECK(lost_counts(stream) == std::vector<std::uint64_t>{9, 9});
    CHECK(stream.problems().empty());
    auto shorter = stream_of(broken, order);
    CHECK(lost_counts(shorter) == std::vector<std::uint64_t>{9});
    REQUIRE(shorter.problems().count() == 1);
    CHECK(shorter.problems().kept()[0].code == ErrorCode::truncated);
    CHECK(shorter.problems().kept()[0].detail.find("inside a block of zstd") != std::string::npos);
}

TEST_CASE("Behind a broken piece a new frame is understood again", "[recording][compressed]") {
    const auto order = std::endian::little;
    const auto one = encode(Lost{EventId{3}, 9}, RecordFrame{order, {}, 0});
    Compressor first;
    Compressor second;
    auto broken = first.piece(one);
    broken[broken.size() / 2] ^= std::byte{0x55};
    broken[4] ^= std::byte{0xff};
    const auto data = joined({compressed_record(order, RecordType::compressed, broken),
                              compressed_record(order, RecordType::compressed, Blob(16, std::byte{1})),
                              compressed_record(order, RecordType::compressed, second.piece(one))});
    auto stream = stream_of(data, order);
    CHECK(lost_counts(stream) == std::vector<std::uint64_t>{9});
    CHECK_FALSE(stream.problems().empty());
}

TEST_CASE("A record of a type that nobody writes may have been a piece of the stream", "[recording][compressed]") {
    const auto order = std::endian::little;
    // Types that may become valid do not interrupt the stream, so a frame inside another one is not read.
    const auto [type, expected] = GENERATE(table<std::uint32_t, std::vector<std::uint64_t>>(
        {{0, {7, 9}}, {256, {7, 9}}, {0xffffffff, {7, 9}}, {90, {7, 8}}, {255, {7, 8}}}));
    CAPTURE(type);
    const auto lost = [&](std::uint64_t number) { return encode(Lost{EventId{3}, number}); };
    Compressor first, second;
    const auto one = compressed_record(order, RecordType::compressed2, first.piece(lost(7)));
    const auto unknown = Writer(order).u32(type).u16(0).u16(48).fill(40, 0).take();
    const auto two = compressed_record(order, RecordType::compressed2, first.piece(lost(8)));
    const auto new_frame = compressed_record(order, RecordType::compressed2, second.piece(lost(9)));
    const auto data = joined({one, unknown, two, new_frame});
    auto stream = stream_of(data, order);
    CHECK(lost_counts(stream) == expected);
    CHECK(stream.unread_bytes() == 0);
}

TEST_CASE("A compressed record may not unpack to more than it is allowed to", "[recording][compressed]") {
    const auto order = std::endian::little;
    Compressor compressor;
    const Blob zeros(10 << 20);
    const auto data = compressed_record(order, RecordType::compressed, compressor.piece(zeros));
    CHECK(data.size() < 4096);
    RecordStreamOptions options;
    options.unpacked_record_bytes = 1 << 20;
    auto stream = stream_of(data, order, options);
    RecordView record;
    while (stream.next(record)) {
    }
    CHECK(stream.unpacked_bytes() <= (std::uint64_t{1} << 20) + (256 << 10));
    bool limited = false;
    for (const auto& problem : stream.problems().kept()) limited = limited || problem.code == ErrorCode::limit;
    CHECK(limited);
}

TEST_CASE("A compressed stream may not look back further than it is allowed to", "[recording][compressed]") {
    // Only a frame header: no checksum, no single segment, a window of 2^(10 + 15) bytes; then an empty last block.
    Blob frame = blob_of(std::string_view("\x28\xb5\x2f\xfd\x00\x78\x01\x00\x00", 9));
    const auto data = compressed_record(std::endian::little, RecordType::compressed, frame);
    const auto problems = [&](std::uint64_t window) {
        RecordStreamOptions options;
        options.window_bytes = window;
        auto stream = stream_of(data, std::endian::little, options);
        for (RecordView record; stream.next(record);) {
        }
        return stream.problems().kept();
    };
    CHECK(problems(std::uint64_t{1} << 25).empty());
    CHECK(problems(Limits{}.zstd_window_bytes).empty());
    const auto limited = problems((std::uint64_t{1} << 25) - 1);
    REQUIRE(limited.size() == 1);
    CHECK(limited[0].code == ErrorCode::limit);
}

TEST_CASE("What is packed in a record comes before the record behind it", "[recording][compressed]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto inner = encode(Lost{EventId{3}, 1}, RecordFrame{order, {}, 0});
    const auto behind = encode(Lost{EventId{3}, 2}, RecordFrame{order, {}, 0});
    Compressor compressor;
    const auto data = joined({compressed_record(order, RecordType::compressed2, compressor.piece(inner)), behind});
    auto stream = stream_of(data, order);
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::compressed2);
    REQUIRE(stream.next(record));
    CHECK(record.unpacked);
    CHECK(Lost::decode(record, 0).value().lost == 1);
    REQUIRE(stream.next(record));
    CHECK_FALSE(record.unpacked);
    CHECK(Lost::decode(record, 0).value().lost == 2);
}
