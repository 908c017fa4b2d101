// SPDX-License-Identifier: MIT
// Finds functions with samples: by name, and by a line of source.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/name_pattern.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// functions_named(profile, symbolizer, name) returns the functions, as indices in profile.functions(), of that name: as
// in the source, as a kernel symbol, or PROGRAM/NAME of a BPF program. Once `stop` says so, it returns those that it
// has.
PERFDATA_EXPORT std::vector<std::uint32_t> functions_named(const Profile& profile, const Symbolizer& symbolizer,
                                                           std::string_view name, const StopToken& stop = {});
// The same, where a pattern matches one of these names.
PERFDATA_EXPORT std::vector<std::uint32_t> functions_named(const Profile& profile, const Symbolizer& symbolizer,
                                                           const NamePattern& pattern, const StopToken& stop = {});

// functions_at(profile, symbolizer, file, line) returns the functions with code of that line, inlined or their own. Of
// the files in debug information those count whose paths agree the most with `file` from the end on, in whole parts. It
// reads the lines of all functions with samples. Errors: cancelled, out_of_memory.
PERFDATA_EXPORT Result<std::vector<std::uint32_t>> functions_at(const Profile& profile, const Symbolizer& symbolizer,
                                                                std::string_view file, std::uint32_t line,
                                                                const StopToken& stop = {});

}  // namespace perfdata
