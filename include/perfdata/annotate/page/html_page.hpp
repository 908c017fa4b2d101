// SPDX-License-Identifier: MIT
// The HTML page: one file without external resources, to view and to share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/page/page.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// HtmlOptions is what the page shows.
struct HtmlOptions {
    std::string title;  // empty: a title with the recording's path
    // What 100 % is for instructions and lines. Percentages of functions and of the flame graph are of all samples.
    PercentOf percent_of = PercentOf::function_hits;
    bool raw_bytes = false;           // show each instruction's bytes
    std::size_t table_rows = 2000;    // most functions in the table; the page says how many it leaves out
    std::size_t whole_listing = 200;  // most instructions of a listing shown whole; a longer one shows only
    std::size_t context = 12;         // the sampled or changed instructions and so many around each
    std::vector<std::string> notes;   // further warnings for the reader, for example files of names that do not match
};

// write_html_page(...): a listing without instructions and problems (see summary_listing()) is a row of the table only.
// The page shows all text without scripts. Its Content-Security-Policy forbids requests and all scripts but its own.
PERFDATA_EXPORT void write_html_page(const PageContext& page, std::span<const Listing> listings,
                                     std::span<const Unattributed> unattributed, const Flame& flame,
                                     const HtmlOptions& options, const Sink& sink);

}  // namespace perfdata
