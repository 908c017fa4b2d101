// SPDX-License-Identifier: MIT
// Steps of a pattern as bits: 64 of them move at once.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace perfdata {

// NameBits has a bit for each step that takes a byte (the positions of Glushkov's automaton). A bit is live once the
// step has taken the last byte. Which bits come next does not depend on what is around a byte, except at the beginning
// and the end of the name: patterns that look for the edges of words cannot be written so.
//
//     a(b|c)*d      bits 0 a, 1 b, 2 c, 3 d
//                   behind 0: 1 2 3; behind 1 and 2: the same; behind 3: the end
//
// Bit n + 1 behind bit n is a shift, the usual case. The others are listed, by bit.
class NameBits {
  public:
    // What is before and behind a place in the name.
    enum Place : std::uint8_t { inside, at_begin, at_cut, at_end, at_begin_and_cut, all_of_it };
    static constexpr std::size_t places = 6;
    using Word = std::uint64_t;

    explicit NameBits(std::size_t count);

    // Building: the bytes that a bit takes, what follows it, and where the pattern may end behind it. `start` does the
    // same for what comes before the first byte.
    void takes(std::size_t bit, const std::bitset<256>& set);
    void follows(std::size_t bit, std::size_t next);
    void ends(std::size_t bit, Place place) { mark(ends_[place], bit); }
    void starts(std::size_t bit, Place place) { mark(starts_[place], bit); }
    void empty_match(Place place) { empty_[place] = true; }

    // Returns true if the pattern matches anywhere in the name. Without `whole` the name goes on behind its end.
    bool matches(std::string_view name, bool whole);

  private:
    static constexpr std::size_t word_bits = 64;
    static constexpr std::uint32_t none = UINT32_MAX;
    using Words = std::vector<Word>;

    static void mark(Words& words, std::size_t bit) { words[bit / word_bits] |= Word{1} << (bit % word_bits); }
    static bool meet(const Words& one, const Words& other);
    // Makes `next_` of what may follow the live bits.
    void advance();

    std::size_t size_;               // words
    Words of_byte_;                  // bits that take a byte: `size_` words for each of the 256
    Words shifts_, listed_;          // bits that the next bit follows, and those that others follow as well
    std::vector<std::uint32_t> at_;  // where what follows a bit begins in `follow_`
    Words follow_;
    std::vector<Words> ends_, starts_;  // by place
    bool empty_[places] = {};
    Words live_, next_;
};

}  // namespace perfdata
