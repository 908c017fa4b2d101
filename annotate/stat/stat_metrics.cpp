// SPDX-License-Identifier: MIT
#include "stat_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfdata {
namespace {

StatKind kind_of_hardware(std::uint64_t config) {
    switch (config) {
        case 0: return StatKind::cycles;
        case 1: return StatKind::instructions;
        case 2: return StatKind::cache_references;
        case 3: return StatKind::cache_misses;
        case 4: return StatKind::branches;
        case 5: return StatKind::branch_misses;
        case 7: return StatKind::stalled_front;
        case 8: return StatKind::stalled_back;
        default: return StatKind::other;
    }
}

// Only reads are compared: accesses are the number of the cache, misses have bit 16 besides.
StatKind kind_of_cache(std::uint64_t config) {
    constexpr std::uint64_t miss = 1 << 16;
    switch (config) {
        case 0: return StatKind::l1d;
        case 1: return StatKind::l1i;
        case 2: return StatKind::ll;
        case 3: return StatKind::dtlb;
        case 4: return StatKind::itlb;
        case 0 | miss: return StatKind::l1d_misses;
        case 1 | miss: return StatKind::l1i_misses;
        case 2 | miss: return StatKind::ll_misses;
        case 3 | miss: return StatKind::dtlb_misses;
        case 4 | miss: return StatKind::itlb_misses;
        default: return StatKind::other;
    }
}

// Events of PMUs, which perf knows by their names.
StatKind kind_of_name(std::string_view name) {
    constexpr struct {
        std::string_view name;
        StatKind kind;
    } known[] = {
        {"cpu/cycles-t/", StatKind::cycles_in_tx},
        {"cpu/cycles-ct/", StatKind::cycles_in_tx_cp},
        {"cpu/tx-start/", StatKind::transactions},
        {"cpu/el-start/", StatKind::elisions},
        {"topdown-total-slots", StatKind::slots},
        {"topdown-slots-issued", StatKind::slots_issued},
        {"topdown-slots-retired", StatKind::slots_retired},
        {"topdown-fetch-bubbles", StatKind::fetch_bubbles},
        {"topdown-recovery-bubbles", StatKind::recovery_bubbles},
        {"topdown-retiring", StatKind::retiring},
        {"topdown-bad-spec", StatKind::bad_speculation},
        {"topdown-fe-bound", StatKind::frontend_bound},
        {"topdown-be-bound", StatKind::backend_bound},
    };
    for (const auto& one : known) {
        if (one.name == name) return one.kind;
    }
    return StatKind::other;
}

StatMetric of_width(double value, std::string_view unit, std::uint8_t width, std::uint8_t decimals,
                    std::string_view suffix = {}) {
    return {value, unit, width, decimals, suffix};
}
StatMetric percent(double value, std::string_view unit) {
    return of_width(value, unit, 7, 2, "%");
}
StatMetric bound(double share, std::string_view unit) {
    return of_width(100 * share, unit, 8, 1, "%");
}

// Rounding may make nothing a little less than nothing.
double not_below_nothing(double share) {
    return share < 0 && share >= -0.02 ? 0 : share;
}

}  // namespace

StatRole StatRole::of(const Attr& attr, std::string_view name) {
    constexpr unsigned first_mode = 4, exclude_host = 19;  // of user, kernel, hypervisor, idle
    StatRole role;
    role.modes = static_cast<std::uint8_t>((attr.flags >> first_mode & 15) | (attr.flag(exclude_host) ? 16 : 0));
    switch (attr.type) {
        case attr_type::hardware: role.kind = kind_of_hardware(attr.config); break;
        case attr_type::software: role.kind = attr.config <= 1 ? StatKind::clock : StatKind::other; break;
        case attr_type::cache: role.kind = kind_of_cache(attr.config); break;
        default: break;
    }
    if (role.kind == StatKind::other) role.kind = kind_of_name(name);
    return role;
}

void StatMetrics::count(StatRole role, std::uint32_t place, std::uint64_t value, double scale) {
    if (role.kind == StatKind::other) return;
    const bool is_clock = role.kind == StatKind::clock;
    const auto counted = is_clock ? value : whole_number(static_cast<double>(value) * scale);
    auto& mean = means_[{place, role.kind, is_clock ? std::uint8_t{0} : role.modes}];
    ++mean.count;
    mean.value += (static_cast<double>(counted) - mean.value) / static_cast<double>(mean.count);
}

