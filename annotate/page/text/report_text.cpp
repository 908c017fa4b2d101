// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/core/parallel.hpp"

#include "format/loss_text.hpp"
#include "format/percent.hpp"
#include "format/percent_limit.hpp"
#include "format/ratio.hpp"
#include "format/words.hpp"
#include "histogram_text.hpp"
#include "page/report_words.hpp"
#include "page/titles.hpp"
#include "tree_text.hpp"

namespace perfdata {
namespace {

// Columns are as wide as their widest entry up to this: template names and paths are longer. The last is never padded.
std::size_t widest_column(std::size_t width) {
    constexpr std::size_t usual = 60, least = 12, columns = 4;
    return width == 0 ? usual : std::clamp(width / columns, least, usual);
}

class ReportText {
  public:
    ReportText(const Report& report, const ReportTextOptions& options, const Sink& sink)
        : report_(report), options_(options), widest_(widest_column(options.width)), sink_(sink) {}

    void write() {
        lost();
        histograms();
        for (const auto& table : report_.tables) {
            columns_ = table.columns;
            choose_ratios();
            if (!several()) {
                std::vector<const ReportRow*> rows;
                for (const auto& row : report_.rows) rows.push_back(&row);
                hidden_rows_ = report_.hidden_rows;
                write_table(table, rows);
            } else {
                write_table(table, rows_of(table));
                print("\n");
            }
        }
        foot();
        flush();
    }

  private:
    static constexpr std::size_t block = 256 * 1024;

    bool several() const { return report_.tables.size() > 1; }

    // A table has the ratios of its events.
    void choose_ratios() {
        ratios_.clear();
        for (const auto& ratio : report_.ratios) {
            const auto is_here = [&](std::size_t column) {
                return std::ranges::find(columns_, column) != columns_.end();
            };
            if (!several() || is_here(ratio.numerator) || is_here(ratio.denominator)) ratios_.push_back(&ratio);
        }
        std::vector<std::string> names;
        for (const auto* ratio : ratios_) names.push_back(shown(ratio->name));
        ratio_titles_ = ratio_titles(std::move(names));
    }

    std::size_t ratio_width(std::size_t at) const {
        constexpr std::size_t least = 22;
        return std::max(ratio_titles_[at].size(), least);
    }

    void write_table(const ReportTable& table, const std::vector<const ReportRow*>& rows) {
        head(table);
        measure(rows);
        columns_title();
        lines(rows);
        if (several()) {
            if (rows.empty() && report_.options.percent_limit > 0) {
                print("# no row has {} percent\n", report_.options.percent_limit);
            } else if (rows.empty()) {
                print("# no samples to show\n");
            }
        } else if (rows.empty()) {
            const auto& what = report_.without_samples;
            print("# {}\n", what.empty() ? "no samples to show" : what);
        }
        if (const auto hidden = hidden_text(hidden_rows_, "row", report_.options.percent_limit); !hidden.empty()) {
            print("#\n# {}\n", hidden);
        }
    }

    // rows_of(table) returns the rows with samples of its events, in its order. One pass per table costs as much as
    // writing all its cells.
    std::vector<const ReportRow*> rows_of(const ReportTable& table) {
        std::vector<const ReportRow*> rows;
        hidden_rows_ = table.hidden_rows;
        const auto limit = report_.options.percent_limit;
        for (const auto& row : report_.rows) {
            const auto has_some = [&](std::size_t column) { return row.total[column].hits != 0; };
            if (std::ranges::none_of(table.columns, has_some)) continue;
            const auto is_small = [&](std::size_t column) {
                return share(row.total[column].periods, report_.whole[column].periods) < limit;
            };
            if (std::ranges::all_of(table.columns, is_small)) {
                ++hidden_rows_;
            } else {
                rows.push_back(&row);
            }
        }
        auto order = table.columns;
        std::swap(order.front(), order[table.sort]);
        std::ranges::stable_sort(rows, [&](const ReportRow* one, const ReportRow* other) {
            for (const auto column : order) {
                if (one->total[column].periods != other->total[column].periods) {
                    return one->total[column].periods > other->total[column].periods;
                }
            }
            for (const auto column : order) {
                if (one->self[column].periods != other->self[column].periods) {
                    return one->self[column].periods > other->self[column].periods;
                }
            }
            return false;
        });
        return rows;
    }

