// SPDX-License-Identifier: MIT
// Runs of integers and fixed texts inside a record, taken from a cursor as views.
#pragma once

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/sample/u64_view.hpp"

namespace perfdata {

// take_words(in, count) returns the next `count` u64; none if they extend beyond the end (then the cursor has failed).
inline U64View<AnyOrder> take_words(Cursor& in, std::uint64_t count) {
    if (!in.fits(count, sizeof(std::uint64_t))) return {};
    return {in.bytes(count * sizeof(std::uint64_t)).data(), static_cast<std::size_t>(count), in.order()};
}

// take_remaining_words(in) returns all remaining whole u64 and skips the rest.
inline U64View<AnyOrder> take_remaining_words(Cursor& in) {
    const auto words = take_words(in, in.remaining() / sizeof(std::uint64_t));
    in.skip(in.remaining());
    return words;
}

// take_array<T>(in, count) is the same as take_words() for other integers.
template <class T>
ArrayView<T> take_array(Cursor& in, std::uint64_t count) {
    if (!in.fits(count, sizeof(T))) return {};
    return {in.bytes(count * sizeof(T)), sizeof(T), in.order()};
}

// take_text(in, size) returns the text in a field of `size` bytes, NUL-padded, or without a NUL if it fills the field.
inline std::string_view take_text(Cursor& in, std::size_t size) {
    return until_nul(in.bytes(size));
}

}  // namespace perfdata
