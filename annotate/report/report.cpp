// SPDX-License-Identifier: MIT
#include "perfdata/annotate/report/report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/parallel.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "format/load_once.hpp"
#include "format/percent_limit.hpp"
#include "format/words.hpp"
#include "report/most_sampled.hpp"
#include "report_columns.hpp"
#include "report_counting.hpp"
#include "report_facts.hpp"
#include "report_order.hpp"
#include "report_places.hpp"
#include "report_sums.hpp"
#include "report_trees.hpp"

namespace perfdata {
namespace {

class ReportMaker {
  public:
    ReportMaker(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                const ReportOptions& options, const StopToken& stop)
        : recording_(recording),
          stop_(stop),
          limits_(recording.limits()),
          counts_(counts),
          symbolizer_(symbolizer),
          options_(options),
          load_(symbolizer, asks_lines(options) ? CodeDetail::lines : CodeDetail::names, {stop, {}}),
          row_places_(symbolizer,
                      {options.has(ReportKey::object), options.has(ReportKey::symbol), options.has(ReportKey::kind),
                       options.has(ReportKey::line), options.has(ReportKey::program)}),
          tree_places_(symbolizer, tree_keys(options)) {}

    // Throws ReportStopped.
    Report make() && {
        columns_ = choose_columns(recording_, counts_, options_, report_);
        report_.whole = chosen(options_.relative ? counts_.totals() : counts_.considered());
        choose_tables(options_, columns_.size(), report_);
        std::optional<Callees> callees;
        run_together(
            options_.jobs, [&] { place_frames(); },
            [&] {
                task_rows_.emplace(counts_);
                if (options_.children) callees.emplace(counts_.chains());
            });
        count_dropped();
        sum_rows(std::move(callees));
        run_together(
            options_.jobs, [&] { find_no_symbol(); }, [&] { count_without_build_id(); });
        drop_small_rows();
        if (options_.tree != ReportTree::none && report_.whole.size() != 0) grow_trees();
        // What follows needs memory, too.
        calls_.reset();
        task_rows_.reset();
        keep_tree_places();
        report_.texts.push_back(std::move(tree_places_).take_texts());
        report_.texts.push_back(std::move(row_places_).take_texts());
        report_.places = std::move(row_places_).take();
        sort_rows(counts_, options_, report_);
        return std::move(report_);
    }

  private:
    // Called in each loop that may take long.
    void look() {
        constexpr unsigned steps_a_look = 256;
        if (++steps_ % steps_a_look == 0 && stop_.stop_requested()) throw ReportStopped();
    }

    static bool asks_lines(const ReportOptions& options) {
        return options.has(ReportKey::line) || (options.tree != ReportTree::none && options.tree_key == TreeKey::line);
    }

    static PlaceKeys tree_keys(const ReportOptions& options) {
        PlaceKeys keys;
        keys.line = options.tree_key == TreeKey::line;
        keys.address = options.tree_key == TreeKey::address;
        return keys;
    }

    EventCounts chosen(std::span<const EventCount> cells) const {
        EventCounts result;
        for (const auto column : columns_) result.push_back(cells[column]);
        return result;
    }

    void place_frames() {
        const auto frames = counts_.frames();
        row_place_.reserve(frames.size());
        const auto shown = shown_frames();
        for (const auto& frame : frames) {
            look();
            if (!load_(frame)) throw ReportStopped();
            const auto part = symbolizer_.functions().left_out(frame, options_.code);
            if (filtered()) {
                left_out_by_.push_back(part);
                report_.unwanted_frames.push_back(part == CodePart::kind || part == CodePart::object ? 1 : 0);
            }
            const bool is_shown = shown.empty() || shown[row_place_.size()];
            // Inlined functions have no lines of their own.
            const bool is_place = part == CodePart::none && !(options_.has(ReportKey::line) && frame.is_inlined());
            row_place_.push_back(is_place ? row_places_.number(frame, is_shown) : no_place);
        }
        row_places_.seal();
        report_.line_problems = row_places_.line_problems();
        if (options_.tree == ReportTree::none || same_places()) return;
        tree_place_.reserve(frames.size());
        for (std::uint32_t number = 0; number < frames.size(); ++number) {
            look();
            tree_place_.push_back(tree_places_.number(frames[number], false));
            if (tree_frame_.size() < tree_places_.size()) tree_frame_.push_back(number);
        }
        tree_places_.seal();
    }

    // shown_frames() returns by number which frames rows show; empty: all.
    std::vector<bool> shown_frames() const {
        if (!options_.has(ReportKey::line) || options_.children) return {};
        std::vector<bool> shown(counts_.frames().size());
        for (const auto& row : counts_.rows()) shown[sampled_frame(counts_, row)] = true;
        return shown;
    }

