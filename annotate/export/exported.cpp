// SPDX-License-Identifier: MIT
#include "exported.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "exported_places.hpp"
#include "format/words.hpp"

namespace perfdata {
namespace {

// Their periods are nanoseconds: PERF_COUNT_SW_CPU_CLOCK and PERF_COUNT_SW_TASK_CLOCK.
bool counts_nanoseconds(const Event& event) {
    return event.attr.type == attr_type::software && event.attr.config <= 1;
}

SampleCountOptions counting(const Symbolizer& symbolizer, const ExportedOptions& options) {
    SampleCountOptions counting;
    counting.by_pid = counting.by_tid = true;
    counting.chains = true;
    counting.max_stack = options.max_stack;
    counting.inlines = options.inlines;
    counting.jit = &symbolizer.jit();
    counting.functions = &symbolizer.functions();
    counting.by_name = true;
    if (!options.addresses) counting.fold = [&symbolizer](const Frame& frame) { return symbolizer.function(frame); };
    counting.filter = options.filter;
    counting.stop = options.stop;
    counting.progress = options.progress;
    counting.jobs = options.jobs;
    return counting;
}

void add_columns(Exported& exported, const Recording& recording) {
    const auto& events = recording.events().events();
    exported.recording = RecordingFacts::of(recording, exported.counts);
    for (const auto index : exported.counts.events()) {
        const auto& event = events[index];
        exported.events.push_back(
            {event.name, index, counts_nanoseconds(event), event.attr.freq() ? 0 : event.attr.sample_period});
    }
}

void add_rows(Exported& exported) {
    for (const auto& task : exported.counts.tasks()) {
        // The kernel's are 15 bytes. Formats repeat them for each thread, and tables for each sample.
        constexpr std::size_t longest_comm = 96;
        const InLine comm(task.comm, InLine::Keep::beginning, longest_comm);
        exported.tasks.push_back({comm_text(comm, task.tid), task.pid, task.tid, task.is_further()});
    }
    const auto rows = exported.counts.rows();
    // Columns without samples are left out.
    exported.totals = exported.counts.totals();
    std::vector<std::uint32_t> number(exported.totals.size());
    std::uint32_t kept = 0;
    for (std::size_t column = 0; column < number.size(); ++column) {
        number[column] = kept;
        if (exported.totals[column].hits == 0) continue;
        exported.totals[kept] = exported.totals[column];
        if (kept != column) exported.events[kept] = std::move(exported.events[column]);
        ++kept;
    }
    exported.totals.resize(kept);
    exported.events.resize(kept);
    for (auto& sample : exported.samples) sample.column = number[sample.column];
    std::vector<std::size_t> begin;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        begin.push_back(exported.cells.size());
        exported.counts.each_cell(row, [&](std::size_t column, const EventCount& cell) {
            exported.cells.push_back({number[column], cell});
        });
    }
    begin.push_back(exported.cells.size());
    const std::span<const ExportCell> all(exported.cells);
    exported.rows.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        exported.rows.push_back(
            {rows[row].task, rows[row].chain, ExportCells(all.subspan(begin[row], begin[row + 1] - begin[row]))});
    }
}

}  // namespace

EventCount ExportCells::operator[](std::size_t column) const {
    const auto found = std::ranges::lower_bound(cells_, column, {}, &ExportCell::column);
    return found != cells_.end() && found->column == column ? found->count : EventCount{};
}

Result<Exported> Exported::make(const Recording& recording, const Symbolizer& symbolizer,
                                const ExportedOptions& options) {
    return catch_bad_alloc([&]() -> Result<Exported> {
        Exported exported;
        auto how = counting(symbolizer, options);
        if (options.samples) {
            how.each = [&samples = exported.samples](const CountedSample& sample) {
                samples.push_back({sample.time.value_or(Time{}).nanoseconds, sample.periods,
                                   static_cast<std::uint32_t>(sample.column), sample.task, sample.chain});
            };
        }
        auto counts = SampleCounts::count(recording, symbolizer.timeline(), how);
        if (!counts) return fail(std::move(counts.error()));
        exported.counts = std::move(*counts);
        add_columns(exported, recording);
        add_rows(exported);
        std::ranges::stable_sort(exported.samples, {}, &ExportSample::nanoseconds);
        if (auto made = ExportedPlaces(symbolizer, options, exported).make(); !made) {
            return fail(std::move(made.error()));
        }
        if (recording.is_profile()) {
            constexpr std::uint64_t places_a_row = 512, least = std::uint64_t{1} << 20;
            const std::uint64_t rows = exported.nodes.size() + exported.cells.size();
            exported.most_places = std::max(least, rows * places_a_row);
        }
        return exported;
    });
}

}  // namespace perfdata