    // Lines is the lines of rows that follow each other.
    struct Lines {
        std::size_t begin = 0, end = 0;  // rows
        std::string text = {};
        std::vector<std::pair<std::size_t, const ReportRow*>> trees = {};  // rows with a tree, and where text has it
    };

    // Writes the rows in order. Of many rows, threads format some thousands each at a time; trees are added here, since
    // what a tree may show depends on those before it.
    void lines(const std::vector<const ReportRow*>& rows) {
        constexpr std::size_t each = 2048, together = 4;  // rows of one Lines, and Lines of a thread
        const auto threads = std::clamp<std::size_t>(report_.options.jobs, 1, rows.size() / each + 1);
        std::vector<Lines> work(threads == 1 ? 1 : threads * together);
        for (std::size_t begin = 0; begin < rows.size();) {
            std::size_t used = 0;
            for (; used < work.size() && begin < rows.size(); ++used) {
                work[used].begin = begin;
                work[used].end = begin = std::min(begin + each, rows.size());
                work[used].text.clear();
                work[used].trees.clear();
            }
            std::atomic<std::size_t> next = 0;
            on_threads(std::min(threads, used), [&] {
                for (auto at = next++; at < used; at = next++) format(rows, work[at]);
            });
            for (std::size_t at = 0; at < used; ++at) write(work[at]);
        }
    }

    void format(const std::vector<const ReportRow*>& rows, Lines& lines) const {
        for (auto at = lines.begin; at < lines.end; ++at) {
            line(*rows[at], lines.text);
            if (!rows[at]->tree.empty()) lines.trees.emplace_back(lines.text.size(), rows[at]);
        }
    }

    void write(const Lines& lines) {
        std::size_t done = 0;
        for (const auto& [end, row] : lines.trees) {
            text_.append(lines.text, done, end - done);
            done = end;
            tree_.write(*row, columns_);
            if (text_.size() > block) flush();
        }
        text_.append(lines.text, done);
        if (text_.size() > block) flush();
    }

    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }
    void flush() {
        sink_(text_);
        text_.clear();
    }
    const std::string& event_name(std::size_t column) const {
        return report_.recording.events[report_.events[column]].name;
    }

    void lost() {
        const auto losses = loss_lines(report_.completeness);
        for (std::size_t at = 0; at < losses.size(); ++at) print("# {}{}\n", at == 0 ? "" : "  ", losses[at]);
        if (!losses.empty()) print("#\n");
        if (several()) {
            filters();
            if (const auto text = report_.without_build_id.sampled_text(); !text.empty()) print("# {}\n#\n", text);
        }
    }

    void histograms() {
        if (report_.histograms.empty()) return;
        for (const auto& one : report_.histograms) {
            text_ += histogram_text(one, report_.recording.events[one.event].name, "# ");
            if (text_.size() > block) flush();
        }
        if (const auto others = report_.without_field; others != 0) {
            print("# {}\n#\n", without_field_text(others));
        }
    }

    void head(const ReportTable& table) {
        if (table.group != ReportTable::no_group) {
            const auto& group = report_.groups[table.group];
            print("# Group {}: {}, sorted by '{}'\n", group.name.empty() ? "without a name" : shown(group.name),
                  how_many(group.columns.size(), "event"), shown(event_name(table.columns[table.sort])));
        }
        for (const auto column : columns_) {
            const auto& kept = report_.kept[column];
            print("# Samples: {} of event '{}', periods {}\n", kept.hits, shown(event_name(column)), kept.periods);
        }
        for (const auto* ratio : ratios_) {
            print("# Ratio {}: {}\n", shown(ratio->name), ratio_text(ratio->of(report_.kept)));
        }
        if (!ratios_.empty()) print("# {}\n", ratio_note);
        if (!several()) {
            filters();
            print("#\n");
            if (const auto text = report_.without_build_id.sampled_text(); !text.empty()) print("# {}\n#\n", text);
        } else {
            print("#\n");
        }
    }

    // Writes what the filters removed and what percentages refer to.
    void filters() {
        const auto text = filter_text(report_.dropped, report_.kept, report_.whole);
        if (text.empty()) return;
        print("# {}\n", text);
        const auto more = [&](const ReportRow& row) {
            for (std::size_t column = 0; column < row.total.size(); ++column) {
                if (row.total[column].hits > report_.kept[column].hits) return true;
            }
            return false;
        };
        if (report_.options.children && std::ranges::any_of(report_.rows, more)) {
            print("# Rows have the samples of what they called as well, which these filters drop\n");
        }
    }

