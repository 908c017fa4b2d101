// SPDX-License-Identifier: MIT
// Limits derived from a memory budget.
#pragma once

#include <cstdint>
#include <type_traits>

#include "perfdata/core/limits.hpp"
#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

// limits_within(bytes) returns the default limits, lowered so that the library holds about `bytes` at most for a
// recording and its companion files: each large part gets a share. Counts are divided by the size of one element.
inline Limits limits_within(std::uint64_t bytes) {
    Limits limits;
    const auto share = [&](auto& limit, std::uint64_t parts, std::uint64_t bytes_of_one = 1) {
        using Limit = std::remove_reference_t<decltype(limit)>;
        limit = static_cast<Limit>(least<std::uint64_t>(limit, bytes / parts / bytes_of_one));
    };
    share(limits.section_bytes, 8);
    share(limits.zstd_window_bytes, 8);
    share(limits.kallsyms_bytes, 8);
    share(limits.perf_map_bytes, 8);
    share(limits.source_file_bytes, 16);
    share(limits.function_bytes, 2, 512);       // each byte may be an instruction, which is listed
    share(limits.listed_instructions, 8, 512);  // a quarter of all listings, which have a half
    share(limits.archived_files, 16, 512);
    share(limits.events, 16, 1024);
    share(limits.ids, 16, 32);
    share(limits.bpf_programs, 16, 512);
    share(limits.code_versions, 8, 256);
    share(limits.text_patches, 16, 64);
    share(limits.text_patch_bytes, 16);
    share(limits.task_records, 8, 128);
    share(limits.cfi_entries, 16, 64);
    // Including what is stored with each: names, sums, rows of a report.
    share(limits.places, 4, 512);
    share(limits.chain_nodes, 4, 128);
    share(limits.cells, 8, 64);
    share(limits.diagnostics, 64, 512);
    return limits;
}

}  // namespace perfdata
