// SPDX-License-Identifier: MIT
// Makes libFuzzer change recordings by mutate_recording(). Linked to the targets that take whole files.
#include <algorithm>

#include "mutator.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return perfdata::fuzz::mutate_recording({data, std::max(size, most)}, size, seed, LLVMFuzzerMutate);
}
