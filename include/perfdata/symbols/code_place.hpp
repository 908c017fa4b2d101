// SPDX-License-Identifier: MIT
// Where bytes and lines of functions are kept: functions of one origin may share them.
#pragma once

#include <compare>
#include <cstdint>

namespace perfdata {

// CodeOrigin is a file or another thing that holds code or lines.
struct CodeOrigin {
    enum class Kind : std::uint8_t { bpf_program, out_of_line, jit_dump, jit_lines, kernel, file };

    Kind kind = Kind::kernel;
    std::uint64_t id = 0;  // among those of its kind, for one Symbolizer

    auto operator<=>(const CodeOrigin&) const = default;
};

// CodePlace is where the bytes of a function begin.
struct CodePlace {
    CodeOrigin origin;
    std::uint64_t begin = 0;  // in the origin, as it counts
};

// LinesOrigin is what the lines of a function are read from.
struct LinesOrigin {
    enum class Kind : std::uint8_t {
        none,  // nothing
        list,  // a list of its own: a record of a jitdump, or the info of a BPF program
        file,  // debug information of a file, which can be asked about any address
    };

    Kind kind = Kind::none;
    const void* from = nullptr;  // the same for functions of one dump, BPF program or file
    std::uint64_t at = 0;        // where the list is; functions with one `from` and `at` share it
};

}  // namespace perfdata
