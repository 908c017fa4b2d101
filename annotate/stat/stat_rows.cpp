// SPDX-License-Identifier: MIT
#include "stat_rows.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace perfdata {

std::span<const StatGroups::Member> StatEventCpus::in_group(std::uint32_t group) const {
    const auto found = std::ranges::equal_range(members, group, {}, &StatGroups::Member::group);
    return {found.begin(), found.end()};
}

StatRows::StatRows(const Input& input) : input_(input) {
    for (std::uint32_t event = 0; event < events(); ++event) {
        switch (input_.facts.mode) {
            case StatMode::global: count_ += 1; break;
            case StatMode::none: count_ += cpus_of(event).cpus.size(); break;
            case StatMode::thread: count_ += input_.facts.threads.size(); break;
            case StatMode::socket:
            case StatMode::die:
            case StatMode::core:
            case StatMode::node:
            case StatMode::cache: count_ += input_.groups.size(); break;
        }
    }
}

std::vector<StatRow> StatRows::make() {
    const auto deltas = input_.counters.deltas();
    switch (input_.facts.mode) {
        case StatMode::global: count_global(); return global();
        case StatMode::none: count_cpus(deltas); return by_cpu(deltas);
        case StatMode::thread: count_threads(deltas); return by_thread(deltas);
        case StatMode::socket:
        case StatMode::die:
        case StatMode::core:
        case StatMode::node:
        case StatMode::cache: break;
    }
    count_groups(deltas);
    return by_group(deltas);
}

StatRows::Deltas StatRows::of_event(Deltas deltas, std::uint32_t event) {
    const auto found =
        std::ranges::equal_range(deltas, event, {}, [](const StatDelta& delta) { return delta.counter.event; });
    return {found.begin(), found.end()};
}

const StatDelta* StatRows::find(Deltas of_event, std::uint32_t cpu, std::uint32_t thread) {
    const auto key = std::tuple(cpu, thread);
    const auto found = std::ranges::lower_bound(
        of_event, key, {}, [](const StatDelta& delta) { return std::tuple(delta.counter.cpu, delta.counter.thread); });
    if (found == of_event.end() || found->counter.cpu != cpu || found->counter.thread != thread) return nullptr;
    return &*found;
}

std::uint32_t StatRows::first_in(std::uint32_t event, std::uint32_t group) const {
    const auto members = cpus_of(event).in_group(group);
    return members.empty() ? 0 : members.front().cpu;
}

void StatRows::finish(StatRow& row, std::uint32_t place) const {
    const auto& event = input_.facts.events[row.event];
    if (row.enabled == 0 || row.running == 0) {
        row.state = event.supported ? StatState::not_counted : StatState::not_supported;
        row.value = 0;
        return;
    }
    row.amount = static_cast<double>(row.value) * event.scale;
    const auto derived = metrics_.derive(input_.roles[row.event], place, row.amount, event.scale, input_.facts.elapsed);
    row.metric = derived.metric;
    row.second = derived.second;
}

void StatRows::count_global() {
    for (std::uint32_t event = 0; event < events(); ++event) {
        metrics_.count(input_.roles[event], 0, input_.counters.sum(event).estimated(scales()),
                       input_.facts.events[event].scale);
    }
}

std::vector<StatRow> StatRows::global() {
    std::vector<StatRow> rows(events());
    for (std::uint32_t event = 0; event < events(); ++event) {
        const auto sum = input_.counters.sum(event);
        auto& row = rows[event];
        row.event = event;
        row.raw = sum.value;
        row.value = sum.estimated(scales());
        row.enabled = sum.enabled;
        row.running = sum.running;
        finish(row, 0);
    }
    return rows;
}

// perf shows the first thread of each CPU; recordings that count by CPU have no other.
void StatRows::count_cpus(Deltas deltas) {
    for (std::uint32_t event = 0; event < events(); ++event) {
        const auto mine = of_event(deltas, event);
        const auto cpus = static_cast<std::uint32_t>(cpus_of(event).cpus.size());
        for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
            const auto* delta = find(mine, cpu, 0);
            metrics_.count(input_.roles[event], cpu, delta == nullptr ? 0 : delta->counted.estimated(scales()),
                           input_.facts.events[event].scale);
        }
    }
}

std::vector<StatRow> StatRows::by_cpu(Deltas deltas) {
    std::vector<StatRow> rows;
    rows.reserve(count_);
    for (std::uint32_t event = 0; event < events(); ++event) {
        const auto mine = of_event(deltas, event);
        const auto& cpus = cpus_of(event).cpus;
        for (std::uint32_t cpu = 0; cpu < cpus.size(); ++cpu) {
            auto& row = rows.emplace_back();
            row.event = event;
            row.place.cpu = cpus[cpu];
            if (const auto* delta = find(mine, cpu, 0)) {
                row.raw = delta->counted.value;
                row.value = delta->counted.estimated(scales());
                row.enabled = delta->counted.enabled;
                row.running = delta->counted.running;
            }
            finish(row, cpu);
        }
    }
    return rows;
}

