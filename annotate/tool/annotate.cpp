// SPDX-License-Identifier: MIT
// perfdata annotate: listings of the sampled functions.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/symbols/object_architecture.hpp"

#include "core/platform.hpp"
#include "format/count_problems.hpp"
#include "format/percent_limit.hpp"
#include "page/titles.hpp"
#include "recording/stored/model.hpp"
#include "report/without_samples.hpp"
#include "tool/annotate/annotate_choice.hpp"
#include "tool/annotate/annotate_html.hpp"
#include "tool/annotate/annotate_limit.hpp"
#include "tool/annotate/annotate_lines.hpp"
#include "tool/annotate/annotate_notes.hpp"
#include "tool/annotate/annotate_options.hpp"
#include "tool/options/absent_code.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/time_choice.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

class Annotate {
  public:
    explicit Annotate(AnnotateOptions& options) : options_(options), session_(options.common) {}

    int run() {
        const auto& place = options_.common.place;
        if (html() && (place ? place->is_terminal() : platform::is_terminal(platform::standard_output))) {
            complain("HTML is not for terminals: give -o FILE");
            return usage;
        }
        if (const auto problem = lines() ? not_for_lines() : std::string(); !problem.empty()) {
            complain(problem);
            return usage;
        }
        if (std::ranges::count(options_.functions.symbols, std::string()) != 0) {
            complain("--symbol: the name is empty");
            return usage;
        }
        if (!session_.open_samples()) return failed;
        const auto& recording = session_.recording();
        if (!options_.samples.suits(options_.common, recording) || !suits(recording)) return usage;
        if (!options_.at.empty()) {
            const auto time = parse_time(options_.at);
            if (!time) return session_.give_up(time.error());
            options_.functions.at = *time;
        }
        auto filter = options_.samples.filter(recording);
        if (!filter) return session_.give_up(filter.error());
        if (!options_.samples.can_tell(options_.common, recording, *filter)) return usage;
        auto ratios = options_.ratios.chosen(recording, filter->events);
        if (!ratios) return session_.give_up(ratios.error());
        auto histograms = options_.histograms.make(recording, filter->events);
        if (!histograms) return session_.give_up(histograms.error());
        histograms_ = std::move(*histograms);
        if (!options_.common.quiet) options_.samples.note_lacking_fields(options_.common, recording, *filter);
        if (!session_.read_timeline(options_.names, &options_.lines)) return failed;
        options_.samples.add_cgroups(*filter, session_.timeline().tasks());
        session_.open_symbolizer(options_.names, &options_.lines);
        if (!session_.check_names(options_.names)) return failed;
        const auto& symbolizer = session_.symbolizer();
        symbolizer.prepare(options_.names.threads());
        if (lines()) {
            options_.samples.note_absent_tasks(options_.common, session_.timeline());
            return annotate_lines(session_, lines_choice(*filter, std::move(*ratios)));
        }
        const auto count = [&](const SampleFilter& samples) {
            return Profile::count(recording, symbolizer.versions(),
                                  {.stop = {},
                                   .progress = session_.progress("counting samples"),
                                   .filter = samples,
                                   .jobs = options_.names.threads()});
        };
        const auto profile = profile_of(*filter, count);
        if (!profile) return session_.give_up(profile.error());
        const auto without_filter = [&] {
            SampleFilter all;
            all.events = filter->events;
            return count(all);
        };
        auto chosen = choose_functions(options_.functions,
                                       {recording, *profile, symbolizer, *filter, relative(), without_filter});
        if (!chosen) return session_.give_up(chosen.error());
        hidden_ = hide_small(*chosen, relative() ? profile->totals() : profile->considered(), options_.percent.limit);
        absent_ = chosen->absent;
        if (auto noted = note_absent_code(*filter, *profile); !noted) return session_.give_up(noted.error());
        const auto listed = html() && options_.functions.symbols.empty()
                                ? html_listings(chosen->functions, profile->totals())
                                : chosen->functions.size();
        arch_ = find_architecture(recording, symbolizer);
        auto listings = annotate_all(std::span(chosen->functions).first(listed), symbolizer, arch_.name,
                                     options_.style == "intel" ? Syntax::intel : Syntax::att, options_.names.threads(),
                                     recording.limits());
        const CallOptions counting{
            *filter, {}, session_.progress("counting callers"), options_.max_stack, options_.names.threads()};
        if (auto counted = count_calls(recording, symbolizer, listings, counting); !counted)
            return session_.give_up(counted.error());
        // The flame graph's pass counts them as well.
        if (!html()) {
            if (auto counted = count_histograms(*filter); !counted) return session_.give_up(counted.error());
        }
        const auto fields = histograms_ == nullptr ? std::vector<FieldHistogram>() : histograms_->histograms();
        if (html()) {
            nameless_ = WithoutBuildId::count(*profile).sampled_text();
            for (const auto& function : std::span(chosen->functions).subspan(listed)) {
                listings.push_back(summary_listing(function, symbolizer));
            }
        }
        session_.end_progress();
        auto completeness = session_.completeness();
        if (auto problem = symbolizer.text_problem()) completeness.diagnostics.add(std::move(*problem));
        note_problems(listings, symbolizer, completeness);
        for (auto& problem : count_problems(recording, *profile)) completeness.diagnostics.add(std::move(problem));
        if (histograms_ != nullptr) {
            for (auto& problem : histograms_->problems()) completeness.diagnostics.add(std::move(problem));
        }
        const std::vector<std::size_t> counted(profile->events().begin(), profile->events().end());
        for (auto& ratio : *ratios) ratio = ratio.moved(counted);
        auto stacks = StackFacts::of(chain_losses_.stacks, symbolizer);
        if (html() || options_.calls) completeness.stacks_not_unwound = stacks.lacking();
        lacks_callers_ = stacks.counts.lost() != 0;
        return write({recording,
                      session_.timeline(),
                      *profile,
                      completeness,
                      {},
                      relative(),
                      hidden_,
                      std::move(stacks),
                      *ratios,
                      fields,
                      histograms_ == nullptr ? 0 : histograms_->without_field()},
                     listings, chosen->unattributed);
    }

