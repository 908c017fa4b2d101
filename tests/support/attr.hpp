// SPDX-License-Identifier: MIT
// Writes perf_event_attr like a kernel of either byte order.
#pragma once

#include "perfdata/wire/attr.hpp"

#include "support/writer.hpp"

namespace perfdata::test {

namespace attr_flag {
inline constexpr std::uint64_t freq = 1u << 10, sample_id_all = 1u << 18;
}

// write_attr(out, attr, size) writes the first `size` bytes of `attr`, and 0xee bytes beyond the 144 known ones, like a
// newer kernel. attr.flags has little-endian bit numbers, as in the decoder.
void write_attr(Writer& out, const Attr& attr, std::size_t size);

// flags_word(flags, order) returns the u64 in which a C compiler of that order places the bit-fields.
std::uint64_t flags_word(std::uint64_t flags, std::endian order);

// sampling_attr(sample_type) returns a software cpu-clock event with sample_id_all, and `size` as in perf 6.1.
Attr sampling_attr(std::uint64_t sample_type);

}  // namespace perfdata::test