    // same_places() returns true if rows and trees distinguish the same places.
    bool same_places() const {
        return row_places_.keys() == PlaceKeys{} && tree_places_.keys() == PlaceKeys{} && !filtered();
    }

    bool filtered() const { return !options_.code.empty(); }

    void count_dropped() {
        auto dropped = counts_.dropped();
        report_.kept = chosen(counts_.totals());
        const auto rows = counts_.rows();
        const bool filters = filtered() || options_.exclude_other;
        for (std::size_t number = 0; filters && number < rows.size(); ++number) {
            const auto code = filtered() ? left_out_by_[sampled_frame(counts_, rows[number])] : CodePart::none;
            auto part = filter_part(code);
            if (part == FilterPart::none && is_other(counts_, options_, rows[number].task)) part = FilterPart::parent;
            if (part == FilterPart::none) continue;
            const auto cells = counts_.cells(number);
            add(dropped.of(part), cells);
            for (std::size_t column = 0; column < columns_.size(); ++column) {
                const auto cell = cells[columns_[column]];
                // Sums that stayed at the most are less than their parts together.
                auto& kept = report_.kept[column];
                kept.hits -= std::min(kept.hits, cell.hits);
                kept.periods -= std::min(kept.periods, cell.periods);
            }
        }
        report_.dropped = dropped_samples(dropped);
    }

    // With callees if the options count children.
    void sum_rows(std::optional<Callees> callees) {
        const SummedRows of{counts_, options_, stop_, columns_, row_place_, row_places_.size()};
        if (callees) {
            calls_.emplace(std::move(*callees), counts_, columns_, *task_rows_, row_place_,
                           options_.tree == ReportTree::callee ? Outer::nearest : Outer::outermost);
            sum_with_callees(of, *task_rows_, *calls_, report_);
        } else {
            sum_own(of, report_);
        }
        if (options_.relative) {
            // Exclude what --kind, --dso and --symbols remove.
            EventCounts left(columns_.size());
            for (const auto& row : report_.rows) add(left, row.self);
            report_.whole = left;
        }
    }

    void find_no_symbol() {
        if (!options_.has(ReportKey::symbol)) return;
        std::map<Unnamed, EventCounts> reasons;
        std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> objects;
        // By frame: where its samples count. Rows are many more than sampled frames.
        struct Sums {
            EventCounts* cells = nullptr;
            std::uint64_t* hits = nullptr;
        };
        std::vector<std::uint32_t> sums_of(counts_.frames().size());  // 1 + index in sums, 0: none yet
        std::vector<Sums> sums;
        const auto rows = counts_.rows();
        for (std::size_t number = 0; number < rows.size(); ++number) {
            look();
            const auto leaf = sampled_frame(counts_, rows[number]);
            if (row_place_[leaf] == no_place || is_other(counts_, options_, rows[number].task)) continue;
            const auto& place = row_places_[row_place_[leaf]];
            if (!place.symbol.empty()) continue;
            if (sums_of[leaf] == 0) {
                const auto why = symbolizer_.why_unnamed(counts_.frames()[leaf]);
                auto& cells = reasons[why];
                cells.resize(columns_.size());
                sums.push_back({&cells, &objects[{why.reason, place.object}]});
                sums_of[leaf] = static_cast<std::uint32_t>(sums.size());
            }
            const auto& sum = sums[sums_of[leaf] - 1];
            const auto all = counts_.cells(number);
            std::uint64_t count = 0;
            for (std::size_t column = 0; column < columns_.size(); ++column) {
                const auto& cell = all[columns_[column]];
                (*sum.cells)[column] += cell;
                count = add_up_to_most(count, cell.hits);
            }
            *sum.hits = add_up_to_most(*sum.hits, count);
        }
        for (const auto& [why, cells] : reasons) {
            std::vector<SamplesOf> known;
            for (const auto& [of, count] : objects) {
                if (of.first == why.reason && of.second != "[unknown]") known.emplace_back(of.second, count);
            }
            NoSymbol entry{why.reason, why.remedy, cells, {}};
            for (const auto name : most_sampled(std::move(known))) entry.objects.emplace_back(name);
            report_.no_symbol.push_back(std::move(entry));
        }
        std::ranges::sort(report_.no_symbol, [](const NoSymbol& a, const NoSymbol& b) {
            return std::tuple(hits(b.cells), a.reason) < std::tuple(hits(a.cells), b.reason);
        });
    }

    void count_without_build_id() {
        if (!options_.tells_functions()) return;
        // Use the base of all other percentages, so that the shares are comparable. With --percentage relative, the
        // whole excludes what --symbols drops, and --symbols drops code without names.
        report_.without_build_id =
            WithoutBuildId::count(counts_, symbolizer_, report_.unwanted_frames,
                                  options_.relative ? std::nullopt : std::optional(hits(report_.whole)));
    }

