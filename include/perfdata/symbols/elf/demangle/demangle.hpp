// SPDX-License-Identifier: MIT
// Names as the programmer wrote them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfdata/core/export.hpp"

namespace perfdata {

// NameStyle is how much of a name is shown.
enum class NameStyle {
    brief,  // as perf shows them: without parameters, return type and clone suffix
    full,
};

// is_mangled(symbol) is whether demangle() would try: "_Z..." or "_R...".
constexpr bool is_mangled(std::string_view symbol) {
    return symbol.starts_with("_Z") || symbol.starts_with("_R");
}

// demangle(symbol) is empty if the name is not mangled, or in a way that is not known, or longer than perf reads (1024
// bytes of C++), or would become a text without measure: then the mangled name is the better one. C++ (Itanium ABI),
// Rust's v0 scheme and its legacy one, without hashes unless `style` is full. Time is in proportion to the symbol, and
// at most a few milliseconds. Where less than 640 KiB of stack are left, longer names are demangled on a stack of their
// own, in a thread that this call makes and waits for; they stay mangled if the system gives none.
PERFDATA_EXPORT std::optional<std::string> demangle(std::string_view symbol, NameStyle style = NameStyle::brief);

}  // namespace perfdata