const StatMetrics::Mean* StatMetrics::find(StatKind kind, StatRole role, std::uint32_t place) const {
    const auto found = means_.find({place, kind, kind == StatKind::clock ? std::uint8_t{0} : role.modes});
    return found == means_.end() ? nullptr : &found->second;
}

double StatMetrics::mean(StatKind kind, StatRole role, std::uint32_t place) const {
    const auto* found = find(kind, role, place);
    return found == nullptr ? 0 : found->value;
}

std::optional<StatMetric> StatMetrics::share_of(StatKind whole, StatRole role, std::uint32_t place, double amount,
                                                std::string_view unit) const {
    if (!knows(whole, role, place)) return {};
    const auto total = mean(whole, role, place);
    return percent(total == 0 ? 0 : amount / total * 100, unit);
}

StatMetrics::Derived StatMetrics::of_instructions(StatRole role, std::uint32_t place, double amount) const {
    Derived derived;
    if (const auto cycles = mean(StatKind::cycles, role, place); cycles != 0) {
        derived.metric = of_width(amount / cycles, "insn per cycle", 7, 2, " ");
    }
    const auto stalled =
        std::max(mean(StatKind::stalled_front, role, place), mean(StatKind::stalled_back, role, place));
    if (stalled != 0 && amount != 0) {
        derived.second = of_width(stalled / amount, "stalled cycles per insn", 7, 2, " ");
    }
    return derived;
}

std::optional<StatMetric> StatMetrics::of_transactions(StatRole role, std::uint32_t place, double amount) const {
    const auto cycles = mean(StatKind::cycles, role, place);
    const auto within = mean(StatKind::cycles_in_tx, role, place);
    const auto each = amount == 0 ? 0 : within / amount;
    switch (role.kind) {
        case StatKind::cycles_in_tx:
            if (cycles == 0) return {};
            return percent(100 * (amount / cycles), "transactional cycles");
        case StatKind::cycles_in_tx_cp:
            if (cycles == 0) return {};
            return percent(100 * ((std::max(within, amount) - amount) / cycles), "aborted cycles");
        case StatKind::transactions:
            if (!knows(StatKind::cycles_in_tx, role, place)) return {};
            return of_width(each, "cycles / transaction", 8, 0);
        default: return of_width(each, "cycles / elision", 8, 0);
    }
}

double StatMetrics::of_all_slots(StatKind kind, StatRole role, std::uint32_t place) const {
    const auto slots = mean(StatKind::slots, role, place);
    return slots == 0 ? 0 : mean(kind, role, place) / slots;
}

double StatMetrics::bad_speculation(StatRole role, std::uint32_t place) const {
    const auto slots = mean(StatKind::slots, role, place);
    const auto lost = mean(StatKind::slots_issued, role, place) - mean(StatKind::slots_retired, role, place) +
                      mean(StatKind::recovery_bubbles, role, place);
    return not_below_nothing(slots == 0 ? 0 : lost / slots);
}

std::optional<StatMetric> StatMetrics::of_slots(StatRole role, std::uint32_t place) const {
    const auto bubbles = of_all_slots(StatKind::fetch_bubbles, role, place);
    const auto retiring = of_all_slots(StatKind::slots_retired, role, place);
    switch (role.kind) {
        case StatKind::fetch_bubbles: return bound(bubbles, "frontend bound");
        case StatKind::slots_retired: return bound(retiring, "retiring");
        case StatKind::recovery_bubbles: return bound(bad_speculation(role, place), "bad speculation");
        default: break;
    }
    if (mean(StatKind::slots, role, place) <= 0) return {};
    const auto others = bubbles + bad_speculation(role, place) + retiring;
    // Without recovery bubbles what they cost cannot be told from the rest.
    return bound(others == 0 ? 0 : not_below_nothing(1 - others),
                 knows(StatKind::recovery_bubbles, role, place) ? "backend bound" : "backend bound/bad spec");
}

