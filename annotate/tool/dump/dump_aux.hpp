// SPDX-License-Identifier: MIT
// perfdata dump --aux: the AUX data of a recording as files.
#pragma once

#include <string>

#include "perfdata/recording/recording.hpp"

#include "dump_lines.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// extract_aux(...) writes one file per buffer of AUX data, PREFIX.cpuN.idxM or PREFIX.tidN.idxM: the payloads of its
// AUXTRACE records in file order. For each record it prints a line with the file, the offset in it and the number of
// bytes written, fewer than announced if the recording is truncated. Files appear only when all are complete. What
// could not be read is added to `completeness`. Errors: io, missing (there is no AUX data). A file that is an input or
// another output is refused with refuse_taken().
Result<void> extract_aux(const Recording& recording, const std::string& prefix, const Common& common, DumpLines& lines,
                         Completeness& completeness);

}  // namespace perfdata::tool
