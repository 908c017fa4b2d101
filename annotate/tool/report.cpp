// SPDX-License-Identifier: MIT
// perfdata report: where samples fell, grouped by the keys that the user chooses.
#include "perfdata/annotate/report/report.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "perfdata/annotate/page/report_page.hpp"

#include "format/words.hpp"
#include "tool.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/near_names.hpp"
#include "tool/options/percent_options.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

// The kernel's default limit of frames, and the largest accepted. Of deeper chains the innermost frames count.
constexpr unsigned usual_stack = 127, deepest_stack = 1024;

// words_of(keys) returns their words for --sort.
std::vector<std::string> words_of(const std::vector<ReportKey>& keys) {
    std::vector<std::string> words;
    for (const auto key : keys) words.emplace_back(perfdata::words_of(key).word);
    return words;
}

// key_help() returns the help of --sort, wrapped like that of other options.
std::string key_help() {
    constexpr std::size_t widest = 100;
    std::string text = "What tells rows apart:";
    std::size_t line = text.size();
    for (const auto& one : report_keys()) {
        const bool last = &one == &report_keys().back();
        std::string item(one.word);
        if (!one.note.empty()) item += fmt::format(" ({})", one.note);
        item += last ? '.' : ',';
        const bool fits = line + 1 + item.size() <= widest;
        text += fits ? ' ' : '\n';
        line = (fits ? line + 1 : 0) + item.size();
        text += item;
    }
    return fmt::format("{} Default: {}", text, fmt::join(words_of(ReportOptions().keys), ","));
}

struct ReportChoice {
    Common common;
    NameChoice names;
    std::vector<std::string> keys = words_of(ReportOptions().keys);
    SampleChoice samples;
    PercentChoice percent;
    std::string graph;
    bool children = false, no_children = false, graph_given = false;
    bool hits = false, periods = false;
    unsigned max_stack = usual_stack;
};

Error wrong(std::string_view option, std::string detail) {
    return {ErrorCode::malformed, Error::no_offset, std::string(option), std::move(detail)};
}

Result<ReportKey> parse_key(const std::string& word) {
    if (const auto key = report_key(word)) return *key;
    std::string known;
    for (const auto& one : report_keys()) {
        const bool last = &one == &report_keys().back();
        known += fmt::format("{}{}", known.empty() ? "" : last ? " and " : ", ", one.word);
    }
    return fail(wrong("--sort", fmt::format("cannot sort by {}; by {}", word, known)));
}

// Graph is perf's -g: words and the percent limit of branches, separated by commas.
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

class ReportRun {
  public:
    explicit ReportRun(const ReportChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (!session_.open_samples()) return failed;
        const auto& recording = session_.recording();
        choose(recording);
        if (!session_.read_timeline()) return failed;
        session_.open_symbolizer(choice_.names);
        if (!session_.check_names(choice_.names)) return failed;
        const auto& symbolizer = session_.symbolizer();
        symbolizer.prepare(choice_.names.threads());
        auto counting = count_options(options_, symbolizer);
        counting.max_stack = choice_.max_stack;
        auto filter = choice_.samples.filter(recording);
        if (!filter) return session_.give_up(filter.error());
        if (!choice_.samples.can_tell(recording, *filter)) return usage;
        choice_.samples.add_cgroups(*filter, session_.timeline().tasks());
        // Rows of callers have samples in other code: the report leaves out rows.
        filter->code = {};
        counting.filter = std::move(*filter);
        counting.progress = session_.progress("counting samples");
        const auto counts = SampleCounts::count(recording, session_.timeline(), counting);
        session_.end_progress();
        if (!counts) return session_.give_up(counts.error());
        return write(Report::make(recording, *counts, symbolizer, options_), *counts);
    }

  private:
    // The words are already checked: only what depends on the recording can fail.
    void choose(const Recording& recording) {
        options_.keys.clear();
        for (const auto& word : choice_.keys) {
            if (const auto key = parse_key(word); key && !options_.has(*key)) options_.keys.push_back(*key);
        }
        const bool chains = has_chains(recording);
        const auto graph = parse_graph(choice_.graph);
        const bool wants_trees = choice_.graph_given && graph && graph->tree != ReportTree::none;
        if ((wants_trees || choice_.children) && !chains && !has_unread_stacks(recording)) {
            session_.note("this recording has no call chains (perf record -g)");
        }
        options_.children = chains && !choice_.no_children;
        options_.percent_limit = choice_.percent.limit;
        options_.relative = choice_.percent.relative();
        options_.program_details = choice_.common.json;
        options_.code = choice_.samples.code();
        wants_callers_ = !choice_.no_children || !graph || graph->tree != ReportTree::none;
        if (!chains || !graph) return;
        // As in perf: callees if rows count them, else callers.
        options_.tree = graph->tree.value_or(options_.children ? ReportTree::caller : ReportTree::callee);
        options_.tree_limit = graph->limit.value_or(options_.tree_limit);
    }

    int write(const Report& report, const SampleCounts& counts) {
        auto output = session_.open_output();
        if (!output) return failed;
        if (choice_.common.json) {
            write_report_json(report, output->sink());
        } else {
            const ReportTextOptions text{wants_color(choice_.common, *output), choice_.hits, choice_.periods};
            write_report_text(report, text, output->sink());
        }
        if (!session_.commit(*output)) return failed;
        session_.warn(report.completeness, lacks_kernel_names(report, counts));
        if (!choice_.common.quiet) explain_nothing(report, counts);
        return session_.exit_code(report.completeness, wants_callers_ && report.stacks_not_unwound != 0);
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
        choice_.samples.note_absent_tasks(session_.timeline());
        const auto& wanted = options_.code;
        if ((wanted.symbols.empty() && wanted.objects.empty()) || hits(counts.totals()) == 0) return;
        std::set<std::string> symbols, objects;
        for (const auto& frame : counts.frames()) {
            const auto name = session_.symbolizer().name(frame);
            symbols.insert(symbol_label(name.symbol, frame.offset));
            objects.emplace(name.object);
            objects.insert(object_label(name.object, name.kind));
        }
        const auto absent = [&](std::vector<std::string> names, auto filter) {
            std::erase_if(names, [&](const std::string& name) {
                return std::ranges::any_of(counts.frames(), [&](const Frame& frame) {
                    return session_.symbolizer().functions().left_out(frame, filter(name)) == CodePart::none;
                });
            });
            return names;
        };
        const auto of_object = [](const std::string& name) { return CodeFilter{{}, {name}, {}}; };
        const auto of_symbol = [](const std::string& name) { return CodeFilter{{}, {}, {name}}; };
        note_absent("--dso", "samples in an object called", absent(wanted.objects, of_object),
                    {objects.begin(), objects.end()});
        note_absent("--symbols", "samples in a function called", absent(wanted.symbols, of_symbol),
                    {symbols.begin(), symbols.end()});
    }

    const ReportChoice& choice_;
    Session session_;
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
    const auto sort_help = key_help();
    list("-s,--sort", choice->keys, sort_help.c_str())->check(each(checked(parse_key)), "")->type_name("KEYS");
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
    choice->percent.add_to(*command, "Leave out rows with less percent than this");
    choice->samples.add_to(*command);
    choice->names.add_to(*command);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice, graph] {
        choice->graph_given = graph->count() != 0;
        return ReportRun(*choice).run();
    });
}

}  // namespace perfdata::tool
