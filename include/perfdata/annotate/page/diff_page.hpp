// SPDX-License-Identifier: MIT
// Pages of a comparison: as text for users and as JSON for programs.
#pragma once

#include "perfdata/annotate/diff/diff.hpp"
#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// DiffTextOptions is the look of a comparison as text.
struct DiffTextOptions {
    bool color = false;  // with escape sequences of terminals
};

// write_diff_text(...) writes a table for each event.
PERFDATA_EXPORT void write_diff_text(const Diff& diff, const DiffTextOptions& options, const Sink& sink);

// write_diff_json(...) writes one document, schema perfdata.diff/1 (see docs/json.md).
PERFDATA_EXPORT void write_diff_json(const Diff& diff, const Sink& sink);

}  // namespace perfdata
