// SPDX-License-Identifier: MIT
// Writes integers of a chosen byte order, by arithmetic only. Shares no code with the decoders.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/types.hpp"

namespace perfdata::test {

using Blob = std::vector<std::byte>;

class Writer {
  public:
    explicit Writer(std::endian order) : order_(order) {}

    Writer& u8(std::uint8_t value) { return number(value, 1); }
    Writer& u16(std::uint16_t value) { return number(value, 2); }
    Writer& u32(std::uint32_t value) { return number(value, 4); }
    Writer& u64(std::uint64_t value) { return number(value, 8); }

    Writer& bytes(Bytes content) {
        blob_.insert(blob_.end(), content.begin(), content.end());
        return *this;
    }
    Writer& zeros(std::size_t count) { return fill(count, 0); }
    Writer& fill(std::size_t count, std::uint8_t value) {
        blob_.resize(blob_.size() + count, std::byte{value});
        return *this;
    }
    // text(characters) writes neither a NUL nor padding.
    Writer& text(std::string_view characters) {
        for (const char character : characters) blob_.push_back(static_cast<std::byte>(character));
        return *this;
    }
    // padded_text(characters) writes a NUL and pads with NULs to a multiple of 8, like the kernel.
    Writer& padded_text(std::string_view characters, std::size_t multiple = 8) {
        return text(characters).zeros(multiple - characters.size() % multiple);
    }
    Writer& align(std::size_t multiple) { return zeros((multiple - blob_.size() % multiple) % multiple); }

    std::endian order() const { return order_; }
    std::size_t size() const { return blob_.size(); }
    const Blob& blob() const { return blob_; }
    Blob take() { return std::move(blob_); }

    // patch(at, value) overwrites the 1, 2, 4 or 8 bytes at `at`, which were written before.
    template <class T>
    Writer& patch(std::size_t at, T value) {
        put(blob_, at, value, sizeof(T));
        return *this;
    }

  private:
    Writer& number(std::uint64_t value, std::size_t size) {
        blob_.resize(blob_.size() + size);
        put(blob_, blob_.size() - size, value, size);
        return *this;
    }
    void put(Blob& blob, std::size_t at, std::uint64_t value, std::size_t size) const {
        for (std::size_t index = 0; index < size; ++index) {
            const auto shift = 8 * (order_ == std::endian::little ? index : size - 1 - index);
            blob.at(at + index) = static_cast<std::byte>(value >> shift & 0xff);
        }
    }

    std::endian order_;
    Blob blob_;
};

// patched(blob, order, at, value) returns a copy with one integer replaced, to damage a well-formed file.
template <class T>
Blob patched(const Blob& blob, std::endian order, std::size_t at, T value) {
    return Writer(order).bytes(blob).patch(at, value).take();
}

inline Blob blob_of(std::string_view characters) {
    return Writer(std::endian::little).text(characters).take();
}

inline Blob joined(std::initializer_list<Blob> parts) {
    Blob all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace perfdata::test
