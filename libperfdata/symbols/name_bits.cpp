// SPDX-License-Identifier: MIT
#include "name_bits.hpp"

#include <algorithm>
#include <bit>

namespace perfdata {

NameBits::NameBits(std::size_t count)
    : size_(count / word_bits + 1),
      of_byte_(256 * size_),
      shifts_(size_),
      listed_(size_),
      at_(count, none),
      ends_(places, Words(size_)),
      starts_(places, Words(size_)),
      live_(size_),
      next_(size_) {}

void NameBits::takes(std::size_t bit, const std::bitset<256>& set) {
    const auto mask = Word{1} << (bit % word_bits);
    for (std::size_t byte = 0; byte < set.size(); ++byte) {
        if (set[byte]) of_byte_[byte * size_ + bit / word_bits] |= mask;
    }
}

void NameBits::follows(std::size_t bit, std::size_t next) {
    if (next == bit + 1) return mark(shifts_, bit);
    if (at_[bit] == none) {
        at_[bit] = static_cast<std::uint32_t>(follow_.size());
        follow_.resize(follow_.size() + size_);
        mark(listed_, bit);
    }
    follow_[at_[bit] + next / word_bits] |= Word{1} << (next % word_bits);
}

bool NameBits::meet(const Words& one, const Words& other) {
    Word both = 0;
    for (std::size_t at = 0; at < one.size(); ++at) both |= one[at] & other[at];
    return both != 0;
}

void NameBits::advance() {
    Word carry = 0;
    for (std::size_t at = 0; at < size_; ++at) {
        const auto moved = live_[at] & shifts_[at];
        next_[at] = moved << 1 | carry;
        carry = moved >> (word_bits - 1);
    }
    for (std::size_t at = 0; at < size_; ++at) {
        for (auto left = live_[at] & listed_[at]; left != 0; left &= left - 1) {
            const auto bit = at * word_bits + static_cast<std::size_t>(std::countr_zero(left));
            const auto* follow = follow_.data() + at_[bit];
            for (std::size_t word = 0; word < size_; ++word) next_[word] |= follow[word];
        }
    }
}

bool NameBits::matches(std::string_view name, bool whole) {
    std::ranges::fill(live_, Word{0});
    bool any = false;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const auto place = at == 0 ? at_begin : inside;
        if (empty_[place] || (any && meet(live_, ends_[inside]))) return true;
        if (any) {
            advance();
        } else {
            std::ranges::fill(next_, Word{0});
        }
        const auto* taken = of_byte_.data() + static_cast<unsigned char>(name[at]) * size_;
        const auto& start = starts_[place];
        Word all = 0;
        for (std::size_t word = 0; word < size_; ++word) {
            live_[word] = (next_[word] | start[word]) & taken[word];
            all |= live_[word];
        }
        any = all != 0;
    }
    const auto place = whole ? at_end : at_cut;
    if (name.empty()) return empty_[whole ? all_of_it : at_begin_and_cut];
    return empty_[place] || (any && meet(live_, ends_[place]));
}

}  // namespace perfdata
