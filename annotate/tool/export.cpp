// SPDX-License-Identifier: MIT
// perfdata export: the profile in formats of other tools.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"

#include "export/autofdo.hpp"
#include "export/bolt.hpp"
#include "export/branch_counts.hpp"
#include "export/callgrind.hpp"
#include "export/csv_tables.hpp"
#include "export/exported.hpp"
#include "export/firefox.hpp"
#include "export/folded.hpp"
#include "export/pprof.hpp"
#include "export/speedscope.hpp"
#include "format/count_problems.hpp"
#include "page/titles.hpp"
#include "report/unnamed_samples.hpp"
#include "report/without_samples.hpp"
#include "tool.hpp"
#include "tool/export/export_tables.hpp"
#include "tool/options/absent_code.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct ExportChoice {
    Common common;
    NameChoice names;
    SampleChoice samples;
    std::string table;  // of csv; empty: all of them, in a directory
    bool inlines = true;
    bool periods = false;
    bool lines = true;
    bool plain = false;
    std::uint32_t max_stack = SampleCountOptions().max_stack;
    bool max_stack_given = false;

    bool is(Format format) const { return common.format == option_word(format); }
    // Counts branches by address, and knows no stacks.
    bool for_compilers() const { return is(Format::bolt) || is(Format::autofdo); }
    bool is_binary() const { return is(Format::pprof); }
    bool into_directory() const { return is(Format::csv) && table.empty(); }
};

// Returns what the chosen format has use for.
ExportedOptions needs_of(const ExportChoice& choice) {
    ExportedOptions options;
    options.addresses = !choice.is(Format::folded) && !choice.is(Format::speedscope);
    options.lines = choice.lines && !choice.is(Format::folded);
    options.samples = choice.is(Format::speedscope) || choice.is(Format::firefox) || choice.is(Format::csv);
    options.inlines = choice.inlines;
    options.max_stack = choice.max_stack;
    return options;
}

// Says which options mean nothing to the format.
void note_no_effect(const Session& session, const ExportChoice& choice) {
    const auto none = [&](bool given, std::string_view option, bool has_use) {
        if (given && !has_use) {
            session.note(fmt::format("{} has no effect: it means nothing to {}", option, choice.common.format));
        }
    };
    const bool stacks = !choice.for_compilers();
    const bool weighs = choice.is(Format::folded) || choice.is(Format::speedscope) || choice.is(Format::firefox);
    none(choice.periods, "--periods", weighs);
    none(choice.plain, "--plain", choice.is(Format::folded) || choice.is(Format::speedscope));
    none(!choice.lines, "--no-lines", stacks && !choice.is(Format::folded));
    none(!choice.inlines, "--no-inline", stacks);
    none(choice.max_stack_given, "--max-stack", stacks);
}

class ExportRun {
  public:
    explicit ExportRun(const ExportChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (const auto problem = contradiction(); !problem.empty()) {
            complain(problem);
            return usage;
        }
        if (choice_.into_directory()) {
            auto opened = TableDirectory::open(choice_.common);
            if (!opened) return session_.give_up(opened.error());
            directory_.emplace(std::move(*opened));
        }
        if (!session_.open_samples()) return failed;
        const auto& recording = session_.recording();
        if (!choice_.samples.suits(choice_.common, recording) || !suits(recording)) return usage;
        auto filter = choice_.samples.filter(recording);
        if (!filter) return session_.give_up(filter.error());
        if (!choice_.samples.can_tell(choice_.common, recording, *filter)) return usage;
        auto names = choice_.names;
        if (choice_.for_compilers()) names.demangle = false;  // compilers know functions by these names
        if (!session_.read_timeline(names)) return failed;
        choice_.samples.add_cgroups(*filter, session_.timeline().tasks());
        session_.open_symbolizer(names);
        if (!session_.check_names(names)) return failed;
        session_.symbolizer().prepare(names.threads());
        if (!choice_.common.quiet) choice_.samples.note_lacking_fields(choice_.common, recording, *filter);
        return choice_.for_compilers() ? export_branches(std::move(*filter)) : export_stacks(std::move(*filter));
    }

