// SPDX-License-Identifier: MIT
// The new recording: header, ids, attrs, records, table of sections, sections.
#pragma once

#include <memory>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"

#include "bundle/anonymize/names.hpp"
#include "bundle/anonymize/tally.hpp"

namespace perfdata {

// anonymous_recording(): see Anonymizer::recording(). May throw bad_alloc.
Result<std::shared_ptr<const Source>> anonymous_recording(const Recording& recording, const Names& names, Tally& tally,
                                                          const Watch& watch);

}  // namespace perfdata
