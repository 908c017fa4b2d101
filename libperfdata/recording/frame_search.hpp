// SPDX-License-Identifier: MIT
// Telling record headers from other bytes: where to go on behind damage.
#pragma once

#include <cstdint>

#include "perfdata/wire/record.hpp"

namespace perfdata {

enum class Chain : std::uint8_t { yes, no, more_bytes_needed };

// is_known_type(type): the kernel's, perf's, and simpleperf's own.
constexpr bool is_known_type(std::uint32_t type) {
    return !record_type_name(type).empty() || (type >= 32768 && type < 32768 + 64);
}

constexpr bool is_plausible_size(const RecordHeader& header) {
    const bool kernel = header.type < 64;
    return header.size >= RecordHeader::bytes && (!kernel || header.size % 8 == 0);
}

// is_plausible(header) is whether a header could be real: a type that is known or could be a newer kernel's or perf's,
// and a size that such a record can have.
constexpr bool is_plausible(const RecordHeader& header) {
    const bool possible = header.type != 0 && header.type < 256;
    return (possible || is_known_type(header.type)) && is_plausible_size(header);
}

// is_likely(header) is the same without newer types: behind damage only what is known is believed.
constexpr bool is_likely(const RecordHeader& header) {
    return is_known_type(header.type) && is_plausible_size(header);
}

// chain_begins(...) is whether several records follow each other from `at` on. `at_end`: no bytes follow `end`; then it
// is enough that a record ends there.
template <class Order>
Chain chain_begins(const std::byte* at, const std::byte* end, bool at_end, Order order) {
    constexpr int wanted = 4;
    for (int records = 0; records < wanted; ++records) {
        const auto left = static_cast<std::size_t>(end - at);
        if (left < RecordHeader::bytes) {
            if (!at_end) return Chain::more_bytes_needed;
            return left == 0 && records != 0 ? Chain::yes : Chain::no;
        }
        const auto header = RecordHeader::load(at, order);
        if (!is_likely(header)) return Chain::no;
        if (header.size > left) {
            if (!at_end) return Chain::more_bytes_needed;
            return records > 1 ? Chain::yes : Chain::no;
        }
        at += header.size;
    }
    return Chain::yes;
}

}  // namespace perfdata
