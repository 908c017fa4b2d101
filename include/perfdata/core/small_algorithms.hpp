// SPDX-License-Identifier: MIT
// The few algorithms that public headers need. <algorithm> would cost each file that includes one of them 9,000 lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "perfdata/core/types.hpp"

namespace perfdata {

// least(one, other) is std::min, but returns a copy; `one` if they are equal.
template <class T>
constexpr T least(T one, T other) {
    return other < one ? other : one;
}
// greatest(one, other) is std::max, but returns a copy; `one` if they are equal.
template <class T>
constexpr T greatest(T one, T other) {
    return one < other ? other : one;
}

// add_up_to_most(one, other) returns the sum, and 2^64-1 if it is more than that. So a sum of counts that a damaged
// file chose is never less than one of its parts, whatever the order.
constexpr std::uint64_t add_up_to_most(std::uint64_t one, std::uint64_t other) {
    const auto sum = one + other;
    return sum < one ? ~std::uint64_t{0} : sum;
}

// first_above(items, key, key_of) returns the index of the first item whose key_of(item) is greater than `key`;
// items.size() if there is none. The items are sorted by it. Takes log n steps.
template <class Items, class Key, class KeyOf>
constexpr std::size_t first_above(const Items& items, const Key& key, KeyOf&& key_of) {
    std::size_t first = 0;
    for (std::size_t count = items.size(); count != 0;) {
        const auto half = count / 2;
        if (key < key_of(items[first + half])) {
            count = half;
        } else {
            first += half + 1;
            count -= half + 1;
        }
    }
    return first;
}

// copy_bytes(from, to) copies all of `from`, which may be empty.
inline void copy_bytes(Bytes from, std::byte* to) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

}  // namespace perfdata
