// SPDX-License-Identifier: MIT
#include "report_sums.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "perfdata/core/parallel.hpp"
#include "perfdata/profile/intern_table.hpp"

namespace perfdata {
namespace {

// RowCells stores the cells of rows, self then total, in pieces that do not move when more are added.
class RowCells {
  public:
    using Pieces = std::vector<std::unique_ptr<EventCount[]>>;

    // Without `totals`, a row's total is its self.
    RowCells(std::size_t columns, bool totals)
        : columns_(columns),
          totals_(totals ? columns : 0),
          piece_(std::clamp<std::size_t>(cells / (columns + totals_ + 1), 1, most)) {}

    // at(row) returns its first cell. Ask for new rows in order.
    EventCount* at(std::size_t row) {
        const auto size = columns_ + totals_;
        if (row / piece_ == pieces_.size()) pieces_.push_back(std::make_unique<EventCount[]>(piece_ * size));
        return &pieces_[row / piece_][(row % piece_) * size];
    }
    EventCount* total_at(std::size_t row) { return at(row) + totals_; }
    std::span<const EventCount> self(std::size_t row) { return {at(row), columns_}; }
    std::span<const EventCount> total(std::size_t row) { return {total_at(row), columns_}; }
    Pieces take() && { return std::move(pieces_); }

  private:
    static constexpr std::size_t cells = 65536, most = 1024;  // of a piece, and its rows

    std::size_t columns_, totals_, piece_;
    Pieces pieces_;
};

// RowId identifies a row.
struct RowId {
    std::uint32_t task = 0;
    std::uint32_t place = 0;

    bool operator==(const RowId&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{task} << 32 | place); }
};

void add_row(const RowId& id, RowCells& cells, std::size_t row, Report& report) {
    report.rows.push_back({id.task, id.place, cells.self(row), cells.total(row), {}});
}

// CalleeSums makes the rows of each task in the order in which its chains have their places, from the innermost on.
// Threads take parts; what is in a part, and the order of parts, does not depend on them.
class CalleeSums {
  public:
    CalleeSums(const SummedRows& of, const TaskRows& tasks, SharedCalls& calls)
        : of_(of), counts_(of.counts), columns_(of.columns), tasks_(tasks), calls_(calls) {}

    void add_to(Report& report) {
        constexpr std::size_t least = 4096;  // rows of the counts in a part
        std::vector<Part> parts;
        std::size_t count = least;
        for (std::uint32_t task = 0; task < tasks_.tasks(); ++task) {
            if (count >= least) {
                parts.push_back({task, task});
                count = 0;
            }
            parts.back().end = task + 1;
            count += tasks_.of(task).size();
        }
        std::atomic<std::size_t> next = 0;
        std::atomic_flag first;
        const auto work = [&] {
            std::optional<TaskCalls> own;
            auto& calls = first.test_and_set() ? own.emplace(counts_, columns_, tasks_) : calls_.tasks;
            std::vector<std::uint32_t> row_of(of_.places, no_place);  // by place: its row of the current task
            for (auto part = next++; part < parts.size(); part = next++) sum_part(parts[part], calls, row_of);
        };
        on_threads(std::min<std::size_t>(of_.options.jobs, parts.size()), work);
        std::size_t rows = 0;
        for (const auto& part : parts) rows += part.rows.size();
        report.rows.reserve(rows);
        for (auto& part : parts) {
            for (std::size_t row = 0; row < part.rows.size(); ++row) add_row(part.rows[row], *part.cells, row, report);
            part.rows = {};
            std::ranges::move(std::move(*part.cells).take(), std::back_inserter(report.cells));
        }
    }

  private:
    // Part is the rows of some tasks that follow each other.
    struct Part {
        std::uint32_t begin, end;  // tasks
        std::vector<RowId> rows = {};
        std::optional<RowCells> cells = {};
    };

    void sum_part(Part& part, TaskCalls& calls, std::vector<std::uint32_t>& row_of) const {
        const auto columns = columns_.size();
        const auto chains = counts_.chains();
        auto& cells = part.cells.emplace(columns, true);
        for (auto task = part.begin; task < part.end; ++task) {
            if (of_.stop.stop_requested()) throw ReportStopped();
            if (is_other(counts_, of_.options, task)) continue;
            const auto begin = part.rows.size();
            calls.load(task, [&](std::uint32_t node) {
                const auto place = of_.row_place[chains[node].frame];
                if (place == no_place || row_of[place] != no_place) return;
                row_of[place] = static_cast<std::uint32_t>(part.rows.size());
                part.rows.push_back({task, place});
            });
            for (const auto number : tasks_.of(task)) {
                const auto place = of_.row_place[sampled_frame(counts_, counts_.rows()[number])];
                if (place == no_place) continue;
                const auto own = counts_.cells(number);
                auto* self = cells.at(row_of[place]);
                for (std::size_t column = 0; column < columns; ++column) self[column] += own[columns_[column]];
            }
            // In a recursive chain only the outermost counts.
            calls.each([&](std::uint32_t node, std::span<const EventCount> sum) {
                const auto place = of_.row_place[chains[node].frame];
                if (place == no_place || calls_.outer[node] != ChainNode::none) return;
                auto* total = cells.total_at(row_of[place]);
                for (std::size_t column = 0; column < columns; ++column) total[column] += sum[column];
            });
            for (auto row = begin; row < part.rows.size(); ++row) row_of[part.rows[row].place] = no_place;
        }
    }

    const SummedRows& of_;
    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    const TaskRows& tasks_;
    SharedCalls& calls_;
};

}  // namespace

void sum_own(const SummedRows& of, Report& report) {
    constexpr std::size_t rows_a_look = 256;
    const auto columns = of.columns.size();
    InternTable<RowId> ids;
    RowCells cells(columns, false);
    const auto rows = of.counts.rows();
    for (std::size_t number = 0; number < rows.size(); ++number) {
        if (number % rows_a_look == 0 && of.stop.stop_requested()) throw ReportStopped();
        const auto task = rows[number].task;
        const auto place = of.row_place[sampled_frame(of.counts, rows[number])];
        if (place == no_place || is_other(of.counts, of.options, task)) continue;
        auto* sum = cells.at(ids.intern({task, place}));
        const auto all = of.counts.cells(number);
        for (std::size_t column = 0; column < columns; ++column) *sum++ += all[of.columns[column]];
    }
    report.rows.reserve(ids.size());
    for (const auto& id : ids.keys()) add_row(id, cells, report.rows.size(), report);
    report.cells = std::move(cells).take();
}

void sum_with_callees(const SummedRows& of, const TaskRows& tasks, SharedCalls& calls, Report& report) {
    CalleeSums(of, tasks, calls).add_to(report);
}

}  // namespace perfdata