// Returns the share of one of four parts that make a whole; nothing if more than two of them are missing.
std::optional<double> StatMetrics::of_all_bounds(StatRole role, std::uint32_t place) const {
    constexpr StatKind parts[] = {StatKind::retiring, StatKind::frontend_bound, StatKind::backend_bound,
                                  StatKind::bad_speculation};
    double sum = 0;
    int known = 0;
    for (const auto part : parts) {
        const auto one = mean(part, role, place);
        sum += one;
        known += one > 0 ? 1 : 0;
    }
    if (known < 2) return {};
    return sum == 0 ? 0 : mean(role.kind, role, place) / sum;
}

std::optional<StatMetric> StatMetrics::per_second(StatRole role, std::uint32_t place, double amount) const {
    if (!knows(StatKind::clock, role, place)) return {};
    constexpr std::string_view units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
    const auto clock = mean(StatKind::clock, role, place);
    auto rate = clock == 0 ? 0 : 1e9 * amount / clock;
    std::size_t unit = 0;
    for (; unit + 1 < std::size(units) && rate > 1000; ++unit) rate /= 1000;
    return of_width(rate, units[unit], 8, 3);
}

StatMetrics::Derived StatMetrics::derive(StatRole role, std::uint32_t place, double amount, double scale,
                                         double elapsed) const {
    const auto part = [&](StatKind whole, std::string_view unit) {
        return Derived{share_of(whole, role, place, amount, unit), {}};
    };
    const auto of_cycles = [&](std::string_view unit) -> std::optional<StatMetric> {
        const auto cycles = mean(StatKind::cycles, role, place);
        return percent(cycles == 0 ? 0 : amount / cycles * 100, unit);
    };
    const auto of_bounds = [&](std::string_view unit) -> Derived {
        if (const auto share = of_all_bounds(role, place)) return {bound(*share, unit), {}};
        return {per_second(role, place, amount), {}};
    };
    switch (role.kind) {
        case StatKind::instructions: return of_instructions(role, place, amount);
        case StatKind::branch_misses: return part(StatKind::branches, "of all branches");
        case StatKind::l1d_misses: return part(StatKind::l1d, "of all L1-dcache accesses");
        case StatKind::l1i_misses: return part(StatKind::l1i, "of all L1-icache accesses");
        case StatKind::dtlb_misses: return part(StatKind::dtlb, "of all dTLB cache accesses");
        case StatKind::itlb_misses: return part(StatKind::itlb, "of all iTLB cache accesses");
        case StatKind::ll_misses: return part(StatKind::ll, "of all LL-cache accesses");
        case StatKind::cache_misses: {
            auto share = share_of(StatKind::cache_references, role, place, amount, "of all cache refs");
            if (share) share = of_width(share->value, share->unit, 8, 3, " %");
            return {share, {}};
        }
        case StatKind::stalled_front: {
            auto share = of_cycles("frontend cycles idle");
            if (share->value == 0) share.reset();
            return {share, {}};
        }
        case StatKind::stalled_back: return {of_cycles("backend cycles idle"), {}};
        case StatKind::cycles: {
            const auto clock = mean(StatKind::clock, role, place);
            if (clock == 0) return {};
            return {of_width(amount / clock, "GHz", 8, 3), {}};
        }
        case StatKind::clock:
            if (elapsed == 0) return {};
            return {of_width(amount / (elapsed * scale), "CPUs utilized", 8, 3), {}};
        case StatKind::cycles_in_tx:
        case StatKind::cycles_in_tx_cp:
        case StatKind::transactions:
        case StatKind::elisions: return {of_transactions(role, place, amount), {}};
        case StatKind::fetch_bubbles:
        case StatKind::slots_retired:
        case StatKind::recovery_bubbles:
        case StatKind::slots_issued: return {of_slots(role, place), {}};
        case StatKind::retiring: return of_bounds("Retiring");
        case StatKind::frontend_bound: return of_bounds("Frontend Bound");
        case StatKind::backend_bound: return of_bounds("Backend Bound");
        case StatKind::bad_speculation: return of_bounds("Bad Speculation");
        case StatKind::branches:
        case StatKind::cache_references:
        case StatKind::l1d:
        case StatKind::l1i:
        case StatKind::ll:
        case StatKind::dtlb:
        case StatKind::itlb:
        case StatKind::slots:
        case StatKind::other: break;
    }
    return {per_second(role, place, amount), {}};
}

std::uint64_t whole_number(double value) {
    constexpr double beyond = 18446744073709551616.0;  // 2^64
    if (!(value > 0)) return 0;
    return value >= beyond ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(value);
}

}  // namespace perfdata
