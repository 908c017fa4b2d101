// SPDX-License-Identifier: MIT
// google/pprof's profile.proto, packed with gzip: what `go tool pprof`, Parca, Pyroscope and speedscope read.
//
// Each object is one mapping. Its addresses are not those of one process, so its range says how pprof finds them in the
// ELF file, by GetBase() in its internal/elfexec:
//
//     addresses of                 memory_start   memory_limit   file_offset    GetBase() subtracts
//     a file that was found        0              2^64-1         0              nothing: they are those of its symbols
//     a file that was not          2^44           2^45           0              2^44 + the segment's offset - its vaddr
//     memory: kernel, BPF, JIT     the first      behind last    memory_start   (pprof has no file of them)
//
// pprof joins mappings of equal size, offset and build id, and takes places at equal distances from their beginnings
// for the same. So the memory of two loads of a BPF program needs two offsets: perf's own records of the kernel have
// such.
//
// The ranges of all files are the same in each profile: so pprof's own merging and -diff_base find equal places.
//
// All mappings claim to have functions, files, lines and inlined calls, so that pprof does not name them itself: that
// of Go's distribution does not compare build ids and would take names from a file that has changed. -symbolize=force
// still makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/recording/recording.hpp"

#include "exported.hpp"

namespace perfdata {

// Each sample has values for each event: of many events most are 0. Further events are left out, and a comment says how
// many.
inline constexpr std::size_t most_pprof_events = 256;

// PprofOptions is what a profile says besides the samples.
struct PprofOptions {
    std::vector<std::string> command_line;  // what made the recording
    std::uint64_t wall_time = 0;            // of the first sample, nanoseconds since 1970; 0: not recorded

    // of(recording, exported) reads both from the features CMDLINE and CLOCK_DATA.
    static PprofOptions of(const Recording& recording, const Exported& exported);
};

// PprofCuts is what a profile lacks.
struct PprofCuts {
    std::uint64_t stacks = 0;  // so many have no callers: see StackRoom
    bool values = false;       // sums of values are at most 2^63-1: what is beyond is left out
};

// write_pprof(...) writes a sample for each row of `exported`, which is made with addresses and, better, with lines.
//
//     sample types    of each event "<event>_sample" (hits) and "<event>_event" (the sum of periods); the latter of the
//                     first event is the default
//     labels          comm, pid, tid, and code: whose code was sampled, as to_string(CodeClass)
//     comments        the command line, versions, arch, host, as "name:value"
//
// What it cuts is said by comments, too. With more than one thread, `sink` is called on another.
PprofCuts write_pprof(const Exported& exported, const PprofOptions& options, const Sink& sink, unsigned threads = 1);

}  // namespace perfdata