    void drop_small_rows() {
        report_.hidden_by_event.resize(columns_.size());
        if (options_.percent_limit <= 0) return;
        rows_are_complete_ = false;
        report_.hidden_rows = std::erase_if(report_.rows, [&](const ReportRow& row) {
            if (reaches(row.total, report_.whole, options_.percent_limit)) return false;
            for (std::size_t column = 0; column < columns_.size(); ++column) {
                if (row.total[column].hits != 0) ++report_.hidden_by_event[column];
            }
            for (auto& table : report_.tables) {
                const auto has_some = [&](std::size_t column) { return row.total[column].hits != 0; };
                if (std::ranges::any_of(table.columns, has_some)) ++table.hidden_rows;
            }
            return true;
        });
    }

    void grow_trees() {
        EventCounts least;
        for (const auto& cell : report_.whole) {
            least.push_back({0, least_periods(cell.periods, options_.tree_limit, Rounded::down)});
        }
        add_trees({counts_, columns_, row_place_, same_places() ? row_place_ : tree_place_, least, options_,
                   limits_.chain_nodes, *task_rows_, calls_ ? &*calls_ : nullptr, calls_ ? &calls_->tasks : nullptr,
                   rows_are_complete_},
                  stop_, report_);
    }

    // Keeps only places in trees: most have too small a share for a branch.
    void keep_tree_places() {
        std::vector<std::uint32_t> number;  // by the previous number
        std::optional<ReportLines> lines;  // finds each line again if places have them, for the reasons of unknown ones
        if (options_.tree_key != TreeKey::function) lines.emplace(symbolizer_);
        TextArena texts;
        const auto keep = [&](auto& self, std::vector<ReportNode>& nodes) -> void {
            for (auto& node : nodes) {
                if (number.size() <= node.place) number.resize(node.place + 1, no_place);
                auto& kept = number[node.place];
                if (kept == no_place) {
                    kept = static_cast<std::uint32_t>(report_.tree_places.size());
                    report_.tree_places.push_back((same_places() ? row_places_ : tree_places_)[node.place]);
                    if (lines) {
                        report_.tree_places.back().line =
                            texts.keep(lines->line_of(counts_.frames()[tree_frame_[node.place]], true));
                    }
                }
                node.place = kept;
                self(self, node.below);
            }
        };
        for (auto& row : report_.rows) keep(keep, row.tree);
        if (lines) std::ranges::copy(lines->problems(), std::back_inserter(report_.line_problems));
        report_.texts.push_back(std::move(texts));
    }

    const Recording& recording_;
    const StopToken& stop_;
    unsigned steps_ = 0;
    const Limits& limits_;
    const SampleCounts& counts_;
    const Symbolizer& symbolizer_;
    const ReportOptions& options_;
    LoadOnce load_;
    Places row_places_, tree_places_;
    std::vector<std::size_t> columns_;       // columns shown, by index in SampleCounts::events()
    std::vector<std::uint32_t> row_place_;   // by number of the frame
    std::vector<CodePart> left_out_by_;      // by number of the frame; empty unless filtered()
    std::vector<std::uint32_t> tree_place_;  // by number of the frame; empty without trees, and with same_places()
    std::vector<std::uint32_t> tree_frame_;  // by tree place: the number of its first frame; empty with same_places()
    std::optional<TaskRows> task_rows_;      // from sum_rows() to grow_trees()
    std::optional<SharedCalls> calls_;       // likewise, if rows count callees
    bool rows_are_complete_ = true;          // no row was left out
    Report report_;
};

// Throws ReportStopped.
Report make_report(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                   const ReportOptions& options, const StopToken& stop) {
    auto report = ReportMaker(recording, counts, symbolizer, options, stop).make();
    report.options = options;
    add_tasks(report, counts, symbolizer.timeline().tasks());
    add_programs(report, symbolizer.bpf());
    add_recording(report, recording, counts, symbolizer);
    report.cut_names = count_cut_names(counts, symbolizer, options);
    return report;
}

}  // namespace

Report Report::make(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                    const ReportOptions& options) {
    return make_report(recording, counts, symbolizer, options, {});
}

Result<Report> Report::make(const Recording& recording, const SampleCounts& counts, const Symbolizer& symbolizer,
                            const ReportOptions& options, const StopToken& stop) {
    return catch_bad_alloc([&]() -> Result<Report> {
        try {
            if (stop.stop_requested()) throw ReportStopped();
            return make_report(recording, counts, symbolizer, options, stop);
        } catch (const ReportStopped&) {
            return fail(ErrorCode::cancelled, Error::no_offset, "report", "asked to stop");
        }
    });
}

}  // namespace perfdata
