// SPDX-License-Identifier: MIT
#include <algorithm>

#include "format/percent.hpp"
#include "format/ratio.hpp"
#include "format/words.hpp"
#include "html_parts.hpp"
#include "page/titles.hpp"

namespace perfdata {
namespace {

class TableWriter {
  public:
    TableWriter(HtmlWriter& html, const HtmlModel& model) : html_(html), model_(model) {}

    void write(std::span<const Unattributed> unattributed) {
        html_.raw("<div class=tw tabindex=0 role=group aria-label=Functions><table id=ft class=ft");
        if (const auto count = model_.page().ratios.size(); count != 0) html_.print(" data-r={}", count);
        html_.raw(">");
        head();
        html_.raw("<tbody>");
        const auto& functions = model_.functions();
        const auto shown = std::min(functions.size(), model_.options().table_rows);
        std::vector<std::string> labels;
        std::vector<const Listing*> rows;
        for (std::size_t at = 0; at < shown; ++at) {
            const auto& listing = functions[at].first();
            labels.push_back(listing.name.full() + '\n' + std::string(short_name(listing.object)));
            rows.push_back(&listing);
        }
        const auto marks = told_apart(labels, rows);
        for (std::size_t at = 0; at < shown; ++at) row(functions[at], marks[at]);
        html_.raw("<tbody class=rest>");
        if (shown < functions.size()) {
            EventCounts rest(model_.totals().size());
            for (auto at = shown; at < functions.size(); ++at) add(rest, functions[at].total);
            other(rest, fmt::format("{} more functions", functions.size() - shown));
        }
        for (const auto& entry : unattributed) {
            if (hits(entry.cells) != 0) other(entry.cells, entry.reason);
        }
        html_.raw("<tfoot>");
        other(model_.totals(), "all samples");
        html_.raw("</table></div>\n");
    }

  private:
    void head() {
        html_.raw("<thead>");
        const auto& columns = model_.columns();
        const std::size_t width = model_.has_periods() ? 3 : 2;
        if (columns.size() > 1) {
            html_.raw("<tr class=ev>");
            for (const auto column : columns) {
                html_.print("<th colspan={} scope=colgroup>", width).text(model_.event_name(column), 60);
            }
            html_.print("<td colspan={}>", 4 + model_.page().ratios.size());
        }
        html_.raw("<tr>");
        for (std::size_t at = 0; at < columns.size(); ++at) {
            html_.print("<th scope=col class=n{}>%", at == 0 ? " aria-sort=descending" : "")
                .raw("<th scope=col class=n>samples");
            if (model_.has_periods()) html_.raw("<th scope=col class=n>period");
        }
        for (const auto& ratio : model_.page().ratios) html_.raw("<th scope=col class=n>").text(ratio.name, 60);
        html_.raw(
            "<th scope=col>kind<th scope=col>function<th scope=col>object<th scope=col class=n "
            "title=\"Samples that fell exactly on the start of an instruction: about 100 % if these are the "
            "bytes that ran\">on start");
    }

    // heated: colour cells by their share of all samples.
    void cells(std::span<const EventCount> row, bool heated) {
        for (const auto column : model_.columns()) {
            const auto& cell = row[column];
            const auto percent = share(model_.count(cell), model_.count(model_.totals()[column]));
            if (cell.hits == 0) {
                html_.raw(model_.has_periods() ? "<td><td><td>" : "<td><td>");
                continue;
            }
            if (const auto heat = heated ? heat_class(percent) : 0; heat == 0) {
                html_.print("<td>{}<td>{}", percent_text(percent), cell.hits);
            } else {
                html_.print("<td class=h{}>{}<td>{}", heat, percent_text(percent), cell.hits);
            }
            if (model_.has_periods()) html_.print("<td data-v={}>{}", cell.periods, quantity(cell.periods));
        }
        for (const auto& ratio : model_.page().ratios) {
            const auto value = ratio.of(row);
            html_.print("<td data-v={}>{}", value.ratio.value_or(-1), ratio_text(value));
        }
    }

    void row(const HtmlFunction& function, std::string_view mark) {
        const auto& listing = function.first();
        html_.raw("<tr>");
        cells(function.total, true);
        html_.print("<td class={}>{}<td>", html_kind(listing.kind), to_string(listing.kind));
        if (function.number != 0) html_.print("<a href=#f{}>", function.number);
        html_.text(listing.name.full());
        if (function.number != 0) html_.raw("</a>");
        if (listing.versions > 1) html_.print(" <small>{} versions</small>", listing.versions);
        html_.raw("<td>").text(short_name(listing.object), 120).text(mark, 120).raw("<td>");
        const auto start = on_start(function);
        if (start) html_.print("{}", percent_text(*start * 100, 1));
        html_.raw("\n");
    }

    // Returns the weighted mean over all versions.
    static std::optional<double> on_start(const HtmlFunction& function) {
        double sum = 0;
        double all = 0;
        for (const auto* listing : function.versions) {
            if (!listing->on_instruction_start) continue;
            const auto weight = static_cast<double>(hits(listing->total));
            sum += weight * *listing->on_instruction_start;
            all += weight;
        }
        return all == 0 ? std::nullopt : std::optional(sum / all);
    }

    void other(std::span<const EventCount> row, std::string_view what) {
        html_.raw("<tr>");
        cells(row, false);
        html_.raw("<td><td>").text(what).raw("<td><td>\n");
    }

    HtmlWriter& html_;
    const HtmlModel& model_;
};

}  // namespace

void write_html_table(HtmlWriter& html, const HtmlModel& model, std::span<const Unattributed> unattributed) {
    TableWriter(html, model).write(unattributed);
}

}  // namespace perfdata
