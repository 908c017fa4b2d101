// SPDX-License-Identifier: MIT
// What the parts of the HTML page share: columns, functions with their versions, and link targets.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "perfdata/annotate/page/html_page.hpp"

namespace perfdata {

// HtmlFunction is one function with all its versions on the page.
struct HtmlFunction {
    std::vector<const Listing*> versions;  // by number
    EventCounts total;
    std::uint32_t number = 0;  // its anchor is fN; 0: no listing

    const Listing& first() const { return *versions.front(); }
};

class HtmlModel {
  public:
    HtmlModel(const PageContext& page, std::span<const Listing> listings, const HtmlOptions& options);
    HtmlModel(const HtmlModel&) = delete;
    HtmlModel& operator=(const HtmlModel&) = delete;

    const PageContext& page() const { return page_; }
    const HtmlOptions& options() const { return options_; }
    // columns() returns the cells shown: those of events with samples.
    const std::vector<std::size_t>& columns() const { return columns_; }
    const std::vector<HtmlFunction>& functions() const { return functions_; }  // most hits first
    const std::string& event_name(std::size_t column) const;
    bool has_periods() const { return has_periods_; }

    bool by_period() const {
        return options_.percent_of == PercentOf::all_periods || options_.percent_of == PercentOf::function_periods;
    }
    std::uint64_t count(const EventCount& cell) const { return by_period() ? cell.periods : cell.hits; }
    const EventCounts& totals() const { return page_.whole(); }
    // percent_of_all(cells) returns the largest share of all samples over the events.
    double percent_of_all(std::span<const EventCount> cells) const { return percent(cells, totals()); }
    double percent(std::span<const EventCount> cells, std::span<const EventCount> whole) const;

    // anchor(function) returns the number of the HtmlFunction with its listing; 0: there is none.
    std::uint32_t anchor(const Frame& function) const;
    // anchor(from, target) does the same for a target of code in a listing.
    std::uint32_t anchor(const Listing& from, const ListingTarget& target) const;

    // call_anchor(call) links to the call instruction in the caller if the page shows it, else to the function; empty:
    // the page shows neither.
    std::string call_anchor(const ListingCall& call) const;

  private:
    void choose_columns();
    void group(std::span<const Listing> listings);
    void find_periods();

    const PageContext& page_;
    const HtmlOptions& options_;
    std::vector<std::size_t> columns_;
    std::vector<HtmlFunction> functions_;
    std::vector<const HtmlFunction*> numbered_;  // by number, from 1 on
    std::map<std::tuple<FrameKind, std::uint32_t, std::uint64_t>, std::uint32_t> anchors_;
    // By object (empty for kernel code) and first address.
    std::multimap<std::pair<std::string, std::uint64_t>, const HtmlFunction*> places_;
    bool has_periods_ = false;
};

// has_listing(listing) returns true if the listing has instructions or problems, not only a table row.
bool has_listing(const Listing& listing);
// called_name(call) returns the other function's name, or "[libc.so.6]" for code without a name.
std::string called_name(const ListingCall& call);
// html_kind(kind) returns the CSS class of code of that kind.
char html_kind(CodeClass kind);
// heat_class(percent) returns 0 (cold) to 7.
int heat_class(double percent);
// quantity(number) returns "7.15 G".
std::string quantity(std::uint64_t number);

}  // namespace perfdata
