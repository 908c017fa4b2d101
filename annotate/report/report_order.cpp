// SPDX-License-Identifier: MIT
#include "report_order.hpp"

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "perfdata/core/parallel.hpp"

namespace perfdata {
namespace {

// ranks(values) returns each value's rank among the distinct values.
template <class Value>
std::vector<std::uint32_t> ranks(const std::vector<Value>& values) {
    std::map<Value, std::uint32_t> rank;
    for (const auto& value : values) rank.emplace(value, 0);
    std::uint32_t next = 0;
    for (auto& [value, number] : rank) number = next++;
    std::vector<std::uint32_t> result;
    result.reserve(values.size());
    for (const auto& value : values) result.push_back(rank.find(value)->second);
    return result;
}

// Sorts distinct values.
template <class Value, class Before>
void sort_on_threads(std::vector<Value>& values, const Before& before, std::size_t threads) {
    constexpr std::size_t least = 16384;  // values of a part: less are sorted in about a millisecond
    const auto parts = std::clamp<std::size_t>(threads, 1, values.size() / least + 1);
    const auto at = [&](std::size_t part) {
        return values.begin() + static_cast<std::ptrdiff_t>(values.size() * std::min(part, parts) / parts);
    };
    std::atomic<std::size_t> next = 0;
    on_threads(parts, [&] {
        for (auto part = next++; part < parts; part = next++) std::sort(at(part), at(part + 1), before);
    });
    for (std::size_t width = 1; width < parts; width *= 2) {
        for (std::size_t part = 0; part + width < parts; part += 2 * width) {
            std::inplace_merge(at(part), at(part + width), at(part + 2 * width), before);
        }
    }
}

}  // namespace

void sort_rows(const SampleCounts& counts, const ReportOptions& options, Report& report) {
    using Who = std::tuple<std::string_view, Pid, Tid, std::uint32_t, std::uint64_t, std::string_view, std::string_view,
                           std::uint32_t>;
    std::vector<Who> tasks;
    for (const auto& task : counts.tasks()) {
        const bool labelled = options.label_text && !task.is_further();  // what has no room has no label
        const auto label = labelled ? options.label_text(task.label) : std::string_view();
        tasks.emplace_back(task.comm, task.pid, task.tid, task.cpu, task.cgroup, task.parent, label,
                           task.label);  // labels may share a text
    }
    const auto task_rank = ranks(tasks);
    // Few objects have many places: without a search for each place sort_rows() takes 0.84 of the instructions.
    std::map<std::string_view, std::uint32_t> object_rank;
    for (const std::string_view* last = nullptr; const auto& place : report.places) {
        if (last == nullptr || last->data() != place.object.data()) object_rank.emplace(place.object, 0);
        last = &place.object;
    }
    for (std::uint32_t rank = 0; auto& [object, number] : object_rank) number = rank++;

    // Keeps the fields that decide most comparisons in adjacent memory.
    struct Sorted {
        std::uint64_t total, self;  // periods of the event to sort by
        std::uint64_t who_where, address;
        std::uint32_t row;
        bool named;
    };
    const auto& table = report.tables.front();
    const auto first = table.columns.empty() ? 0 : table.columns[table.sort];
    std::vector<Sorted> order;
    order.reserve(report.rows.size());
    std::string_view object;
    std::uint32_t object_number = 0;
    for (std::uint32_t at = 0; at < report.rows.size(); ++at) {
        const auto& row = report.rows[at];
        const auto& place = report.places[row.place];
        if (at == 0 || place.object.data() != object.data()) {
            object = place.object;
            object_number = object_rank.find(object)->second;
        }
        order.push_back(
            {row.total.empty() ? 0 : row.total[first].periods, row.self.empty() ? 0 : row.self[first].periods,
             std::uint64_t{task_rank[row.task]} << 32 | object_number, place.address, at, !place.symbol.empty()});
    }
    const auto periods = [](std::span<const EventCount> a, std::span<const EventCount> b) {
        return std::lexicographical_compare_three_way(
            b.begin(), b.end(), a.begin(), a.end(),
            [](const EventCount& one, const EventCount& other) { return one.periods <=> other.periods; });
    };
    const bool single = report.events.size() == 1;
    const auto before = [&](const Sorted& one, const Sorted& other) {
        if (one.total != other.total) return one.total > other.total;
        const auto& a = report.rows[one.row];
        const auto& b = report.rows[other.row];
        if (single) {
            if (one.self != other.self) return one.self > other.self;
        } else {
            if (const auto by = periods(a.total, b.total); by != 0) return by < 0;
            if (const auto by = periods(a.self, b.self); by != 0) return by < 0;
        }
        if (one.who_where != other.who_where) return one.who_where < other.who_where;
        if (one.named != other.named) return other.named;
        if (!one.named && one.address != other.address) return one.address < other.address;
        const auto& here = report.places[a.place];
        const auto& there = report.places[b.place];
        if (const auto by = here.symbol <=> there.symbol; by != 0) return by < 0;
        return std::tie(here.inlined, here.address, here.line, here.kind, here.loads, a.place) <
               std::tie(there.inlined, there.address, there.line, there.kind, there.loads, b.place);
    };
    sort_on_threads(order, before, options.jobs);
    // Permute in place, cycle by cycle: row `order[at].row` moves to `at`.
    for (std::uint32_t begin = 0; begin < order.size(); ++begin) {
        auto at = begin;
        while (order[at].row != begin) {
            const auto from = order[at].row;
            std::swap(report.rows[at], report.rows[from]);
            order[at].row = at;
            at = from;
        }
        order[at].row = at;
    }
}

}  // namespace perfdata
