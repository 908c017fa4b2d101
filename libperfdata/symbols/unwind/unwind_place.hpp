// SPDX-License-Identifier: MIT
// What a source of code knows about unwinding from a frame.
#pragma once

#include <cstdint>

#include "perfdata/timeline/stack_unwinder.hpp"

namespace perfdata {

class ElfFile;
class FileCfi;

// UnwindPlace is where the unwind information of a frame's code is.
struct UnwindPlace {
    const FileCfi* cfi = nullptr;  // null: there is none; lives as long as the source
    std::uint64_t vaddr = 0;       // of the frame, in the terms of `cfi` and `file`
    // Why there is none. no_unwind_info lets frame pointers be tried: the code is known to run without a file, or its
    // file says nothing.
    StackEnd missing = StackEnd::no_unwind_info;
    const ElfFile* file = nullptr;  // the file with the code; null if there is none
};

}  // namespace perfdata
