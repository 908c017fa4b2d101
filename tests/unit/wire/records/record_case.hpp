// SPDX-License-Identifier: MIT
// Shared by the tests of all record decoders: a record around a body, its fields, and every cut of it.
#pragma once

#include <algorithm>
#include <string>

#include "perfdata/wire/record/all.hpp"

#include "catch.hpp"
#include "support/field_text.hpp"
#include "support/records.hpp"

namespace perfdata::test {

template <class R>
Lines lines_of(const R& record) {
    Lines lines;
    record.fields(FieldText(lines));
    return lines;
}

// RecordCase is one decoded record of type R around `body`. The trailer consists of bytes that would look like content
// to a decoder that reads into it.
template <class R>
class RecordCase {
  public:
    static constexpr std::uint64_t offset = 4096;

    RecordCase(std::endian order, const Blob& body, std::uint16_t misc = 0, std::size_t trailer_size = 0,
               std::uint64_t read_format = 0)
        : blob_(record(R::type,
                       RecordFrame{.order = order, .trailer = Blob(trailer_size, std::byte{0x41}), .misc = misc},
                       body)),
          got_((blob_.shrink_to_fit(), decode_record<R>(view(blob_, order, offset), trailer_size, read_format))) {}
    RecordCase(const RecordCase&) = delete;
    RecordCase& operator=(const RecordCase&) = delete;

    bool decoded() const { return got_.has_value(); }
    const R& operator*() const { return *got_; }
    const R* operator->() const { return &*got_; }
    const Error& error() const { return got_.error(); }

  private:
    Blob blob_;
    Result<R> got_;
};

// check_fields(...): the record has these fields in this order, with and without a trailer.
template <class R>
void check_fields(std::endian order, const Blob& body, const Lines& want, std::uint16_t misc = 0,
                  std::uint64_t read_format = 0) {
    for (const auto trailer_size : std::initializer_list<std::size_t>{0, 48}) {
        CAPTURE(trailer_size);
        const RecordCase<R> got(order, body, misc, trailer_size, read_format);
        REQUIRE(got.decoded());
        CHECK(lines_of(*got) == want);
    }
}

// check_refused(...): decoding fails with that code, the record's name and a place inside it.
template <class R>
void check_refused(std::endian order, const Blob& body, ErrorCode code = ErrorCode::truncated, std::uint16_t misc = 0,
                   std::uint64_t read_format = 0) {
    for (const auto trailer_size : std::initializer_list<std::size_t>{0, 48}) {
        CAPTURE(body.size(), trailer_size);
        const RecordCase<R> got(order, body, misc, trailer_size, read_format);
        REQUIRE_FALSE(got.decoded());
        CHECK(got.error().code == code);
        CHECK(got.error().where == R::record_name);
        CHECK(got.error().offset >= RecordCase<R>::offset + 8);
        CHECK(got.error().offset <= RecordCase<R>::offset + 8 + body.size());
    }
}

// check_needs(...): decoding needs `least` bytes, including the header, and refuses anything shorter.
template <class R>
void check_needs(std::endian order, const Blob& body, std::size_t least, std::uint16_t misc = 0,
                 std::uint64_t read_format = 0) {
    const auto cut = [&](std::size_t size) { return Blob(body.begin(), body.begin() + static_cast<long>(size - 8)); };
    for (std::size_t size = 8; size < least; ++size) {
        check_refused<R>(order, cut(size), ErrorCode::truncated, misc, read_format);
    }
    for (const auto trailer_size : std::initializer_list<std::size_t>{0, 48}) {
        CAPTURE(least, trailer_size);
        CHECK(RecordCase<R>(order, cut(least), misc, trailer_size, read_format).decoded());
    }
}

constexpr std::uint16_t misc_bit(unsigned bit) {
    return static_cast<std::uint16_t>(1u << bit);
}

// Counts too large for any record, including ones whose product with the element size wraps around to a small number.
inline constexpr std::uint64_t wild_counts[] = {~std::uint64_t{0}, std::uint64_t{1} << 60, std::uint64_t{1} << 61,
                                                9000};

}  // namespace perfdata::test
