// SPDX-License-Identifier: MIT
#include "perfdata/recording/record_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "perfdata/core/cursor.hpp"

#include "frame_search.hpp"
#include "sparse_read.hpp"
#include "unpacker.hpp"

namespace perfdata {

RecordStream::RecordStream(std::vector<RecordSegment> segments, const RecordStreamOptions& options)
    : segments_(std::move(segments)), options_(options), segment_(segments_.size()) {
    if (!segments_.empty()) next_segment();
}
RecordStream::RecordStream(RecordStream&&) noexcept = default;
RecordStream& RecordStream::operator=(RecordStream&&) noexcept = default;
RecordStream::~RecordStream() = default;

RecordStream::Blocks RecordStream::blocks() const {
    return {file_bytes_, unpacker_ ? unpacker_->block() : nullptr};
}

std::optional<RecordMark> RecordStream::mark() const {
    const bool one_file = segments_.size() == 1 && segment_ == 0;
    if (!one_file || unpacker_ || waiting_ != Waiting::nothing || searching_ || problems_.count() != 0) return {};
    return RecordMark{offset(), longest_, aligned_};
}

void RecordStream::start_at(const RecordMark& mark) {
    block_ = {nullptr, nullptr, nullptr, mark.offset};
    longest_ = std::max(mark.longest, longest_plain);
    aligned_ = mark.aligned;
}

// No record is longer than 64 KiB, so some of any records begin in the block, and nobody is to search a large file for
// what it may not have.
void RecordStream::start_behind(std::uint64_t offset) {
    block_ = {nullptr, nullptr, nullptr, offset};
    // No record may begin here: without it no stack could be left out.
    const auto* const events = std::exchange(options_.without_stacks, nullptr);
    (void)extend();
    options_.without_stacks = events;
    const auto end = offset + block_bytes;  // memory is one block
    for (; left() >= RecordHeader::bytes && this->offset() < end; block_.at += 8) {
        if (options_.order.load<std::uint32_t>(block_.at) != static_cast<std::uint32_t>(RecordType::sample)) continue;
        const auto chain = chain_begins(block_.at, block_.end, at_end_, on_grid, options_.order);
        if (chain == Chain::yes) return;
        if (chain == Chain::more_bytes_needed) break;
    }
    segments_.clear();
}

void RecordStream::report(ErrorCode code, std::uint64_t offset, std::string detail) {
    problems_.add({code, offset, segment_ == 0 ? "data section" : "data file " + std::to_string(segment_ - 1),
                   std::move(detail)});
}

bool RecordStream::find_next(RecordView& record) {
    if (segments_.empty()) return false;
    plain_ = not_seen;
    for (;;) {
        attend_to_what_waits();
        const auto frame = searching_ ? Frame::damaged : frame_at(block_.at);
        if (frame == Frame::whole) {
            const auto header = RecordHeader::load(block_.at, options_.order);
            if (is_contested(header)) {
                if (const auto inside = record_inside(header.size); inside != 0) {
                    pass_over(inside);
                    continue;
                }
            }
            if (const auto inside = records_to_end(header); inside != 0) {
                pass_over(inside);
                continue;
            }
            const std::size_t size = header.size;
            if (header.type <= last_kernel_type) longest_ = std::max(longest_, header.size);
            aligned_ = aligned_ && (unpacking_ || size % 8 == 0);
            hand_out(record, size);
            note_special(record);
            look_ahead();
            return true;
        }
        if (frame == Frame::damaged && search()) continue;
        if (!extend() && !end_of_block()) return false;
    }
}

// look_ahead() notes the size of the front record for next(), if it needs no closer check.
void RecordStream::look_ahead() {
    if (waiting_ != Waiting::nothing || left() < RecordHeader::bytes) return;
    const auto header = RecordHeader::load(block_.at, options_.order);
    if (is_plain(header)) plain_ = header.size;
}

// A record of unknown type or odd size is believed only if what follows it looks like a record: a wrong size may have
// led here.
RecordStream::Frame RecordStream::frame_at(const std::byte* at) const {
    const auto left = static_cast<std::size_t>(block_.end - at);
    if (left < RecordHeader::bytes) return Frame::partial;
    const auto header = RecordHeader::load(at, options_.order);
    if (header.size < RecordHeader::bytes) return Frame::damaged;
    if (header.size > left) return at_end_ && !unpacking_ ? Frame::damaged : Frame::partial;
    if (is_believed(header)) return Frame::whole;
    const auto behind = left - header.size;
    if (behind < RecordHeader::bytes) {
        if (!at_end_) return Frame::partial;
        // Compressed records usually end where a record does; the next may also continue inside one.
        return behind == 0 ? Frame::whole : unpacking_ ? Frame::partial : Frame::damaged;
    }
    const auto next = RecordHeader::load(at + header.size, options_.order);
    return confirms(next, header) ? Frame::whole : Frame::damaged;
}

// is_contested(header) returns true if the front record, which has this header, is doubtful: no writer produces such a
// header and it is not plain, or what follows is not a record, so that one of the two is damaged. Reads more input if
// needed.
bool RecordStream::is_contested(const RecordHeader& header) {
    // Unpacked data are intact as long as zstd does not complain.
    if (unpacking_) return false;
    // next() accepts plain headers whatever their type's size, if a plain one follows: so does this. perf's own lists
    // can have any length: frame_at() has checked what follows them.
    const bool of_perf = header.type >= 64 && usual_sizes(header.type).most != 0;
    if (is_odd(header) && !is_plain(header) && !of_perf) return true;
    const auto type = static_cast<RecordType>(header.type);
    if (type == RecordType::auxtrace || type == RecordType::header_tracing_data) return false;
    for (;;) {
        const auto* const behind = block_.at + header.size;
        if (block_.end - behind < static_cast<std::ptrdiff_t>(RecordHeader::bytes)) {
            if (extend()) continue;
            return false;  // the last one
        }
        const auto next = RecordHeader::load(behind, options_.order);
        // The last record may have been cut off. next() believes what plain headers follow, too.
        if (is_usual(next) || is_plain(next)) return false;
        switch (frame_at(behind)) {
            case Frame::whole: return false;
            case Frame::damaged: return true;
            case Frame::partial:
                if (!extend()) return false;
        }
    }
}

// record_inside(size) returns the distance from the front to the next place, inside the record of that size, where
// several consecutive records begin; 0 if there is none. It checks each byte once: if nothing is found the record is
// returned, and the next search begins behind it.
std::size_t RecordStream::record_inside(std::size_t size) {
    read_left_out();
    for (std::size_t inside = 1; inside < size;) {
        const bool expected = !aligned_ || inside % 8 == 0;
        const auto wanted = expected ? on_grid : off_grid;
        const auto chain = chain_begins(block_.at + inside, block_.end, at_end_, wanted, options_.order);
        if (chain == Chain::yes) return inside;
        if (chain == Chain::no) ++inside;
        if (chain == Chain::more_bytes_needed) extend();
    }
    return 0;
}

// records_to_end(header) returns the distance from the front to records inside the record with that header that lead
// exactly to its end: its size is damaged then, and it would swallow them. 0 if there are none. Only checks records
// longer than all before and than plain ones: where samples contain copies of stacks, nearly all are long.
std::size_t RecordStream::records_to_end(const RecordHeader& header) {
    constexpr std::size_t word = 8, records_wanted = 3;
    if (unpacking_ || header.size <= longest_ || header.type > last_kernel_type || header.size % word != 0) return 0;
    read_left_out();
    // For each word the number of records that lead from it to the end, plus one; 0 if none do.
    std::array<std::uint8_t, UINT16_MAX / word + 1> leads{};
    const auto end = header.size / word;
    leads[end] = 1;
    std::size_t first = 0;
    for (auto at = end - 1; at != 0; --at) {
        const auto inner = RecordHeader::load(block_.at + at * word, options_.order);
        if (!is_usual(inner) || inner.size % word != 0 || inner.size / word > end - at) continue;
        const auto behind = leads[at + inner.size / word];
        if (behind == 0) continue;
        leads[at] = static_cast<std::uint8_t>(std::min<std::size_t>(behind + 1, records_wanted + 1));
        if (leads[at] > records_wanted) first = at;
    }
    return first * word;
}

// pass_over(count) skips the front record, of which only `count` bytes are present. Data packed in them are unpacked.
void RecordStream::pass_over(std::size_t count) {
    unread_bytes_ += count;
    report(ErrorCode::malformed, offset(),
           "only " + std::to_string(count) + " bytes of a record are there; others begin behind them");
    const RecordView rest{Bytes(block_.at, count), options_.order, offset(), false};
    const auto type = static_cast<RecordType>(options_.order.load<std::uint32_t>(block_.at));
    const bool packed = type == RecordType::compressed || type == RecordType::compressed2;
    block_.at += count;
    if (packed && count >= RecordHeader::bytes) {
        note_special(rest);
        gap_behind_ = true;
    } else if (unpacker_) {
        unpacker_->break_stream();
    }
}

// search() advances to the next place where several consecutive records begin. False if it needs more bytes to decide:
// all before them have been skipped.
bool RecordStream::search() {
    read_left_out();
    if (!searching_) {
        searching_ = true;
        damage_begin_ = offset();
        if (left() != 0) ++block_.at;  // not here
    }
    const bool any_place = !aligned_ && !unpacking_;
    for (pass_zeros(); left() >= RecordHeader::bytes; pass_zeros()) {
        const bool expected = any_place || (offset() - damage_begin_) % 8 == 0;
        const auto wanted = in_payload_ ? (expected ? in_data : off_grid_in_data) : expected ? on_grid : off_grid;
        const auto chain = chain_begins(block_.at, block_.end, at_end_, wanted, options_.order);
        if (chain == Chain::more_bytes_needed) return false;
        if (chain == Chain::yes) {
            searching_ = false;
            const auto passed = offset() - damage_begin_;
            if (!unpacking_) {
                (in_payload_ ? payload_bytes_ : unread_bytes_) += passed;
                // The skipped bytes may have contained a compressed record.
                if (unpacker_) unpacker_->break_stream();
            }
            if (!in_payload_) {
                report(ErrorCode::malformed, unpacking_ ? packed_offset_ : damage_begin_,
                       "no record can be framed in " + std::to_string(passed) + " bytes; going on behind them");
            }
            in_payload_ = false;
            return true;
        }
        ++block_.at;
    }
    return false;
}

// A header of zero bytes is never a record. Unfinished recordings and full disks can leave any number of zeros.
void RecordStream::pass_zeros() {
    constexpr std::array<std::byte, 2 * RecordHeader::bytes> zeros{};
    while (left() >= zeros.size() && std::memcmp(block_.at, zeros.data(), zeros.size()) == 0) {
        block_.at += RecordHeader::bytes;
    }
}

// Skips a hole of the file without reading it, if everything left before it is zero.
void RecordStream::pass_hole(const RecordSegment& segment) {
    constexpr auto partial = RecordHeader::bytes - 1;  // bytes before data that may begin a header
    if (left() > partial || std::any_of(block_.at, block_.end, [](std::byte of) { return of != std::byte{0}; })) return;
    const auto data = std::min(segment.source->next_data(offset() + left()), segment.end);
    if (data > offset() + left() + partial) block_ = {nullptr, nullptr, nullptr, data - partial};
}

// Handles records with attached data: data that follow the record, or records packed in it. The caller gets the record
// first, the next call handles what is attached.
void RecordStream::note_special(const RecordView& record) {
    const auto& order = options_.order;
    const auto bytes = record.bytes;
    if (unpacking_) return;  // compressed records do not nest
    switch (record.type()) {
        case RecordType::auxtrace:
            if (bytes.size() < 16) return;
            payload_ = order.load<std::uint64_t>(bytes.data() + 8);
            waiting_ = Waiting::payload;
            return;
        case RecordType::header_tracing_data:
            if (bytes.size() < 12 || !options_.pipe) return;
            payload_ = order.load<std::uint32_t>(bytes.data() + 8);
            waiting_ = Waiting::payload;
            return;
        case RecordType::compressed: packed_ = bytes.subspan(RecordHeader::bytes); break;
        case RecordType::compressed2: {
            if (bytes.size() < 16) return;
            const auto size = order.load<std::uint64_t>(bytes.data() + 8);
            packed_ = bytes.subspan(16);
            packed_ = packed_.first(static_cast<std::size_t>(std::min<std::uint64_t>(packed_.size(), size)));
            break;
        }
        default:
            // Nobody writes this type: it was another record, and may have been a compressed one.
            if (unpacker_ && !is_conceivable(RecordHeader::load(bytes.data(), order))) unpacker_->break_stream();
            return;
    }
    packed_offset_ = record.offset;
    waiting_ = Waiting::packed;
}

void RecordStream::attend_to_what_waits() {
    const auto waiting = std::exchange(waiting_, Waiting::nothing);
    if (waiting == Waiting::payload) skip_payload();
    if (waiting == Waiting::packed) begin_unpacking();
}

std::optional<RecordStream::Payload> RecordStream::payload() const {
    if (waiting_ != Waiting::payload) return {};
    const auto& segment = segments_[segment_];
    return Payload{*segment.source, offset(), std::min(payload_, segment.end - offset()), payload_};
}

void RecordStream::skip_payload() {
    const auto there_is = segments_[segment_].end - offset();
    if (payload_ > there_is) {
        report(ErrorCode::truncated, offset(),
               std::to_string(payload_) + " bytes of data behind a record, but only " + std::to_string(there_is) +
                   " are left");
        // The data were cut off, or their size is damaged, or this was not such a record: then records follow.
        searching_ = in_payload_ = true;
        damage_begin_ = offset();
        return;
    }
    payload_bytes_ += payload_;
    aligned_ = aligned_ && payload_ % 8 == 0;
    if (payload_ <= left()) {
        block_.at += payload_;
    } else {
        block_ = {nullptr, nullptr, nullptr, offset() + payload_};
        at_end_ = false;
    }
}

void RecordStream::begin_unpacking() {
    if (!unpacker_) {
        unpacker_ = std::make_unique<Unpacker>(options_.window_bytes);
        ++refills_;
    }
    unpacker_->feed(packed_);
    file_block_ = block_;
    unpacking_ = true;
    at_end_ = false;
    const auto waiting = unpacker_->tail();
    block_ = {waiting.data(), waiting.data() + waiting.size(), waiting.data(), 0};
}

bool RecordStream::extend() {
    if (at_end_) return false;
    const bool more = unpacking_ ? extend_unpacked() : extend_file();
    if (!more) at_end_ = true;
    // Try again knowing that nothing follows: partial records now are damaged, and a search can decide.
    return more || (left() >= RecordHeader::bytes && !(unpacking_ && searching_));
}

// extend_unpacked() appends more output of the compressed record to the rest of the block.
bool RecordStream::extend_unpacked() {
    if (unpacker_->used_up()) return false;
    const auto before = left();
    const auto limit = std::min(options_.unpacked_record_bytes,
                                options_.unpacked_bytes - std::min(options_.unpacked_bytes, unpacked_bytes_));
    const auto passed = static_cast<std::uint64_t>(block_.at - block_.begin) + block_.offset;
    const auto unpacked = unpacker_->unpack(left(), limit, unpacked_bytes_, refills_);
    if (!unpacked) {
        report(unpacked.error().code, packed_offset_, "compressed record: " + unpacked.error().detail);
        block_ = {};
        return false;
    }
    block_ = {unpacked->data(), unpacked->data() + unpacked->size(), unpacked->data(), passed};
    return unpacked->size() > before;
}

// extend_file() moves the rest of the block to its front and reads more behind it. Input in memory is one block.
bool RecordStream::extend_file() {
    auto& segment = segments_[segment_];
    if (searching_) pass_hole(segment);
    const auto here = offset();
    const auto kept = left();
    if (here + kept >= segment.end) return false;
    if (const auto memory = segment.source->in_memory(); !memory.empty() && segment.end <= memory.size()) {
        block_ = {memory.data() + here, memory.data() + segment.end, memory.data() + here, here};
        return true;
    }
    ++refills_;
    auto into = file_bytes_.use_count() == 1 ? file_bytes_ : new_block(block_bytes);
    if (kept != 0) std::memmove(into.get(), block_.at, kept);
    file_bytes_ = std::move(into);
    const std::span room(file_bytes_.get(),
                         static_cast<std::size_t>(std::min<std::uint64_t>(segment.end - here, block_bytes)));
    const auto wanted = room.size();
    const auto more = [&]() -> Result<SparseRead> {
        const auto& source = *segment.source;
        if (options_.without_stacks != nullptr && !searching_) {
            return read_sparsely(source, here, room, kept, *options_.without_stacks, options_.order);
        }
        const auto bytes = source.read_at(here + kept, room.subspan(kept));
        if (!bytes) return fail(bytes.error());
        return SparseRead{kept + *bytes, false};
    }();
    left_out_ = (left_out_ && kept != 0) || (more && more->left_out);
    const auto got = more ? more->filled : kept;
    if (got < wanted) {
        if (!more) problems_.add(more.error());
        if (more) report(ErrorCode::truncated, here + got, "the file ends here: it has become shorter");
        unread_bytes_ += segment.end - (here + got);
        segment.end = here + got;
    }
    block_ = {room.data(), room.data() + got, room.data(), here};
    return got > kept;
}

void RecordStream::read_left_out() {
    if (!std::exchange(left_out_, false)) return;
    // While records are unpacked, the file's block waits; it begins with the same buffer.
    const auto& block = unpacking_ ? file_block_ : block_;
    const std::span all(file_bytes_.get(), static_cast<std::size_t>(block.end - block.begin));
    const auto got = segments_[segment_].source->read_at(block.offset, all);
    if (!got) return problems_.add(got.error());
    // The file has become shorter: what it had is lost.
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(*got), all.end(), std::byte{0});
}

