// SPDX-License-Identifier: MIT
// What a profile file says of the addresses that code names.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfdata {

// TargetUse is what an instruction does with an address.
enum class TargetUse : std::uint8_t {
    jump,      // it jumps there, calls it, or reads or writes what is there
    constant,  // it loads the address itself: a name is known only if a function begins there
};

// KnownTarget is what lies at the address. The view lives as long as the Symbolizer that returned it.
struct KnownTarget {
    std::string_view name;     // "program/function" if it is of another BPF program; never empty
    std::uint64_t offset = 0;  // bytes from the start of what is named
};

}  // namespace perfdata
