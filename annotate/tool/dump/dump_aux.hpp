// SPDX-License-Identifier: MIT
// perfdata dump --aux: the AUX data of a recording as files.
#pragma once

#include <string>

#include "perfdata/recording/recording.hpp"

#include "dump_lines.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// extract_aux(...) writes one file for each buffer of AUX data, PREFIX.cpuN.idxM or PREFIX.tidN.idxM: the payloads of
// its AUXTRACE records one after the other in file order. Each record becomes a line with the file, the place in it
// and how many bytes were written, fewer than announced where the recording is cut off. Files appear only when all is
// written. What could not be read is added to `completeness`. Errors: io, missing (there is no AUX data). A file that
// is an input or another output is refused with refuse_taken().
Result<void> extract_aux(const Recording& recording, const std::string& prefix, const Common& common, DumpLines& lines,
                         Completeness& completeness);

}  // namespace perfdata::tool
