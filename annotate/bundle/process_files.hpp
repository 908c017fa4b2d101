// SPDX-License-Identifier: MIT
// Files below the root of a living process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/named_file.hpp"

namespace perfdata {

// Returns the process whose root that is: 12 for "/proc/12/root". Nothing for other directories.
std::optional<std::uint32_t> process_of_root(const std::string& root);

// Opens a file below the root of a process. Who makes a mount namespace puts any file there, under any name: one that
// only root may read, for example. So it is opened if the process itself might. Errors: as open_named_file(); mismatch
// also if the process has ended.
Result<std::shared_ptr<const Source>> open_of_process(std::uint32_t pid, const FileName& there, const Limits& limits,
                                                      NamedFileOptions how);

}  // namespace perfdata