// A group counts with all its CPUs here, even if its row has no value.
void StatRows::count_groups(Deltas deltas) {
    struct Sum {
        std::uint32_t group = 0, event = 0;
        std::uint64_t value = 0;
    };
    std::vector<Sum> sums;  // at most one for each delta
    sums.reserve(deltas.size());
    for (const auto& delta : deltas) {
        if (delta.counter.thread != 0) continue;
        const auto& set = cpus_of(delta.counter.event);
        const auto group = set.groups[delta.counter.cpu];
        if (group == StatEventCpus::no_group) continue;
        sums.push_back({group, delta.counter.event, delta.counted.estimated(scales())});
    }
    std::ranges::stable_sort(sums, {}, [](const Sum& sum) { return std::tuple(sum.group, sum.event); });
    auto next = sums.begin();
    for (std::uint32_t group = 0; group < input_.groups.size(); ++group) {
        for (std::uint32_t event = 0; event < events(); ++event) {
            std::uint64_t value = 0;
            for (; next != sums.end() && next->group == group && next->event == event; ++next) {
                value = sum_of_estimates(value, next->value);
            }
            metrics_.count(input_.roles[event], first_in(event, group), value, input_.facts.events[event].scale);
        }
    }
}

StatRow StatRows::add_up(std::uint32_t event, std::uint32_t group, Deltas of_event) const {
    StatRow row;
    row.event = event;
    row.place = input_.groups.places()[group];
    for (const auto& member : cpus_of(event).in_group(group)) {
        ++row.cpus;
        const auto* delta = find(of_event, member.cpu, 0);
        if (delta == nullptr || delta->counted.enabled == 0 || delta->counted.running == 0) {
            row.enabled = row.running = 0;
            break;
        }
        row.raw += delta->counted.value;
        row.value = sum_of_estimates(row.value, delta->counted.estimated(scales()));
        row.enabled += delta->counted.enabled;
        row.running += delta->counted.running;
    }
    return row;
}

std::vector<StatRow> StatRows::by_group(Deltas deltas) {
    std::vector<StatRow> rows;
    rows.reserve(count_);
    for (std::uint32_t group = 0; group < input_.groups.size(); ++group) {
        for (std::uint32_t event = 0; event < events(); ++event) {
            auto& row = rows.emplace_back(add_up(event, group, of_event(deltas, event)));
            finish(row, first_in(event, group));
        }
    }
    return rows;
}

void StatRows::count_threads(Deltas deltas) {
    const auto threads = static_cast<std::uint32_t>(input_.facts.threads.size());
    std::vector<bool> counted;
    for (std::uint32_t event = 0; event < events(); ++event) {
        const auto mine = of_event(deltas, event);
        const auto count = [&](std::uint32_t thread, std::uint64_t value) {
            metrics_.count(input_.roles[event], thread, value, input_.facts.events[event].scale);
        };
        counted.assign(threads, false);
        for (const auto& delta : mine) {
            counted[delta.counter.thread] = true;
            count(delta.counter.thread, delta.counted.estimated(scales()));
        }
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            if (!counted[thread]) count(thread, 0);
        }
    }
}

std::vector<StatRow> StatRows::by_thread(Deltas deltas) {
    const auto threads = static_cast<std::uint32_t>(input_.facts.threads.size());
    std::vector<StatRow> rows;
    rows.reserve(count_);
    for (std::uint32_t event = 0; event < events(); ++event) {
        const auto begin = rows.size();
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            auto& row = rows.emplace_back();
            row.event = event;
            row.place.thread = static_cast<std::int32_t>(thread);
        }
        for (const auto& delta : of_event(deltas, event)) {
            auto& row = rows[begin + delta.counter.thread];
            row.raw += delta.counted.value;
            row.value = sum_of_estimates(row.value, delta.counted.estimated(scales()));
            row.enabled += delta.counted.enabled;
            row.running += delta.counted.running;
        }
        const auto mine = std::span(rows).subspan(begin);
        for (auto& row : mine) finish(row, static_cast<std::uint32_t>(row.place.thread));
        // The busiest first. perf subtracts values to 32 bits for this, which puts large ones anywhere.
        std::ranges::stable_sort(mine, std::greater(), &StatRow::value);
    }
    return rows;
}

}  // namespace perfdata
