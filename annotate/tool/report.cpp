// SPDX-License-Identifier: MIT
// perfdata report: where the samples fell, by what the user wants to see it by.
#include "perfdata/annotate/report/report.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "format/words.hpp"
#include "report/without_samples.hpp"
#include "tool.hpp"
#include "tool/dump/dump_filter.hpp"
#include "tool/options/cpu_choice.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/near_names.hpp"
#include "tool/output/progress.hpp"

namespace perfdata::tool {
namespace {

// As deep as kernels walk; of deeper chains the innermost frames count.
constexpr unsigned usual_stack = 127, deepest_stack = 1024;

struct ReportChoice {
    Common common;
    NameChoice names;
    std::vector<std::string> keys = {"comm", "dso", "symbol"};
    std::vector<std::string> events, comms, cpus, kinds, objects, symbols;
    std::vector<std::int32_t> pids, tids;  // -1: nobody
    std::string graph, time, percentage = "absolute";
    bool children = false, no_children = false, graph_given = false;
    bool hits = false, periods = false;
    double percent_limit = 0;
    unsigned max_stack = usual_stack;
};

Error wrong(std::string_view option, std::string detail) {
    return {ErrorCode::malformed, Error::no_offset, std::string(option), std::move(detail)};
}

Result<ReportKey> parse_key(const std::string& word) {
    if (const auto key = report_key(word)) return *key;
    return fail(
        wrong("--sort",
              fmt::format("cannot sort by {}; by comm, pid, tid, cpu, cgroup, dso, symbol, kind, srcline and program",
                          word)));
}

// Graph is perf's -g: words and the percent limit of branches, with commas between.
struct Graph {
    std::optional<ReportTree> tree;
    std::optional<double> limit;
};

Result<Graph> parse_graph(const std::string& text) {
    Graph graph;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto word = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        double limit = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), limit);
        if (word == "none") {
            graph.tree = ReportTree::none;
        } else if (word == "caller") {
            graph.tree = ReportTree::caller;
        } else if (word == "callee") {
            graph.tree = ReportTree::callee;
        } else if (problem == std::errc{} && end == word.data() + word.size() && limit >= 0 && limit <= 100) {
            graph.limit = limit;
        } else if (word != "graph") {
            std::error_code none;
            if (std::filesystem::exists(text, none)) {
                return fail(wrong("--call-graph", fmt::format("{} is a file; write the recording before -g, or a word "
                                                              "behind it: -g caller {}",
                                                              text, text)));
            }
            return fail(wrong("--call-graph", fmt::format("{}: expected caller, callee or none, and the least "
                                                          "percentage of a branch, such as caller,0.5",
                                                          word)));
        }
    }
    return graph;
}

Result<double> parse_percent(const std::string& text) {
    double percent = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), percent);
    // What is no number at all ("nan") is neither below 0 nor above 100.
    if (problem == std::errc{} && end == text.data() + text.size() && percent >= 0 && percent <= 100) return percent;
    return fail(wrong("--percent-limit", fmt::format("{} is no percentage; give a number from 0 to 100",
                                                     text.empty() ? "nothing" : text)));
}

class ReportRun {
  public:
    explicit ReportRun(const ReportChoice& choice) : choice_(choice) {}

    int run() {
        auto recording = choice_.common.open();
        if (!recording) return give_up(recording.error());
        if (recording->events().empty()) {
            for (const auto& problem : recording->diagnostics().kept()) complain(problem);
            return give_up(explain_no_events(*recording, choice_.common.file));
        }
        choose(*recording);
        std::optional<ProgressLine> reading(std::in_place, choice_.common);
        const auto timeline = Timeline::build(*recording, {.stop = {}, .progress = reading->of("reading what ran")});
        if (!timeline) return give_up(timeline.error());
        const auto names = Symbolizer::open(
            *recording, *timeline, choice_.names.options(*recording, reading->of("unpacking the build-id cache")));
        reading.reset();
        if (auto taken = choice_.names.check(names); !taken) return give_up(taken.error());
        names.prepare(choice_.names.threads());
        auto counting = count_options(options_, names);
        counting.max_stack = choice_.max_stack;
        if (auto chosen = filter(*recording, counting); !chosen) return give_up(chosen.error());
        if (!choice_.cpus.empty() && !has_cpus(*recording, counting.events)) return refuse_cpus();
        std::optional<ProgressLine> progress(std::in_place, choice_.common);
        counting.progress = progress->of("counting samples");
        const auto counts = SampleCounts::count(*recording, *timeline, counting);
        progress.reset();
        if (!counts) return give_up(counts.error());
        const auto report = Report::make(*counts, names, options_);
        auto completeness = with_losses(timeline->completeness(), names);
        for (const auto& problem : report.line_problems) {
            if (problem.loss) completeness.diagnostics.add(problem.error);
        }
        return write({*recording, names, *counts, completeness, options_}, report);
    }

