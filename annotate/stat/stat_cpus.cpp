// SPDX-License-Identifier: MIT
#include "stat_cpus.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>

#include "perfdata/wire/feature/cache.hpp"
#include "perfdata/wire/feature/cpu_topology.hpp"
#include "perfdata/wire/feature/nrcpus.hpp"
#include "perfdata/wire/feature/numa_topology.hpp"

namespace perfdata {
namespace {

auto place_key(const StatPlace& place) {
    return std::tuple(place.node, place.socket, place.die, place.cache_level, place.cache, place.core);
}
bool place_before(const StatPlace& one, const StatPlace& other) {
    return place_key(one) < place_key(other);
}

// read_section(recording, feature, problems, body) calls body(cursor) for the payload of a feature; not if there is
// none. Adds the error that it returns, or that of reading, to the problems.
template <class Body>
void read_section(const Recording& recording, Feature feature, DiagnosticLog& problems, Body body) {
    const auto* section = recording.feature(feature);
    if (section == nullptr) return;
    const auto bytes = recording.read_feature(*section);
    if (!bytes) {
        if (bytes.error().code == ErrorCode::out_of_memory) throw std::bad_alloc();
        // Opening has reported what lies outside the file.
        if (section->inside_file) problems.add(bytes.error());
        return;
    }
    const auto where = "feature " + std::string(feature_name(section->number));
    const auto read = body(Cursor(*bytes, recording.order(), {.where = where, .offset = section->section.offset}));
    if (!read) problems.add(read.error());
}

void place_cores(const Recording& recording, StatMode mode, std::span<const std::int32_t> cpus,
                 std::vector<StatPlace>& places, DiagnosticLog& problems) {
    std::optional<std::uint32_t> available;
    read_section(recording, Feature::nrcpus, problems, [&](const Cursor& in) -> Result<void> {
        const auto counts = CpuCounts::decode(in);
        if (!counts) return fail(counts.error());
        available = counts->available;
        return {};
    });
    read_section(recording, Feature::cpu_topology, problems, [&](const Cursor& in) -> Result<void> {
        const auto topology = CpuTopology::decode(in, available);
        if (!topology) return fail(topology.error());
        const auto& all = topology->cpus();
        const auto& dies = topology->die_of_cpu();
        for (std::size_t at = 0; at < cpus.size(); ++at) {
            if (cpus[at] < 0 || static_cast<std::size_t>(cpus[at]) >= all.size()) continue;
            const auto cpu = static_cast<std::size_t>(cpus[at]);
            const auto [core, socket] = all[cpu];
            places[at].socket = socket;
            if (mode == StatMode::socket) continue;
            // Recorders before 5.2 knew no dies.
            places[at].die = cpu < dies.size() ? static_cast<std::int32_t>(dies[cpu]) : 0;
            if (mode == StatMode::core) places[at].core = core;
        }
        return {};
    });
}

// CpuMarker gives CPUs a property that lists in features name. Lists come in any number, and may all name all CPUs:
// each CPU is visited once, because those that have the property are skipped.
class CpuMarker {
  public:
    CpuMarker(std::span<const std::int32_t> cpus, std::vector<StatPlace>& places)
        : cpus_(cpus), places_(places), next_(cpus.size() + 1) {
        std::iota(next_.begin(), next_.end(), std::size_t{0});
    }

    // mark(first, last, set) calls set(place) for the CPUs of this range that no range before had.
    template <class Set>
    void mark(std::int64_t first, std::int64_t last, Set set) {
        const auto begin =
            std::ranges::lower_bound(cpus_, first, {}, [](std::int32_t cpu) { return std::int64_t{cpu}; });
        for (auto at = free_from(static_cast<std::size_t>(begin - cpus_.begin()));
             at < cpus_.size() && cpus_[at] <= last; at = free_from(at)) {
            set(places_[at]);
            next_[at] = at + 1;
        }
    }

  private:
    // Returns the first CPU from here on without the property.
    std::size_t free_from(std::size_t at) {
        auto end = at;
        while (next_[end] != end) end = next_[end];
        while (next_[at] != end && at != end) at = std::exchange(next_[at], end);
        return end;
    }

