// SPDX-License-Identifier: MIT
// perfdata report: where samples fell, grouped by the keys that the user chooses.
#include "perfdata/annotate/report/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/timeline/frame_at.hpp"

#include "format/words.hpp"
#include "tool.hpp"
#include "tool/batch/batch_action.hpp"
#include "tool/info/header_lines.hpp"
#include "tool/options/absent_code.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/histogram_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/percent_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/ratio_options.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/options/screen_options.hpp"
#include "tool/report/graph_options.hpp"
#include "tool/report/group_options.hpp"
#include "tool/report/row_options.hpp"
#include "tool/run_scope.hpp"
#include "tool/session.hpp"
#include "trace/trace_labels.hpp"

namespace perfdata::tool {
namespace {

struct ReportChoice {
    Common common;
    NameChoice names;
    RowChoice rows;
    GroupChoice groups;
    RatioChoice ratios;
    GraphChoice graph;
    SampleChoice samples;
    PercentChoice percent;
    ScreenChoice screen;
    HistogramChoice histograms;
    bool header = false;
    bool inlines = true;
    bool sparse = false;
    bool limit_given = false;  // --percent-limit
};

// ReportTraceNames names code in the text of tracepoints, as it was when the sample was taken.
class ReportTraceNames final : public TraceNames {
  public:
    ReportTraceNames(const Symbolizer& symbolizer, const Moment& moment) : symbolizer_(symbolizer), moment_(moment) {}

    bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) override {
        const auto frame = frame_at(symbolizer_.timeline(), nullptr, moment_, Address{address}, CpuMode::kernel);
        const auto name = symbolizer_.name(frame);
        return append_found_symbol(text, name.symbol, name.offset, with_offset);
    }

  private:
    const Symbolizer& symbolizer_;
    const Moment& moment_;
};

class ReportRun {
  public:
    explicit ReportRun(const ReportChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (const auto problem = choice_.graph.check(choice_.rows.chosen_keys()); !problem.empty()) {
            complain(problem);
            return usage;
        }
        if (!session_.open_samples()) return failed;
        const auto& recording = session_.recording();
        if (!choice_.samples.suits(choice_.common, recording) || !suits(recording)) return usage;
        choose(recording);
        if (!session_.read_timeline(choice_.names)) return failed;
        session_.open_symbolizer(choice_.names);
        if (!session_.check_names(choice_.names)) return failed;
        const auto& symbolizer = session_.symbolizer();
        symbolizer.prepare(choice_.names.threads());
        if (auto labelled = add_labels(recording); !labelled) return session_.give_up(labelled.error());
        auto counting = count_options(options_, symbolizer);
        counting.max_stack = choice_.graph.max_stack;
        auto filter = choice_.samples.filter(recording);
        if (!filter) return session_.give_up(filter.error());
        if (!choice_.samples.can_tell(choice_.common, recording, *filter)) return usage;
        auto ratios = choice_.ratios.chosen(recording, filter->events);
        if (!ratios) return session_.give_up(ratios.error());
        options_.ratios = std::move(*ratios);
        choice_.samples.add_cgroups(*filter, session_.timeline().tasks());
        // Rows of callers have samples in other code: the report leaves out rows.
        if (choice_.histograms.fields.empty()) filter->code = {};
        auto histograms = choice_.histograms.make(recording, filter->events);
        if (!histograms) return session_.give_up(histograms.error());
        histograms_ = std::move(*histograms);
        count_into(histograms_, counting);
        if (!choice_.common.quiet) choice_.samples.note_lacking_fields(choice_.common, recording, *filter);
        counting.filter = std::move(*filter);
        counting.stop = session_.stop();
        counting.progress = session_.progress("counting samples");
        counting.jobs = choice_.names.threads();
        const auto counts = SampleCounts::count(recording, session_.timeline(), counting);
        session_.end_progress();
        if (!counts) return session_.give_up(counts.error());
        session_.count_samples(hits(counts->totals()));
        return write(Report::make(recording, *counts, symbolizer, options_), *counts);
    }

  private:
    // Returns false if a profile file does not tell apart what the options ask for, and says so.
    bool suits(const Recording& recording) const {
        using stored::Dimension;
        const auto& [rows, graph] = std::tie(choice_.rows, choice_.graph);
        ProfileNeeds needs(choice_.common, recording);
        needs.never(!choice_.histograms.fields.empty(), "--histogram", "fields of samples");
        needs.never(!rows.trace_keys().empty(), "--sort", "fields of samples");
        for (const auto key : rows.chooses_keys() ? rows.chosen_keys() : std::vector<ReportKey>()) {
            if (const auto told_by = dimension_of(key)) needs.kept(true, "--sort", *told_by);
        }
        needs.kept(graph.wants_trees(), "--call-graph", Dimension::chains);
        needs.kept(!graph.parent.empty(), "--parent", Dimension::chains);
        needs.kept(!graph.ignore_callees.empty(), "--ignore-callees", Dimension::chains);
        needs.kept(rows.asks_for_children(), "--children", Dimension::chains);
        return needs.met();
    }

