// SPDX-License-Identifier: MIT
#include "report_facts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "perfdata/recording/event_groups.hpp"

#include "format/count_problems.hpp"
#include "format/words.hpp"
#include "without_samples.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t no_cpu = ~std::uint32_t{0};  // of a SampledTask

std::string cgroup_path(const Tasks& tasks, std::uint64_t id) {
    if (const auto path = tasks.cgroup(id)) return std::string(*path);
    return id == 0 ? "-" : fmt::format("unknown[{}]", id);
}

class ProgramTeller {
  public:
    ProgramTeller(Report& report, const BpfPrograms& symbols)
        : report_(report), symbols_(symbols), timeline_(symbols.timeline()) {}

    void tell(ReportPlace& place) {
        if (place.loads.empty()) return;
        // Programs of before the recording are numbered by their records, which a profile file does not have.
        const auto loads = timeline_.loads();
        std::ranges::sort(place.loads, {}, [&](std::uint32_t number) {
            return std::tuple(loads[number].loaded_at, loads[number].id.value, number);
        });
        if (!report_.options.program_details) return add(place.loads.front());
        name_function(place);
        for (const auto load : place.told_loads()) add(load);
    }

  private:
    void add(std::uint32_t number) {
        const auto [entry, is_new] = report_.programs.try_emplace(number);
        if (!is_new) return;
        const auto& load = timeline_.loads()[number];
        entry->second = {load.id, symbols_.program_name(load), load.tag, load.loaded_at, load.unloaded_at};
    }

    void name_function(ReportPlace& place) {
        if (place.symbol.empty()) return;
        if (functions_.empty()) find_functions();
        for (const auto load : place.loads) {
            const auto function = functions_.find({load, place.symbol});
            if (function == functions_.end()) continue;
            place.function = static_cast<std::uint32_t>(report_.functions.size());
            report_.functions.push_back(symbols_.name(function->second).name);
            return;
        }
    }

    // Indexes the functions of all programs once, instead of searching a program's functions for each place.
    void find_functions() {
        for (std::uint32_t load = 0; load < timeline_.loads().size(); ++load) {
            for (const auto code : timeline_.loads()[load].functions) {
                functions_.try_emplace({load, timeline_.code()[code].symbol}, code);
            }
        }
    }

    Report& report_;
    const BpfPrograms& symbols_;
    const Timeline& timeline_;
    std::map<std::pair<std::uint32_t, std::string_view>, CodeIndex> functions_;  // by load and symbol; lazy
};

}  // namespace

std::string ReportTask::comm_text() const {
    return perfdata::comm_text(comm, tid);
}

void add_tasks(Report& report, const SampleCounts& counts, const Tasks& tasks) {
    const bool cgroups = report.options.has(ReportKey::cgroup);
    std::map<std::uint64_t, std::uint32_t> numbers;  // of cgroups, by id
    report.tasks.reserve(counts.tasks().size());
    for (const auto& task : counts.tasks()) {
        ReportTask told{task.comm, task.pid, task.tid, std::nullopt, 0, task.parent};
        if (task.cpu != no_cpu) told.cpu = task.cpu;
        if (task.is_further()) {
            told.label = "[further values]";
        } else if (report.options.label_text) {
            told.label = report.options.label_text(task.label);
        }
        if (cgroups) {
            const auto next = static_cast<std::uint32_t>(report.cgroups.size());
            const auto [number, is_new] = numbers.try_emplace(task.cgroup, next);
            if (is_new) report.cgroups.push_back(cgroup_path(tasks, task.cgroup));
            told.cgroup = number->second;
        }
        report.tasks.push_back(told);
    }
}

void add_programs(Report& report, const BpfPrograms& symbols) {
    const auto& options = report.options;
    const bool by_program = options.has(ReportKey::program);
    if (!by_program && !(options.program_details && options.has(ReportKey::symbol))) return;
    std::vector<bool> told(report.places.size());
    ProgramTeller teller(report, symbols);
    for (const auto& row : report.rows) {
        if (told[row.place]) continue;
        told[row.place] = true;
        teller.tell(report.places[row.place]);
    }
}

void add_recording(Report& report, const Recording& recording, const SampleCounts& counts,
                   const Symbolizer& symbolizer) {
    report.recording = RecordingFacts::of(recording, counts);
    report.chain_losses = counts.chain_losses();
    report.stacks = StackFacts::of(counts.chain_losses().stacks, symbolizer);
    report.completeness = symbolizer.timeline().completeness();
    if (report.options.counts_chains()) report.completeness.stacks_not_unwound = report.stacks.lacking();
    report.completeness.diagnostics.append(symbolizer.losses());
    // A profile knows no reason for code without a name, so the first sample that lacks a line may be another one.
    std::ranges::stable_sort(report.line_problems, {}, [](const LineProblem& one) { return one.error.message(); });
    for (const auto& problem : report.line_problems) {
        if (problem.loss) report.completeness.diagnostics.add(problem.error);
    }
    const auto groups = EventGroups::read(recording);
    for (const auto& problem : groups.diagnostics()) report.completeness.diagnostics.add(problem);
    for (auto& problem : count_problems(recording, counts)) report.completeness.diagnostics.add(std::move(problem));
    if (const auto further = counts.in_further_tasks(); further != 0) {
        report.completeness.diagnostics.add({ErrorCode::limit, Error::no_offset, "rows",
                                             fmt::format("{} samples are of more tasks or values than there is room "
                                                         "for: they count as [further tasks] and [further values]",
                                                         further)});
    }
    report.inlined_problems = symbolizer.inlined_problems();
    report.without_samples = without_samples(recording, report.completeness);
}

}  // namespace perfdata