  private:
    std::string contradiction() const {
        if (choice_.common.json) return "--json: two formats are JSON; choose --format speedscope or firefox";
        if (!choice_.table.empty() && !choice_.is(Format::csv)) {
            return fmt::format("--table is for --format csv, and not for {}", choice_.common.format);
        }
        return choice_.is(Format::csv) ? table_problem(choice_.common.output, choice_.table) : std::string();
    }

    // Returns false if a profile file lacks what the format is made of, and says so.
    bool suits(const Recording& recording) const {
        const auto format = fmt::format("--format {}", choice_.common.format);
        const bool of_times = choice_.is(Format::speedscope) || choice_.is(Format::firefox);
        return ProfileNeeds(choice_.common, recording)
            .never(of_times, format, "times of samples")
            .never(choice_.for_compilers(), format, "branches between all addresses")
            .never(choice_.into_directory(), format + " without --table", "times of samples")
            .never(choice_.table == "samples", "--table samples", "times of samples")
            .met();
    }

    int export_stacks(SampleFilter filter) {
        auto needs = needs_of(choice_);
        // The other tables are of no single samples.
        if (session_.recording().is_profile()) needs.samples = false;
        needs.filter = std::move(filter);
        needs.progress = session_.progress("counting samples");
        needs.jobs = choice_.names.threads();
        const auto exported = Exported::make(session_.recording(), session_.symbolizer(), needs);
        session_.end_progress();
        if (!exported) return session_.give_up(exported.error());
        if (directory_) {
            if (auto written = directory_->write(*exported, session_.symbolizer()); !written) {
                return session_.give_up(written.error());
            } else {
                cut_stacks_ = *written;
            }
        } else if (const auto status = write(*exported); status != fine) {
            return status;
        }
        auto completeness = session_.completeness();
        add_problems(*exported, completeness);
        const auto stacks = StackFacts::of(exported->counts.chain_losses().stacks, session_.symbolizer());
        completeness.stacks_not_unwound = stacks.lacking();
        session_.warn(completeness, exported->unnamed_kernel);
        if (!choice_.common.quiet) tell(*exported, stacks);
        return session_.exit_code(completeness, stacks.counts.lost() != 0 || left_out(*exported) != 0);
    }

    int write(const Exported& exported) {
        auto output = session_.open_output();
        if (!output) return failed;
        if (choice_.is_binary() && output->is_terminal()) {
            complain(fmt::format("{} is binary and this is a terminal; give -o FILE", choice_.common.format));
            return failed;
        }
        cut_stacks_ = write_format(exported, output->sink());
        return session_.commit(*output) ? fine : failed;
    }

    // Returns how many stacks were cut.
    std::uint64_t write_format(const Exported& exported, const Sink& sink) {
        if (choice_.is(Format::folded)) return write_folded(exported, {choice_.periods, !choice_.plain}, sink);
        if (choice_.is(Format::speedscope)) return write_speedscope(exported, {choice_.periods, !choice_.plain}, sink);
        // These write what stacks share once.
        if (choice_.is(Format::firefox)) write_firefox(exported, {choice_.periods}, sink);
        if (choice_.is(Format::callgrind)) write_callgrind(exported, {}, sink);
        if (choice_.is(Format::firefox) || choice_.is(Format::callgrind)) return 0;
        if (choice_.is(Format::csv)) {
            return write_csv_table(exported, session_.symbolizer(), *csv_table(choice_.table), sink);
        }
        const auto options = PprofOptions::of(session_.recording(), exported);
        const auto cuts = write_pprof(exported, options, sink, choice_.names.threads());
        cut_values_ = cuts.values;
        return cuts.stacks;
    }

    void add_problems(const Exported& exported, Completeness& completeness) const {
        if (cut_stacks_ != 0) {
            completeness.diagnostics.add(
                {ErrorCode::limit, Error::no_offset, "stacks",
                 fmt::format(
                     "{} have their innermost function alone: written with all callers they would be far larger "
                     "than the file that they are from; --format callgrind has them all",
                     cut_stacks_)});
        }
        if (cut_values_) {
            completeness.diagnostics.add({ErrorCode::limit, Error::no_offset, "values",
                                          "sums beyond 2^63-1, the largest of pprof, are cut to that"});
        }
        for (auto& problem : export_problems(session_.recording(), exported.counts)) {
            completeness.diagnostics.add(std::move(problem));
        }
        for (const auto& problem : exported.line_problems) {
            if (is_line_loss(problem.code)) completeness.diagnostics.add(problem);
        }
        if (const auto further = exported.counts.in_further_tasks(); further != 0) {
            completeness.diagnostics.add({ErrorCode::limit, Error::no_offset, "threads",
                                          fmt::format("{} samples are of more threads than there is room for: they "
                                                      "count as [further tasks]",
                                                      further)});
        }
    }

