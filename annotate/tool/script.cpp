// SPDX-License-Identifier: MIT
// perfdata script: prints every sample in exact order of time, like perf script.
#include "script/script.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"

#include "page/titles.hpp"
#include "report/without_samples.hpp"
#include "tool.hpp"
#include "tool/info/header_lines.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/near_names.hpp"
#include "tool/options/payload_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/register_names.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct ScriptChoice {
    Common common;
    NameChoice names;
    std::vector<std::string> fields;
    bool hide_chains = false;
    bool inlines = true;
    std::size_t most_frames = 127;
    bool nanoseconds = false;
    PayloadChoice payloads;
    SampleChoice samples;
    bool header = false;
};

FieldChoice chosen_fields(const ScriptChoice& choice) {
    FieldChoice fields;
    // Already checked.
    for (const auto& text : choice.fields) (void)fields.choose(text);
    return fields;
}

Result<ScriptOptions> make_options(const ScriptChoice& choice, const Recording& recording) {
    ScriptOptions options;
    options.json = choice.common.json;
    options.jobs = choice.names.threads();
    options.chains = !choice.hide_chains;
    options.inlines = choice.inlines;
    options.most_frames = choice.most_frames;
    options.nanoseconds = choice.nanoseconds;
    options.fields = chosen_fields(choice);
    auto filter = choice.samples.filter(recording);
    if (!filter) return fail(filter.error());
    options.filter = std::move(*filter);
    if (!options.json) {
        if (auto fits = options.fields.fit(recording, options.chains, options.filter); !fits) return fail(fits.error());
    }
    return options;
}

bool shows_registers(const ScriptOptions& options, const Recording& recording) {
    return std::ranges::any_of(recording.events().events(), [&](const Event& event) {
        return (options.fields.of(event.attr) & (field_iregs | field_uregs)) != 0;
    });
}

// Explains an empty output.
std::string nothing_shown(const Recording& recording, const Timeline& timeline) {
    if (auto what = without_samples(recording, timeline.completeness()); !what.empty()) return what;
    return "no samples to show: the options leave none";
}

// note_callers(...) notes which wanted names occur only in call chains of the shown samples.
void note_callers(std::string_view option, const std::vector<std::string>& absent,
                  const std::vector<std::string>& others) {
    for (const auto& name : absent) {
        if (std::ranges::find(others, name) == others.end()) continue;
        complain(fmt::format("note: {}: {} has no samples of its own, but called what others fell into", option, name));
    }
}

// tell(...) notes requested names that are not shown.
void tell(const Session& session, const ScriptChoice& choice, const ScriptOptions& options,
          const ScriptCounts& counts) {
    if (counts.samples == 0) session.note(nothing_shown(session.recording(), session.timeline()));
    session.note(filter_text(counts.dropped, counts.samples));
    choice.samples.note_absent_tasks(choice.common, session.timeline());
    choice.samples.note_lacking_fields(choice.common, session.recording(), options.filter);
    const auto samples = choice.samples.chosen_samples();
    note_absent(choice.common, "--dso", samples + " in an object called", counts.absent_objects, counts.other_objects);
    auto other_symbols = counts.other_symbols;
    for (const auto& name : counts.absent_symbols) {
        const bool sampled = std::ranges::binary_search(counts.other_symbols, name);
        if (sampled || !std::ranges::binary_search(counts.inlined_symbols, name)) continue;
        complain(fmt::format("note: --symbols: {} was inlined: choose a function that contains it", name));
        other_symbols.push_back(name);
    }
    note_absent(choice.common, "--symbols", samples + " in a function called", counts.absent_symbols, other_symbols);
    note_callers("--dso", counts.absent_objects, counts.other_objects);
    note_callers("--symbols", counts.absent_symbols, counts.other_symbols);
    session.note(counts.without_build_id.list_text());
    for (const auto& note : counts.without_file.notes()) session.note(note);
    for (const auto& note : inlined_notes(counts.inlined_problems)) session.note(note);
    if (counts.broken_chains != 0) {
        session.note(fmt::format("{} call chains lack their user part, which was deferred and never written",
                                 counts.broken_chains));
    }
    if (counts.deep_chains != 0) {
        session.note(fmt::format("{}: the outermost ones are not shown (see --max-stack)",
                                 deep_text(counts.deep_chains, options.most_frames)));
    }
    if (counts.folded_chains != 0) {
        session.note(
            fmt::format("{} call chains have too many inlined functions: some are not shown", counts.folded_chains));
    }
    for (const auto& note : StackFacts::of(counts.stacks, session.symbolizer()).notes()) session.note(note);
    if (counts.unread_formats != 0) {
        session.note(
            counts.unread_formats == 1
                ? "the format of 1 tracepoint is damaged or too long: its samples show bytes"
                : fmt::format("the formats of {} tracepoints are damaged or too long: their samples show bytes",
                              counts.unread_formats));
    }
    if (counts.large_formats != 0) {
        session.note(counts.large_formats == 1
                         ? "the format of 1 tracepoint has too many parts: its samples show fields"
                         : fmt::format("the formats of {} tracepoints have too many parts: their samples show fields",
                                       counts.large_formats));
    }
}

