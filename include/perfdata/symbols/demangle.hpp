// SPDX-License-Identifier: MIT
// Names as the programmer wrote them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace perfdata {

enum class NameStyle {
    brief,  // as perf shows them: without parameters, return type and clone suffix
    full,
};

// demangle(symbol) is empty if the name is not mangled, or in a way that is not known. C++ (Itanium ABI) by the
// compiler's runtime; Rust's legacy scheme without its hash; Rust's v0 scheme (_R...) is not read.
std::optional<std::string> demangle(std::string_view symbol, NameStyle style = NameStyle::brief);

}  // namespace perfdata
