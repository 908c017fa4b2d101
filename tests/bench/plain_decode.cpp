// SPDX-License-Identifier: MIT
#include "plain_decode.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/wire/record/all.hpp"
#include "perfdata/wire/sample.hpp"

namespace perfdata::bench {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10;
constexpr FixedOrder<std::endian::little> little;

[[noreturn]] void damaged() {
    throw std::runtime_error("the plain loops read undamaged recordings only");
}

Recording open(const std::string& path) {
    auto recording = Recording::open(path);
    if (!recording) throw std::runtime_error(recording.error().message());
    if (recording->order().endian() != std::endian::little || recording->data_files() != 0) damaged();
    return *std::move(recording);
}

// Decode decodes each record and sums its fields.
class Decode {
  public:
    explicit Decode(const Recording& recording) : events_(recording.events()) {
        for (const auto& event : events_.events()) periods_ = periods_ && event.attr.has(sample_bit::period);
    }

    void take(const RecordView& record) {
        ++totals.records;
        const auto type = record.type();
        if (type == RecordType::sample) {
            sample(record);
        } else {
            visit_record_type(type, [&]<class R>() { decode<R>(record); });
        }
    }

    Totals totals;

  private:
    void sample(const RecordView& record) {
        const auto* bytes = record.bytes.data();
        const auto event = events_.of_sample(bytes, record.bytes.size(), little, recent_);
        if (!event) damaged();
        const auto& layout = events_.layout(*event);
        if (!layout.fits(bytes, record.bytes.size(), little)) damaged();
        const BasicSample sample(bytes, layout, little);
        ++totals.samples;
        if (const auto ip = sample.ip()) totals.ips += ip->value;
        if (const auto tid = sample.tid()) totals.tids += tid->value;
        if (const auto time = sample.time()) totals.times += time->nanoseconds;
        if (periods_) totals.periods += sample.period();
        if (const auto chain = sample.callchain()) {
            for (const auto word : *chain) totals.chain_words += word;
        }
    }

    template <class R>
    void decode(const RecordView& record) {
        std::size_t trailer = 0;
        std::uint64_t read_format = 0;
        if constexpr (R::type < RecordType::header_attr) {
            const auto event = events_.of_other(record);
            if (!event) damaged();
            trailer = events_.events()[*event].trailer.size();
            read_format = events_.events()[*event].attr.read_format;
        }
        if (record.bytes.size() < R::min_bytes + trailer) damaged();
        if (!decode_record<R>(record, trailer, read_format)) damaged();
    }

    const EventTable& events_;
    EventTable::RecentIds recent_;
    bool periods_ = true;
};

// each_block(recording, make, take) reads the records block by block: make() returns the memory of one, take(bytes,
// offset) gets it from its first record on and returns how many bytes its whole records have.
template <class Make, class Take>
void each_block(const Recording& recording, Make&& make, Take&& take) {
    const auto source = recording.input_files().front().content;
    const auto data = recording.data();
    const auto end = data.offset + data.size;
    std::vector<std::byte> rest;
    for (auto at = data.offset; at < end;) {
        const std::span<std::byte> block = make();
        std::ranges::copy(rest, block.begin());
        const auto wanted = std::min<std::uint64_t>(block.size() - rest.size(), end - at);
        const auto got = source->read_at(at, block.subspan(rest.size(), static_cast<std::size_t>(wanted)));
        if (!got || *got != wanted) damaged();
        const auto bytes = Bytes(block).first(rest.size() + *got);
        const auto taken = take(bytes, at - rest.size());
        if (taken == 0) damaged();
        at += *got;
        rest.assign(bytes.begin() + static_cast<std::ptrdiff_t>(taken), bytes.end());
    }
    if (!rest.empty()) damaged();
}

// each_record(bytes, offset, take) checks each header. Returns how many bytes whole records have.
template <class Take>
std::size_t each_record(Bytes bytes, std::uint64_t offset, Take&& take) {
    std::size_t at = 0;
    while (bytes.size() - at >= RecordHeader::bytes) {
        const auto header = RecordHeader::load(bytes.data() + at, little);
        if (header.size < RecordHeader::bytes || header.type == 0 || header.type >= 256) damaged();
        if (header.size > bytes.size() - at) break;
        take(RecordView{bytes.subspan(at, header.size), AnyOrder(std::endian::little), offset + at, false});
        at += header.size;
    }
    return at;
}

// Block is memory with records that wait for those of other blocks.
struct Block {
    std::vector<std::byte> bytes = std::vector<std::byte>(block_bytes);
    std::size_t waiting = 0;
};

struct Waiting {
    Time time;
    Block* block;
    RecordView record;
};

}  // namespace

Totals plain_decode(const std::string& path) {
    const auto recording = open(path);
    Decode decode(recording);
    std::vector<std::byte> block(block_bytes);
    each_block(
        recording, [&] { return std::span(block); },
        [&](Bytes bytes, std::uint64_t offset) {
            return each_record(bytes, offset, [&](const RecordView& record) { decode.take(record); });
        });
    return decode.totals;
}

// A first pass notes the least time of each block, a second one sorts the records of a block among those that wait, and
// takes what no later block can precede.
Totals plain_order(const std::string& path) {
    const auto recording = open(path);
    const auto& events = recording.events();
    std::vector<Time> least;  // of each block and all behind it
    Time latest;
    std::vector<std::byte> first(block_bytes);
    each_block(
        recording, [&] { return std::span(first); },
        [&](Bytes bytes, std::uint64_t offset) {
            auto of_block = Time::forever();
            const auto taken = each_record(bytes, offset, [&](const RecordView& record) {
                const auto time = events.time_of(record, little, latest);
                latest = std::max(latest, time);
                of_block = std::min(of_block, time);
            });
            least.push_back(of_block);
            return taken;
        });
    least.push_back(Time::forever());
    for (auto at = least.size() - 1; at != 0; --at) least[at - 1] = std::min(least[at - 1], least[at]);

    Decode decode(recording);
    std::vector<std::unique_ptr<Block>> blocks;
    std::vector<Block*> spare;
    Block* block = nullptr;
    std::vector<Waiting> waiting, fresh, merged;
    std::size_t number = 0;
    latest = {};
    const auto by_time = [](const Waiting& one, const Waiting& other) { return one.time < other.time; };
    each_block(
        recording,
        [&] {
            if (spare.empty()) spare.push_back(blocks.emplace_back(std::make_unique<Block>()).get());
            block = spare.back();
            spare.pop_back();
            return std::span(block->bytes);
        },
        [&](Bytes bytes, std::uint64_t offset) {
            fresh.clear();
            const auto taken = each_record(bytes, offset, [&](const RecordView& record) {
                const auto time = events.time_of(record, little, latest);
                latest = std::max(latest, time);
                fresh.push_back({time, block, record});
            });
            block->waiting = fresh.size();
            std::ranges::stable_sort(fresh, by_time);
            merged.clear();
            std::ranges::merge(waiting, fresh, std::back_inserter(merged), by_time);
            const auto safe = least[++number];
            const auto end = std::ranges::upper_bound(merged, safe, {}, &Waiting::time);
            for (auto at = merged.begin(); at != end; ++at) {
                decode.take(at->record);
                if (--at->block->waiting == 0) spare.push_back(at->block);
            }
            waiting.assign(end, merged.end());
            return taken;
        });
    return decode.totals;
}

}  // namespace perfdata::bench
