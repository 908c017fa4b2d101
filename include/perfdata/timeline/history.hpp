// SPDX-License-Identifier: MIT
// Values that change over time: the comm of a thread, the address space of a process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// History answers at(key, time): the latest value of a key set at or before that time. It is flat: the values of one
// key lie side by side in time order, found through a hash table with open addressing in two or three probes, whoever
// chose the keys.
template <class T>
class History {
  public:
    // Item is a value and when it was set.
    struct Item {
        Time from;  // applies from then on, until the key's next item
        T value;    // what the key has
    };

    // Its members are in history_builder.hpp.
    class Builder;

    bool empty() const { return items_.empty(); }  // no key ever had a value

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
        const T* value = nullptr;      // null: there was none
        Time from;                     // zero if there was none
        Time until = Time::forever();  // forever: the key got no other value
    };
    // lasting(key, time) is at(), with the times for which the answer is the same.
    Lasting lasting(std::uint64_t key, Time time) const {
        const auto items = of(key);
        const auto later = first_above(items, time, [](const Item& item) { return item.from; });
        Lasting found;
        if (later != items.size()) found.until = items[later].from;
        if (later != 0) {
            found.value = &items[later - 1].value;
            found.from = items[later - 1].from;
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

}  // namespace perfdata
