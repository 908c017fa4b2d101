// SPDX-License-Identifier: MIT
// Files below the root of a living process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/named_file.hpp"

#include "needed.hpp"

namespace perfdata {

// Returns the process whose root that is: 12 for "/proc/12/root". Nothing for other directories.
std::optional<std::uint32_t> process_of_root(const std::string& root);

// Opens a file below the root of a process, see the function of that name in perfdata/recording/process_file.hpp.
// Errors: mismatch also if others may have written the recording, which says what the process mapped.
Result<std::shared_ptr<const Source>> open_of_process(std::uint32_t pid, const FileName& there, const NeededFrom& from,
                                                      Content content, const Watch& watch);

}  // namespace perfdata
