// SPDX-License-Identifier: MIT
// What sources of code are made from and share.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"
#include "perfdata/timeline/code_versions.hpp"

#include "line_texts.hpp"

namespace perfdata {

// SourceContext outlives the sources.
struct SourceContext {
    const Recording& recording;
    const Timeline& timeline;
    const SymbolizerOptions& options;  // valid only while sources are made
    const ObjectFinder& finder;
    LineTexts& texts;
    std::function<const CodeVersions&()> versions;  // may be called once all sources are made
    std::vector<Error>& problems;                   // what could not be loaded, and what would supply it
    DiagnosticLog& losses;                          // what was found but could not be read

    // Reports missing data and data of something else as a problem, unreadable data as a loss.
    void tell(Error error) const {
        if (error.code == ErrorCode::missing || error.code == ErrorCode::mismatch) {
            problems.push_back(std::move(error));
        } else {
            losses.add(std::move(error));
        }
    }
};

}  // namespace perfdata
