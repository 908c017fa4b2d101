// SPDX-License-Identifier: MIT
// Distinct keys, numbered by first appearance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// InternTable gives equal keys the same number. Keys are small values with == and a member hash(const HashKey&) that
// covers everything == compares. HashSlots bounds the cost of hostile keys.
template <class Key>
class InternTable {
  public:
    // Returns the number of an equal key, or adds the key.
    std::uint32_t intern(const Key& key) { return intern(key, hash(key)); }
    // As intern(key), with the hash(key) that was computed for prefetch().
    std::uint32_t intern(const Key& key, std::uint64_t hash) {
        auto& number = slots_.number(hash, [&](std::uint32_t known) { return keys_[known] == key; });
        if (number == HashSlots::free) {
            number = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
        }
        return number;
    }

    // Interns the key. Once there are `most` keys, a new one counts as `other`: this bounds the table when a file
    // chooses the keys.
    std::uint32_t intern_within(std::size_t most, const Key& key, const Key& other) {
        return intern_within(most, key, hash(key), other);
    }
    // As intern_within(most, key, other), with the hash(key) that was computed for prefetch().
    std::uint32_t intern_within(std::size_t most, const Key& key, std::uint64_t hash, const Key& other) {
        if (size() < most) return intern(key, hash);
        const auto number = slots_.find(hash, [&](std::uint32_t known) { return keys_[known] == key; });
        return number != HashSlots::free ? number : intern(other);
    }

    std::uint64_t hash(const Key& key) const { return key.hash(*hash_key_); }  // the hash that intern(key) uses
    // Prepare many keys for intern(): call prefetch(hash) for all of them, then prefetch_key(hash) for all. Then most
    // of what intern() reads is in the cache.
    void prefetch(std::uint64_t hash) const { slots_.prefetch(hash); }
    // Prefetches the key that intern() compares first with one of this hash; see prefetch().
    void prefetch_key(std::uint64_t hash) const {
        if (const auto number = slots_.likely(hash); number != HashSlots::free) {
            __builtin_prefetch(&keys_[number]);
        }
    }

    // Frees what only intern() needs. intern() must not be called afterwards.
    void seal() {
        slots_ = {};
        keys_.shrink_to_fit();
    }

    // The key with a number that intern() returned.
    const Key& operator[](std::uint32_t number) const { return keys_[number]; }

    // keys() returns them by number; they live until the next intern().
    std::span<const Key> keys() const { return {keys_.data(), keys_.size()}; }

    std::size_t size() const { return keys_.size(); }  // number of keys

  private:
    std::vector<Key> keys_;
    HashSlots slots_;
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
