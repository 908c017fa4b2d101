// SPDX-License-Identifier: MIT
// The HTML page: one file that needs nothing else, to look at and to send to a colleague.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/page/page.hpp"

namespace perfdata {

struct HtmlOptions {
    std::string title;  // empty: made of the recording's path
    // Of what percentages of instructions and lines are shares; those of functions and of the flame graph are of all.
    PercentOf percent_of = PercentOf::function_hits;
    bool raw_bytes = false;           // show the bytes of each instruction
    std::size_t table_rows = 2000;    // functions in the table; the page says how many more there are
    std::size_t whole_listing = 200;  // listings of so many instructions are shown whole; of longer ones
    std::size_t context = 12;         // what has samples or was changed, with so many instructions around it
    std::vector<std::string> notes;   // what else a reader should know: files of names that do not fit, for example
};

// write_html_page(...): a listing without instructions and problems (see summary_listing()) is a row of the table only.
// The page shows its text without scripts, and has a policy that forbids requests and all scripts but its own.
void write_html_page(const PageContext& page, std::span<const Listing> listings,
                     std::span<const Unattributed> unattributed, const Flame& flame, const HtmlOptions& options,
                     const Sink& sink);

}  // namespace perfdata
