// SPDX-License-Identifier: MIT
// Masks of bits, as the kernel keeps them: an array of longs.
#pragma once

#include <string>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// mask_digits(bytes, ...) returns "00000000,00000003": eight hexadecimal digits for each 32 bits, the highest first.
std::string mask_digits(Bytes bytes, AnyOrder order, std::uint8_t long_size);
// mask_ranges(bytes, bits, ...) returns "0-1,4": the numbers of the bits that are set, below `bits`.
std::string mask_ranges(Bytes bytes, std::uint64_t bits, AnyOrder order, std::uint8_t long_size);

}  // namespace perfdata
