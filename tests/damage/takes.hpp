// SPDX-License-Identifier: MIT
// Runs the tool on a crafted recording and measures what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/elf.hpp"
#include "support/files.hpp"

namespace perfdata::test {

struct Run {
    int status = -1;         // -1: a signal
    std::size_t memory = 0;  // most bytes held
    double seconds = 0;      // CPU time
    std::string output, messages;
};

// run(folder, command, program) runs it without input; its outputs go through files in the folder.
Run run(const TempDir& folder, std::vector<std::string> command, const char* program = PERFDATA_TOOL);

// Sanitizers need memory of their own, which leaves no room for limits.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFDATA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFDATA_SANITIZED
#endif
#endif
#ifdef PERFDATA_SANITIZED
inline constexpr bool measured = false;
#else
inline constexpr bool measured = true;
#endif

inline constexpr std::size_t little = std::size_t{64} << 20;  // bytes of memory

// Where a program's code begins, where recordings map the file, and what stands before user frames in a chain.
inline constexpr std::uint64_t text_at = 64 + 56, mapped_at = 0x10000000, user_mark = ~std::uint64_t{0} - 511;

// program(size) returns a program of so many bytes of code, from text_at on.
Elf program(std::uint64_t size);

// put(folder, name, elf) writes it below root/bin, and returns the root.
std::string put(const TempDir& folder, const std::string& name, const Elf& elf);

}  // namespace perfdata::test
