// SPDX-License-Identifier: MIT
#include "trace_masks.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace perfdata {
namespace {

// byte_at(bytes, index, ...) returns bits 8 * index and up. Bytes of a long that is cut are 0.
unsigned mask_byte(Bytes bytes, std::size_t index, AnyOrder order, std::uint8_t long_size) {
    if (order.endian() == std::endian::big)
        index = index / long_size * long_size + (long_size - 1u - index % long_size);
    return index < bytes.size() ? std::to_integer<unsigned>(bytes[index]) : 0;
}

}  // namespace

std::string mask_digits(Bytes bytes, AnyOrder order, std::uint8_t long_size) {
    std::string text;
    for (auto index = bytes.size(); index-- > 0;) {
        text += fmt::format("{:02x}", mask_byte(bytes, index, order, long_size));
        if (index != 0 && index % 4 == 0) text += ',';
    }
    return text;
}

std::string mask_ranges(Bytes bytes, std::uint64_t bits, AnyOrder order, std::uint8_t long_size) {
    const auto most = std::min<std::uint64_t>(bits, bytes.size() * 8);
    const auto is_set = [&](std::uint64_t bit) {
        return (mask_byte(bytes, static_cast<std::size_t>(bit / 8), order, long_size) >> (bit % 8) & 1) != 0;
    };
    std::string text;
    for (std::uint64_t bit = 0; bit < most; ++bit) {
        if (bit % 8 == 0 && mask_byte(bytes, static_cast<std::size_t>(bit / 8), order, long_size) == 0) {
            bit += 7;
            continue;
        }
        if (!is_set(bit)) continue;
        const auto first = bit;
        while (bit + 1 < most && is_set(bit + 1)) ++bit;
        text += fmt::format("{}{}", text.empty() ? "" : ",", first);
        if (bit != first) text += fmt::format("-{}", bit);
    }
    return text;
}

}  // namespace perfdata