    // Returns what a profile must tell apart for a key; nothing if all do.
    static std::optional<stored::Dimension> dimension_of(ReportKey key) {
        using stored::Dimension;
        switch (key) {
            case ReportKey::comm: return Dimension::comm;
            case ReportKey::pid: return Dimension::pid;
            case ReportKey::tid: return Dimension::tid;
            case ReportKey::cpu: return Dimension::cpu;
            case ReportKey::cgroup: return Dimension::cgroup;
            case ReportKey::object: return Dimension::object;
            case ReportKey::symbol: return Dimension::symbol;
            case ReportKey::line: return Dimension::line;
            case ReportKey::program: return Dimension::symbol;
            case ReportKey::parent: return Dimension::chains;
            case ReportKey::kind:
            case ReportKey::trace: break;
        }
        return {};
    }

    // Without keys of the user, those that a profile has not kept are left out, unless nothing is left.
    void leave_out_keys(const Recording& recording) {
        if (choice_.rows.chooses_keys()) return;
        std::vector<ReportKey> kept;
        for (const auto key : options_.keys) {
            const auto told_by = dimension_of(key);
            if (!told_by || keeps(recording, *told_by)) kept.push_back(key);
        }
        if (kept.size() == options_.keys.size()) return;
        if (kept.empty()) kept.push_back(ReportKey::kind);
        options_.keys = std::move(kept);
        session_.note("the profile has not kept all that tells rows apart by default: see `perfdata info`");
    }

    // The words are already checked: only what depends on the recording can fail.
    void choose(const Recording& recording) {
        const auto& rows = choice_.rows;
        options_.keys = rows.chosen_keys();
        leave_out_keys(recording);
        const bool chains = has_chains(recording);
        const auto tree = choice_.graph.chosen_graph().tree;
        const bool asks = choice_.graph.wants_trees() || choice_.graph.asks_for_callers() || rows.asks_for_children();
        if (asks && !chains && !has_unread_stacks(recording)) {
            session_.note("this recording has no call chains (perf record -g)");
        }
        options_.children = chains && !rows.rules_out_children();
        options_.percent_limit = choice_.percent.limit;
        // As in perf: it is the limit of branches, too, unless -g has one.
        if (choice_.limit_given) options_.tree_limit = choice_.percent.limit;
        choice_.graph.choose(options_);
        choice_.groups.choose(options_);
        options_.relative = choice_.percent.relative();
        options_.program_details = choice_.common.json;
        options_.code = choice_.samples.code();
        options_.inlines = choice_.inlines;
        options_.jobs = choice_.names.threads();
        wants_callers_ = !rows.rules_out_children() || tree != ReportTree::none;
        if (!chains) return;
        // As in perf: callees if rows count them, else callers.
        options_.tree = tree.value_or(options_.children ? ReportTree::caller : ReportTree::callee);
    }

    // Finds out what --sort trace, and fields there, mean for this recording.
    Result<void> add_labels(const Recording& recording) {
        auto keys = choice_.rows.trace_keys();
        if (keys.empty()) return {};
        const auto events = chosen_events(recording, choice_.samples.events);
        if (!events) return fail(events.error());
        auto made = TraceLabels::make(recording, std::move(keys), *events);
        if (!made) return fail(made.error());
        labels_ = std::make_shared<TraceLabels>(std::move(*made));
        options_.label = [labels = labels_, &symbolizer = session_.symbolizer()](
                             std::uint32_t event, std::optional<Bytes> raw, const Moment& moment) {
            ReportTraceNames names(symbolizer, moment);
            return labels->number(event, raw, &names);
        };
        options_.label_text = [labels = labels_](std::uint32_t number) { return labels->text(number); };
        options_.label_title = labels_->title();
        return {};
    }

    int write(Report report, const SampleCounts& counts) {
        if (histograms_ != nullptr) {
            report.histograms = histograms_->histograms();
            report.without_field = histograms_->without_field();
        }
        // Both read the same formats.
        for (auto& problem : labels_ != nullptr       ? labels_->problems()
                             : histograms_ != nullptr ? histograms_->problems()
                                                      : std::vector<Error>()) {
            report.completeness.diagnostics.add(std::move(problem));
        }
        const bool json = choice_.common.json;
        auto output = json ? session_.open_output() : session_.open_paged_output(choice_.screen);
        if (!output) return failed;
        if (json) {
            write_report_json(report, output->sink(), {.sparse = choice_.sparse});
        } else {
            const ReportTextOptions text{wants_color(choice_.common, *output), choice_.rows.shows_hits(),
                                         choice_.rows.shows_periods(), choice_.screen.columns(*output)};
            choice_.screen.write(*output, "# ", [&](const Sink& sink) {
                if (choice_.header) write_header_lines(session_.recording(), sink);
                write_report_text(report, text, sink);
            });
        }
        if (!session_.commit(*output)) return failed;
        session_.warn(report.completeness, lacks_kernel_names(report, counts));
        if (labels_ != nullptr && labels_->not_kept() != 0) {
            session_.note(fmt::format("--sort: {} samples have further values, which are one row: there are too many",
                                      labels_->not_kept()));
        }
        note_sparse(report);
        session_.note(too_deep_text(session_.recording(), choice_.graph.max_stack));
        session_.note(choice_.groups.no_effect(report));
        session_.note(no_histogram_text(histograms_.get()));
        if (!choice_.common.quiet) explain_nothing(report, counts);
        return session_.exit_code(report.completeness, wants_callers_ && report.stacks.counts.lost() != 0);
    }

