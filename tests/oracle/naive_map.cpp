// SPDX-License-Identifier: MIT
#include "naive_map.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace oracle {
namespace {

bool covers(const PerfKsymbol& record, std::uint64_t address) {
    return address >= record.address && address - record.address < record.length;
}

// Programs cannot overlap, but trampolines and dispatchers claim a page and use a part of it.
bool is_program(const PerfKsymbol& record) {
    return record.name.starts_with("bpf_prog_");
}

bool overlap(const PerfKsymbol& a, const PerfKsymbol& b) {
    return covers(a, b.address) || covers(b, a.address);
}

}  // namespace

NaiveMap::NaiveMap(std::vector<PerfKsymbol> records) : records_(std::move(records)) {
    std::ranges::sort(records_, {}, [](const PerfKsymbol& record) { return std::tuple(record.time, record.offset); });
}

std::string NaiveMap::owner(std::uint64_t address, std::uint64_t time) const {
    std::vector<PerfKsymbol> live;
    for (const auto& record : records_) {
        if (record.time > time) break;
        std::erase_if(live, [&](const PerfKsymbol& other) {
            if (is_program(record) != is_program(other)) return false;
            if (record.flags != 0 || !is_program(record)) return record.address == other.address;
            return overlap(record, other);
        });
        if (record.flags == 0) live.push_back(record);
    }
    const PerfKsymbol* best = nullptr;
    for (const auto& candidate : live) {
        if (!covers(candidate, address)) continue;
        const bool better = best == nullptr || (is_program(candidate) && !is_program(*best)) ||
                            (is_program(candidate) == is_program(*best) && candidate.address > best->address);
        if (better) best = &candidate;
    }
    return best == nullptr ? std::string() : best->name;
}

bool NaiveMap::owned_ever(const std::string& name, std::uint64_t address) const {
    return std::ranges::any_of(
        records_, [&](const PerfKsymbol& record) { return record.name == name && covers(record, address); });
}

}  // namespace oracle
