// SPDX-License-Identifier: MIT
// perfdata report: where the samples fell, by what the user wants to see it by.
#include "perfdata/annotate/report.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <vector>

#include "dump_filter.hpp"
#include "name_options.hpp"
#include "tool.hpp"

namespace perfdata::tool {
namespace {

// As deep as kernels walk; of deeper chains the innermost frames count.
constexpr unsigned usual_stack = 127, deepest_stack = 1024;

struct ReportChoice {
    Common common;
    NameChoice names;
    std::vector<std::string> keys = {"comm", "dso", "symbol"};
    std::vector<std::string> events, comms, cpus, kinds, objects, symbols;
    std::vector<std::uint32_t> pids, tids;
    std::string graph, time, percentage = "absolute";
    bool children = false, no_children = false, graph_given = false;
    bool hits = false, periods = false;
    double percent_limit = 0;
    unsigned max_stack = usual_stack;
};

Error wrong(std::string_view option, std::string detail) {
    return {ErrorCode::malformed, Error::no_offset, std::string(option), std::move(detail)};
}

Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> chosen;
    const auto& events = recording.events().events();
    for (const auto& wanted : names) {
        // By the whole name, or by what stands in front of its modifiers: "cycles" is "cycles:ppp", too.
        const auto found = std::ranges::find_if(events, [&](const Event& event) {
            return event.name == wanted || event.name.substr(0, event.name.find_first_of(":/")) == wanted;
        });
        if (found == events.end()) {
            std::vector<std::string_view> known;
            for (const auto& event : events) known.push_back(event.name);
            return fail(ErrorCode::missing, Error::no_offset, "--event",
                        fmt::format("no event {} in this recording; it has {}", wanted, fmt::join(known, ", ")));
        }
        chosen.push_back(static_cast<std::uint32_t>(found - events.begin()));
    }
    std::ranges::sort(chosen);
    const auto repeated = std::ranges::unique(chosen);
    chosen.erase(repeated.begin(), repeated.end());
    return chosen;
}

// chosen_cpus({"0", "2-3"}) is 0, 2, 3.
Result<std::vector<std::uint32_t>> chosen_cpus(const std::vector<std::string>& words) {
    constexpr std::uint32_t most = 65536;  // no machine has more
    std::vector<std::uint32_t> cpus;
    for (const auto& word : words) {
        const auto* const stop = word.data() + word.size();
        std::uint32_t first = 0;
        auto [end, problem] = std::from_chars(word.data(), stop, first);
        auto last = first;
        if (problem == std::errc{} && end != stop && *end == '-') {
            const auto rest = std::from_chars(end + 1, stop, last);
            end = rest.ptr;
            problem = rest.ec;
        }
        if (problem != std::errc{} || end != stop || last < first || last >= most) {
            return fail(wrong("--cpu", fmt::format("no CPUs: {}; expected numbers and ranges such as 0,2-3", word)));
        }
        for (auto cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    }
    return cpus;
}

bool has_chains(const Recording& recording) {
    return std::ranges::any_of(recording.events().events(),
                               [](const Event& event) { return event.sample.shape().has(SamplePart::callchain); });
}

class ReportRun {
  public:
    explicit ReportRun(const ReportChoice& choice) : choice_(choice) {}

    int run() {
        auto recording = Recording::open(choice_.common.file);
        if (!recording) return give_up(recording.error());
        if (recording->events().empty()) {
            for (const auto& problem : recording->diagnostics().kept()) complain(problem);
            return give_up({ErrorCode::missing, Error::no_offset, choice_.common.file,
                            "no events can be read, so no samples either"});
        }
        if (auto chosen = choose(*recording); !chosen) return give_up(chosen.error());
        const auto timeline = Timeline::build(*recording);
        if (!timeline) return give_up(timeline.error());
        const auto names = Names::load(*recording, *timeline, choice_.names.options(*recording));
        names.prepare(choice_.names.threads());
        auto counting = tally_options(options_, names);
        counting.max_stack = choice_.max_stack;
        if (auto chosen = filter(*recording, counting); !chosen) return give_up(chosen.error());
        const auto tally = Tally::count(*recording, *timeline, counting);
        if (!tally) return give_up(tally.error());
        const Symbols symbols(*timeline);
        const auto report = Report::make(*tally, names, symbols, options_);
        return write({*recording, names, symbols, *tally, timeline->completeness(), options_}, report);
    }

  private:
    static int give_up(const Error& error) {
        complain(error);
        return failed;
    }

    Result<void> choose(const Recording& recording) {
        options_.keys.clear();
        for (const auto& word : choice_.keys) {
            const auto key = report_key(word);
            if (!key) {
                return fail(wrong("--sort", fmt::format("cannot sort by {}; by comm, pid, tid, cpu, cgroup, dso, "
                                                        "symbol, kind, srcline and program",
                                                        word)));
            }
            if (!options_.has(*key)) options_.keys.push_back(*key);
        }
        const bool chains = has_chains(recording);
        if ((choice_.graph_given || choice_.children) && !chains && !choice_.common.quiet) {
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
        return chains ? choose_graph() : Result<void>();
    }

    // perf's -g: words and the percent limit of branches, with commas between.
    Result<void> choose_graph() {
        // As perf: what a function called if rows count that, else who called it.
        options_.tree = options_.children ? ReportTree::caller : ReportTree::callee;
        std::string_view rest = choice_.graph;
        while (!rest.empty()) {
            const auto word = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
            double limit = 0;
            const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), limit);
            if (word == "none") {
                options_.tree = ReportTree::none;
            } else if (word == "caller") {
                options_.tree = ReportTree::caller;
            } else if (word == "callee") {
                options_.tree = ReportTree::callee;
            } else if (problem == std::errc{} && end == word.data() + word.size() && limit >= 0 && limit <= 100) {
                options_.tree_limit = limit;
            } else if (word != "graph") {
                return fail(wrong("--call-graph", fmt::format("{}: expected caller, callee or none, and the least "
                                                              "percentage of a branch, such as caller,0.5",
                                                              word)));
            }
        }
        return {};
    }

    Result<void> filter(const Recording& recording, TallyOptions& counting) const {
        auto events = chosen_events(recording, choice_.events);
        if (!events) return fail(events.error());
        counting.events = std::move(*events);
        auto cpus = chosen_cpus(choice_.cpus);
        if (!cpus) return fail(cpus.error());
        counting.cpus = std::move(*cpus);
        counting.comms = choice_.comms;
        counting.pids = choice_.pids;
        counting.tids = choice_.tids;
        if (choice_.time.empty()) return {};
        const auto range = TimeRange::parse(choice_.time);
        if (!range) return fail(range.error());
        counting.from = range->from;
        counting.until = range->until;
        return {};
    }

    int write(const ReportContext& context, const Report& report) const {
        auto output = Output::open(choice_.common.output);
        if (!output) return give_up(output.error());
        const auto sink = output->sink();
        if (choice_.common.json) {
            write_report_json(context, report, sink);
        } else {
            const ReportTextOptions text{wants_color(choice_.common, *output), choice_.hits, choice_.periods};
            write_report_text(context, report, text, sink);
        }
        if (auto committed = output->commit(); !committed) return give_up(committed.error());
        warn_losses(choice_.common, context.completeness);
        warn_names(choice_.common, context.names);
        return exit_code(choice_.common, context.completeness);
    }

    const ReportChoice& choice_;
    ReportOptions options_;
};

}  // namespace

