// SPDX-License-Identifier: MIT
// Types of C and of the kernel, as the formats of tracepoints name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace perfdata {

struct TraceType {
    std::uint8_t bytes = 0;  // 0: unknown
    bool is_signed = false;
    bool is_pointer = false;
    std::uint8_t pointed = 0;  // of a pointer: bytes of what it points to, 0: unknown
    bool points_signed = false;

    bool operator==(const TraceType&) const = default;
};

// is_number_size(bytes) returns true if numbers of that many bytes are read.
constexpr bool is_number_size(std::uint64_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

// trace_type("unsigned long *", long_size) returns nothing if a word is no name of a type that it knows. The structs,
// unions and enums that the text names are known, but not their sizes; an enum has four bytes.
std::optional<TraceType> trace_type(std::string_view text, std::uint8_t long_size);

}  // namespace perfdata
