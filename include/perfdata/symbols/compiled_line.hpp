// SPDX-License-Identifier: MIT
// Lines as a compiler counts them: from the line that declares the function, with discriminators.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/core/shared.hpp"

namespace perfdata {

// CompiledFunction is a function as debug information declares it. Views live as long as the Symbolizer.
struct CompiledFunction {
    std::string_view name;   // linkage name where it has one; demangled as the Symbolizer demangles; empty: unknown
    std::uint32_t line = 0;  // DW_AT_decl_line; 0: unknown
};

// CompiledCall is a call that the compiler inlined.
struct CompiledCall {
    CompiledFunction function;        // that was called
    std::uint32_t line = 0;           // of the call
    std::uint32_t discriminator = 0;  // of the call: DW_AT_GNU_discriminator
};

// CompiledLine assigns the code from this offset up to the next CompiledLine to a line.
struct CompiledLine {
    std::uint64_t offset = 0;                         // bytes of code from the start of what was asked for
    std::uint32_t line = 0;                           // of the innermost function; 0: code without source
    std::uint32_t discriminator = 0;                  // tells code of one line apart
    CompiledFunction function;                        // that contains the code; without a name: nothing is known
    Shared<const std::vector<CompiledCall>> calls{};  // inlined there, innermost first; null: none
};

}  // namespace perfdata
