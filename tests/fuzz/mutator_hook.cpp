// SPDX-License-Identifier: MIT
// Makes libFuzzer change recordings with mutate_recording(), and option choices separately. Linked to the targets that
// take whole files.
#include <algorithm>

#include "mutator.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    const std::span buffer(data, std::max(size, most));
#ifdef PERFDATA_FUZZ_CHOICES
    return perfdata::fuzz::mutate_with_choices(buffer, size, seed, LLVMFuzzerMutate);
#else
    return perfdata::fuzz::mutate_recording(buffer, size, seed, LLVMFuzzerMutate);
#endif
}
