// SPDX-License-Identifier: MIT
#include "limits.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "perfdata/core/memory_limits.hpp"

#include "call.hpp"

namespace perfdata::c {
namespace {

// Calls take(member of C, member of C++) for each limit.
template <class Given, class Take>
void each_limit(Given& given, Limits& limits, Take&& take) {
    take(given.section_bytes, limits.section_bytes);
    take(given.unpacked_bytes, limits.unpacked_bytes);
    take(given.zstd_window_bytes, limits.zstd_window_bytes);
    take(given.kallsyms_bytes, limits.kallsyms_bytes);
    take(given.perf_map_bytes, limits.perf_map_bytes);
    take(given.source_file_bytes, limits.source_file_bytes);
    take(given.archived_files, limits.archived_files);
    take(given.events, limits.events);
    take(given.ids, limits.ids);
    take(given.bpf_programs, limits.bpf_programs);
    take(given.code_versions, limits.code_versions);
    take(given.text_patches, limits.text_patches);
    take(given.text_patch_bytes, limits.text_patch_bytes);
    take(given.function_bytes, limits.function_bytes);
    take(given.listed_instructions, limits.listed_instructions);
    take(given.task_records, limits.task_records);
    take(given.places, limits.places);
    take(given.chain_nodes, limits.chain_nodes);
    take(given.cells, limits.cells);
    take(given.cfi_entries, limits.cfi_entries);
    take(given.cfi_row_instructions, limits.cfi_row_instructions);
    take(given.diagnostics, limits.diagnostics);
}

}  // namespace

Limits limits_of(const perfdata_limits* given) {
    const auto wanted = options_of(given, "limits");
    Limits limits;
    each_limit(wanted, limits, [](std::uint64_t from, auto& to) {
        using Limit = std::remove_reference_t<decltype(to)>;
        if (from != 0) to = static_cast<Limit>(std::min<std::uint64_t>(from, std::numeric_limits<Limit>::max()));
    });
    return limits;
}

}  // namespace perfdata::c

using namespace perfdata::c;

perfdata_status perfdata_limits_within(uint64_t bytes, perfdata_limits* limits, perfdata_error* error) {
    return guarded(error, [&] {
        auto within = bytes == 0 ? perfdata::Limits() : perfdata::limits_within(bytes);
        perfdata_limits made{};
        each_limit(made, within, [](std::uint64_t& to, const auto& from) {
            // 0 would be the default.
            to = std::max<std::uint64_t>(from, 1);
        });
        fill(limits, made, "limits");
        return PERFDATA_OK;
    });
}