    void tell(const Exported& exported, const StackFacts& stacks) {
        note_no_effect(session_, choice_);
        if (choice_.max_stack_given) session_.note(too_deep_text(session_.recording(), choice_.max_stack));
        if (!keeps(session_.recording(), stored::Dimension::chains)) {
            session_.note("the profile has not kept call chains: each stack has one function");
        }
        const auto& counts = exported.counts;
        if (exported.rows.empty()) {
            auto what = without_samples(session_.recording(), session_.timeline().completeness());
            session_.note(what.empty() ? "no samples to export: the options leave none" : what);
        }
        // In Firefox's format they weigh nothing.
        const bool drops = choice_.is(Format::folded) || choice_.is(Format::speedscope);
        if (const auto none = without_period(exported); choice_.periods && drops && none != 0) {
            session_.note(fmt::format("{} samples have a period of 0: --periods leaves them out", none));
        }
        choice_.samples.note_absent_tasks(choice_.common, session_.timeline());
        note_absent_code(counts);
        const auto unproven = WithoutBuildId::count(counts, session_.symbolizer());
        session_.note(unproven.sampled_text());
        session_.note(unproven.callers_text());
        for (const auto& note : UnnamedSamples::count(counts, session_.symbolizer()).notes()) session_.note(note);
        for (const auto& note : chain_notes(counts.chain_losses())) session_.note(note);
        for (const auto& note : stacks.notes()) session_.note(note);
        for (const auto& note : inlined_notes(session_.symbolizer().inlined_problems())) session_.note(note);
        if (const auto events = left_out(exported); events != 0) {
            session_.note(fmt::format("{} events are left out: {} takes at most {}; choose with -e", events,
                                      choice_.common.format, exported.events.size() - events));
        }
    }

    // Names what --dso and --symbols ask for and no sample has. Samples of other code, which were not counted, have the
    // similar names.
    void note_absent_code(const SampleCounts& counts) {
        const auto wanted = choice_.samples.code();
        if (!absent_code(wanted, counts, session_.symbolizer(), {}).empty()) note_absent_code(wanted);
    }

    // Branches lie in objects without samples, too.
    void note_absent_branches(const BranchCounts& counts) {
        auto wanted = choice_.samples.code();
        std::erase_if(wanted.objects, [&](const std::string& name) {
            const CodeFilter one{{}, {name}, {}};
            return std::ranges::any_of(counts.objects, [&](const BranchObject& object) {
                return one.takes_object(object.path, CodeClass::user);
            });
        });
        if (!wanted.objects.empty() || !wanted.symbols.empty()) note_absent_code(wanted);
    }

    void note_absent_code(const CodeFilter& wanted) {
        const auto& symbolizer = session_.symbolizer();
        auto filter = choice_.samples.filter(session_.recording());
        if (!filter) return;
        choice_.samples.add_cgroups(*filter, session_.timeline().tasks());
        filter->code = {};
        SampleCountOptions options;
        options.by_comm = false;
        options.jit = &symbolizer.jit();
        options.functions = &symbolizer.functions();
        options.filter = std::move(*filter);
        options.progress = session_.progress("looking for similar names");
        options.jobs = choice_.names.threads();
        const auto all = SampleCounts::count(session_.recording(), session_.timeline(), options);
        session_.end_progress();
        if (!all) return;
        const auto samples = choice_.samples.chosen_samples();
        for (const auto& note : absent_code(wanted, *all, symbolizer, samples)) session_.note(note);
    }

    // Returns how many samples have no weight by their periods. In folded stacks they are added up with others.
    static std::uint64_t without_period(const Exported& exported) {
        std::uint64_t hits = 0;
        if (!exported.samples.empty()) {
            for (const auto& sample : exported.samples) hits += sample.periods == 0 ? 1 : 0;
            return hits;
        }
        for (const auto& cell : exported.cells) {
            if (cell.count.periods == 0) hits = add_up_to_most(hits, cell.count.hits);
        }
        return hits;
    }

