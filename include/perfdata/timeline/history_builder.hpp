// SPDX-License-Identifier: MIT
// Makes a History.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "perfdata/core/types.hpp"
#include "perfdata/timeline/history.hpp"

namespace perfdata {

// Builder takes the values in any order of the keys.
template <class T>
class History<T>::Builder {
  public:
    // add(key, from, value): add the values of one key in time order.
    void add(std::uint64_t key, Time from, T value) { added_.push_back({key, {from, std::move(value)}}); }
    // build() takes n log n steps; the builder is of no more use then.
    History build() && {
        return std::move(*this).build([] {});
    }
    // build(look) calls look() now and then, which may throw: then the builder is of no more use.
    template <class Look>
    History build(Look&& look) &&;

  private:
    friend class History;
    struct Added {
        std::uint64_t key;
        Item item;
    };
    std::vector<Added> added_;
};

// Sorts the values by key and time, and makes the table of keys.
template <class T>
template <class Look>
History<T> History<T>::Builder::build(Look&& look) && {
    History history;
    std::ranges::stable_sort(added_, {}, [&](const Added& added) {
        look();
        return added.key;
    });
    std::size_t keys = 0;
    for (std::size_t index = 0; index < added_.size(); ++index) {
        keys += index == 0 || added_[index].key != added_[index - 1].key;
    }
    if (keys != 0) history.slots_.resize(std::bit_ceil(2 * keys));
    history.items_.reserve(added_.size());
    for (std::size_t first = 0; first < added_.size();) {
        look();
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
