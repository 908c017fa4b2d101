// SPDX-License-Identifier: MIT
#include "perfdata/recording/record_stream.hpp"

#include <algorithm>
#include <cstring>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

RecordStream::RecordStream(std::shared_ptr<const Source> source, AnyOrder order, std::uint64_t begin, std::uint64_t end)
    : source_(std::move(source)), order_(order), end_(end), block_offset_(begin) {
    const auto memory = source_->in_memory();
    if (!memory.empty() && begin <= end && end <= memory.size()) {
        block_begin_ = memory.data() + begin;
        block_end_ = memory.data() + end;
        at_ = block_begin_;
    }
}

bool RecordStream::stop(ErrorCode code, std::string detail) {
    error_ = Error{code, offset(), "data section", std::move(detail)};
    return false;
}

// refill() moves the record that begins at the end of the block to its front and reads on behind it. Afterwards a whole
// record lies in the block, or the result is false.
bool RecordStream::refill() {
    if (error_) return false;
    const auto offset_of_next = offset();
    const auto left = end_ - std::min(end_, offset_of_next);
    if (left == 0) return false;

    if (source_->in_memory().empty()) {
        if (block_.empty()) block_.resize(block_bytes);
        const auto kept = static_cast<std::size_t>(block_end_ - at_);
        if (kept != 0) std::memmove(block_.data(), at_, kept);
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, block_.size()));
        std::size_t got = kept;
        if (wanted > kept) {
            const auto more = source_->read_at(offset_of_next + kept, std::span(block_).subspan(kept, wanted - kept));
            if (!more) {
                error_ = more.error();
                return false;
            }
            got += *more;
        }
        block_offset_ = offset_of_next;
        block_begin_ = at_ = block_.data();
        block_end_ = block_begin_ + got;
    }

    const auto available = static_cast<std::size_t>(block_end_ - at_);
    if (available < RecordHeader::bytes) {
        return stop(ErrorCode::truncated, std::to_string(available) + " bytes left; a record has at least 8");
    }
    const auto header = RecordHeader::load(at_, order_);
    if (header.size < RecordHeader::bytes) {
        return stop(ErrorCode::malformed, "a record of type " + std::to_string(header.type) + " claims a size of " +
                                              std::to_string(header.size) + " bytes; at least 8 expected");
    }
    if (header.size > available) {
        return stop(ErrorCode::truncated, "a record of type " + std::to_string(header.type) + " claims " +
                                              std::to_string(header.size) + " bytes; " + std::to_string(available) +
                                              " are left");
    }
    return true;
}

// An AUXTRACE record says how many bytes of trace data follow it, outside its own size.
void RecordStream::skip_payload(const RecordView& record) {
    if (record.bytes.size() < 16) return;
    const auto payload = order_.load<std::uint64_t>(record.bytes.data() + 8);
    const auto left = end_ - offset();
    const auto skipped = std::min(payload, left);
    payload_bytes_ += skipped;
    if (skipped <= static_cast<std::uint64_t>(block_end_ - at_)) {
        at_ += skipped;
        return;
    }
    // The record just handed out must stay valid: keep its block and let the next refill() start behind the payload.
    // An empty block at the new offset does that: block_ itself is not touched until then.
    block_offset_ = offset() + skipped;
    block_begin_ = block_end_ = at_ = block_end_;
}

}  // namespace perfdata
