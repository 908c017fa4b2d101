// SPDX-License-Identifier: MIT
// Numbers of frames that were used recently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfdata {

// RecentFrames caches the numbers of recently used frames: most are used again soon. Each has one possible slot:
// addresses chosen to collide cost as much as without the cache.
template <class Key>
class RecentFrames {
  public:
    struct Entry {
        Key key{};
        std::uint32_t number = none;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    RecentFrames() : entries_(size) {}
    Entry& place(std::uint64_t hash) { return entries_[slot(hash)]; }
    // Fetches the memory that place(hash) returns.
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&entries_[slot(hash)], 1); }

  private:
    static std::size_t slot(std::uint64_t hash) { return (hash * 0x9e3779b97f4a7c15u) >> (64 - bits); }

    static constexpr unsigned bits = 14;
    static constexpr std::size_t size = std::size_t{1} << bits;
    std::vector<Entry> entries_;
};

}  // namespace perfdata
