// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "perfdata/annotate/page/diff_page.hpp"

#include "format/loss_text.hpp"
#include "format/percent.hpp"
#include "format/percent_limit.hpp"
#include "format/ratio.hpp"
#include "format/text_writer.hpp"
#include "format/words.hpp"
#include "page/diff_texts.hpp"

namespace perfdata {
namespace {

// object_column is the widest that the column of objects gets.
constexpr std::size_t object_column = 40;
constexpr std::size_t most_changed = 10;  // objects or functions in a note

// signed_percent(value) returns "+1.25%", and "0.00%" only for what is exactly nothing or rounds to it.
std::string signed_percent(double value) {
    const auto text = percent_text(value);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return fmt::format("{}{}%", is_zero || value < 0 ? "" : "+", is_zero ? "0.00" : text);
}

char mark_of(DiffNoise noise) {
    switch (noise) {
        case DiffNoise::changed: return ' ';
        case DiffNoise::within: return '~';
        case DiffNoise::too_few:
        case DiffNoise::no_names:
        case DiffNoise::untested: break;
    }
    return '?';
}

class DiffText {
  public:
    DiffText(const Diff& diff, const DiffTextOptions& options, const Sink& sink)
        : diff_(diff), out_(options.color), sink_(sink) {}

    void write() {
        for (const auto& one : diff_.recordings) recording(one);
        for (const auto& note : diff_.notes) out_.print("# Note: {}\n", printable(note));
        changed_code("built anew between the sides, by their build ids", diff_.rebuilt);
        changed_code("other code of BPF functions, by their tags", diff_.reloaded);
        out_.print("# {}\n", whole_text(diff_.options));
        for (const auto& line : test_text(diff_)) out_.print("# {}\n", line);
        conditions();
        out_.put("#\n");
        if (diff_.events.empty()) out_.put("# no samples to compare\n");
        std::size_t begin = 0;
        for (std::uint32_t event = 0; event < diff_.events.size(); ++event) {
            auto end = begin;
            while (end < diff_.rows.size() && diff_.rows[end].event == event) ++end;
            table(event, std::span(diff_.rows).subspan(begin, end - begin));
            begin = end;
        }
        out_.hand_out(sink_);
    }

  private:
    void recording(const DiffRecording& one) {
        const auto& facts = one.recording;
        out_.print("# {} {}", one.is_new ? "New:     " : "Baseline:", shown(facts.path));
        std::string separator = "  (";
        const auto add = [&](std::string_view text) {
            if (text.empty()) return;
            out_.print("{}{}", separator, shown(text));
            separator = ", ";
        };
        if (one.seconds > 0) add(fmt::format("{:.3f} s", one.seconds));
        add(facts.arch);
        add(facts.os_release);
        out_.put(separator == ", " ? ")\n" : "\n");
        if (const auto text = filter_text(one.dropped, one.kept, one.whole); !text.empty())
            out_.print("#   {}\n", text);
        for (const auto& line : loss_lines(one.completeness)) out_.print("#   {}\n", line);
        if (!one.without_samples.empty()) out_.print("#   {}\n", printable(one.without_samples));
        for (const auto& note : one.notes) out_.print("#   {}\n", printable(note));
    }

    void changed_code(std::string_view what, std::span<const std::string> names) {
        if (names.empty()) return;
        out_.print("# Note: {}: ", what);
        for (std::size_t at = 0; at < names.size() && at < most_changed; ++at) {
            out_.print("{}{}", at == 0 ? "" : ", ", shown(names[at]));
        }
        if (names.size() > most_changed) out_.print(" and {} more", names.size() - most_changed);
        out_.put("\n");
    }

    void conditions() {
        if (diff_.options.conditions.empty()) return;
        for (const auto& one : diff_.options.conditions) out_.print("# Fails if: {}\n", shown(one.text()));
        out_.print("#   {}\n", diff_.met == 0 ? "no function meets that"
                                              : fmt::format("{} {} that, marked !", how_many(diff_.met, "function"),
                                                            diff_.met == 1 ? "meets" : "meet"));
    }