void add_report(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("report", "Show where the samples fell, by function or by whatever else");
    auto choice = std::make_shared<ReportChoice>();
    choice->common.add_to(*command);
    const auto list = [&](const char* names, auto& values, const char* help) {
        return command->add_option(names, values, help)->delimiter(',')->allow_extra_args(false);
    };
    list("-s,--sort", choice->keys,
         "What tells rows apart: comm, pid, tid, cpu, cgroup, dso, symbol, kind (kernel, user...), srcline,\n"
         "program (BPF program and load). Default: comm,dso,symbol");
    auto* children = command->add_flag("--children", choice->children,
                                       "Rows count what they called as well: the default if there are call chains");
    command->add_flag("--no-children", choice->no_children, "Rows count samples in themselves only")
        ->excludes(children);
    auto* graph = command
                      ->add_option("-g,--call-graph", choice->graph,
                                   "Trees: caller (what a row called), callee (who called it) or none, and the least\n"
                                   "percentage of a branch (default 0.5)")
                      ->expected(0, 1);
    command->add_option("--max-stack", choice->max_stack, "Only so many frames of a chain (default 127)")
        ->check(CLI::Range(1u, deepest_stack));
    command->add_flag("-n,--show-nr-samples", choice->hits, "A column of samples");
    command->add_flag("--show-total-period", choice->periods, "A column of periods");
    command->add_option("--percent-limit", choice->percent_limit, "Leave out rows with less percent than this")
        ->check(CLI::Range(0.0, 100.0));
    command
        ->add_option("--percentage", choice->percentage,
                     "absolute: of all samples; relative: of those that the filters leave")
        ->check(CLI::IsMember({"absolute", "relative"}));
    constexpr auto filters = "Which samples";
    list("-e,--event", choice->events, "Only these events")->delimiter('\0')->group(filters);
    list("--comm,--comms", choice->comms, "Only threads of these names")->group(filters);
    list("--pid", choice->pids, "Only these processes")->group(filters);
    list("--tid", choice->tids, "Only these threads")->group(filters);
    list("-C,--cpu", choice->cpus, "Only these CPUs: 0,2-3")->group(filters);
    command->add_option("--time", choice->time, "Only between two times: START,END in seconds; either may be left out")
        ->group(filters);
    list("--kind", choice->kinds, "Only this kind of code: kernel, module, bpf, out_of_line, user, jit, unknown")
        ->check(CLI::IsMember({"kernel", "module", "bpf", "out_of_line", "user", "jit", "unknown"}))
        ->group(filters);
    list("-d,--dso,--dsos", choice->objects, "Only code of these objects, by name or path")->group(filters);
    list("-S,--symbols", choice->symbols, "Only these functions")->group(filters);
    choice->names.add_to(*command);
    command->callback([choice, graph, &exit] {
        choice->graph_given = graph->count() != 0;
        exit = ReportRun(*choice).run();
    });
}

}  // namespace perfdata::tool
