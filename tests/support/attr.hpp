// SPDX-License-Identifier: MIT
// perf_event_attr as a kernel of either byte order writes it.
#pragma once

#include "perfdata/wire/attr.hpp"

#include "support/writer.hpp"

namespace perfdata::test {

namespace attr_flag {
inline constexpr std::uint64_t freq = 1u << 10, sample_id_all = 1u << 18;
}

// write_attr(out, attr, size) writes the first `size` bytes of `attr`; beyond the 144 known bytes come 0xee bytes, as
// from a newer kernel. attr.flags is in little-endian numbering, like in the decoder.
void write_attr(Writer& out, const Attr& attr, std::size_t size);

// flags_word(flags, order) is the u64 in which a C compiler of that order places the bit-fields.
std::uint64_t flags_word(std::uint64_t flags, std::endian order);

// sampling_attr(sample_type) is a software cpu-clock event with sample_id_all, `size` as perf 6.1 writes it.
Attr sampling_attr(std::uint64_t sample_type);

}  // namespace perfdata::test