    // Says what --sparse would be good for, or that it is for nothing here.
    void note_sparse(const Report& report) const {
        constexpr std::size_t many = std::size_t{1} << 20;
        if (choice_.sparse && !choice_.common.json) return session_.note("--sparse has no effect: it is for JSON");
        if (choice_.sparse || !choice_.common.json || report.rows.size() * report.events.size() < many) return;
        std::size_t used = 0;
        for (const auto& row : report.rows) {
            used += static_cast<std::size_t>(std::ranges::count_if(
                options_.children ? row.total : row.self, [](const EventCount& cell) { return cell.hits != 0; }));
        }
        if (used > report.rows.size() * report.events.size() / 8) return;
        session_.note(fmt::format("most of the numbers of {} rows and {} events are 0: --sparse leaves these out",
                                  report.rows.size(), report.events.size()));
    }

    bool lacks_kernel_names(const Report& report, const SampleCounts& counts) const {
        if (!options_.tells_functions()) return false;
        // Trees also show what --kind and --dso exclude.
        const bool all = options_.tree != ReportTree::none || report.unwanted_frames.empty();
        const auto frames = counts.frames();
        for (std::size_t number = 0; number < frames.size(); ++number) {
            if (!all && report.unwanted_frames[number] != 0) continue;
            if (is_unnamed_kernel(session_.symbolizer(), frames[number])) return true;
        }
        return false;
    }

    // Explains an empty report, and names the requested names that the recording lacks.
    void explain_nothing(const Report& report, const SampleCounts& counts) const {
        if (report.rows.empty() && !report.without_samples.empty()) return session_.note(report.without_samples);
        choice_.samples.note_absent_tasks(choice_.common, session_.timeline());
        if (hits(counts.totals()) == 0) return;
        const auto samples = choice_.samples.chosen_samples();
        for (const auto& note : absent_code(options_.code, counts, session_.symbolizer(), samples)) session_.note(note);
    }

    const ReportChoice& choice_;
    Session session_;
    ReportOptions options_;
    std::shared_ptr<TraceLabels> labels_;          // null: no row is told apart by them
    std::shared_ptr<TraceHistograms> histograms_;  // null: none are asked for
    bool wants_callers_ = true;
};

CLI::App* add_report_options(CLI::App& app, const std::shared_ptr<ReportChoice>& choice) {
    auto* command = app.add_subcommand(
        "report",
        "Show where the samples fell, by function or by whatever else\n"
        "\n"
        "  perfdata report                     by command, object and function, with callers if recorded\n"
        "  perfdata report --sort comm,cpu     by other keys\n"
        "  perfdata report -g caller           what each function called, and how much of it that took\n"
        "  perfdata report --kind bpf --sort program,symbol\n"
        "  perfdata report --no-children -g folded,0,caller,count    every sample once, for flame graphs");
    choice->common.add_to(*command);
    choice->rows.add_to(*command);
    choice->groups.add_to(*command);
    choice->ratios.add_to(*command);
    choice->histograms.add_to(*command, "before the rows");
    choice->graph.add_to(*command);
    choice->common.add_stdio_to(*command);
    add_inline(*command, choice->inlines);
    command->add_flag("--sparse", choice->sparse,
                      "JSON: leave out numbers of events without samples in a row; \"columns\" says which there are");
    choice->percent.add_to(*command,
                           "Leave out rows with less percent of the periods than this, such as 0.5 (default 0: none)");
    add_header_to(*command, choice->header);
    choice->screen.add_to(*command);
    choice->samples.add_to(*command);
    choice->names.add_to(*command);
    begin_anew(*command, choice);
    return command;
}

void note_given(const CLI::App& command, ReportChoice& choice) {
    choice.graph.graph_given = command.get_option("--call-graph")->count() != 0;
    choice.limit_given = command.get_option("--percent-limit")->count() != 0;
}

}  // namespace

void add_report(CLI::App& app, int& exit) {
    const auto choice = std::make_shared<ReportChoice>();
    auto* command = add_report_options(app, choice);
    choice->common.on_run(*command, exit, [choice, command] {
        note_given(*command, *choice);
        return ReportRun(*choice).run();
    });
}

BatchAction batch_report(CLI::App& app) {
    const auto choice = std::make_shared<ReportChoice>();
    auto* command = add_report_options(app, choice);
    const auto check = [choice, command] {
        note_given(*command, *choice);
        return choice->graph.check(choice->rows.chosen_keys());
    };
    return {command, &choice->common, check, [choice](const Common& common) {
                auto one = *choice;
                one.common = common;
                one.names.jobs = common.scope->threads;
                return ReportRun(one).run();
            }};
}

}  // namespace perfdata::tool
