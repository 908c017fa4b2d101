// SPDX-License-Identifier: MIT
// Copies of the files that explain a recording: kallsyms, perf maps, jitdumps, ELF files.
#pragma once

#include <memory>
#include <string>

#include "perfdata/core/limits.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

#include "bundle/anonymize/names.hpp"
#include "bundle/anonymize/tally.hpp"

namespace perfdata {

// See Anonymizer. All may throw bad_alloc.
Result<std::shared_ptr<const Source>> anonymous_kallsyms(const Source& file, const Names& names, Tally& tally,
                                                         const Watch& watch);
Result<std::shared_ptr<const Source>> anonymous_perf_map(const Source& file, const Names& names, Tally& tally,
                                                         const Watch& watch);
Result<std::shared_ptr<const Source>> anonymous_jitdump(const Source& file, const Names& names, Tally& tally,
                                                        const Watch& watch);
Result<std::shared_ptr<const Source>> anonymous_object(std::shared_ptr<const Source> file, const std::string& path,
                                                       const Limits& limits, Tally& tally, const Watch& watch);

}  // namespace perfdata
