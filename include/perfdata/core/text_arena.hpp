// SPDX-License-Identifier: MIT
// Storage for many texts with the same lifetime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

// TextArena stores texts one after the other in blocks that never move: a view of one stays valid as long as the
// arena, or the arena it was moved to. It takes little more memory than the texts, whatever they are: there is no
// lookup table.
class TextArena {
  public:
    TextArena() = default;
    TextArena(TextArena&& other) noexcept { swap(other); }
    TextArena& operator=(TextArena&& other) noexcept {
        swap(other);
        return *this;
    }
    TextArena(const TextArena&) = delete;
    TextArena& operator=(const TextArena&) = delete;
    ~TextArena() = default;

    // keep(text) returns a view of a copy.
    std::string_view keep(std::string_view text) {
        if (text.empty()) return {};
        char* begin = nullptr;
        if (text.size() <= left_) {
            begin = take(text.size());
        } else if (const auto block = next_block(); text.size() <= block / 4) {
            next_ = allocate(block);
            left_ = block;
            begin = take(text.size());
        } else {
            // A long text gets its own block, so that the rest of the current block is not lost.
            begin = allocate(text.size());
        }
        std::memcpy(begin, text.data(), text.size());
        bytes_ += text.size();
        return {begin, text.size()};
    }

    // bytes() returns the total length of all texts.
    std::uint64_t bytes() const { return bytes_; }

  private:
    // Blocks grow with the contents, so that no more than about half of the memory is unused.
    std::size_t next_block() const {
        constexpr std::uint64_t first = 4096, largest = std::uint64_t{1} << 20;
        return static_cast<std::size_t>(least(greatest(bytes_, first), largest));
    }
    char* allocate(std::size_t size) { return blocks_.emplace_back(size).data(); }
    char* take(std::size_t size) {
        left_ -= size;
        return std::exchange(next_, next_ + size);
    }
    void swap(TextArena& other) noexcept {
        std::swap(blocks_, other.blocks_);
        std::swap(next_, other.next_);
        std::swap(left_, other.left_);
        std::swap(bytes_, other.bytes_);
    }

    std::vector<std::vector<char>> blocks_;  // none changes its size
    char* next_ = nullptr;                   // the free end of the current block
    std::size_t left_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace perfdata
