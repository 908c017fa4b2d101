// SPDX-License-Identifier: MIT
// Words that several formats share.
#pragma once

#include <string_view>

#include "perfdata/timeline/code_class.hpp"

namespace perfdata {

// kind_mark(kind, inlined) returns what flamegraph.pl knows kinds of code by: _[k] kernel, _[j] JIT, _[i] inlined; and
// _[b] for BPF code. Empty for user code and where nothing is known.
constexpr std::string_view kind_mark(CodeClass kind, bool inlined) {
    if (inlined) return "_[i]";
    switch (kind) {
        case CodeClass::kernel:
        case CodeClass::module:
        case CodeClass::out_of_line: return "_[k]";
        case CodeClass::bpf: return "_[b]";
        case CodeClass::jit: return "_[j]";
        case CodeClass::user:
        case CodeClass::unknown: break;
    }
    return {};
}

}  // namespace perfdata
