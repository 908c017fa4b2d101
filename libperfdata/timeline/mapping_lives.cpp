// SPDX-License-Identifier: MIT
#include "perfdata/timeline/mapping_lives.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace perfdata {
namespace {

constexpr Pid kernel{~std::uint32_t{0}};

// Changes is each time at which a process may have lost something at the address.
struct Changes {
    std::vector<const Thread*> lives;     // of the process
    std::vector<Time> times;              // ascending, distinct
    std::vector<Time> exits;              // times at which the process ended, ascending
    std::vector<const Mapping*> holders;  // its mapping at the address at each time
    std::vector<std::size_t> ends;        // by time: index of the first other holder, times.size() if none comes

    void take_lives(const Tasks& tasks, Pid pid) {
        // In order of their start: a program reached from an earlier life has been followed as far back as needed. So
        // each costs one step, however many lives of the id did not end before the next began.
        std::ranges::stable_sort(lives, {}, &Thread::from);
        std::set<Time> programs;
        for (const auto* life : lives) {
            if (life->until != Time::forever()) exits.push_back(life->until);
            times.push_back(life->from);
            for (auto exec = tasks.exec_at(pid, life->until); exec && *exec > life->from;
                 exec = tasks.exec_at(pid, Time{exec->nanoseconds - 1})) {
                if (!programs.insert(*exec).second) break;
                times.push_back(*exec);
            }
        }
    }

    void finish(const Tasks& tasks, Pid pid, Address address) {
        std::ranges::sort(exits);
        times.insert(times.end(), exits.begin(), exits.end());
        std::ranges::sort(times);
        const auto repeated = std::ranges::unique(times);
        times.erase(repeated.begin(), repeated.end());
        for (const auto time : times) {
            const bool ended = std::ranges::binary_search(exits, time);
            holders.push_back(ended ? nullptr : tasks.mapping_at(pid, address, time));
        }
        ends.assign(times.size(), times.size());
        for (auto at = times.size(); at-- > 1;) {
            ends[at - 1] = holders[at] == holders[at - 1] ? ends[at] : at;
        }
    }

    Time end_of(const Mapping& mapping) const {
        auto at = static_cast<std::size_t>(std::ranges::upper_bound(times, mapping.from) - times.begin());
        if (at < times.size() && holders[at] == &mapping) at = ends[at];
        return at < times.size() ? times[at] : Time::forever();
    }
};

}  // namespace

std::vector<MappingLife> mapping_lives(const Tasks& tasks, Address address, std::optional<Pid> pid) {
    std::vector<MappingLife> lives;
    std::map<Pid, Changes> changes;
    for (const auto& mapping : tasks.mappings()) {
        if (!mapping.range.contains(address)) continue;
        const bool of_kernel = mapping.pid == kernel;
        if (!of_kernel && pid && mapping.pid != *pid) continue;
        lives.push_back({&mapping, Time::forever()});
        if (!of_kernel) changes[mapping.pid].times.push_back(mapping.from);
    }
    for (const auto& thread : tasks.threads()) {
        if (!thread.leads()) continue;
        const auto of = changes.find(thread.pid);
        if (of == changes.end()) continue;
        of->second.lives.push_back(&thread);
    }
    for (auto& [of, change] : changes) {
        change.take_lives(tasks, of);
        change.finish(tasks, of, address);
    }
    for (auto& life : lives) {
        if (life.mapping->pid != kernel) life.until = changes.at(life.mapping->pid).end_of(*life.mapping);
    }
    return lives;
}

}  // namespace perfdata
