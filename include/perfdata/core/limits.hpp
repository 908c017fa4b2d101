// SPDX-License-Identifier: MIT
// How much a caller is willing to spend on one input. Reaching a limit is a diagnostic or an error, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perfdata {

// Limits is how much one input may cost: each is the most of something, in bytes or in pieces.
struct Limits {
    std::uint64_t section_bytes = std::uint64_t{1} << 30;      // one feature section, held in memory
    std::uint64_t unpacked_bytes = std::uint64_t{1} << 40;     // a compressed input, unpacked
    std::uint64_t zstd_window_bytes = std::uint64_t{1} << 27;  // window of compressed records
    std::uint64_t kallsyms_bytes = std::uint64_t{1} << 28;     // a kallsyms file, unpacked
    std::uint64_t perf_map_bytes = std::uint64_t{1} << 30;     // a perf-PID.map, unpacked
    std::uint64_t source_file_bytes = std::uint64_t{1} << 26;  // all source files
    std::size_t archived_files = std::size_t{1} << 18;         // files in a packed build-id cache, or a bundle
    std::size_t events = 65536;                                // entries of the attr section
    std::size_t ids = std::size_t{1} << 24;                    // all event ids
    std::size_t bpf_programs = 131072;                         // entries of BPF_PROG_INFO, and of BPF_BTF
    std::size_t code_versions = std::size_t{1} << 22;          // registered code ranges of a timeline
    std::size_t text_patches = std::size_t{1} << 22;           // changes of kernel text in a timeline
    std::uint64_t text_patch_bytes = std::uint64_t{1} << 28;   // old and new bytes of all of them
    std::uint64_t function_bytes = std::uint64_t{1} << 24;     // code of one function, held in memory
    std::size_t listed_instructions = std::size_t{1} << 19;    // of one listing; all listings: four times as many
    std::size_t task_records = std::size_t{1} << 25;           // process and mapping records of a timeline
    std::size_t places = std::size_t{1} << 27;                 // distinct addresses that samples are counted by
    std::size_t chain_nodes = std::size_t{1} << 28;            // distinct prefixes of call chains
    std::size_t cells = std::size_t{1} << 28;                  // counts, one per event, of a profile or a page
    std::size_t cfi_entries = std::size_t{1} << 22;  // entries of a file's call frame information, read at once
    std::size_t cfi_row_instructions = std::size_t{1} << 14;  // its instructions that are run to find one row
    std::size_t diagnostics = 100;                            // kept in full; the rest are only counted

    bool operator==(const Limits&) const = default;
};

}  // namespace perfdata