    std::string field(const ReportRow& row, ReportKey key) const { return shown(key_text(report_, row, key)); }

    void measure(const std::vector<const ReportRow*>& rows) {
        width_.clear();
        for (const auto key : report_.options.keys) width_.push_back(shown(key_title(report_, key)).size());
        if (width_.empty()) return;
        std::set<std::string_view> objects;
        std::string_view last;       // object: rows of one often follow each other
        std::vector<bool> measured;  // by task: few tasks have many rows
        for (const auto* each : rows) {
            const auto& row = *each;
            for (std::size_t at = 0; at + 1 < width_.size(); ++at) {
                const auto key = report_.options.keys[at];
                // Collect distinct objects first: few objects in many rows, and printable() is slow.
                if (key == ReportKey::object) {
                    const auto object = report_.places[row.place].object;
                    if (object.data() != last.data()) objects.insert(object);
                    last = object;
                } else if (key == ReportKey::comm) {
                    measured.resize(report_.tasks.size());
                    if (measured[row.task]) continue;
                    measured[row.task] = true;
                    width_[at] = std::max(width_[at], comm_width(row.task));
                } else {
                    width_[at] = std::max(width_[at], std::min(widest_, field(row, key).size()));
                }
            }
        }
        for (std::size_t at = 0; at + 1 < width_.size(); ++at) {
            if (report_.options.keys[at] != ReportKey::object) continue;
            for (const auto object : objects) {
                width_[at] = std::max(width_[at], std::min(widest_, shown(object).size()));
            }
        }
    }

    std::size_t comm_width(std::uint32_t task) const { return shown(report_.tasks[task].comm_text()).size(); }

    std::size_t cells_width() const {
        const auto shares = report_.options.children ? std::size_t{20} : std::size_t{10};
        return shares + (options_.hits ? 12 : 0) + (options_.periods ? 16 : 0);
    }

    void columns_title() {
        if (columns_.size() > 1) {
            print("#");
            std::vector<std::string> names;
            for (const auto column : columns_) {
                names.push_back(shown(event_name(column)));
            }
            for (const auto& name : column_titles(std::move(names), cells_width() - 2)) {
                print("{:>{}}", name, cells_width());
            }
            print("\n");
        }
        print("#");
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            if (report_.options.children) {
                print("{:>10}{:>10}", "Children", "Self");
            } else {
                print("{:>10}", "Overhead");
            }
            if (options_.hits) print("{:>12}", "Samples");
            if (options_.periods) print("{:>16}", "Period");
        }
        for (std::size_t at = 0; at < ratios_.size(); ++at) {
            if (report_.options.children) print("  {:>{}}", "with callees", ratio_width(at));
            print("  {:>{}}", ratio_titles_[at], ratio_width(at));
        }
        for (std::size_t at = 0; at < width_.size(); ++at) {
            const auto name = shown(key_title(report_, report_.options.keys[at]));
            if (at + 1 == width_.size()) {
                print("  {}", name);
            } else {
                print("  {:<{}}", name, width_[at]);
            }
        }
        print("\n#\n");
    }

    void percent(std::uint64_t part, std::uint64_t whole, std::string& text) const {
        const auto value = share(part, whole);
        // As in perf: red from 5 %, green from 0.5 %.
        const auto* colour = !options_.color ? "" : value >= 5.0 ? "\x1b[31m" : value >= 0.5 ? "\x1b[32m" : "";
        text += colour;
        // Fast path: most rows of a long report.
        if (value < 0.005) {
            text += "     0.00%";
        } else {
            fmt::format_to(std::back_inserter(text), "{:>9}%", percent_text(value));
        }
        if (*colour != '\0') text += "\x1b[m";
    }

    // line(row, text) and what it calls may run on any thread.
    void line(const ReportRow& row, std::string& text) const {
        const auto out = std::back_inserter(text);
        text += ' ';
        for (const auto column : columns_) {
            const auto whole = report_.whole[column].periods;
            if (report_.options.children) percent(row.total[column].periods, whole, text);
            percent(row.self[column].periods, whole, text);
            if (options_.hits) fmt::format_to(out, "{:>12}", row.self[column].hits);
            if (options_.periods) fmt::format_to(out, "{:>16}", row.self[column].periods);
        }
        for (std::size_t at = 0; at < ratios_.size(); ++at) {
            const auto& ratio = *ratios_[at];
            if (report_.options.children)
                fmt::format_to(out, "  {:>{}}", ratio_text(ratio.of(row.total)), ratio_width(at));
            fmt::format_to(out, "  {:>{}}", ratio_text(ratio.of(row.self)), ratio_width(at));
        }
        for (std::size_t at = 0; at < width_.size(); ++at) {
            text += "  ";
            const auto begin = text.size();
            append_field(row, report_.options.keys[at], text);
            const auto size = text.size() - begin;
            if (at + 1 != width_.size() && size < width_[at]) text.append(width_[at] - size, ' ');
        }
        text += '\n';
    }

