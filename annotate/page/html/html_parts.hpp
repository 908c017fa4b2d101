// SPDX-License-Identifier: MIT
// The parts of the HTML page.
#pragma once

#include "html_model.hpp"
#include "html_writer.hpp"

namespace perfdata {

// page.css, and page.js with the hash that the page's Content-Security-Policy admits.
extern const std::string_view html_style, html_script, html_script_hash;

void write_html_flame(HtmlWriter& html, const HtmlModel& model, const Flame& flame);
void write_html_table(HtmlWriter& html, const HtmlModel& model, std::span<const Unattributed> unattributed);
// write_html_histograms(...) writes a section of tables with bars; nothing without histograms.
void write_html_histograms(HtmlWriter& html, const HtmlModel& model);
// write_html_listing(...) writes the code of one version of a function. Ids of link targets within it begin with
// `anchor`.
void write_html_listing(HtmlWriter& html, const HtmlModel& model, const Listing& listing, const std::string& anchor);
// write_html_calls(...) writes callers and callees.
void write_html_calls(HtmlWriter& html, const HtmlModel& model, const Listing& listing);
// write_html_function(...) writes a function with the listings of all its versions.
void write_html_function(HtmlWriter& html, const HtmlModel& model, const HtmlFunction& function);

}  // namespace perfdata
