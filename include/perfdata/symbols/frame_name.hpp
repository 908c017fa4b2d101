// SPDX-License-Identifier: MIT
// The name of a place in code.
#pragma once

#include <cstdint>
#include <string_view>

#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/timeline/code_class.hpp"

namespace perfdata {

// FrameName: views live as long as the Symbolizer that returned them.
struct FrameName {
    std::string_view symbol;              // empty: unknown. BPF code has the kernel's name: bpf_prog_<tag>_<name>
    std::uint64_t offset = 0;             // of the frame from the start of the symbol; without a symbol: in the object
    std::string_view object;              // perf's "dso": a path, [kernel.kallsyms], [nf_nat], [vdso]; empty: unknown
    CodeClass kind = CodeClass::unknown;  // of the code at the frame
    // Why a user-space or module frame has no symbol. Other frames have SymbolMiss::between_symbols.
    SymbolMiss miss = SymbolMiss::between_symbols;
    bool inlined = false;  // FrameKind::inlined: the name as in the source, without an offset
};

}  // namespace perfdata