    // Fast path: appends the fields of most reports, and most names, without a temporary.
    void append_field(const ReportRow& row, ReportKey key, std::string& text) const {
        const auto& place = report_.places[row.place];
        const auto& task = report_.tasks[row.task];
        if (key == ReportKey::comm && !task.comm.empty()) {
            append(task.comm, text);
        } else if (key == ReportKey::object) {
            append(place.object, text);
        } else if (key == ReportKey::symbol) {
            text += {'[', place.level, ']', ' '};
            if (place.symbol.empty()) {
                append_address(place.address, text);
            } else {
                append(place.symbol, text);
                if (place.inlined) text += inlined_mark;
            }
        } else {
            text += field(row, key);
        }
    }
    static void append(std::string_view added, std::string& text) {
        const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
        if (added.size() <= most_shown && std::ranges::all_of(added, plain)) {
            text += added;
        } else {
            text += shown(added);
        }
    }

    void foot() {
        const auto all = hits(report_.whole);
        for (const auto& entry : report_.no_symbol) {
            // Sentences of ours, but a profile file brings its own.
            const auto part = hits(entry.cells);
            print("{}# {}% of samples ({}) have no symbol: {}", &entry == report_.no_symbol.data() ? "#\n" : "",
                  share_text(part, all), part, shown(entry.reason));
            for (std::size_t at = 0; at < entry.objects.size(); ++at) {
                print("{}{}", at == 0 ? " (" : ", ", shown(entry.objects[at]));
            }
            if (!entry.objects.empty()) print(")");
            if (!entry.remedy.empty()) print(" - {}", shown(entry.remedy));
            print("\n");
        }
        if (const auto text = report_.without_build_id.callers_text(); !text.empty()) print("#\n# {}\n", text);
        std::vector<std::string> lines;
        for (const auto& problem : report_.line_problems) lines.push_back(problem.error.message());
        missing("Source lines", "line_problems", lines);
        std::vector<std::string> inlined;
        for (const auto& problem : report_.inlined_problems) inlined.push_back(inlined_reason(problem));
        missing("Inlined calls", "inlined_problems", inlined);
        if (report_.rows_without_tree != 0) {
            print("# {} rows are shown without the tree that they have: the trees are too many\n",
                  report_.rows_without_tree);
        }
        for (const auto& note : tree_.notes()) print("# {}\n", note);
        if (report_.cut_names != 0) {
            print("# Of {} names longer than {} bytes, -p and --ignore-callees saw only the beginning\n",
                  report_.cut_names, NamePattern::most_name);
        }
        for (const auto& note : chain_notes(report_.chain_losses)) print("# {}\n", note);
        for (const auto& note : report_.stacks.notes()) print("# {}\n", note);
    }

    void missing(std::string_view what, std::string_view in_json, const std::vector<std::string>& problems) {
        constexpr std::size_t most = 10;
        for (std::size_t at = 0; at < problems.size() && at < most; ++at) {
            print("{}# {} are missing: {}\n", at == 0 ? "#\n" : "", what, shown(problems[at]));
        }
        if (problems.size() > most) {
            print("# {} are missing for {} more reasons; see {} in --json\n", what, problems.size() - most, in_json);
        }
    }

    const Report& report_;
    const ReportTextOptions& options_;
    const std::size_t widest_;
    const Sink& sink_;
    std::vector<std::size_t> columns_;       // of the current table
    std::vector<const EventRatio*> ratios_;  // of the current table
    std::vector<std::string> ratio_titles_;  // of these
    std::uint64_t hidden_rows_ = 0;          // rows that the percent limit removed from the table
    std::vector<std::size_t> width_;         // by key
    std::string text_;
    TreeText tree_{report_, text_};
};

}  // namespace

void write_report_text(const Report& report, const ReportTextOptions& options, const Sink& sink) {
    ReportText(report, options, sink).write();
}

}  // namespace perfdata