int run(const ScriptChoice& choice) {
    Session session(choice.common);
    if (!session.open_samples()) return failed;
    const auto& recording = session.recording();
    if (refuses_profile(recording, "perfdata script", "samples one by one")) return usage;
    auto options = make_options(choice, recording);
    if (!options) return session.give_up(options.error());
    if (!choice.samples.can_tell(choice.common, recording, options->filter)) return usage;
    if (!session.read_timeline(choice.names)) return failed;
    choice.samples.add_cgroups(options->filter, session.timeline().tasks());
    session.open_symbolizer(choice.names);
    if (!session.check_names(choice.names)) return failed;
    const auto& symbolizer = session.symbolizer();
    if (!options->json && shows_registers(*options, recording)) {
        const auto registers = register_names(recording, &symbolizer);
        options->arch = registers.arch;
        session.note(registers.note);
    }
    auto payload_types = choice.payloads.open(recording, session.timeline().bpf());
    if (!payload_types) return session.give_up(payload_types.error());
    std::optional<PayloadOutput> payloads;
    if (*payload_types) options->payloads = &payloads.emplace(**payload_types);
    auto output = session.open_output();
    if (!output) return failed;
    if (choice.header && !options->json) write_header_lines(recording, output->sink());
    options->progress = session.progress("writing samples", *output);
    const auto counts = write_script(recording, symbolizer, *options, output->sink());
    session.end_progress();
    if (!counts) return session.give_up(counts.error());
    if (!session.commit(*output)) return failed;
    auto completeness = session.completeness();
    for (auto& problem : counts->counter_losses.problems()) completeness.diagnostics.add(std::move(problem));
    session.warn(completeness, counts->unnamed_kernel);
    session.note(choice.payloads.no_effect(recording, options->json ? nullptr : &options->fields));
    if (!choice.common.quiet) {
        tell(session, choice, *options, *counts);
        if (payloads) std::ranges::for_each(payloads->notes(), [&](const auto& note) { session.note(note); });
    }
    const bool partial = counts->stacks.lost() != 0 || counts->unread_formats != 0;
    return session.exit_code(completeness, partial);
}

}  // namespace

void add_script(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("script",
                                       "Show every sample in exact order of time, as perf script does.\n"
                                       "\n"
                                       "  perfdata script                          perf's default fields\n"
                                       "  perfdata script -F comm,time,ip,sym      these fields\n"
                                       "  perfdata script -F +addr,-period         the default, changed\n"
                                       "  perfdata script -F trace:comm,trace      for tracepoints only\n"
                                       "  perfdata script --json                   one JSON object a line");
    auto choice = std::make_shared<ScriptChoice>();
    choice->common.add_to(*command, {Format::text, Format::json_lines});
    command
        ->add_option("-F,--fields", choice->fields,
                     "Fields: comm,tid,pid,time,cpu,event,trace,ip,sym,symoff,dso,addr,period,iregs,uregs,brstack,"
                     "data_src,weight,bpf-output,phys_addr,misc,data_page_size,code_page_size; with + or - added to "
                     "or taken from the default; behind hw:, sw:, trace:, raw: or break: for such events only")
        ->allow_extra_args(false)
        ->check(checked([](const std::string& text) { return FieldChoice().choose(text); }), "")
        ->type_name("FIELDS");
    command->add_flag("-G,--hide-call-graph", choice->hide_chains, "Only the sampled address, no call chains");
    add_inline(*command, choice->inlines);
    add_whole(*command, "--max-stack", choice->most_frames,
              "Frames of a call chain to show, innermost first; inlined functions do not count (default 127).\n"
              "0: no chains, the sampled address stands in the sample's line",
              {0, 65535, "a number from 0 to 65535 (default 127)"});
    command->add_flag("--ns", choice->nanoseconds, "Times with nine digits behind the point");
    choice->payloads.add_to(*command);
    add_header_to(*command, choice->header);
    choice->samples.add_to(*command, "-c,--comms,--comm", "--dso,--dsos");
    choice->names.add_to(*command);
    command->remove_option(command->get_option("--jobs"));  // files are read lazily, in the order of the samples
    add_whole(*command, "-j,--jobs", choice->names.jobs,
              "Threads that look up and write samples (default: one per CPU)",
              {1, 256, "a number from 1 to 256 (default: one per CPU)"});
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return run(*choice); });
}

}  // namespace perfdata::tool
