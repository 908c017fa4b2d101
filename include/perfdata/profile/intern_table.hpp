// SPDX-License-Identifier: MIT
// Distinct keys, numbered in the order in which they were first seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// InternTable gives equal keys the same number. Keys are small values with == and a member hash(const HashKey&)
// that gives the key all that == compares. What that costs whoever chose the keys: see HashSlots.
template <class Key>
class InternTable {
  public:
    std::uint32_t intern(const Key& key) { return intern(key, hash(key)); }
    // The same with the hash(key), which is taken but once where a key is prefetched.
    std::uint32_t intern(const Key& key, std::uint64_t hash) {
        auto& number = slots_.number(hash, [&](std::uint32_t known) { return keys_[known] == key; });
        if (number == HashSlots::free) {
            number = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
        }
        return number;
    }

    // intern_within(most, key, other): once there are `most` keys, a new one counts as the other.
    std::uint32_t intern_within(std::size_t most, const Key& key, const Key& other) {
        return intern_within(most, key, hash(key), other);
    }
    std::uint32_t intern_within(std::size_t most, const Key& key, std::uint64_t hash, const Key& other) {
        if (size() < most) return intern(key, hash);
        const auto number = slots_.find(hash, [&](std::uint32_t known) { return keys_[known] == key; });
        return number != HashSlots::free ? number : intern(other);
    }

    std::uint64_t hash(const Key& key) const { return key.hash(*hash_key_); }
    // Before many keys are interned: prefetch(hash) for all of them, then prefetch_key(hash) for all, and most of what
    // intern() looks at is in the cache.
    void prefetch(std::uint64_t hash) const { slots_.prefetch(hash); }
    void prefetch_key(std::uint64_t hash) const {
        if (const auto number = slots_.likely(hash); number != HashSlots::free) {
            __builtin_prefetch(&keys_[number]);
        }
    }

    // seal() gives back what only looking up needs: nothing can be interned any more.
    void seal() {
        slots_ = {};
        keys_.shrink_to_fit();
    }

    const Key& operator[](std::uint32_t number) const { return keys_[number]; }
    std::span<const Key> keys() const { return {keys_.data(), keys_.size()}; }
    std::size_t size() const { return keys_.size(); }

  private:
    std::vector<Key> keys_;
    HashSlots slots_;
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