  private:
    static int give_up(const Error& error) {
        complain(error);
        return failed;
    }

    // What the words mean has been checked: only what depends on the recording can fail.
    void choose(const Recording& recording) {
        options_.keys.clear();
        for (const auto& word : choice_.keys) {
            if (const auto key = parse_key(word); key && !options_.has(*key)) options_.keys.push_back(*key);
        }
        const bool chains = has_chains(recording);
        const auto graph = parse_graph(choice_.graph);
        const bool wants_trees = choice_.graph_given && graph && graph->tree != ReportTree::none;
        if ((wants_trees || choice_.children) && !chains && !has_unread_stacks(recording) && !choice_.common.quiet) {
            complain("note: this recording has no call chains (perf record -g)");
        }
        options_.children = chains && !choice_.no_children;
        options_.percent_limit = choice_.percent_limit;
        options_.relative = choice_.percentage == "relative";
        options_.objects = choice_.objects;
        options_.symbols = choice_.symbols;
        for (const auto& word : choice_.kinds) {
            for (const auto kind : {CodeClass::kernel, CodeClass::module, CodeClass::bpf, CodeClass::out_of_line,
                                    CodeClass::user, CodeClass::jit, CodeClass::unknown}) {
                if (to_string(kind) == word) options_.kinds.push_back(kind);
            }
        }
        wants_callers_ = !choice_.no_children || !graph || graph->tree != ReportTree::none;
        if (!chains || !graph) return;
        // As perf: what a function called if rows count that, else who called it.
        options_.tree = graph->tree.value_or(options_.children ? ReportTree::caller : ReportTree::callee);
        options_.tree_limit = graph->limit.value_or(options_.tree_limit);
    }

    Result<void> filter(const Recording& recording, SampleCountOptions& counting) const {
        auto events = chosen_events(recording, choice_.events);
        if (!events) return fail(events.error());
        counting.events = std::move(*events);
        for (const auto& word : choice_.cpus) {
            const auto range = parse_cpus(word);
            for (auto cpu = range->first; cpu <= range->last; ++cpu) counting.cpus.push_back(cpu);
        }
        counting.comms = choice_.comms;
        counting.pids.assign(choice_.pids.begin(), choice_.pids.end());
        counting.tids.assign(choice_.tids.begin(), choice_.tids.end());
        if (choice_.time.empty()) return {};
        const auto range = TimeRange::parse(choice_.time);
        if (!range) return fail(range.error());
        counting.from = range->from;
        counting.until = range->until;
        return {};
    }

    int write(const ReportContext& context, const Report& report) const {
        auto output = choice_.common.open_output();
        if (!output) return give_up(output.error());
        const auto sink = output->sink();
        if (choice_.common.json) {
            write_report_json(context, report, sink);
        } else {
            const ReportTextOptions text{wants_color(choice_.common, *output), choice_.hits, choice_.periods};
            write_report_text(context, report, text, sink);
        }
        if (auto committed = choice_.common.commit(*output); !committed) return give_up(committed.error());
        warn_losses(choice_.common, context.completeness);
        warn_names(choice_.common, context.names, lacks_kernel_names(context, report));
        if (!choice_.common.quiet) explain_nothing(context, report);
        return exit_code(choice_.common, context.completeness,
                         wants_callers_ && context.counts.stacks_not_unwound() != 0);
    }

    bool lacks_kernel_names(const ReportContext& context, const Report& report) const {
        if (!options_.has(ReportKey::symbol) && options_.tree == ReportTree::none) return false;
        // Trees show what --kind and --dso do not want.
        const bool all = options_.tree != ReportTree::none || report.unwanted_frames.empty();
        const auto frames = context.counts.frames();
        for (std::size_t number = 0; number < frames.size(); ++number) {
            if (!all && report.unwanted_frames[number] != 0) continue;
            if (is_unnamed_kernel(context.names, frames[number])) return true;
        }
        return false;
    }

