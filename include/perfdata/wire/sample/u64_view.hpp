// SPDX-License-Identifier: MIT
// A run of u64 in the byte order of the recording.
#pragma once

#include <cstddef>
#include <cstdint>

#include "perfdata/core/endian.hpp"

namespace perfdata {

// U64View is a view; it lives as long as the record's block. It may be unaligned.
template <class Order>
class U64View {
  public:
    U64View() = default;

    // `begin` has 8 * size bytes
    U64View(const std::byte* begin, std::size_t size, Order order) : begin_(begin), size_(size), order_(order) {}

    std::size_t size() const { return size_; }        // number of words
    bool empty() const { return size_ == 0; }         // there are none
    const std::byte* data() const { return begin_; }  // of the first word; may lie unaligned
    // The word in host byte order; the index must be below size().
    std::uint64_t operator[](std::size_t index) const {
        return order_.template load<std::uint64_t>(begin_ + index * sizeof(std::uint64_t));
    }

    // the first `count` words; there must be so many
    U64View first(std::size_t count) const { return {begin_, count, order_}; }

    // Iterator goes over the words, which it returns by value.
    class Iterator {
      public:
        using value_type = std::uint64_t;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const std::byte* at, Order order) : at_(at), order_(order) {}  // the word at `at`

        // the word in host byte order
        std::uint64_t operator*() const { return order_.template load<std::uint64_t>(at_); }
        // Moves to the next word.
        Iterator& operator++() {
            at_ += sizeof(std::uint64_t);
            return *this;
        }
        // Moves to the next word, and returns where it was.
        Iterator operator++(int) {
            auto before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

      private:
        const std::byte* at_ = nullptr;
        [[no_unique_address]] Order order_;
    };
    Iterator begin() const { return {begin_, order_}; }                                // at the first word
    Iterator end() const { return {begin_ + size_ * sizeof(std::uint64_t), order_}; }  // behind the last word

  private:
    const std::byte* begin_ = nullptr;
    std::size_t size_ = 0;
    [[no_unique_address]] Order order_;
};

}  // namespace perfdata
