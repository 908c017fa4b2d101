// SPDX-License-Identifier: MIT
// The kernel's formats of pointers: names of code, hardware and network addresses, UUIDs, bytes.
#pragma once

#include <string_view>
#include <vector>

#include "trace_expression.hpp"
#include "trace_writer.hpp"

namespace perfdata {

// code_letters begin the letters behind "%p" that print a name of code.
inline constexpr std::string_view code_letters = "FfSsB";

// pointer_letters("I4 and so on") returns how many letters after "%p" belong to it.
std::size_t pointer_letters(std::string_view text);

// append_pointer(writer, "I4", directive, ...) prints what "%pI4" does.
void append_pointer(TraceWriter& writer, std::string_view letters, const TraceDirective& directive,
                    const TraceExpression& argument, const std::vector<TraceField>& fields, const TraceRecord& record);

}  // namespace perfdata