    void table(std::uint32_t event, std::span<const DiffRow> rows) {
        const auto& column = diff_.events[event];
        if (event != 0) out_.put("\n");
        out_.styled(TextStyle::title,
                    fmt::format("# Event '{}': {} of the baseline, {} of the new side", shown(column.name),
                                how_many(column.old_whole.hits, "sample"), how_many(column.new_whole.hits, "sample")));
        out_.put("\n");
        summary(rows);
        out_.put("#\n");
        std::size_t width = std::string_view("Object").size();
        for (const auto& row : rows) width = std::max(width, std::min(object_column, object_text(row).size()));
        out_.print("#{:>11}{:>11}{:>11}", "Baseline", "New", "Delta");
        if (has_ratio()) out_.print("{:>11}", "Ratio");
        if (has_weights()) out_.print("{:>14}", "Weighted diff");
        out_.print("{:>10}  {:<{}}  Function\n#\n", "p", "Object", width);
        for (const auto& row : rows) {
            line(row, width);
            constexpr std::size_t block = std::size_t{256} << 10;
            if (out_.text().size() > block) out_.hand_out(sink_);
        }
        if (rows.empty()) out_.put("# no functions to show\n");
        const auto hidden = hidden_text(column.hidden_rows, "row", diff_.options.percent_limit);
        if (!hidden.empty()) out_.print("#\n# {}\n", hidden);
    }

    void summary(std::span<const DiffRow> rows) {
        const auto of = [&](DiffNoise noise) {
            return std::ranges::count_if(rows, [noise](const DiffRow& row) { return row.noise == noise; });
        };
        const auto changed = of(DiffNoise::changed), within = of(DiffNoise::within);
        const auto others = static_cast<std::ptrdiff_t>(rows.size()) - changed - within;
        out_.print("# {}:", how_many(rows.size(), "function"));
        if (changed + within != 0) out_.print(" {} beyond noise, {} within it (~)", changed, within);
        if (others != 0) out_.print("{} {} that were not tested (?)", changed + within != 0 ? "," : "", others);
        if (rows.empty()) out_.put(" nothing to compare");
        out_.put("\n");
    }

    bool has_ratio() const { return diff_.options.compute == DiffCompute::ratio; }
    bool has_weights() const { return diff_.options.compute == DiffCompute::wdiff; }
    std::string object_text(const DiffRow& row) const { return shown(diff_.pairs[row.pair].object); }

    static TextStyle style_of(const DiffRow& row) {
        if (row.noise != DiffNoise::changed) return TextStyle::plain;
        return row.delta > 0 ? TextStyle::hot : TextStyle::warm;
    }

    void line(const DiffRow& row, std::size_t width) {
        const auto& pair = diff_.pairs[row.pair];
        out_.print("{}{}", row.meets_condition ? '!' : ' ', mark_of(row.noise));
        const auto side = [&](bool has_some, double share) {
            out_.print("{:>11}", has_some ? percent_text(share) + "%" : "-");
        };
        out_.begin(style_of(row));
        // The first column is one narrower: the marks stand in front of it.
        const auto baseline = row.change == DiffChange::added ? "-" : percent_text(row.old_share) + "%";
        out_.print("{:>10}", baseline);
        side(row.change != DiffChange::removed, row.new_share);
        out_.print("{:>11}", signed_percent(row.delta));
        out_.end(style_of(row));
        if (has_ratio()) out_.print("{:>11}", row.ratio ? ratio_number(*row.ratio) : "-");
        if (has_weights()) out_.print("{:>14}", signed_percent(row.wdiff));
        out_.print("{:>10}  ", p_text(row));
        out_.left_aligned(object_text(row), width);
        out_.print("  {}", pair.name.empty() ? "(code without a name)" : shown(pair.name));
        if (row.change == DiffChange::added) out_.put("  (new side only)");
        if (row.change == DiffChange::removed) out_.put("  (baseline only)");
        if (pair.code == DiffCode::changed) out_.put("  (other code)");
        out_.put("\n");
    }

    const Diff& diff_;
    TextWriter out_;
    const Sink& sink_;
};

}  // namespace

void write_diff_text(const Diff& diff, const DiffTextOptions& options, const Sink& sink) {
    DiffText(diff, options, sink).write();
}

}  // namespace perfdata
