// SPDX-License-Identifier: MIT
// Changes recordings so that they stay plausible: sizes, offsets and counts fit what was changed, most of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace perfdata::fuzz {

// ByteMutator changes bytes in place, which may become more or less: buffer, size, most; gives the new size.
using ByteMutator = std::function<std::size_t(std::uint8_t*, std::size_t, std::size_t)>;

// mutate_recording(buffer, size, seed, bytes) changes a recording of `size` bytes at the front of `buffer` and gives
// its new size, at most that of the buffer. The same seed and the same `bytes` give the same change. What is no
// recording is changed by `bytes` alone, and so is a recording now and then.
std::size_t mutate_recording(std::span<std::uint8_t> buffer, std::size_t size, std::uint32_t seed,
                             const ByteMutator& bytes);

// mutate_with_choices(...) does that to an input of a command: the choices behind the recording (see choices.hpp) stay,
// or one of them changes and the recording stays. There are choices if there is room for them.
std::size_t mutate_with_choices(std::span<std::uint8_t> buffer, std::size_t size, std::uint32_t seed,
                                const ByteMutator& bytes);

}  // namespace perfdata::fuzz
