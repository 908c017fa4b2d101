// SPDX-License-Identifier: MIT
// The twin of a recording: what a machine of the other byte order would have written.
#pragma once

#include "support/writer.hpp"

namespace perfdata::test {

// big_endian_twin(file) takes a little-endian recording, file or pipe, and swaps every integer in place: header, attrs,
// ids, records by type, samples by event, features, BPF programs and BTF. Texts, build-ids, code, raw data, AUX and
// tracing data stay; bit-fields move to their big-endian places. It shares no code with the decoders. Throws
// std::runtime_error for compressed records and damage.
Blob big_endian_twin(const Blob& file);

}  // namespace perfdata::test
