// SPDX-License-Identifier: MIT
// Where the bytes and lines of functions come from. Functions of one origin may share them.
#pragma once

#include <compare>
#include <cstdint>

namespace perfdata {

// CodeOrigin is a file or another source of code or lines.
struct CodeOrigin {
    // Kind is what the source is.
    enum class Kind : std::uint8_t { bpf_program, out_of_line, jit_dump, jit_lines, kernel, file };

    Kind kind = Kind::kernel;  // ids of different kinds mean nothing to each other
    std::uint64_t id = 0;      // unique within its kind and one Symbolizer

    auto operator<=>(const CodeOrigin&) const = default;
};

// CodePlace is where the bytes of a function begin.
struct CodePlace {
    CodeOrigin origin;        // functions may share bytes only if it is equal
    std::uint64_t begin = 0;  // address or offset, as the origin counts
};

// LinesOrigin is the data from which the lines of a function are read.
struct LinesOrigin {
    // Kind is how the lines are found.
    enum class Kind : std::uint8_t {
        none,  // no lines
        list,  // the function's own list: a jitdump record, or the info of a BPF program
        file,  // debug information of a file, searchable by address
    };

    Kind kind = Kind::none;      // what the other members mean
    const void* from = nullptr;  // equal for all functions of one dump, BPF program or file
    std::uint64_t at = 0;        // position of the list; functions with equal `from` and `at` share it
};

}  // namespace perfdata
