// SPDX-License-Identifier: MIT
// The standard streams, which may be closed, full, slow, or pipes without a reader: none of that ends the process.
#pragma once

#include <cstdio>
#include <string_view>

namespace perfdata::tool {

// write_all(...) writes all of the text, in any number of calls. If the descriptor is non-blocking it waits for room,
// at most `patience` milliseconds each time; less than 0 is forever. Returns 0, or the errno that ended it.
int write_all(std::FILE* stream, std::string_view text, int patience = -1) noexcept;

// say(text) writes to standard error as is. Failures are ignored, and it never waits for a non-blocking descriptor.
void say(std::string_view text) noexcept;

// is_reader_gone(problem) returns true if a pipe or socket lost its reader. That ends the output, but is not a failure.
bool is_reader_gone(int problem) noexcept;

}  // namespace perfdata::tool
