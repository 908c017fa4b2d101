// SPDX-License-Identifier: MIT
// What lines of a jitdump lack.
#pragma once

#include <optional>

#include "perfdata/core/error.hpp"
#include "perfdata/timeline/jit_code.hpp"

namespace perfdata {

// jit_lines_problem(code, lines) says that names of files in them are damaged, of lines that were read of that jitdump.
std::optional<Error> jit_lines_problem(const JitCode& code, const JitLines& lines);

}  // namespace perfdata
