// SPDX-License-Identifier: MIT
// The kinds of code that users see: one table for options, columns and JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace perfdata {

// CodeClass is whose code it is. `module` is code of a kernel module, `jit` of a just-in-time compiler.
enum class CodeClass : std::uint8_t { unknown, kernel, module, bpf, out_of_line, user, jit };

// CodeClassWord is the word for one of them.
struct CodeClassWord {
    CodeClass code;         // by which to find the word
    std::string_view word;  // in `--kind`, in columns and in JSON
};

// All of them, in the order in which they are shown.
inline constexpr std::array<CodeClassWord, 7> code_classes{{
    {CodeClass::unknown, "unknown"},
    {CodeClass::kernel, "kernel"},
    {CodeClass::module, "module"},
    {CodeClass::bpf, "bpf"},
    {CodeClass::out_of_line, "out_of_line"},
    {CodeClass::user, "user"},
    {CodeClass::jit, "jit"},
}};

// to_string(code) returns its word; static storage.
constexpr std::string_view to_string(CodeClass code) {
    for (const auto& one : code_classes) {
        if (one.code == code) return one.word;
    }
    return "unknown";
}

}  // namespace perfdata
