// SPDX-License-Identifier: MIT
// The way from a file to named and counted code: Recording, Timeline, Symbolizer, Profile and SampleCounts. It has no
// more of the rooms than that takes, so that it compiles fast. Each room has a header with all of it: walk(), which
// visits single records and samples, is in perfdata/recording.hpp, what Symbolizer and Timeline return of other classes
// is in perfdata/symbols.hpp and perfdata/timeline.hpp. Listings and pages are in perfdata/annotate.hpp: they are
// another library, perfdata::annotate.
#pragma once

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/architecture.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/timeline.hpp"
