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
            if (slot == 0) {
                keys_.push_back(key);
                slot = static_cast<std::uint32_t>(keys_.size());
                return slot - 1;
            }
            if (keys_[slot - 1] == key) return slot - 1;
        }
    }

    const Key& operator[](std::uint32_t number) const { return keys_[number]; }
    std::span<const Key> keys() const { return keys_; }
    std::size_t size() const { return keys_.size(); }

  private:
    std::size_t home(const Key& key) const {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>((key.hash() * golden) >> shift_);
    }

    void grow() {
        slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, 0);
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
        for (std::uint32_t number = 0; number < keys_.size(); ++number) {
            auto place = home(keys_[number]);
            while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = number + 1;
        }
    }

    std::vector<Key> keys_;
    std::vector<std::uint32_t> slots_;  // number + 1, 0: free; a power of two, at most half full
    unsigned shift_ = 0;
};

}  // namespace perfdata
