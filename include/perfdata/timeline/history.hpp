// SPDX-License-Identifier: MIT
// Values that change over time: the comm of a thread, the address space of a process.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/core/types.hpp"
#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// History answers at(key, time): the latest value of a key set at or before that time. It is flat: the values of one
// key lie side by side in time order, found through a hash table with open addressing in two or three probes, whoever
// chose the keys.
template <class T>
class History {
  public:
    struct Item {
        Time from;
        T value;
    };

    class Builder {
      public:
        // add(key, from, value): add the values of one key in time order.
        void add(std::uint64_t key, Time from, T value) { added_.push_back({key, {from, std::move(value)}}); }
        History build() &&;

      private:
        friend class History;
        struct Added {
            std::uint64_t key;
            Item item;
        };
        std::vector<Added> added_;
    };

    // of(key) returns all values it ever had, by time.
    std::span<const Item> of(std::uint64_t key) const {
        if (slots_.empty()) return {};
        for (auto place = home(key);; place = (place + 1) & (slots_.size() - 1)) {
            const auto& slot = slots_[place];
            if (slot.count == 0) return {};
            if (slot.key == key) return std::span(items_).subspan(slot.first, slot.count);
        }
    }

    // at(key, time) returns the value at that time, null if there was none yet.
    const T* at(std::uint64_t key, Time time) const { return lasting(key, time).value; }

    // Lasting is a value and when it applied: from `from` on, before `until`.
    struct Lasting {
        const T* value = nullptr;  // null: there was none
        Time from;
        Time until = Time::forever();
    };
    Lasting lasting(std::uint64_t key, Time time) const {
        const auto items = of(key);
        const auto later = std::ranges::upper_bound(items, time, {}, &Item::from);
        Lasting found;
        if (later != items.end()) found.until = later->from;
        if (later != items.begin()) {
            found.value = &std::prev(later)->value;
            found.from = std::prev(later)->from;
        }
        return found;
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t first = 0;
        std::uint32_t count = 0;  // 0: free
    };

    std::size_t home(std::uint64_t key) const {
        return static_cast<std::size_t>((*hash_key_)(key) >> 32) & (slots_.size() - 1);
    }

    std::vector<Item> items_;
    std::vector<Slot> slots_;  // a power of two, at most half of them used
    const HashKey* hash_key_ = &HashKey::process();
};

template <class T>
History<T> History<T>::Builder::build() && {
    History history;
    std::ranges::stable_sort(added_, {}, &Added::key);
    std::size_t keys = 0;
    for (std::size_t index = 0; index < added_.size(); ++index) {
        keys += index == 0 || added_[index].key != added_[index - 1].key;
    }
    if (keys != 0) history.slots_.resize(std::bit_ceil(2 * keys));
    history.items_.reserve(added_.size());
    for (std::size_t first = 0; first < added_.size();) {
        const auto key = added_[first].key;
        auto end = first;
        for (; end < added_.size() && added_[end].key == key; ++end) {
            history.items_.push_back(std::move(added_[end].item));
        }
        auto place = history.home(key);
        while (history.slots_[place].count != 0) place = (place + 1) & (history.slots_.size() - 1);
        history.slots_[place] = {key, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)};
        first = end;
    }
    added_.clear();
    return history;
}

}  // namespace perfdata