    // Returns how many events the format has no room for.
    std::size_t left_out(const Exported& exported) const {
        auto most = exported.events.size();
        if (choice_.is(Format::pprof)) most = std::min(most, most_pprof_events);
        if (choice_.is(Format::callgrind)) most = std::min(most, most_callgrind_events);
        return exported.events.size() - most;
    }

    int export_branches(SampleFilter filter) {
        const auto& symbolizer = session_.symbolizer();
        const auto counts = BranchCounts::count(session_.recording(), symbolizer,
                                                {std::move(filter), {}, session_.progress("counting branches")});
        session_.end_progress();
        if (!counts) return session_.give_up(counts.error());
        auto output = session_.open_output();
        if (!output) return failed;
        const auto notes = choice_.is(Format::bolt) ? write_bolt(*counts, symbolizer, {}, output->sink())
                                                    : write_autofdo(*counts, symbolizer, {}, output->sink());
        if (!notes) return session_.give_up(notes.error());
        const bool nothing = counts->file == nullptr || counts->objects.empty();
        if (!nothing && !session_.commit(*output)) return failed;
        const auto completeness = session_.completeness();
        session_.warn(completeness, false);
        if (!choice_.common.quiet) {
            note_no_effect(session_, choice_);
            choice_.samples.note_absent_tasks(choice_.common, session_.timeline());
            note_absent_branches(*counts);
        }
        for (const auto& note : *notes) {
            if (nothing) {
                complain(note);
            } else {
                session_.note(note);
            }
        }
        return nothing ? static_cast<int>(failed) : session_.exit_code(completeness);
    }

    const ExportChoice& choice_;
    Session session_;
    std::optional<TableDirectory> directory_;
    std::uint64_t cut_stacks_ = 0;  // stacks without callers, see StackRoom
    bool cut_values_ = false;       // see PprofCuts
};

}  // namespace

void add_export(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "export",
        "Write the profile in a format of another tool, with names and lines inside\n"
        "\n"
        "  perfdata export | flamegraph.pl > flame.svg            folded stacks, the default\n"
        "  perfdata export -o profile.pb.gz                       for go tool pprof, Parca, Pyroscope\n"
        "  perfdata export -o p.speedscope.json                   for speedscope.app\n"
        "  perfdata export --format firefox -o p.json             for profiler.firefox.com\n"
        "  perfdata export -o callgrind.out.p                     for KCachegrind\n"
        "  perfdata export --format csv -o DIR                    tables for a data base\n"
        "  perfdata export --format autofdo -o p.afdo             for clang -fprofile-sample-use=\n"
        "  perfdata export --format bolt -o p.fdata               for llvm-bolt");
    auto choice = std::make_shared<ExportChoice>();
    choice->common.add_to(*command, {Format::folded, Format::pprof, Format::speedscope, Format::firefox,
                                     Format::callgrind, Format::csv_tables, Format::autofdo, Format::bolt});
    command->get_option("--json")->description("Not here: of the formats, speedscope and firefox are JSON");
    choice->common.add_format_to(*command, "The format, where the output's ending does not say it (default folded)");
    command
        ->add_option("--table", choice->table,
                     "csv: write this table alone, not all to a directory: samples, stacks, frames, functions, objects "
                     "or loads")
        ->check(no_table, "");
    command->add_flag("--periods", choice->periods,
                      "folded, speedscope, firefox: weigh samples by their periods, such as cycles or nanoseconds");
    command->add_flag("--plain", choice->plain, "folded, speedscope: no marks such as _[k] behind names");
    command->add_flag("!--no-lines", choice->lines, "No lines of source, which take time to read");
    add_inline(*command, choice->inlines);
    add_whole(*command, "--max-stack", choice->max_stack,
              "Frames of a call chain, innermost first (default 1024); inlined functions do not count",
              {1, 65535, "a number from 1 to 65535 (default 1024)"});
    choice->samples.add_to(*command);
    choice->names.add_to(*command);
    choice->common.output_is_directory = [self = choice.get()] { return self->into_directory(); };
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice, command] {
        choice->max_stack_given = command->get_option("--max-stack")->count() != 0;
        return ExportRun(*choice).run();
    });
}

}  // namespace perfdata::tool