// end_of_block() handles the end of a level: after an unpacked record its container continues, after a segment the next
// one. False at the end of everything.
bool RecordStream::end_of_block() {
    if (unpacking_) {
        unpacker_->keep(searching_ ? 0 : left());
        if (std::exchange(gap_behind_, false)) unpacker_->break_stream();
        if (searching_) {
            report(ErrorCode::malformed, packed_offset_, "no record can be framed in the rest of a compressed record");
            searching_ = false;
        }
        unpacking_ = false;
        block_ = file_block_;
        at_end_ = false;
        return true;
    }
    if (searching_ || left() != 0) {
        const auto begin = searching_ ? damage_begin_ : offset();
        const auto lost = segments_[segment_].end - begin;
        (in_payload_ ? payload_bytes_ : unread_bytes_) += lost;
        if (!in_payload_) {
            report(ErrorCode::truncated, begin, "the last " + std::to_string(lost) + " bytes are no whole record");
        }
    }
    if (unpacker_ && !unpacker_->tail().empty()) {
        report(ErrorCode::truncated, packed_offset_,
               "the compressed records end inside a record: " + std::to_string(unpacker_->tail().size()) +
                   " bytes of it are left");
    }
    if (unpacker_ && unpacker_->breaks_off()) {
        report(ErrorCode::truncated, packed_offset_,
               "the compressed records end inside a block of zstd: the records in it are lost");
    }
    return next_segment();
}

bool RecordStream::next_segment() {
    const auto next = segment_ == segments_.size() ? 0 : segment_ + 1;
    block_ = {};
    if (next >= segments_.size()) {
        segments_.clear();
        return false;
    }
    segment_ = next;
    block_.offset = segments_[segment_].begin;
    searching_ = in_payload_ = false;
    aligned_ = true;
    at_end_ = false;
    if (unpacker_) unpacker_->restart();
    return true;
}

}  // namespace perfdata
