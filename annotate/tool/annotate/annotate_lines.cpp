// SPDX-License-Identifier: MIT
#include "annotate_lines.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "perfdata/annotate/page/lines_page.hpp"

#include "format/count_problems.hpp"
#include "format/percent_limit.hpp"
#include "format/words.hpp"
#include "page/titles.hpp"
#include "report/without_samples.hpp"
#include "source_places.hpp"
#include "tool/options/event_choice.hpp"

namespace perfdata::tool {
namespace {

// The events that any sample is of; of none the first.
std::vector<std::size_t> sampled_columns(const EventCounts& considered) {
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < considered.size(); ++column) {
        if (considered[column].hits != 0) columns.push_back(column);
    }
    if (columns.empty() && !considered.empty()) columns.push_back(0);
    return columns;
}

// What a user who sees the document alone must know.
std::vector<std::string> notes_of(const LinesPage& page, const SampleCounts& counts) {
    std::vector<std::string> notes;
    const auto all = hits(page.heat.totals);
    std::uint64_t with_line = 0;
    for (const auto& file : page.heat.files) with_line = add_up_to_most(with_line, hits(file.heat.self));
    if (with_line < all) {
        notes.push_back(fmt::format("{} of {} samples fell on no source line: see without_line", all - with_line, all));
    }
    if (auto text = hidden_text(hidden_lines(page), "line", page.percent_limit); !text.empty()) {
        notes.push_back(std::move(text));
    }
    if (page.heat.cut_places != 0) {
        notes.push_back(
            fmt::format("{} place{} more than {} functions inlined into each other: outer calls do not count",
                        page.heat.cut_places, page.heat.cut_places == 1 ? " has" : "s have", SourceHeat::most_inlined));
    }
    for (auto& note : chain_notes(counts.chain_losses())) notes.push_back(std::move(note));
    return notes;
}

}  // namespace

int annotate_lines(Session& session, const LinesChoice& choice) {
    const auto& recording = session.recording();
    const auto& symbolizer = session.symbolizer();
    auto counting = heat_counting(symbolizer, choice.chains && has_chains(recording));
    counting.filter = choice.filter;
    counting.max_stack = choice.max_stack;
    counting.progress = session.progress("counting samples");
    counting.jobs = choice.jobs;
    const auto counts = SampleCounts::count(recording, session.timeline(), counting);
    if (!counts) return session.give_up(counts.error());
    const auto heat =
        SourceHeat::make(*counts, symbolizer, {recording.limits(), {}, session.progress("reading lines")});
    if (!heat) return session.give_up(heat.error());

    LinesPage page(*heat);
    page.recording = RecordingFacts::of(recording, *counts);
    page.columns = sampled_columns(counts->considered());
    page.whole = choice.relative ? counts->totals() : counts->considered();
    page.dropped = dropped_samples(counts->dropped());
    std::vector<std::string> paths;
    for (const auto& file : heat->files) paths.push_back(file.path);
    page.here = source_places(paths, choice.source_dirs, choice.local);
    const std::vector<std::size_t> counted(heat->events.begin(), heat->events.end());
    for (const auto& ratio : choice.ratios) page.ratios.push_back(ratio.moved(counted));
    page.percent_limit = choice.percent_limit;
    page.stacks = StackFacts::of(counts->chain_losses().stacks, symbolizer);
    page.completeness = session.completeness();
    if (counting.chains) page.completeness.stacks_not_unwound = page.stacks.lacking();
    for (auto& problem : count_problems(recording, *counts)) page.completeness.diagnostics.add(std::move(problem));
    for (const auto& problem : heat->problems) {
        if (is_line_loss(problem.code)) page.completeness.diagnostics.add(problem);
    }
    page.notes = notes_of(page, *counts);

    auto output = session.open_output();
    if (!output) return failed;
    write_lines_json(page, output->sink());
    if (!session.commit(*output)) return failed;
    session.warn(page.completeness, false);
    for (const auto& note : page.notes) session.note(note);
    if (hits(counts->considered()) == 0) session.note(without_samples(recording, page.completeness));
    const bool lossy =
        page.stacks.counts.lost() != 0 || heat->cut_places != 0 || hits(heat->without(NoLine::limit)) != 0;
    return session.exit_code(page.completeness, lossy);
}

}  // namespace perfdata::tool
