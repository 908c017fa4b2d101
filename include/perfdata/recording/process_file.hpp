// SPDX-License-Identifier: MIT
// Opens files below the root of a living process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/named_file.hpp"

namespace perfdata {

// MappedProgram is a file that a process mapped, as the recording has it.
struct MappedProgram {
    std::string path;                  // below the root of the process
    std::optional<FileInode> inode{};  // nothing: not recorded
};

// open_of_process(pid, mapped, there, limits, how) opens a file below the root of a process: its FileName::root. Who
// makes a mount namespace puts any file there, under any name: one that only root may read, for example. So it is
// opened if the process itself might, by the modes there or as its owner. Who it is counts only if it still runs a
// program that it mapped in the recording, and has one user alone: its number may be another process's by now, and a
// program that runs as its owner (setuid) may be root's. NamedFileOptions::on_behalf_of takes the place of that user,
// if it is given: `nobody` opens only what everybody in the process's root may read. Errors: as open_named_file();
// mismatch also if the process is another one.
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> open_of_process(std::uint32_t pid,
                                                                      std::span<const MappedProgram> mapped,
                                                                      const FileName& there, const Limits& limits,
                                                                      NamedFileOptions how = {});

// may_be_map_of(pid, source) returns false if the process of that number lives, and the file is not that of its user
// alone, or older than it: then another process had the number when the file was written.
PERFDATA_EXPORT bool may_be_map_of(std::uint32_t pid, const Source& source);

}  // namespace perfdata
