// SPDX-License-Identifier: MIT
// The BPF programs that perf stat counted in: their ids are on its command line, and nowhere else in a recording.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/stat/stat.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// counted_program_ids(command_line) returns the ids that -b (--bpf-prog) of perf stat names, in order; what stands
// behind the options belongs to the command that was counted. The first word is perf's path; empty if the second is not
// "stat", or without -b. Errors: malformed if its list is none that perf takes.
Result<std::vector<std::uint32_t>> counted_program_ids(std::span<const std::string> command_line);

// find_counted_programs(recording, reading, problems, stop) sets the programs of reading.facts, with names as far as
// BPF_PROG_INFO and BPF_BTF have them. Reads these features only if programs were counted; each BTF once. What is not
// understood or damaged goes to the problems. Errors: cancelled.
Result<void> find_counted_programs(const Recording& recording, StatReading& reading, DiagnosticLog& problems,
                                   const StopToken& stop);

}  // namespace perfdata
