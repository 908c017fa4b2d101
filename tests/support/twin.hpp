// SPDX-License-Identifier: MIT
// The twin of a recording: what a machine of the other byte order would have written.
#pragma once

#include "support/writer.hpp"

namespace perfdata::test {

// big_endian_twin(file) takes a little-endian recording, file or pipe, and turns every integer in it around, in place:
// header, attrs, ids, records by their type, samples by their event, features, BPF programs and BTF. Texts, build-ids,
// code, raw data, AUX and tracing data stay as they are; bit-fields go where a big-endian compiler puts them. It knows
// the format by itself and shares nothing with the decoders. Throws std::runtime_error for what it cannot turn:
// compressed records, damage.
Blob big_endian_twin(const Blob& file);

}  // namespace perfdata::test
