// SPDX-License-Identifier: MIT
// Changes recordings but keeps them plausible: sizes, offsets and counts usually match the change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace perfdata::fuzz {

// ByteMutator changes bytes in place, possibly their number. Arguments: buffer, size, largest size; returns the new
// size.
using ByteMutator = std::function<std::size_t(std::uint8_t*, std::size_t, std::size_t)>;

// mutate_recording(buffer, size, seed, bytes) changes a recording of `size` bytes at the front of `buffer` and returns
// its new size, at most the buffer's. Equal seeds and `bytes` give equal changes. `bytes` alone changes input that is
// not a recording, and sometimes a recording too.
std::size_t mutate_recording(std::span<std::uint8_t> buffer, std::size_t size, std::uint32_t seed,
                             const ByteMutator& bytes);

// mutate_with_choices(...) does the same with a tool command's input: it changes either the recording or one of the
// choices behind it (see choices.hpp). It adds choices if there is room for them.
std::size_t mutate_with_choices(std::span<std::uint8_t> buffer, std::size_t size, std::uint32_t seed,
                                const ByteMutator& bytes);

}  // namespace perfdata::fuzz
