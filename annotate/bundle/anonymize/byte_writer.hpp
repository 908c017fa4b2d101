// SPDX-License-Identifier: MIT
// Writes the bytes of an anonymized recording, in its byte order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// ByteWriter appends to a buffer of its own.
class ByteWriter {
  public:
    explicit ByteWriter(AnyOrder order) : order_(order.endian()) {}

    void u8(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
    void u16(std::uint16_t value) { number(value, 2); }
    void u32(std::uint32_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    void bytes(Bytes content) { bytes_.insert(bytes_.end(), content.begin(), content.end()); }
    void text(std::string_view content) { bytes(as_bytes(content)); }
    void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }
    // padded_text(content, multiple) adds a NUL, and more up to a multiple of bytes from `begin` on.
    void padded_text(std::string_view content, std::size_t multiple = 8, std::size_t begin = 0) {
        text(content);
        u8(0);
        align(multiple, begin);
    }
    void align(std::size_t multiple, std::size_t begin = 0) {
        const auto over = (bytes_.size() - begin) % multiple;
        if (over != 0) zeros(multiple - over);
    }
    // feature_string(content) writes a u32 length, then the text with a NUL, padded to 4: perf pads to 64, which would
    // make a section of many short texts 17 times as large.
    void feature_string(std::string_view content) {
        constexpr std::size_t multiple = 4;
        const auto padded = content.size() / multiple * multiple + multiple;
        u32(static_cast<std::uint32_t>(padded));
        text(content);
        zeros(padded - content.size());
    }

    // begin_record(type, misc) writes a header, end_record() the size into it: padded to a multiple of 8. False if the
    // record would be too long: it is gone then.
    void begin_record(RecordType type, std::uint16_t misc) {
        record_ = bytes_.size();
        u32(static_cast<std::uint32_t>(type));
        u16(misc);
        u16(0);
    }
    bool end_record() {
        align(8, record_);
        const auto size = bytes_.size() - record_;
        if (size > UINT16_MAX) {
            drop_record();
            return false;
        }
        put(record_ + 6, size, 2);
        return true;
    }
    void drop_record() { bytes_.resize(record_); }
    std::size_t record_begin() const { return record_; }

    // patch_u32(at, value), patch_u64(at, value) overwrite what was written before.
    void patch_u32(std::size_t at, std::uint32_t value) { put(at, value, 4); }
    void patch_u64(std::size_t at, std::uint64_t value) { put(at, value, 8); }

    void patch_bytes(std::size_t at, Bytes content) {
        std::ranges::copy(content, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    // cut(size) removes what was written behind the first `size` bytes.
    void cut(std::size_t size) { bytes_.resize(size); }

    AnyOrder order() const { return AnyOrder(order_); }
    std::size_t size() const { return bytes_.size(); }
    Bytes written() const { return bytes_; }
    void clear() { bytes_.clear(); }
    std::vector<std::byte> take() && { return std::move(bytes_); }

  private:
    void number(std::uint64_t value, std::size_t size) {
        bytes_.resize(bytes_.size() + size);
        put(bytes_.size() - size, value, size);
    }
    void put(std::size_t at, std::uint64_t value, std::size_t size) {
        for (std::size_t index = 0; index < size; ++index) {
            const auto shift = 8 * (order_ == std::endian::little ? index : size - 1 - index);
            bytes_[at + index] = static_cast<std::byte>(value >> shift & 0xff);
        }
    }

    std::endian order_;
    std::vector<std::byte> bytes_;
    std::size_t record_ = 0;
};

}  // namespace perfdata
