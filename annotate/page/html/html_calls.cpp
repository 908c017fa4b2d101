// SPDX-License-Identifier: MIT
#include <algorithm>

#include "format/percent.hpp"
#include "format/words.hpp"
#include "html_parts.hpp"

namespace perfdata {
namespace {

class CallsWriter {
  public:
    CallsWriter(HtmlWriter& html, const HtmlModel& model, const ListingCalls& calls)
        : html_(html), model_(model), calls_(calls) {}

    void write() {
        if (calls_.callers.empty() && calls_.callees.empty()) return;
        html_.raw("<div class=cl>");
        if (!calls_.callers.empty()) table("Called from", calls_.callers);
        if (!calls_.callees.empty()) table("Calls", calls_.callees);
        html_.raw("</div>");
    }

  private:
    static constexpr std::size_t most = 8;  // rows shown before the reader asks for more

    void table(std::string_view title, const std::vector<ListingCall>& list) {
        html_.raw("<div><table class=ct><caption>").raw(title).raw("</caption><thead>");
        const auto& columns = model_.columns();
        if (columns.size() > 1) {
            html_.raw("<tr class=ev>");
            for (const auto column : columns) {
                html_.raw("<th colspan=2 scope=colgroup title=\"").text(model_.event_name(column), 100).raw("\">");
                html_.text(model_.event_name(column), 100);
            }
            html_.print("<td colspan={}>", calls_.branches ? 2 : 1);
        }
        html_.raw("<tr>");
        for (std::size_t at = 0; at < columns.size(); ++at) {
            html_.raw("<th scope=col class=n title=\"% of all samples\">%<th scope=col class=n>samples below");
        }
        if (calls_.branches) {
            html_.raw("<th scope=col class=n title=\"How often branch stacks saw the call: not samples\">branches");
        }
        html_.raw("<th scope=col>function<tbody>");
        for (std::size_t at = 0; at < std::min(list.size(), most); ++at) row(list[at]);
        if (list.size() > most) {
            EventCounts rest(model_.totals().size());
            for (auto at = most; at < list.size(); ++at) add(rest, list[at].below);
            html_.raw("<tr>");
            cells(rest);
            if (calls_.branches) html_.raw("<td>");
            html_.print("<td>{} more\n", list.size() - most);
        }
        html_.raw("</table></div>");
    }

    void cells(std::span<const EventCount> row) {
        for (const auto column : model_.columns()) {
            const auto& cell = row[column];
            if (cell.hits == 0) {
                html_.raw("<td><td>");
                continue;
            }
            const auto percent = share(model_.count(cell), model_.count(model_.totals()[column]));
            if (const auto heat = heat_class(percent); heat == 0) {
                html_.print("<td>{}<td>{}", percent_text(percent), cell.hits);
            } else {
                html_.print("<td class=h{}>{}<td>{}", heat, percent_text(percent), cell.hits);
            }
        }
    }

    void row(const ListingCall& call) {
        html_.raw("<tr>");
        cells(call.below);
        if (calls_.branches) {
            std::uint64_t branches = 0;
            for (const auto count : call.branches) branches += count;
            html_.raw("<td>");
            if (branches != 0) html_.print("{}", branches);
        }
        html_.raw("<td>");
        const auto anchor = call.name.empty() ? std::string() : model_.call_anchor(call);
        if (!anchor.empty()) html_.raw("<a href=#").raw(anchor).raw(">");
        html_.text(called_name(call), 160);
        if (!anchor.empty()) html_.raw("</a>");
        if (call.offset) {
            html_.print("<small>{}0x{:x}</small>", call.name.empty() ? " " : "+", *call.offset);
        } else if (call.returns_to) {
            html_.print("<small> before {}0x{:x}</small>", call.name.empty() ? "" : "+", *call.returns_to);
        }
        if (call.entry) html_.raw(" <small>into the kernel</small>");
        html_.raw("\n");
    }

    HtmlWriter& html_;
    const HtmlModel& model_;
    const ListingCalls& calls_;
};

}  // namespace

std::string called_name(const ListingCall& call) {
    if (!call.name.empty()) return call.name;
    if (call.object.empty()) return "[unknown]";
    return call.object.starts_with('[') ? call.object : fmt::format("[{}]", short_name(call.object));
}

void write_html_calls(HtmlWriter& html, const HtmlModel& model, const Listing& listing) {
    if (listing.calls) CallsWriter(html, model, *listing.calls).write();
}

}  // namespace perfdata