  private:
    // Where text shows requested functions only, the samples of others need not be told apart. If one of them has no
    // samples, all are counted: messages say why.
    template <class Count>
    Result<Profile> profile_of(const SampleFilter& filter, const Count& count) {
        const auto& wanted = options_.functions;
        const auto& symbolizer = session_.symbolizer();
        const bool text = !options_.common.json && !html();
        if (text && !wanted.symbols.empty() && !wanted.versions && !wanted.at && filter.code.empty()) {
            const auto places = symbolizer.functions().places_of(wanted.symbols);
            if (places && !(places->nowhere() && session_.timeline().code().empty())) {
                auto profile = Profile::count_within(
                    session_.recording(), symbolizer.versions(), *places,
                    {.stop = {}, .progress = session_.progress("counting samples"), .filter = filter});
                if (!profile || all_sampled(wanted, {session_.recording(), *profile, symbolizer, filter, false, {}}))
                    return profile;
            }
        }
        return count(filter);
    }

    // Notes which names of --dso and --symbols no sample has. If there are such, that takes another pass.
    Result<void> note_absent_code(const SampleFilter& filter, const Profile& profile) {
        const auto& functions = session_.symbolizer().functions();
        const auto has_some = [&](const CodeFilter& name) {
            return std::ranges::any_of(profile.functions(), [&](const auto& function) {
                return functions.left_out(function.version.function, name) == CodePart::none;
            });
        };
        const auto& wanted = filter.code;
        if (std::ranges::all_of(wanted.objects,
                                [&](const auto& name) {
                                    return has_some({{}, {name}, {}});
                                }) &&
            std::ranges::all_of(wanted.symbols, [&](const auto& name) {
                return has_some({{}, {}, {name}});
            })) {
            return {};
        }
        auto counting = flame_counting(session_.symbolizer(), false);
        counting.filter = filter;
        counting.filter.code = {};
        counting.jobs = options_.names.threads();
        const auto counts = SampleCounts::count(session_.recording(), session_.timeline(), counting);
        if (!counts) return fail(counts.error());
        if (hits(counts->totals()) == 0) return {};
        for (auto& note : absent_code(wanted, *counts, session_.symbolizer(), options_.samples.chosen_samples()))
            absent_.push_back(std::move(note));
        return {};
    }

