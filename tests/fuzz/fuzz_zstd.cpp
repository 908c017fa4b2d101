// SPDX-License-Identifier: MIT
// Fuzz target: compressed records. The input is a byte of choices and pieces of a zstd stream, each a u16 size and its
// bytes; each piece becomes a record. The result must be what zstd itself makes of all pieces together.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>
#include <zstd.h>

#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/recording/record_stream.hpp"

#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::size_t most_unpacked = std::size_t{1} << 17;

using Blob = std::vector<std::byte>;

struct Records {
    std::vector<Blob> all;
    std::uint64_t unpacked_bytes = 0, unread_bytes = 0;
    bool problems = false;
};

struct Container {
    AnyOrder order;
    bool with_size = false;  // COMPRESSED2
};

void put(Blob& blob, const Container& container, std::uint64_t value, std::size_t size) {
    for (std::size_t at = 0; at < size; ++at) {
        const auto shift = 8 * (container.order.endian() == std::endian::little ? at : size - 1 - at);
        blob.push_back(static_cast<std::byte>(value >> shift & 0xff));
    }
}

void put_record(Blob& blob, const Container& container, Bytes piece) {
    const auto type = container.with_size ? RecordType::compressed2 : RecordType::compressed;
    const auto padding = container.with_size ? (8 - piece.size() % 8) % 8 : 0;
    put(blob, container, static_cast<std::uint32_t>(type), 4);
    put(blob, container, 0, 2);
    put(blob, container, RecordHeader::bytes + (container.with_size ? 8 : 0) + piece.size() + padding, 2);
    if (container.with_size) put(blob, container, piece.size(), 8);
    blob.insert(blob.end(), piece.begin(), piece.end());
    blob.resize(blob.size() + padding);
}

// read(data, container, kept) walks all records but the compressed ones. `kept`: hold all blocks during the walk.
Records read(const Blob& data, const Container& container, bool kept) {
    Records records;
    RecordStream stream(
        {{memory_source(data), 0, data.size()}},
        {.order = container.order, .unpacked_record_bytes = most_unpacked, .unpacked_bytes = most_unpacked});
    std::vector<RecordStream::Blocks> blocks;
    std::vector<RecordView> views;
    RecordView record;
    while (stream.next(record)) {
        require(record.bytes.size() >= RecordHeader::bytes && record.bytes.size() == record.header().size);
        if (!record.unpacked && (record.type() == RecordType::compressed || record.type() == RecordType::compressed2)) {
            continue;
        }
        if (kept) {
            blocks.push_back(stream.blocks());
            views.push_back(record);
        } else {
            records.all.emplace_back(record.bytes.begin(), record.bytes.end());
        }
    }
    for (const auto& view : views) records.all.emplace_back(view.bytes.begin(), view.bytes.end());
    records.unpacked_bytes = stream.unpacked_bytes();
    records.unread_bytes = stream.unread_bytes();
    records.problems = !stream.problems().empty();
    require(stream.unread_bytes() <= data.size());
    return records;
}

// unpack(stream, out, cut) lets zstd unpack all pieces together; false if they are damaged or exceed the limit. Sets
// `cut` if they end inside of a block, of which zstd needs the rest.
bool unpack(Bytes stream, Blob& out, bool& cut) {
    constexpr std::size_t block_header = 3;
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
    out.resize(most_unpacked + 1);
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    ZSTD_inBuffer input{stream.data(), stream.size(), 0};
    for (;;) {
        const auto before = std::pair(input.pos, output.pos);
        const auto wanted = ZSTD_decompressStream(context.get(), &output, &input);
        if (ZSTD_isError(wanted) != 0) return false;
        if (output.pos > most_unpacked) return false;
        if (before.first != input.pos || before.second != output.pos) cut = wanted != 0 && wanted != block_header;
        if (before == std::pair(input.pos, output.pos)) break;
    }
    out.resize(output.pos);
    return true;
}

// plain(unpacked, container) returns true if complete records follow each other and none needs data outside of the
// stream.
bool plain(const Blob& unpacked, const Container& container) {
    for (auto rest = Bytes(unpacked); !rest.empty();) {
        if (rest.size() < RecordHeader::bytes) return false;
        const auto header = RecordHeader::load(rest.data(), container.order);
        if (header.size < RecordHeader::bytes || header.size > rest.size()) return false;
        if (header.type == 0 || header.type > 22) return false;
        rest = rest.subspan(header.size);
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const auto choice = choices.u8();
    const Container container{AnyOrder((choice & 1) != 0 ? std::endian::big : std::endian::little), (choice & 2) != 0};
    Blob file, stream;
    while (!choices.empty()) {
        const auto piece = choices.bytes(std::min<std::size_t>(choices.u16(), 60000));
        put_record(file, container, piece);
        stream.insert(stream.end(), piece.begin(), piece.end());
    }
    const auto got = read(file, container, false);
    const auto kept = read(file, container, true);
    require(got.all == kept.all && got.unpacked_bytes == kept.unpacked_bytes);
    // The limit is checked when an output buffer of 256 KiB is full.
    require(got.unpacked_bytes <= most_unpacked + (std::size_t{256} << 10));
    Blob unpacked;
    bool cut = false;
    if (!unpack(stream, unpacked, cut) || !plain(unpacked, container)) return 0;
    require(got.unpacked_bytes == unpacked.size() && got.unread_bytes == 0 && got.problems == cut);
    require(got.all == read(unpacked, container, false).all);
    return 0;
}
