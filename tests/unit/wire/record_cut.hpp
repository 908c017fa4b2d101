// SPDX-License-Identifier: MIT
// Requirements for every record decoder: it survives any cut, and refuses a record shorter than its minimum.
#pragma once

#include "catch.hpp"
#include "support/records.hpp"

namespace perfdata::test {

// with_size(blob, order, size) returns the first `size` bytes of a record, with that size in its header, in a heap
// block of that size: a sanitizer detects reads beyond its end.
inline Blob with_size(const Blob& blob, std::endian order, std::size_t size) {
    auto cut = patched(blob, order, 6, static_cast<std::uint16_t>(size));
    cut.resize(size);
    cut.shrink_to_fit();
    return cut;
}

// check_refuses_below(blob, order, least): all shorter forms give errors with the record's name and a place inside it.
template <class R>
void check_refuses_below(const Blob& blob, std::endian order, std::size_t least) {
    for (std::size_t size = 8; size < least; ++size) {
        CAPTURE(size);
        const auto cut = with_size(blob, order, size);
        const auto got = R::decode(view(cut, order, 4096), 0);
        REQUIRE_FALSE(got);
        CHECK(got.error().code == ErrorCode::truncated);
        CHECK(got.error().where == R::record_name);
        CHECK(got.error().offset >= 4096 + 8);
        CHECK(got.error().offset <= 4096 + size);
    }
    const auto enough = with_size(blob, order, least);
    CHECK(R::decode(view(enough, order), 0));
}

// trailer_of_ones: bytes that would look like text to a decoder that reads into the trailer.
inline Blob trailer_of_ones(std::size_t size) {
    return Blob(size, std::byte{0x41});
}

}  // namespace perfdata::test