    // Counts the values of fields, in a pass of its own.
    Result<void> count_histograms(const SampleFilter& filter) {
        if (histograms_ == nullptr) return {};
        auto counting = flame_counting(session_.symbolizer(), false);
        counting.filter = filter;
        counting.progress = session_.progress("counting fields");
        count_into(histograms_, counting);
        const auto counts = SampleCounts::count(session_.recording(), session_.timeline(), counting);
        if (!counts) return fail(counts.error());
        return {};
    }

    // Returns false if a profile file lacks what the options ask for, and says so.
    bool suits(const Recording& recording) const {
        using stored::Dimension;
        const bool merged = recording.stored() != nullptr && recording.stored()->facts.merged;
        return ProfileNeeds(options_.common, recording)
            .never(!options_.histograms.fields.empty(), "--histogram", "fields of samples")
            .never(merged && !options_.at.empty(), "--at", "times, since it was merged")
            .kept(true, "perfdata annotate", Dimension::symbol)
            .kept(lines(), "--format lines", Dimension::line)
            .kept(!lines() && !html(), "perfdata annotate", Dimension::code)
            .kept(options_.calls, "--calls", Dimension::chains)
            .met();
    }

    bool html() const { return options_.common.format == "html"; }
    bool lines() const { return options_.common.format == "lines"; }

    // Returns why an option that chooses functions, or says how to show them, does not go with lines.
    std::string not_for_lines() const {
        const auto refused = [](const char* option, const char* instead) {
            return fmt::format("{} does not go with --format lines{}", option, instead);
        };
        if (!options_.functions.symbols.empty()) return refused("--symbol", ": --symbols NAME chooses samples");
        if (!options_.at.empty()) return refused("--at", ": --time chooses samples");
        if (options_.functions.versions) return refused("--versions", "");
        if (!options_.histograms.fields.empty()) {
            return refused("--histogram", ": `perfdata report --histogram` and other formats show them");
        }
        if (!options_.inlines) return refused("--no-inline", ": lines of inlined functions are among them");
        return {};
    }
    LinesChoice lines_choice(const SampleFilter& filter, std::vector<EventRatio> ratios) const {
        const auto& names = options_.names;
        auto directories = options_.lines.source_dirs;
        if (!names.symfs.empty()) directories.push_back(names.symfs);
        return {filter,
                !options_.no_calls,
                options_.max_stack,
                relative(),
                options_.percent.limit,
                std::move(directories),
                !names.offline && names.symfs.empty() && !session_.recording().bundle(),
                std::move(ratios),
                names.threads()};
    }
    bool relative() const { return options_.percent.relative(); }

