// SPDX-License-Identifier: MIT
// What unwinding the stacks of a recording needs at least, and what the library takes for it.
#pragma once

#include <cstdint>
#include <string>

namespace perfdata::bench {

struct StackBound {
    std::uint64_t stacks = 0, frames = 0;  // as the library unwinds them
    std::uint64_t copied_bytes = 0;        // of all stacks
    // Of the stacks that the plain loop unwinds alike: stacks with code that is no file here are left out.
    std::uint64_t same_stacks = 0, same_frames = 0;
    std::uint64_t read_bytes = 0;  // of the copies
    std::uint64_t rows_looked_up = 0;
    std::uint64_t rows_made = 0;  // from call frame information
    double walk_seconds = 0;      // CPU time of reading and decoding all samples
    double unwound_seconds = 0;   // the same, with unwinding each stack
};

// Unwinds all stacks twice: with the library, and with a plain loop over its parts that counts what it reads. Throws
// std::runtime_error if the recording cannot be read, or no stack is unwound alike.
StackBound stack_bound(const std::string& path);

}  // namespace perfdata::bench
