// SPDX-License-Identifier: MIT
#include "perfdata/recording/event_names.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <set>

namespace perfdata {
namespace {

std::string hexadecimal(const char* format, std::uint64_t value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, static_cast<unsigned long long>(value));
    return text.data();
}

// cache_name(config) returns a name such as "L1-dcache-load-misses": one byte each for cache, operation and result.
// Empty if there is no such cache. Follows __evsel__hw_cache_name in tools/perf/util/evsel.c.
std::string cache_name(std::uint64_t config) {
    constexpr std::array<const char*, 7> caches = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
    constexpr std::array<const char*, 3> operations = {"load", "store", "prefetch"};
    constexpr std::array<const char*, 3> all_of_them = {"loads", "stores", "prefetches"};
    const auto cache = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16 & 0xff;
    if (cache >= caches.size() || operation >= operations.size() || result > 1) return {};
    if (result == 0) return std::string(caches[cache]) + "-" + all_of_them[operation];
    return std::string(caches[cache]) + "-" + operations[operation] + "-misses";
}

// breakpoint_name(attr) returns a name such as "mem:0x404038:rw".
std::string breakpoint_name(const Attr& attr) {
    auto text = hexadecimal("mem:0x%llx:", attr.config1);
    constexpr std::string_view letters = "rwx";
    for (std::size_t bit = 0; bit < letters.size(); ++bit) {
        if ((attr.bp_type >> bit & 1) != 0) text += letters[bit];
    }
    return text;
}

// without_modifiers("cycles:u") returns "cycles"; other names are unchanged.
std::string_view without_modifiers(std::string_view name) {
    constexpr std::string_view letters = "ukhHGIpPSDWeb";  // parse_events__modifier_event in tools/perf/util
    const auto colon = name.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == name.size()) return name;
    return name.find_first_not_of(letters, colon + 1) == std::string_view::npos ? name.substr(0, colon) : name;
}

// is_spelled_so(name, attr) returns true if perf could have given the name to the attr, ignoring modifiers for hosts
// and guests: perf 6.13 and later name only the excluded one, and users seldom write either.
bool is_spelled_so(std::string_view name, const Attr& attr) {
    const auto counted = default_event_name(attr);
    if (!name.starts_with(counted)) return false;
    name.remove_prefix(counted.size());
    if (name.empty()) return true;
    if (name.front() != ':' || name.size() == 1) return false;
    name.remove_prefix(1);
    constexpr unsigned exclude_host = 19, exclude_guest = 20;
    const auto ours = event_modifiers(attr);
    const auto without = std::string_view(ours).substr(0, ours.find_first_of("HG"));
    if (name == ours || (name == without && !without.empty())) return true;
    if (!name.starts_with(without)) return false;
    name.remove_prefix(without.size());
    return (name == "H" && attr.flag(exclude_guest)) || (name == "G" && attr.flag(exclude_host));
}

}  // namespace

std::string default_event_name(const Attr& attr) {
    constexpr std::array<const char*, 10> hardware = {
        "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
        "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
    constexpr std::array<const char*, 12> software = {
        "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
        "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
        "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
    // Bits 32-63 of a hardware config name the PMU on hybrid CPUs.
    const auto hardware_config = attr.config & 0xffffffff;
    std::string name;
    switch (attr.type) {
        case attr_type::hardware:
            if (hardware_config < hardware.size()) name = hardware[hardware_config];
            break;
        case attr_type::software:
            if (attr.config < software.size()) name = software[attr.config];
            break;
        case attr_type::cache: name = cache_name(hardware_config); break;
        case attr_type::raw: name = hexadecimal("raw 0x%llx", attr.config); break;
        case attr_type::breakpoint: name = breakpoint_name(attr); break;
        default: break;
    }
    if (!name.empty()) return name;
    return "type " + std::to_string(attr.type) + hexadecimal(" config 0x%llx", attr.config);
}

std::string event_modifiers(const Attr& attr) {
    constexpr unsigned exclude_user = 4, exclude_kernel = 5, exclude_hv = 6, exclude_host = 19, exclude_guest = 20;
    std::string text;
    bool guest_default = false;
    if (attr.flag(exclude_kernel) || attr.flag(exclude_user) || attr.flag(exclude_hv)) {
        if (!attr.flag(exclude_kernel)) text += 'k';
        if (!attr.flag(exclude_user)) text += 'u';
        if (!attr.flag(exclude_hv)) text += 'h';
        guest_default = true;
    }
    if (attr.precise_ip() != 0) {
        text.append(attr.precise_ip(), 'p');
        guest_default = true;
    }
    if (attr.flag(exclude_host) || attr.flag(exclude_guest) == guest_default) {
        if (!attr.flag(exclude_host)) text += 'H';
        if (!attr.flag(exclude_guest)) text += 'G';
    }
    return text;
}

std::string made_event_name(const Attr& attr) {
    auto name = default_event_name(attr);
    if (attr.type == attr_type::tracepoint) return name;
    const auto modifiers = event_modifiers(attr);
    return modifiers.empty() ? name : name + ":" + modifiers;
}

std::vector<Event> name_events(std::vector<Event> events) {
    for (auto& event : events) {
        if (event.name.empty()) event.name = made_event_name(event.attr);
        event.perf_name = event.name;
    }
    // Events that share a name are adjacent, in their own order.
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t index) -> const std::string& { return events[index].perf_name; });
    std::set<std::string, std::less<>> taken;
    for (const auto& event : events) taken.insert(event.perf_name);
    for (std::size_t begin = 0; begin < order.size();) {
        auto end = begin + 1;
        while (end < order.size() && events[order[end]].perf_name == events[order[begin]].perf_name) ++end;
        for (auto at = begin; end - begin > 1 && at < end; ++at) {
            auto& name = events[order[at]].name;
            name += "#" + std::to_string(at - begin + 1);
            // A recorded name may look like one of ours; each such name is met only once.
            while (!taken.insert(name).second) name += '\'';
        }
        begin = end;
    }
    return events;
}

bool is_called(const Event& event, std::string_view name) {
    const std::string_view own = event.perf_name;
    const auto means_own = [&](std::string_view word) {
        return word == own || word == without_modifiers(own) || word == own.substr(0, own.find_first_of(":/")) ||
               is_spelled_so(word, event.attr);
    };
    if (name == event.name || means_own(name)) return true;
    // Events that share a name are numbered behind their modifiers: "cycles#2" means "cycles:u#2", too.
    const auto mark = name.rfind('#');
    return mark != std::string_view::npos && event.name != own && event.name.ends_with(name.substr(mark)) &&
           means_own(name.substr(0, mark));
}

std::vector<std::uint32_t> events_called(const std::vector<Event>& events, std::string_view name) {
    std::vector<std::uint32_t> found;
    const auto take = [&](auto fits) {
        for (std::uint32_t index = 0; index < events.size(); ++index) {
            if (fits(events[index])) found.push_back(index);
        }
    };
    take([&](const Event& event) { return event.name == name; });
    if (found.empty()) take([&](const Event& event) { return event.perf_name == name; });
    if (found.empty()) take([&](const Event& event) { return is_called(event, name); });
    return found;
}

}  // namespace perfdata
