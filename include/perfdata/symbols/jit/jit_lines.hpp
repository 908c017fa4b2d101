// SPDX-License-Identifier: MIT
// Problems of lines from a jitdump.
#pragma once

#include <optional>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/timeline/jit_code.hpp"

namespace perfdata {

// Reports damaged names of source files in lines that were read from this jitdump; nothing if there are none.
PERFDATA_EXPORT std::optional<Error> jit_lines_problem(const JitCode& code, const JitLines& lines);

}  // namespace perfdata
