// SPDX-License-Identifier: MIT
// The names of the counters of a scheduling domain, in the order of /proc/schedstat. Linux documents their meaning in
// Documentation/scheduler/sched-stats.rst.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perfdata {

// Each reason to balance the load (while busy, while idle, when becoming idle) has 8 counters, and 11 since version 17,
// which distinguishes four kinds of imbalance. Version 15 begins with idle, the others with busy.
namespace schedstat {

inline constexpr std::size_t reasons = 3;             // to balance the load
inline constexpr std::size_t counters_before_17 = 8;  // for each reason
inline constexpr std::size_t counters_since_17 = 11;  // for each reason

// The names by reason, in the order busy, idle, newly idle, whatever the version's own order is.
inline constexpr std::array<std::array<std::string_view, counters_before_17>, reasons> names_before_17 = {{
    {"busy_lb_count", "busy_lb_balanced", "busy_lb_failed", "busy_lb_imbalance", "busy_lb_gained", "busy_lb_hot_gained",
     "busy_lb_nobusyq", "busy_lb_nobusyg"},
    {"idle_lb_count", "idle_lb_balanced", "idle_lb_failed", "idle_lb_imbalance", "idle_lb_gained", "idle_lb_hot_gained",
     "idle_lb_nobusyq", "idle_lb_nobusyg"},
    {"newidle_lb_count", "newidle_lb_balanced", "newidle_lb_failed", "newidle_lb_imbalance", "newidle_lb_gained",
     "newidle_lb_hot_gained", "newidle_lb_nobusyq", "newidle_lb_nobusyg"},
}};
// The same since version 17.
inline constexpr std::array<std::array<std::string_view, counters_since_17>, reasons> names_since_17 = {{
    {"busy_lb_count", "busy_lb_balanced", "busy_lb_failed", "busy_lb_imbalance_load", "busy_lb_imbalance_util",
     "busy_lb_imbalance_task", "busy_lb_imbalance_misfit", "busy_lb_gained", "busy_lb_hot_gained", "busy_lb_nobusyq",
     "busy_lb_nobusyg"},
    {"idle_lb_count", "idle_lb_balanced", "idle_lb_failed", "idle_lb_imbalance_load", "idle_lb_imbalance_util",
     "idle_lb_imbalance_task", "idle_lb_imbalance_misfit", "idle_lb_gained", "idle_lb_hot_gained", "idle_lb_nobusyq",
     "idle_lb_nobusyg"},
    {"newidle_lb_count", "newidle_lb_balanced", "newidle_lb_failed", "newidle_lb_imbalance_load",
     "newidle_lb_imbalance_util", "newidle_lb_imbalance_task", "newidle_lb_imbalance_misfit", "newidle_lb_gained",
     "newidle_lb_hot_gained", "newidle_lb_nobusyq", "newidle_lb_nobusyg"},
}};
// The counters that follow those of the reasons, in all versions.
inline constexpr std::array<std::string_view, 12> names_behind = {
    "alb_count", "alb_failed",   "alb_pushed", "sbe_count",        "sbe_balanced",     "sbe_pushed",
    "sbf_count", "sbf_balanced", "sbf_pushed", "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance"};

}  // namespace schedstat

// schedstat_domain_counters(version) returns the number of u32 counters; 0 for an unknown version.
constexpr std::size_t schedstat_domain_counters(std::uint16_t version) {
    if (version < 15 || version > 17) return 0;
    const auto each = version < 17 ? schedstat::counters_before_17 : schedstat::counters_since_17;
    return schedstat::reasons * each + schedstat::names_behind.size();
}

// schedstat_domain_counter_name(version, index): the index must be below schedstat_domain_counters(version).
constexpr std::string_view schedstat_domain_counter_name(std::uint16_t version, std::size_t index) {
    const auto each = version < 17 ? schedstat::counters_before_17 : schedstat::counters_since_17;
    if (index >= schedstat::reasons * each) return schedstat::names_behind[index - schedstat::reasons * each];
    auto reason = index / each;
    if (version == 15 && reason != 2) reason = 1 - reason;
    return version < 17 ? schedstat::names_before_17[reason][index % each]
                        : schedstat::names_since_17[reason][index % each];
}

}  // namespace perfdata
