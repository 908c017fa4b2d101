// SPDX-License-Identifier: MIT
// A flat table by numbers that a file chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// KeyedTable has a value for each key. It has open addressing and a keyed hash, and is at most half full: a search
// takes two or three probes, whoever chose the keys, and memory is bounded by the number of keys.
//
// std::unordered_map instead made the first pass 7 % slower where processes come and go: a node for each.
template <class Value>
class KeyedTable {
  public:
    // find(key) returns null if the key has no value. The pointer is valid until the next insertion.
    Value* find(std::uint64_t key) {
        if (slots_.empty()) return nullptr;
        auto& slot = slots_[place_of(key)];
        return slot.used ? &slot.value : nullptr;
    }
    // operator[](key) inserts an empty value if the key has none. The reference is valid until the next insertion.
    Value& operator[](std::uint64_t key) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        auto& slot = slots_[place_of(key)];
        if (!slot.used) {
            slot.used = true;
            slot.key = key;
            ++used_;
        }
        return slot.value;
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        Value value{};
        bool used = false;
    };

    // Returns the place of the key, or the free one where it belongs.
    std::size_t place_of(std::uint64_t key) const {
        const auto mask = slots_.size() - 1;
        auto place = static_cast<std::size_t>((*hash_key_)(key) >> 32) & mask;
        while (slots_[place].used && slots_[place].key != key) place = (place + 1) & mask;
        return place;
    }

    void grow() {
        constexpr std::size_t first = 64;
        auto old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? first : 2 * slots_.size()));
        for (auto& slot : old) {
            if (slot.used) slots_[place_of(slot.key)] = std::move(slot);
        }
    }

    std::vector<Slot> slots_;  // a power of two
    std::size_t used_ = 0;
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
