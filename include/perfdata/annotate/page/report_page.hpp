// SPDX-License-Identifier: MIT
// Pages of a report: as text for users and as JSON for programs.
#pragma once

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/report/report.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// ReportTextOptions is the look of a report as text.
struct ReportTextOptions {
    bool color = false;    // with escape sequences of terminals
    bool hits = false;     // show a column of samples
    bool periods = false;  // show a column of periods
    // The width to make columns for. Lines are not cut to it. 0: any
    std::size_t width = 0;
};

// write_report_text(...) writes the report as a table, with the trees below their rows.
PERFDATA_EXPORT void write_report_text(const Report& report, const ReportTextOptions& options, const Sink& sink);

// ReportJsonOptions is the form of a report as JSON.
struct ReportJsonOptions {
    // Rows and nodes have no numbers of events without samples there: `columns` says which events the others are of.
    bool sparse = false;
};

// write_report_json(...) writes one document, schema perfdata.report/1 (see docs/json.md).
PERFDATA_EXPORT void write_report_json(const Report& report, const Sink& sink, const ReportJsonOptions& options = {});

}  // namespace perfdata