    // For an HTML page, one pass over the chains yields the flame graph as well.
    Result<void> count_calls(const Recording& recording, const Symbolizer& symbolizer, std::vector<Listing>& listings,
                             const CallOptions& counting) {
        std::vector<CodeVersion> functions;
        // Chains are the slowest part, so text counts them on request only; a page needs them for its flame graph
        // anyway.
        const bool wanted = (options_.calls || (html() && !options_.no_calls)) && !options_.functions.versions;
        if (wanted) {
            for (const auto& listing : listings) functions.push_back(listing.version);
        }
        const bool chains = has_chains(recording);
        std::optional<CallEdges> edges;
        if (html()) {
            const auto counts =
                count_flame(recording, symbolizer, wanted && chains, options_.inlines, counting, histograms_);
            if (!counts) return fail(counts.error());
            flame_ = Flame::make(*counts, symbolizer);
            unnamed_callers_ = WithoutBuildId::count(*counts, symbolizer).callers_text();
            chain_losses_ = counts->chain_losses();
            if (wanted && chains) edges = CallEdges::make(*counts, symbolizer.versions(), functions);
        } else if (wanted && chains && !functions.empty()) {
            const auto counts = CallEdges::count_chains(recording, symbolizer.versions(), functions, counting);
            if (!counts) return fail(counts.error());
            unnamed_callers_ = WithoutBuildId::count(*counts, symbolizer).callers_text();
            chain_losses_ = counts->chain_losses();
            edges = CallEdges::make(*counts, symbolizer.versions(), functions);
        }
        if (wanted && !functions.empty() && CallEdges::has_branches(recording)) {
            if (!edges) edges.emplace();
            if (auto added = edges->add_branches(recording, symbolizer.versions(), functions, counting); !added)
                return added;
        }
        if (edges) add_calls(listings, *edges, symbolizer, arch_.name);
        return {};
    }

    std::vector<std::string> texts_missing(const std::vector<Listing>& listings) const {
        const auto& recording = session_.recording();
        if (recording.is_profile()) return texts_not_in_profile(listings, recording);
        return texts_not_shown(listings, session_.symbolizer(), options_.names.offline);
    }

    int write(const PageContext& page, const std::vector<Listing>& listings,
              const std::vector<Unattributed>& unattributed) {
        const bool json = options_.common.json;
        auto output = json || html() ? session_.open_output() : session_.open_paged_output(options_.screen);
        if (!output) return failed;
        const auto sink = output->sink();
        const bool kernel = lacks_kernel_names(page.profile, listings);
        if (json) {
            const auto notes = own_notes();
            auto with_notes = page;
            with_notes.notes = notes;
            write_json_page(with_notes, listings, unattributed, sink);
        } else if (html()) {
            HtmlOptions html;
            html.title = options_.title;
            html.raw_bytes = options_.raw_bytes;
            if (!options_.percent_type.empty()) html.percent_of = percent_of();
            html.notes = html_notes(session_.recording(), session_.symbolizer(), kernel);
            for (auto& note : own_notes()) html.notes.push_back(std::move(note));
            if (auto text = called_without_name(options_.names, listings); !text.empty())
                html.notes.push_back(std::move(text));
            write_html_page(page, listings, unattributed, flame_, html, sink);
        } else {
            const bool color = wants_color(options_.common, *output);
            options_.screen.write(*output, "",
                                  [&](const Sink& cut) { write_text(page, listings, unattributed, color, cut); });
        }
        if (!session_.commit(*output)) return failed;
        session_.warn(page.completeness, kernel);
        for (const auto& problem : session_.symbolizer().image_problems()) session_.note(problem.message());
        for (const auto& note : own_notes()) session_.note(note);
        session_.note(called_without_name(options_.names, listings));
        for (const auto& note : texts_missing(listings)) session_.note(note);
        const auto status = session_.exit_code(page.completeness, lacks_callers_);
        if (options_.common.quiet) return status;
        options_.samples.note_absent_tasks(options_.common, session_.timeline());
        if (!listings.empty() || hidden_ != 0) return status;
        if (const auto what = without_samples(page.recording, page.completeness); !what.empty()) {
            complain("note: " + what);
        } else if (options_.functions.versions) {
            complain(
                "no function's code changed in this recording, as far as kernel names and TEXT_POKE records tell "
                "(perf record notes them for kernel text of its own accord, with --kcore the code as well)");
        } else if (hits(page.profile.totals()) == 0 && !page.profile.dropped().empty()) {
            auto text = filter_text(page.profile.dropped(), page.profile.totals(), page.whole());
            text.front() = 'f';
            complain("note: " + text);
        } else {
            complain(
                "no samples in code with a name: nothing to annotate (see `perfdata report` for where they fell and "
                "what would name it)");
        }
        return status;
    }

