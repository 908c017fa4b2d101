// SPDX-License-Identifier: MIT
// The hash table under tables of numbered keys.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace perfdata {

// HashSlots finds numbers by hash; the keys lie elsewhere. The hash is to be of a HashKey: then a search looks at two
// places or three on average, whoever chose the keys. Tags of 32 bits suffice for that: of n keys another has the tag
// that is looked for with a probability of n / 2^32, below one half as there are at most 2^31 keys.
class HashSlots {
  public:
    static constexpr std::uint32_t free = ~std::uint32_t{0};

    // number(hash, same) is the number for which same(number) is true among those that were put in with this hash, by
    // reference: `free` if there is none, to be set to the number of the new key.
    template <class Same>
    // Throws std::bad_alloc for more than 2^31 numbers.
    std::uint32_t& number(std::uint64_t hash, Same&& same) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        const auto tag = tag_of(hash);
        for (auto place = home(tag);; place = (place + 1) & (slots_.size() - 1)) {
            auto& slot = slots_[place];
            if (slot.number == free) {
                slot.tag = tag;
                ++used_;
                return slot.number;
            }
            if (slot.tag == tag && same(slot.number)) return slot.number;
        }
    }

    // find(hash, same) is that number, or `free`.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same&& same) const {
        if (slots_.empty()) return free;
        const auto tag = tag_of(hash);
        for (auto place = home(tag);; place = (place + 1) & (slots_.size() - 1)) {
            const auto& slot = slots_[place];
            if (slot.number == free || (slot.tag == tag && same(slot.number))) return slot.number;
        }
    }

    // prefetch(hash) has the memory of a later number(hash) fetched meanwhile.
    void prefetch(std::uint64_t hash) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[home(tag_of(hash))]);
    }
    // likely(hash) is the first number that number(hash) would compare, or `free`.
    std::uint32_t likely(std::uint64_t hash) const {
        if (slots_.empty()) return free;
        const auto tag = tag_of(hash);
        for (auto place = home(tag);; place = (place + 1) & (slots_.size() - 1)) {
            const auto& slot = slots_[place];
            if (slot.number == free || slot.tag == tag) return slot.number;
        }
    }

  private:
    static constexpr std::uint64_t most_slots = std::uint64_t{1} << 32;  // as many as there are tags

    // The tag decides nearly always: a slot is passed without a look at its key.
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t number = free;
    };

    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    std::size_t home(std::uint32_t tag) const { return tag >> shift_; }

    // Slots lie by the leading bits of their tags, in a larger table as well: old and new one are gone through from
    // begin to end, and no key is looked at.
    void grow() {
        if (slots_.size() == most_slots) throw std::bad_alloc();
        const auto old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 1024 : 2 * slots_.size()));
        shift_ = 32 - static_cast<unsigned>(std::countr_zero(slots_.size()));
        for (const auto& slot : old) {
            if (slot.number == free) continue;
            auto place = home(slot.tag);
            while (slots_[place].number != free) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = slot;
        }
    }

    std::vector<Slot> slots_;  // a power of two of them, at most half full
    std::size_t used_ = 0;
    unsigned shift_ = 0;  // of a tag, to have its place
};

}  // namespace perfdata
