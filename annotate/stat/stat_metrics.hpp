// SPDX-License-Identifier: MIT
// What perf stat derives of counters without its tables of metrics. Follows tools/perf/util/stat-shadow.c of perf 6.1.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "perfdata/annotate/stat/stat.hpp"
#include "perfdata/wire/attr.hpp"

namespace perfdata {

// StatKind is what an event counts, as far as others are compared with it or it with others.
enum class StatKind : std::uint8_t {
    other,
    clock,
    cycles,
    instructions,
    branches,
    branch_misses,
    cache_references,
    cache_misses,
    stalled_front,
    stalled_back,
    l1d,
    l1d_misses,
    l1i,
    l1i_misses,
    ll,
    ll_misses,
    dtlb,
    dtlb_misses,
    itlb,
    itlb_misses,
    cycles_in_tx,
    cycles_in_tx_cp,
    transactions,
    elisions,
    slots,
    slots_issued,
    slots_retired,
    fetch_bubbles,
    recovery_bubbles,
    retiring,
    bad_speculation,
    frontend_bound,
    backend_bound,
};

// StatRole is the kind of an event, and which modes of the CPU it counts: only events of the same modes are compared.
struct StatRole {
    StatKind kind = StatKind::other;
    std::uint8_t modes = 0;

    // of(attr, name): the name is that of the recording.
    static StatRole of(const Attr& attr, std::string_view name);
};

// StatMetrics keeps the mean of each kind since the beginning, as perf stat report does: with intervals, "per second"
// divides by the mean of all rounds so far. A place is an index of a CPU or thread, or 0.
class StatMetrics {
  public:
    // Derived is what is shown of a value.
    struct Derived {
        std::optional<StatMetric> metric, second;
    };

    // count(role, place, value, scale) adds the value of a round: before any of its rows are derived.
    void count(StatRole role, std::uint32_t place, std::uint64_t value, double scale);
    // derive(role, place, amount, scale, elapsed) returns what is shown beside a scaled value. elapsed: nanoseconds.
    Derived derive(StatRole role, std::uint32_t place, double amount, double scale, double elapsed) const;

  private:
    struct Key {
        std::uint32_t place = 0;
        StatKind kind = StatKind::other;
        std::uint8_t modes = 0;

        auto operator<=>(const Key&) const = default;
    };
    struct Mean {
        std::uint64_t count = 0;
        double value = 0;
    };

    const Mean* find(StatKind kind, StatRole role, std::uint32_t place) const;
    double mean(StatKind kind, StatRole role, std::uint32_t place) const;
    bool knows(StatKind kind, StatRole role, std::uint32_t place) const { return find(kind, role, place) != nullptr; }
    std::optional<StatMetric> share_of(StatKind whole, StatRole role, std::uint32_t place, double amount,
                                       std::string_view unit) const;
    std::optional<StatMetric> per_second(StatRole role, std::uint32_t place, double amount) const;
    std::optional<StatMetric> of_slots(StatRole role, std::uint32_t place) const;
    std::optional<StatMetric> of_transactions(StatRole role, std::uint32_t place, double amount) const;
    Derived of_instructions(StatRole role, std::uint32_t place, double amount) const;
    double bad_speculation(StatRole role, std::uint32_t place) const;
    double of_all_slots(StatKind kind, StatRole role, std::uint32_t place) const;
    std::optional<double> of_all_bounds(StatRole role, std::uint32_t place) const;

    std::map<Key, Mean> means_;  // at most one for each row of a round; log n each
};

// whole_number(value) returns it without what is behind the point, 0 for none, and the largest number for larger ones.
std::uint64_t whole_number(double value);

}  // namespace perfdata
