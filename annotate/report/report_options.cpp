// SPDX-License-Identifier: MIT
#include "perfdata/annotate/report/report_options.hpp"

#include <algorithm>
#include <array>

namespace perfdata {
namespace {

constexpr std::array<ReportKeyWords, 12> keys = {{
    {ReportKey::comm, "comm", "Command", "comm"},
    {ReportKey::pid, "pid", "Pid", "pid"},
    {ReportKey::tid, "tid", "Tid", "tid"},
    {ReportKey::cpu, "cpu", "CPU", "cpu"},
    {ReportKey::cgroup, "cgroup", "Cgroup", "cgroup"},
    {ReportKey::object, "dso", "Shared Object", "object", "object"},
    {ReportKey::symbol, "symbol", "Symbol", "symbol", "sym"},
    {ReportKey::kind, "kind", "Kind", "kind", {}, "kernel, user..."},
    {ReportKey::line, "srcline", "Source:Line", "line", "line"},
    {ReportKey::program, "program", "BPF Program", "program", {}, "BPF program and load"},
    {ReportKey::parent, "parent", "Parent symbol", "parent", {}, "see -p"},
    {ReportKey::trace, "trace", "Trace output", "trace", {}, "what a tracepoint says"},
}};

constexpr bool in_order() {
    for (std::size_t at = 0; at < keys.size(); ++at) {
        if (static_cast<std::size_t>(keys[at].key) != at) return false;
    }
    return true;
}
static_assert(in_order());

}  // namespace

std::span<const ReportKeyWords> report_keys() {
    return keys;
}

const ReportKeyWords& words_of(ReportKey key) {
    return keys[static_cast<std::size_t>(key)];
}

std::optional<ReportKey> report_key(std::string_view word) {
    if (word.empty()) return std::nullopt;
    for (const auto& one : keys) {
        if (word == one.word || word == one.also) return one.key;
    }
    return std::nullopt;
}

bool ReportOptions::has(ReportKey key) const {
    return std::ranges::find(keys, key) != keys.end();
}

}  // namespace perfdata
