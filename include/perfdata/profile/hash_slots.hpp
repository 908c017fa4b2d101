// SPDX-License-Identifier: MIT
// The hash table behind tables of numbered keys.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace perfdata {

// HashSlots finds numbers by hash; the keys are stored elsewhere. Hashes must come from a HashKey: then a search reads
// two or three slots on average, even if a hostile file chose the keys. Tags of 32 bits suffice: among n keys another
// one has the wanted tag with a probability of n / 2^32, below one half since there are at most 2^31 keys.
class HashSlots {
  public:
    static constexpr std::uint32_t free = ~std::uint32_t{0};  // no number

    // Returns a reference to the matching entry's number, or to a new slot holding `free` for the caller to fill. An
    // entry matches if it has this hash and same(number) is true. The reference is valid until the next call. Throws
    // std::bad_alloc for more than 2^31 numbers.
    template <class Same>
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

    // Returns the matching entry's number, or `free`.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same&& same) const {
        if (slots_.empty()) return free;
        const auto tag = tag_of(hash);
        for (auto place = home(tag);; place = (place + 1) & (slots_.size() - 1)) {
            const auto& slot = slots_[place];
            if (slot.number == free || (slot.tag == tag && same(slot.number))) return slot.number;
        }
    }

    // Prefetches the slot that a later number(hash) reads first.
    void prefetch(std::uint64_t hash) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[home(tag_of(hash))]);
    }
    // Returns the first number that number(hash) would compare, or `free`.
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

    // The tag nearly always decides: most slots are passed without reading a key.
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t number = free;
    };

    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    std::size_t home(std::uint32_t tag) const { return tag >> shift_; }

    // Slots are in order of the leading bits of their tags, in the old table as in the new one. So growing passes
    // through both from begin to end, and reads no key.
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

    std::vector<Slot> slots_;  // size: a power of two; at most half full
    std::size_t used_ = 0;
    unsigned shift_ = 0;  // 32 less the bits of a slot's index
};

}  // namespace perfdata