    // own_notes() returns the notes about this run, for a page and for messages.
    std::vector<std::string> own_notes() const {
        auto notes = absent_;
        if (auto text = no_histogram_text(histograms_.get()); !text.empty()) notes.push_back(std::move(text));
        for (const auto& text : {nameless_, unnamed_callers_}) {
            const bool told = std::ranges::count(notes, text) != 0;
            if (!text.empty() && !told) notes.push_back(text);
        }
        if (auto text = hidden_text(hidden_, "function", options_.percent.limit); !text.empty()) {
            notes.push_back(std::move(text));
        }
        for (auto& note : chain_notes(chain_losses_)) notes.push_back(std::move(note));
        if (flame_.deep != 0) {
            notes.push_back(fmt::format("in the flame graph {} sample{} more than {} frames: it ends there",
                                        flame_.deep, flame_.deep == 1 ? " has" : "s have", FlameOptions().most_depth));
        }
        for (auto& note : inlined_notes(session_.symbolizer().inlined_problems())) notes.push_back(std::move(note));
        if (arch_.guessed()) {
            notes.push_back(
                fmt::format("the recording does not say its architecture; its code is read as that of {}, as "
                            "{} tells",
                            arch_.name, arch_.told_by));
        }
        return notes;
    }

    void write_text(const PageContext& page, const std::vector<Listing>& listings,
                    const std::vector<Unattributed>& unattributed, bool color, const Sink& sink) const {
        TextOptions text;
        text.color = color;
        text.raw_bytes = options_.raw_bytes;
        text.bpf_registers = options_.bpf_registers;
        text.show_periods = options_.show_periods;
        text.percent_of = percent_of();
        write_text_histograms(page, sink);
        if (options_.functions.versions) return write_text_versions(page, listings, text, sink);
        const bool by_name = !options_.functions.symbols.empty();
        if (!by_name) write_text_summary(page, listings, unattributed, text, sink);
        std::vector<const Listing*> shown;
        for (const auto& listing : listings) {
            // Functions without code at hand are in the summary only. A function chosen by name gets a listing that
            // says why.
            if (by_name || listing.image || listing.kind == CodeClass::bpf) shown.push_back(&listing);
        }
        write_text_listings(page, shown, text, options_.names.threads(), sink);
    }

    PercentOf percent_of() const {
        return options_.percent_type == "global-period"  ? PercentOf::all_periods
               : options_.percent_type == "local-hits"   ? PercentOf::function_hits
               : options_.percent_type == "local-period" ? PercentOf::function_periods
                                                         : PercentOf::all_hits;
    }

    AnnotateOptions& options_;
    Session session_;
    Flame flame_;  // for an HTML page
    ChainLosses chain_losses_;
    std::shared_ptr<TraceHistograms> histograms_;  // null: none are asked for
    std::vector<std::string> absent_;              // see ChosenFunctions::absent
    std::string nameless_, unnamed_callers_;       // missing build ids; text output has the first above its table
    Architecture arch_;
    std::uint64_t hidden_ = 0;    // functions below --percent-limit
    bool lacks_callers_ = false;  // damage hides callers that the options ask for
};

}  // namespace

void add_annotate(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "annotate",
        "Show functions instruction by instruction with the samples that fell on them\n"
        "\n"
        "  perfdata annotate                   every function with samples, hottest first\n"
        "  perfdata annotate -s NAME           one of them\n"
        "  perfdata annotate --kind bpf,jit    code that existed only for a while\n"
        "  perfdata annotate --versions        functions whose code changed: when, and how\n"
        "  perfdata annotate -o page.html      all of it as a page, with source text and a flame graph\n"
        "  perfdata annotate --format lines    JSON for editors: the heat of each source line");
    auto options = std::make_shared<AnnotateOptions>();
    add_annotate_options(*command, *options);
    begin_anew(*command, options);
    options->common.on_run(*command, exit, [options] { return Annotate(*options).run(); });
}

}  // namespace perfdata::tool
