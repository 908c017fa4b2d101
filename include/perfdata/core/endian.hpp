// SPDX-License-Identifier: MIT
// Unaligned loads in the byte order of the recording machine.
//
// Decoders are templates over an order policy. FixedOrder<E> is a compile-time order: hot loops are instantiated once
// per order and the choice is made once per recording. AnyOrder carries the order as a value: everything that runs a
// few times per file uses it.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perfdata {

// byteswap(value) returns it with its bytes in reverse order, as std::byteswap does.
template <std::unsigned_integral T>
constexpr T byteswap(T value) {
    if constexpr (sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        static_assert(sizeof(T) == 8);
        return __builtin_bswap64(value);
    }
}

// FixedOrder is the order policy for a byte order that is known when it is compiled. It has no state.
template <std::endian E>
struct FixedOrder {
    // load<T>(at) returns the integer in the sizeof(T) bytes at `at`, which may be unaligned.
    template <std::unsigned_integral T>
    static T load(const std::byte* at) {
        T value;
        std::memcpy(&value, at, sizeof value);
        return E == std::endian::native ? value : byteswap(value);
    }
    static constexpr std::endian endian() { return E; }  // the order it reads
};

// AnyOrder is the order policy for a byte order that is known only when a file is read. As made by default it is the
// host's.
class AnyOrder {
  public:
    constexpr AnyOrder() = default;

    // The order of what it is to load.
    constexpr explicit AnyOrder(std::endian order) : swap_(order != std::endian::native) {}

    // load<T>(at) returns the integer in the sizeof(T) bytes at `at`, which may be unaligned.
    template <std::unsigned_integral T>
    T load(const std::byte* at) const {
        T value;
        std::memcpy(&value, at, sizeof value);
        return swap_ ? byteswap(value) : value;
    }
    // endian() returns the order it reads, whatever the host's is.
    constexpr std::endian endian() const {
        constexpr auto foreign = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
        return swap_ ? foreign : std::endian::native;
    }
    constexpr bool operator==(const AnyOrder&) const = default;

  private:
    bool swap_ = false;
};

}  // namespace perfdata