    std::span<const std::int32_t> cpus_;
    std::vector<StatPlace>& places_;
    std::vector<std::size_t> next_;
};

// Reads "0-3,8" and calls take(first, last) for each range. What is no number ends it.
template <class Take>
void read_cpu_list(std::string_view list, Take take) {
    const auto number = [&](std::int64_t& value) {
        const auto [end, problem] = std::from_chars(list.data(), list.data() + list.size(), value);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        return problem == std::errc{} && value >= 0;
    };
    for (std::int64_t first = 0, last = 0; number(first);) {
        last = first;
        if (list.starts_with('-')) {
            list.remove_prefix(1);
            if (!number(last)) return;
        }
        take(first, last);
        if (!list.starts_with(',')) return;
        list.remove_prefix(1);
    }
}

// Returns all elements of a list that are wanted, and the error that ended it early. There is at most one for each
// Element::min_bytes of the section.
template <class Element, class Wanted>
std::pair<std::vector<Element>, Result<void>> read_elements(FeatureList<Element>& list, Wanted wanted) {
    std::vector<Element> all;
    for (;;) {
        const auto element = list.next();
        if (!element) return {std::move(all), fail(element.error())};
        if (!*element) return {std::move(all), {}};
        if (wanted(**element)) all.push_back(**element);
    }
}

// Of a damaged list the nodes before the damage count.
void place_nodes(const Recording& recording, std::span<const std::int32_t> cpus, std::vector<StatPlace>& places,
                 DiagnosticLog& problems) {
    read_section(recording, Feature::numa_topology, problems, [&](const Cursor& in) -> Result<void> {
        NumaTopologyReader reader(in);
        const auto [nodes, whole] = read_elements(reader, [](const NumaNode&) { return true; });
        CpuMarker marker(cpus, places);
        // The last node that names a CPU has it, as in perf. perf stat report shows the index, which differs from the
        // number where nodes are missing.
        for (auto at = nodes.size(); at-- != 0;) {
            const auto node = static_cast<std::int32_t>(nodes[at].node);
            read_cpu_list(nodes[at].cpus, [&](std::int64_t first, std::int64_t last) {
                marker.mark(first, last, [&](StatPlace& place) { place.node = node; });
            });
        }
        return whole;
    });
}

// Follows perf_env__get_cache_id_for_cpu in tools/perf/builtin-stat.c of perf 6.6: of the caches of the level, or of
// all, the last that names a CPU is its own; perf writes them by level. The least CPU that shares a cache is its
// number. Of a damaged list the caches before the damage count only if a level is asked for: else nothing says that
// they are the last of their CPUs.
void place_caches(const Recording& recording, std::uint32_t level, std::span<const std::int32_t> cpus,
                  std::vector<StatPlace>& places, DiagnosticLog& problems) {
    for (auto& place : places) place.cache_level = static_cast<std::int32_t>(level);
    read_section(recording, Feature::cache, problems, [&](const Cursor& in) -> Result<void> {
        auto all = CpuCaches::decode(in);
        if (!all) return fail(all.error());
        const auto [caches, whole] =
            read_elements(all->caches, [&](const CpuCache& cache) { return level == 0 || cache.level == level; });
        if (!whole && level == 0) return whole;
        CpuMarker marker(cpus, places);
        for (auto at = caches.size(); at-- != 0;) {
            auto least = std::numeric_limits<std::int64_t>::max();
            read_cpu_list(caches[at].cpus, [&](std::int64_t first, std::int64_t) { least = std::min(least, first); });
            if (least > std::numeric_limits<std::int32_t>::max()) continue;
            const auto number = static_cast<std::int32_t>(least);
            const auto own_level = static_cast<std::int32_t>(std::min(caches[at].level, 0x7fffffffu));
            read_cpu_list(caches[at].cpus, [&](std::int64_t first, std::int64_t last) {
                marker.mark(first, last, [&](StatPlace& place) {
                    place.cache_level = own_level;
                    place.cache = number;
                });
            });
        }
        return whole;
    });
}

}  // namespace

StatCpus::StatCpus(const CpuMapData& data) {
    cpus_.reserve(stat_cpu_count(data));
    data.for_each_cpu([&](int cpu) { cpus_.push_back(cpu); });
    std::ranges::sort(cpus_);
    const auto same = std::ranges::unique(cpus_);
    cpus_.erase(same.begin(), same.end());
}

std::optional<std::uint32_t> StatCpus::index(std::int32_t cpu) const {
    const auto found = std::ranges::lower_bound(cpus_, cpu);
    if (found != cpus_.end() && *found == cpu) return static_cast<std::uint32_t>(found - cpus_.begin());
    if (cpu == 0 && cpus_.size() == 1 && is_any()) return 0;
    return {};
}

std::size_t stat_cpu_count(const CpuMapData& data) {
    std::size_t count = data.cpus.size();
    const auto add_bits = [&](const auto& words) {
        for (std::size_t at = 0; at < words.size(); ++at) count += static_cast<std::size_t>(std::popcount(words[at]));
    };
    add_bits(data.mask32);
    add_bits(data.mask64);
    if (static_cast<CpuMapData::Kind>(data.kind) == CpuMapData::Kind::range) {
        count += std::size_t{data.range.last} - data.range.first + 1 + (data.range.any ? 1 : 0);
    }
    return count;
}

std::vector<StatPlace> stat_places(const Recording& recording, StatMode mode, std::span<const std::int32_t> cpus,
                                   std::uint32_t cache_level, DiagnosticLog& problems) {
    std::vector<StatPlace> places(cpus.size());
    if (mode == StatMode::node) {
        place_nodes(recording, cpus, places, problems);
    } else {
        place_cores(recording, mode, cpus, places, problems);
        if (mode == StatMode::cache) place_caches(recording, cache_level, cpus, places, problems);
    }
    return places;
}

bool is_unplaced(StatMode mode, const StatPlace& place) {
    switch (mode) {
        case StatMode::node: return place.node < 0;
        case StatMode::core: return place.core < 0 || place.socket < 0;
        case StatMode::cache: return place.cache < 0 || place.socket < 0;
        case StatMode::die:
        case StatMode::socket: return place.socket < 0;
        case StatMode::global:
        case StatMode::none:
        case StatMode::thread: break;
    }
    return false;
}

StatGroups::StatGroups(std::span<const StatPlace> places) : places_(places.begin(), places.end()) {
    std::ranges::sort(places_, place_before);
    const auto same = std::ranges::unique(places_);
    places_.erase(same.begin(), same.end());
}

std::vector<StatGroups::Member> StatGroups::members(std::span<const StatPlace> places) const {
    std::vector<Member> members;
    members.reserve(places.size());
    for (std::uint32_t cpu = 0; cpu < places.size(); ++cpu) {
        const auto found = std::ranges::lower_bound(places_, places[cpu], place_before);
        if (found == places_.end() || *found != places[cpu]) continue;
        members.push_back({static_cast<std::uint32_t>(found - places_.begin()), cpu});
    }
    std::ranges::sort(members);
    return members;
}

}  // namespace perfdata