    // Why there is not one row, and which names the recording does not have.
    void explain_nothing(const ReportContext& context, const Report& report) const {
        if (report.rows.empty()) {
            const auto what = without_samples(context.recording, context.completeness);
            if (!what.empty()) return complain("note: " + what);
        }
        note_absent("--comm", "thread called", choice_.comms, context.names.timeline().tasks().comms());
        if ((choice_.symbols.empty() && choice_.objects.empty()) || hits(context.counts.totals()) == 0) return;
        std::set<std::string> symbols, objects;
        for (const auto& frame : context.counts.frames()) {
            const auto name = context.names.name(frame);
            symbols.emplace(name.symbol.empty() ? fmt::format("0x{:016x}", frame.offset) : std::string(name.symbol));
            objects.emplace(name.object);
            objects.insert(object_label(name.object, name.kind));
        }
        note_absent("--dso", "samples in an object called", choice_.objects, {objects.begin(), objects.end()});
        note_absent("--symbols", "samples in a function called", choice_.symbols, {symbols.begin(), symbols.end()});
    }

    const ReportChoice& choice_;
    ReportOptions options_;
    bool wants_callers_ = true;
};

}  // namespace

void add_report(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("report", "Show where the samples fell, by function or by whatever else");
    auto choice = std::make_shared<ReportChoice>();
    choice->common.add_to(*command);
    const auto list = [&](const char* names, std::vector<std::string>& values, const char* help) {
        return add_list(*command, names, values, help);
    };
    list("-s,--sort", choice->keys,
         "What tells rows apart: comm, pid, tid, cpu, cgroup, dso, symbol, kind (kernel, user...), srcline,\n"
         "program (BPF program and load). Default: comm,dso,symbol")
        ->check(each(checked(parse_key)), "")
        ->type_name("KEYS");
    choice->common.add_stdio_to(*command);
    auto* children = command->add_flag("--children", choice->children,
                                       "Rows count what they called as well: the default if there are call chains");
    command->add_flag("--no-children", choice->no_children, "Rows count samples in themselves only")
        ->excludes(children);
    auto* graph =
        command
            ->add_option("-g,--call-graph", choice->graph,
                         "Trees: caller (what a row called), callee (who called it) or none, and the least\n"
                         "percentage of a branch (default 0.5), such as caller,3. perf's word graph is taken,\n"
                         "too: the shares here are always those of a graph")
            ->expected(0, 1)
            ->check(checked(parse_graph), "")
            ->type_name("TREES");
    add_whole(*command, "--max-stack", choice->max_stack, "Only so many frames of a chain (default 127)",
              {1, deepest_stack, "a number from 1 to 1024 (default 127)"});
    command->add_flag("-n,--show-nr-samples", choice->hits, "A column of samples");
    command->add_flag("--show-total-period", choice->periods, "A column of periods");
    command->add_option("--percent-limit", choice->percent_limit, "Leave out rows with less percent than this")
        ->check(checked(parse_percent), "")
        ->type_name("PERCENT");
    command
        ->add_option("--percentage", choice->percentage,
                     "absolute: of all samples; relative: of those that the filters leave")
        ->check(one_of({"absolute", "relative"}));
    constexpr auto filters = "Which samples";
    command->add_option("-e,--event", choice->events, "Only these events")
        ->allow_extra_args(false)
        ->group(filters)
        ->type_name("EVENT");
    list("--comm,--comms", choice->comms, "Only threads of these names")->group(filters)->type_name("NAMES");
    add_wholes(*command, "--pid", choice->pids, "Only these processes", Whole::process())->group(filters);
    add_wholes(*command, "--tid", choice->tids, "Only these threads", Whole::thread())->group(filters);
    list("-C,--cpu", choice->cpus, "Only these CPUs: 0,2-3")
        ->check(each(checked(parse_cpus)), "")
        ->group(filters)
        ->type_name("CPUS");
    command
        ->add_option("--time", choice->time,
                     "Only between two times, in seconds: START,END or START, or ,END; START alone is START,")
        ->check(checked(TimeRange::parse), "")
        ->group(filters)
        ->type_name("START,END");
    list("--kind", choice->kinds, "Only this kind of code: kernel, module, bpf, out_of_line, user, jit, unknown")
        ->check(some_of({"kernel", "module", "bpf", "out_of_line", "user", "jit", "unknown"}))
        ->group(filters);
    list("-d,--dso,--dsos", choice->objects, "Only code of these objects, by name or path")
        ->group(filters)
        ->type_name("NAMES");
    list("-S,--symbols", choice->symbols, "Only these functions")->group(filters)->type_name("NAMES");
    choice->names.add_to(*command);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice, graph] {
        choice->graph_given = graph->count() != 0;
        return ReportRun(*choice).run();
    });
}

}  // namespace perfdata::tool
