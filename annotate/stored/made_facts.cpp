// SPDX-License-Identifier: MIT
#include "made_facts.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/recording/event_groups.hpp"
#include "perfdata/symbols/object_architecture.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "export/pprof.hpp"
#include "made_objects.hpp"

namespace perfdata {

void add_source(Making& making, const SampleCounts& counts, std::string hash) {
    const auto& recording = making.recording;
    stored::Source source;
    source.content = std::move(hash);
    source.hostname = making.text(recording.hostname());
    source.os_release = making.text(recording.os_release());
    source.perf_version = making.text(recording.perf_version());
    source.cpu_description = making.text(recording.cpu_description());
    for (const auto& word : recording.command_line()) source.command_line.push_back(making.text(word));
    Exported times;  // pprof's writer knows how to make a wall clock of a time
    times.recording.first_time = counts.first_time();
    source.wall_time = PprofOptions::of(recording, times).wall_time;
    making.model.sources.push_back(std::move(source));
}

void add_recorded_facts(Making& making) {
    auto& facts = making.model.facts;
    const auto& recording = making.recording;
    facts.arch = making.text(recording.arch());
    const auto architecture = find_architecture(recording, making.symbolizer, making.options.watch);
    facts.code_arch = making.text(architecture.name);
    facts.code_arch_from = making.text(architecture.told_by);
    facts.big_endian = recording.order().endian() == std::endian::big;
    facts.max_stack = making.options.max_stack;
    const auto& seen = making.symbolizer.timeline().completeness();
    facts.bytes_total = seen.bytes.total;
    facts.bytes_records = seen.bytes.records;
    facts.bytes_outside = seen.bytes.outside_records;
    facts.bytes_unread = seen.bytes.unread;
    for (const auto& [type, counts] : seen.records) {
        facts.records.push_back({type, counts.decoded, counts.skipped, counts.damaged});
    }
    facts.lost_events = seen.lost_events;
    facts.lost_samples = seen.lost_samples;
    facts.filtered_samples = seen.filtered_samples;
    facts.counts_losses = seen.counts_losses;
    facts.diagnostics = making.log(seen.diagnostics);
    facts.group_problems = making.problems(EventGroups::read(recording).diagnostics());
}

namespace {

void add_stack_facts(Making& making, MadeObjects& objects, const UnwoundStacks& stacks) {
    auto& facts = making.model.facts;
    facts.stacks = stacks.stacks();
    facts.stacks_not_unwound = stacks.not_unwound();
    static_assert(stack_ends == stored::stack_end_choices);
    for (std::size_t end = 0; end < stack_ends; ++end) {
        facts.stacks_by_end.push_back(stacks.ended(static_cast<StackEnd>(end)));
    }
    for (const auto& [size, count] : stacks.short_copies()) {
        const auto wanted = stacks.wanted_copies().find(size);
        facts.short_copies.push_back({size, count, wanted == stacks.wanted_copies().end() ? 0 : wanted->second});
    }
    for (const auto& [object, count] : stacks.without_file()) {
        facts.without_file.push_back({objects.of(object), count});
    }
    for (const auto& [object, count] : stacks.without_information()) {
        facts.without_information.push_back({objects.of(object), count});
    }
}

}  // namespace

void add_counted_facts(Making& making, MadeObjects& objects, const SampleCounts& counts) {
    auto& facts = making.model.facts;
    const auto& chains = counts.chain_losses();
    facts.chains_cut = chains.cut;
    facts.chains_broken = chains.broken;
    facts.chains_deep = chains.deep;
    facts.chains_folded = chains.folded;
    add_stack_facts(making, objects, chains.stacks);
    const auto& counters = counts.counter_losses();
    facts.counters_unknown = counters.unknown;
    facts.counters_went_back = counters.went_back;
    facts.counters_not_kept = counters.not_kept;
    facts.in_further_tasks = counts.in_further_tasks();
    if (chains.cut != 0) {
        making.partial("call chains",
                       "there were more distinct chains than there is room for: some samples count "
                       "without their callers");
    }
    if (counts.in_further_tasks() != 0) {
        making.partial("tasks", "there were more threads than there is room for: some count as [further tasks]");
    }
    if (std::ranges::any_of(counts.frames(), [](const Frame& frame) { return frame.misses(Miss::not_kept); })) {
        making.partial("places", "there were more distinct places than there is room for: some are not told apart");
    }
}

void add_symbol_facts(Making& making) {
    auto& facts = making.model.facts;
    const auto& symbolizer = making.symbolizer;
    facts.has_build_ids = symbolizer.has_build_ids();
    facts.has_kernel_names = symbolizer.kernel() != nullptr;
    for (const auto& error : symbolizer.problems()) {
        auto problem = making.problem(error);
        problem.kernel = &error == symbolizer.kernel_problem();
        facts.name_problems.push_back(problem);
    }
    facts.image_problems = making.problems(symbolizer.image_problems());
    for (const auto& error : symbolizer.inlined_problems()) {
        facts.inlined_problems.push_back(making.problem(error, is_line_loss(error.code)));
    }
    if (const auto problem = symbolizer.text_problem()) {
        facts.text_problem.push_back(making.problem(*problem, true));
        making.partial("source files", "together they are larger than the limit: some lines have no text");
    }
    facts.losses = making.log(symbolizer.losses());
}

}  // namespace perfdata
