// SPDX-License-Identifier: MIT
// The standard streams, which may be closed, full, slow, or pipes that nobody reads: none of that ends the process.
#pragma once

#include <cstdio>
#include <string_view>

namespace perfdata::tool {

// raise_open_files() lets the process open as many files as it may: a recording may have one for each CPU, and names
// any number of others.
void raise_open_files() noexcept;

// open_closed_streams() opens those of descriptors 0 to 2 that are closed, so that no file that is opened later becomes
// one of them. Reading then finds the end, messages vanish, and output fails as it does with a closed descriptor.
void open_closed_streams() noexcept;

// write_all(...) writes all of the text, however many calls that takes. Where somebody has made the descriptor
// non-blocking it waits for room, at most `patience` milliseconds each time; less than 0 is for ever. Gives 0, or the
// errno that ended it.
int write_all(int descriptor, std::string_view text, int patience = -1) noexcept;
int write_all(std::FILE* stream, std::string_view text, int patience = -1) noexcept;

// say(text) writes to standard error as it is. Where that fails nobody is left to be told, and who wanted not to block
// is not waited for.
void say(std::string_view text) noexcept;

// is_reader_gone(problem): a pipe or socket that nobody reads any more. That ends the output, and is no failure.
bool is_reader_gone(int problem) noexcept;

}  // namespace perfdata::tool
