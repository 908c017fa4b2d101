// SPDX-License-Identifier: MIT
// The columns of counts at the start of each row of a text page.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/page/page.hpp"

#include "format/percent.hpp"
#include "format/ratio.hpp"
#include "format/text_writer.hpp"
#include "format/words.hpp"
#include "page/titles.hpp"

namespace perfdata {

class TextColumns : public TextWriter {
  public:
    // Events without samples (such as perf's "dummy") get no columns.
    TextColumns(const PageContext& page, const TextOptions& options)
        : TextWriter(options.color), page_(page), options_(options) {
        const auto& totals = page.whole();
        for (std::size_t column = 0; column < totals.size(); ++column) {
            if (totals[column].hits != 0) columns_.push_back(column);
        }
        if (columns_.empty() && !totals.empty()) columns_.push_back(0);
        std::vector<std::string> names;
        for (const auto& ratio : page.ratios) names.push_back(shown(ratio.name));
        ratio_titles_ = ratio_titles(std::move(names));
    }

    std::uint64_t weight(std::span<const EventCount> cells) const {
        std::uint64_t sum = 0;
        for (const auto& cell : cells) sum += count(cell);
        return sum;
    }

    // Writes the names of several events above their groups of columns.
    void event_names() {
        if (columns_.size() == 1) return;
        const std::size_t width = options_.show_periods ? with_period : without_period;
        std::vector<std::string> names;
        for (const auto column : columns_) names.push_back(shown(event_name(column)));
        for (const auto& name : column_titles(std::move(names), width - 2)) print("  {:>{}}", name, width - 2);
        print("\n");
    }
    void columns_title() {
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            print("  {:>7} {:>7}", "percent", "hits");
            if (options_.show_periods) print(" {:>12}", "period");
        }
        for (const auto& title : ratio_titles_) print("  {:>{}}", title, width_of(title));
    }

    // cells(...) writes the columns of one row, one group per event. Shares are of `function` if the options say so.
    void cells(std::span<const EventCount> row, const EventCounts* function) {
        const bool local = function != nullptr && (options_.percent_of == PercentOf::function_hits ||
                                                   options_.percent_of == PercentOf::function_periods);
        const auto& whole = local ? *function : page_.whole();
        for (const auto event : columns_) {
            const auto& cell = row[event];
            if (cell.hits == 0) {
                spaces(options_.show_periods ? with_period : without_period);
                continue;
            }
            const auto percent = share(count(cell), count(whole[event]));
            const auto of_function = function == nullptr ? percent : share(count(cell), count((*function)[event]));
            print("  ");
            styled(heat(of_function), fmt::format("{:>6}%", percent_text(percent)));
            print(" {:>7}", cell.hits);
            if (options_.show_periods) print(" {:>12}", cell.periods);
        }
        const bool empty = hits(row) == 0;
        for (std::size_t at = 0; at < page_.ratios.size(); ++at) {
            const auto text = empty ? std::string() : ratio_text(page_.ratios[at].of(row));
            print("  {:>{}}", text, width_of(ratio_titles_[at]));
        }
    }

    const std::string& event_name(std::size_t column) const {
        return page_.recording.events().events()[page_.profile.events()[column]].name;
    }

  protected:
    const PageContext& page_;
    const TextOptions& options_;
    std::vector<std::size_t> columns_;  // columns shown, by index in Profile::events()

  private:
    // Width of one event's group, in characters.
    static constexpr std::size_t without_period = 17, with_period = 30;
    // width_of(title) returns the width of a column of ratios.
    static std::size_t width_of(const std::string& title) {
        constexpr std::size_t least = 20;
        return std::max(title.size(), least);
    }

    // As in perf annotate: red if the shown percentage is at least 5, green from 0.5.
    static TextStyle heat(double percent) {
        return percent >= 5.0 ? TextStyle::hot : percent >= 0.5 ? TextStyle::warm : TextStyle::plain;
    }
    std::vector<std::string> ratio_titles_;

    bool by_period() const {
        return options_.percent_of == PercentOf::all_periods || options_.percent_of == PercentOf::function_periods;
    }
    std::uint64_t count(const EventCount& cell) const { return by_period() ? cell.periods : cell.hits; }
};

}  // namespace perfdata
