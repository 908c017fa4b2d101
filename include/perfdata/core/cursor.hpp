// SPDX-License-Identifier: MIT
// The one bounded reader: all foreign input except fixed fields of checked records is read through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// as_text(bytes) returns the same memory as a text, which may hold any bytes, NULs too, and need not end with one. It
// lives as long as the bytes.
inline std::string_view as_text(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
// as_bytes(text) returns the same memory as bytes; they live as long as the text.
inline Bytes as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
// until_nul(bytes) returns the text before the first NUL, or all of it if there is none.
inline std::string_view until_nul(Bytes bytes) {
    const auto text = as_text(bytes);
    return text.substr(0, text.find('\0'));
}

// Cursor reads forward through a view. A read beyond the end returns zero (or an empty view) and marks the cursor as
// failed; all later reads fail too, so that a decoder reads a whole structure and checks once:
//
//     Cursor in(bytes, order, {.where = "feature EVENT_DESC", .offset = section.offset});
//     const auto count = in.u32();
//     if (!in.fits(count, 8)) return in.failure("event count");
//
// A count from the file must pass fits() before anything is allocated or looped over for it.
class Cursor {
  public:
    // Place is what errors say about where the view begins.
    struct Place {
        std::string_view where;    // static storage: names the section or record in errors
        std::uint64_t offset = 0;  // file offset of the first byte of the view
    };

    // `order` is that of all integers in the view, `place` is for errors. The view must outlive the cursor.
    Cursor(Bytes bytes, AnyOrder order, Place place) : bytes_(bytes), order_(order), place_(place) {}

    bool ok() const { return !failed_; }          // no read went beyond the end, and fits() never said no
    std::size_t position() const { return at_; }  // bytes read so far, from the start of the view
    std::size_t remaining() const { return failed_ ? 0 : bytes_.size() - at_; }  // bytes not yet read; 0 once it failed
    std::uint64_t file_offset() const { return place_.offset + at_; }            // of the next byte to read
    AnyOrder order() const { return order_; }                                    // byte order of the integers it reads

    // Each reads an unsigned integer of that many bits, unaligned, in the cursor's byte order; 0 if it goes beyond the
    // end.
    std::uint8_t u8() { return number<std::uint8_t>(); }
    std::uint16_t u16() { return number<std::uint16_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }

    // bytes(size) returns a view of the next `size` bytes; it lives as long as the underlying view.
    Bytes bytes(std::uint64_t size) {
        if (!require(size)) return {};
        const auto view = bytes_.subspan(at_, static_cast<std::size_t>(size));
        at_ += view.size();
        return view;
    }
    Bytes rest() { return bytes(remaining()); }           // all that remains; lives as long as the underlying view
    void skip(std::uint64_t size) { (void)bytes(size); }  // moves on by `size` bytes

    // terminated_string() reads up to and including a NUL, which is not returned. Fails if there is none.
    std::string_view terminated_string() {
        if (failed_) return {};
        const auto text = as_text(bytes_.subspan(at_));
        const auto end = text.find('\0');
        if (end == std::string_view::npos) {
            failed_ = true;
            return {};
        }
        at_ += end + 1;
        return text.substr(0, end);
    }

    // fits(count, size) returns true if `count` elements of at least `size` bytes (not 0) can still follow; otherwise
    // it marks the cursor as failed.
    bool fits(std::uint64_t count, std::size_t size) {
        if (failed_ || count > remaining() / size) failed_ = true;
        return !failed_;
    }

    // failure(what) returns the error for a read beyond the end.
    std::unexpected<Error> failure(std::string_view what) const {
        return fail(ErrorCode::truncated, place_.offset + at_, std::string(place_.where),
                    std::string(what) + " goes beyond the end of " + std::to_string(bytes_.size()) + " bytes");
    }
    // contradiction(what) returns the error for bytes that are present but make no sense.
    std::unexpected<Error> contradiction(std::string_view what) const {
        return fail(ErrorCode::malformed, place_.offset + at_, std::string(place_.where), std::string(what));
    }

    // nothing_left(what) returns an error if more than padding follows the last element of a table: its count is
    // damaged.
    Result<void> nothing_left(std::string_view what) const {
        constexpr std::size_t padding = 7;
        if (failed_ || remaining() <= padding) return {};
        return contradiction(std::to_string(remaining()) + " bytes are left behind the last " + std::string(what) +
                             " that is counted");
    }

  private:
    bool require(std::uint64_t size) {
        if (failed_ || size > bytes_.size() - at_) failed_ = true;
        return !failed_;
    }
    template <class T>
    T number() {
        if (!require(sizeof(T))) return 0;
        const auto value = order_.load<T>(bytes_.data() + at_);
        at_ += sizeof(T);
        return value;
    }

    Bytes bytes_;
    std::size_t at_ = 0;
    AnyOrder order_;
    Place place_;
    bool failed_ = false;
};

// ArrayView is a view of `size()` integers in file order, `stride` bytes apart (stride >= sizeof(T)): arrays in
// features are unaligned and may have elements larger than the part we know.
template <class T>
class ArrayView {
  public:
    ArrayView() = default;
    // The caller has checked that bytes hold count * stride.
    ArrayView(Bytes bytes, std::size_t stride, AnyOrder order)
        : bytes_(bytes), stride_(stride), order_(order), size_(stride == 0 ? 0 : bytes.size() / stride) {}

    std::size_t size() const { return size_; }  // number of elements, not bytes
    bool empty() const { return size_ == 0; }   // there are none

    // The element in host byte order; the index must be below size().
    T operator[](std::size_t index) const { return order_.load<T>(bytes_.data() + index * stride_); }

  private:
    Bytes bytes_;
    std::size_t stride_ = sizeof(T);
    AnyOrder order_;
    std::size_t size_ = 0;
};

}  // namespace perfdata
