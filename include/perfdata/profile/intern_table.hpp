// SPDX-License-Identifier: MIT
// Distinct keys, numbered in the order in which they were first seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"

namespace perfdata {

// InternTable gives equal keys the same number. Keys are small values with == and a member hash(), which need not be
// well mixed.
template <class Key>
class InternTable {
  public:
    std::uint32_t intern(const Key& key) {
        auto& number = slots_.number(key.hash(), [&](std::uint32_t known) { return keys_[known] == key; });
        if (number == HashSlots::free) {
            number = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
        }
        return number;
    }

    // intern_within(most, key, other): once there are `most` keys, a new one counts as the other.
    std::uint32_t intern_within(std::size_t most, const Key& key, const Key& other) {
        if (size() < most) return intern(key);
        const auto number = slots_.find(key.hash(), [&](std::uint32_t known) { return keys_[known] == key; });
        return number != HashSlots::free ? number : intern(other);
    }

    // Before many keys are interned: prefetch(key) for all of them, then prefetch_key(key) for all, and most of what
    // intern() looks at is in the cache.
    void prefetch(const Key& key) const { slots_.prefetch(key.hash()); }
    void prefetch_key(const Key& key) const {
        if (const auto number = slots_.likely(key.hash()); number != HashSlots::free) {
            __builtin_prefetch(&keys_[number]);
        }
    }

    const Key& operator[](std::uint32_t number) const { return keys_[number]; }
    std::span<const Key> keys() const { return keys_; }
    std::size_t size() const { return keys_.size(); }

  private:
    std::vector<Key> keys_;
    HashSlots slots_;
};

}  // namespace perfdata
