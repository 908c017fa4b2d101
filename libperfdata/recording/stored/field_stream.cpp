// SPDX-License-Identifier: MIT
#include "field_stream.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace perfdata::stored {
namespace {

// How the content of a field is written (wire types of protobuf).
enum class WireType : std::uint8_t { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

}  // namespace

void FieldStream::refill() {
    if (watch_.stop.stop_requested()) fail(ErrorCode::cancelled, Error::no_offset, "asked to stop");
    block_begin_ += at_;
    at_ = 0;
    if (watch_.progress) watch_.progress(block_begin_, size_);
    block_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, size_ - block_begin_)));
    std::size_t got = 0;
    while (got < block_.size()) {
        const auto some = source_.read_at(block_begin_ + got, std::span(block_).subspan(got));
        if (!some) throw ReadFailed{some.error()};
        if (*some == 0) break;
        got += *some;
    }
    block_.resize(got);
    if (block_.empty()) fail(ErrorCode::truncated, block_begin_, "the file ends inside of a field");
}

std::uint8_t FieldStream::byte() {
    if (at_ == block_.size()) refill();
    return static_cast<std::uint8_t>(block_[at_++]);
}

std::uint64_t FieldStream::varint() {
    const auto at = offset();
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto part = byte();
        value |= std::uint64_t{part & 0x7fu} << shift;
        if ((part & 0x80) == 0) return value;
    }
    fail(ErrorCode::malformed, at, "a number has too many bytes");
}

void FieldStream::check_left(std::uint64_t bytes) const {
    if (bytes > size_ - offset()) fail(ErrorCode::truncated, offset(), "the file ends inside of a field");
}

FieldStream::Field FieldStream::next() {
    Field field;
    field.at = offset();
    const auto key = varint();
    field.number = key >> 3;
    switch (static_cast<WireType>(key & 7)) {
        case WireType::varint: varint(); return field;
        case WireType::eight_bytes: field.bytes = 8; break;
        case WireType::four_bytes: field.bytes = 4; break;
        case WireType::bytes:
            field.bytes = varint();
            field.has_bytes = true;
            check_left(field.bytes);
            return field;
        default: fail(ErrorCode::malformed, field.at, "a field is of an unknown type");
    }
    check_left(field.bytes);
    skip(field);
    return field;
}

void FieldStream::read(const Field& field, std::string& content) {
    content.clear();
    auto left = static_cast<std::size_t>(field.bytes);
    while (left != 0) {
        if (at_ == block_.size()) refill();
        const auto some = std::min(left, block_.size() - at_);
        content.append(reinterpret_cast<const char*>(block_.data() + at_), some);
        at_ += some;
        left -= some;
    }
}

void FieldStream::skip(const Field& field) {
    const auto in_block = std::min<std::uint64_t>(field.bytes, block_.size() - at_);
    at_ += static_cast<std::size_t>(in_block);
    if (in_block == field.bytes) return;
    block_begin_ = offset() + (field.bytes - in_block);
    at_ = 0;
    block_.clear();
}

}  // namespace perfdata::stored
