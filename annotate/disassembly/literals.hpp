// SPDX-License-Identifier: MIT
// Data words among code: those that its loads read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "perfdata/core/types.hpp"

namespace perfdata {

// Literal is a data word among the code that an instruction reads.
struct Literal {
    Address address;
    std::uint64_t size = 0;  // bytes: 1 to 8
};

// Literals keeps the words ahead while code is decoded from start to end:
//
//     lgrl %r1, A ---+     A is ahead and within the code: it is data when decoding gets there
//     basr %r14, %r1 |
//     br %r14        |
//  A: .quad ... <----+
//
// A function adds at most a few words for each of its instructions; each costs log n.
class Literals {
  public:
    // `size`: bytes of the code, which ran at `base`.
    Literals(Address base, std::uint64_t size) : base_(base), size_(size) {}

    // add(literal, at) adds a word unless it ends beyond the code or begins before offset `at`.
    void add(const Literal& literal, std::uint64_t at);

    // next(at) returns the offset of the first word at or after offset `at`; the size of the code if there is none.
    // Forgets earlier words.
    std::uint64_t next(std::uint64_t at);

    // take(at) returns the size of the word that begins at offset `at`; empty if there is code.
    std::optional<std::uint64_t> take(std::uint64_t at) const;

  private:
    Address base_;
    std::uint64_t size_;
    std::map<std::uint64_t, std::uint64_t> ahead_;  // size by offset
};

}  // namespace perfdata
