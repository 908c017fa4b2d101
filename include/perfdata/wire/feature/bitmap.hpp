// SPDX-License-Identifier: MIT
// The bitmap of header features. do_write_bitmap in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     u64 bits . ceil(bits / 64) x u64 words, bit 0 is the lowest of the first word
//
// A 32-bit big-endian recorder swaps the two halves of each word; nothing in the section reveals that.
class FeatureBitmap {
  public:
    FeatureBitmap() = default;

    // read(in) returns an empty bitmap if it extends beyond the end (then the cursor has failed).
    static FeatureBitmap read(Cursor& in) {
        FeatureBitmap bitmap;
        const auto bits = in.u64();
        const auto words = bits / 64 + (bits % 64 != 0);
        if (!in.fits(words, 8)) return bitmap;
        bitmap.bits_ = bits;
        bitmap.words_ = ArrayView<std::uint64_t>(in.bytes(words * 8), 8, in.order());
        return bitmap;
    }

    // size() returns the number of bits, set or not.
    std::uint64_t size() const { return bits_; }
    const ArrayView<std::uint64_t>& words() const { return words_; }
    // The bit must be below size().
    bool operator[](std::uint64_t bit) const {
        return (words_[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1) != 0;
    }
    // count() returns the number of set bits below size().
    std::uint64_t count() const {
        std::uint64_t total = 0;
        for_each_range([&](std::uint64_t first, std::uint64_t last) { total += last - first + 1; });
        return total;
    }

    // for_each_range(visit) calls visit(first, last) for every run of set bits, ascending.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        for (std::uint64_t bit = 0; bit < bits_; ++bit) {
            if (!(*this)[bit]) continue;
            const auto first = bit;
            while (bit + 1 < bits_ && (*this)[bit + 1]) ++bit;
            visit(first, bit);
        }
    }

  private:
    std::uint64_t bits_ = 0;
    ArrayView<std::uint64_t> words_;
};

}  // namespace perfdata
