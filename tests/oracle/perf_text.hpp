// SPDX-License-Identifier: MIT
// Formats records like `perf report -D`, for comparison as text.
#pragma once

#include <string>

#include "perfdata/recording/walk.hpp"

namespace oracle {

// format(pattern, ...) is printf into a string, so that perf's own formats can be copied.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// perf_text(record) returns what perf prints behind PERF_RECORD_X, one line each; empty for records that perf 6.1 only
// names (STAT, HEADER_FEATURE...).
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Sample& sample,
                      const perfdata::Event& event, perfdata::RegisterSet registers);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Mmap& map);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Mmap2& map);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Comm& comm);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Fork& fork);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Exit& exit);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Ksymbol& symbol);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::BpfEvent& event);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Lost& lost);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::LostSamples& lost);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Namespaces& namespaces);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Cgroup& cgroup);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::ContextSwitch& change);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::SwitchCpuWide& change);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::Read& read, const std::string& event);
std::string perf_text(const perfdata::RecordContext& context, const perfdata::IdIndex& index);

}  // namespace oracle
