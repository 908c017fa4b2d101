// SPDX-License-Identifier: MIT
// Everything up to counted samples and named code, in the order in which data flows. Listings and pages are in
// perfdata/annotate/.
#pragma once

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/btf.hpp"
#include "perfdata/symbols/kallsyms.hpp"
#include "perfdata/symbols/perf_map.hpp"
#include "perfdata/symbols/symbols.hpp"
#include "perfdata/timeline/code.hpp"
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_code.hpp"
#include "perfdata/timeline/jit_dump.hpp"
#include "perfdata/timeline/jit_files.hpp"
#include "perfdata/timeline/timeline.hpp"
#include "perfdata/timeline/versioned_map.hpp"
