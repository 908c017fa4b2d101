// SPDX-License-Identifier: MIT
// Distinct keys, numbered in the order in which they were first seen.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace perfdata {

// InternTable gives equal keys the same number. Keys are small values with == and a member hash(), which need not be
// well mixed.
template <class Key>
class InternTable {
  public:
    std::uint32_t intern(const Key& key) {
        if (2 * (keys_.size() + 1) > slots_.size()) grow();
        for (auto place = home(key);; place = (place + 1) & (slots_.size() - 1)) {
            auto& slot = slots_[place];
            if (slot.number == free) {
                slot = {key, static_cast<std::uint32_t>(keys_.size())};
                keys_.push_back(key);
                return slot.number;
            }
            if (slot.key == key) return slot.number;
        }
    }

    const Key& operator[](std::uint32_t number) const { return keys_[number]; }
    std::span<const Key> keys() const { return keys_; }
    std::size_t size() const { return keys_.size(); }

  private:
    static constexpr std::uint32_t free = ~std::uint32_t{0};
    // The key stands here as well: one look decides, which is most of the cost of a table larger than the cache.
    struct Slot {
        Key key{};
        std::uint32_t number = free;
    };

    std::size_t home(const Key& key) const {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>((key.hash() * golden) >> shift_);
    }

    void grow() {
        // To begin with in big steps: each sets all keys anew.
        constexpr std::size_t small = std::size_t{1} << 18;
        slots_.assign(slots_.empty() ? 1024 : slots_.size() * (slots_.size() < small ? 4 : 2), Slot{});
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
        for (std::uint32_t number = 0; number < keys_.size(); ++number) {
            auto place = home(keys_[number]);
            while (slots_[place].number != free) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = {keys_[number], number};
        }
    }

    std::vector<Key> keys_;
    std::vector<Slot> slots_;  // a power of two of them, at most half full
    unsigned shift_ = 0;
};

}  // namespace perfdata
