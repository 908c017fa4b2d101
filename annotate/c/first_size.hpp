// SPDX-License-Identifier: MIT
// How large structs were that callers have filled.
#pragma once

#include <cstddef>

#include "perfdata/perfdata.h"

namespace perfdata::c {

// first_size<Filled> is what a struct had in version 1 of the API, up to the member that was then its last: programs
// that were compiled with that are filled, too. None of these ever changes.
template <class Filled>
inline constexpr std::size_t first_size = 0;

#define PERFDATA_FIRST_SIZE(type, last) \
    template <>                         \
    inline constexpr std::size_t first_size<type> = offsetof(type, last) + sizeof(type::last)
PERFDATA_FIRST_SIZE(perfdata_error, text);
PERFDATA_FIRST_SIZE(perfdata_limits, diagnostics);
PERFDATA_FIRST_SIZE(perfdata_recording_info, cpu);
PERFDATA_FIRST_SIZE(perfdata_event, sample_type);
PERFDATA_FIRST_SIZE(perfdata_code_info, thread_count);
PERFDATA_FIRST_SIZE(perfdata_place, program);
PERFDATA_FIRST_SIZE(perfdata_life, subprogram);
PERFDATA_FIRST_SIZE(perfdata_sample, chain);
PERFDATA_FIRST_SIZE(perfdata_samples_state, problem_count);
PERFDATA_FIRST_SIZE(perfdata_report_info, hidden_rows);
PERFDATA_FIRST_SIZE(perfdata_row, total);
PERFDATA_FIRST_SIZE(perfdata_heat_info, problem_count);
PERFDATA_FIRST_SIZE(perfdata_heat_file, inclusive);
PERFDATA_FIRST_SIZE(perfdata_heat_line, inclusive);
PERFDATA_FIRST_SIZE(perfdata_heat_function, inclusive);
PERFDATA_FIRST_SIZE(perfdata_annotation_info, whole);
PERFDATA_FIRST_SIZE(perfdata_function, counts);
PERFDATA_FIRST_SIZE(perfdata_instruction, counts);
PERFDATA_FIRST_SIZE(perfdata_line, counts);
PERFDATA_FIRST_SIZE(perfdata_symbol_cache_info, files);
#undef PERFDATA_FIRST_SIZE

}  // namespace perfdata::c
