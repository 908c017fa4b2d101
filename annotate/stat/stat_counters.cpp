// SPDX-License-Identifier: MIT
#include "stat_counters.hpp"

#include <algorithm>

#include "stat_metrics.hpp"

namespace perfdata {

std::uint64_t StatValues::estimated(bool scales) const {
    if (!scales) return value;
    if (running == 0) return 0;
    if (running >= enabled) return value;
    return whole_number(static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running));
}

bool StatCounters::set(const StatCounter& counter, const StatValues& values) {
    auto found = cells_.find(counter);
    if (found == cells_.end()) {
        if (cells_.size() >= most_) return false;
        found = cells_.emplace(counter, Cell{}).first;
    }
    auto& cell = found->second;
    sums_[counter.event].now += values - cell.now;
    cell.now = values;
    if (cell.round != round_) set_.push_back(&*found);
    cell.round = round_;
    return true;
}

std::vector<StatDelta> StatCounters::deltas() const {
    std::vector<StatDelta> deltas;
    deltas.reserve(set_.size());
    for (const auto* cell : set_) deltas.push_back({cell->first, cell->second.now - cell->second.before});
    std::ranges::sort(deltas, {}, &StatDelta::counter);
    return deltas;
}

void StatCounters::end_round() {
    for (auto* cell : set_) {
        cell->second.before = cell->second.now;
        auto& sum = sums_[cell->first.event];
        sum.before = sum.now;
    }
    set_.clear();
    ++round_;
}

}  // namespace perfdata
