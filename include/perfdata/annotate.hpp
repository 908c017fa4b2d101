// SPDX-License-Identifier: MIT
// The room annotate: listings, reports and pages. Link perfdata::annotate.
#pragma once

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/annotate/elf/elf_writer.hpp"
#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/format/field_histogram.hpp"
#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/heat/source_heat.hpp"
#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/listing/function_search.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/annotate/page/lines_page.hpp"
#include "perfdata/annotate/page/page.hpp"
#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/page/stat_page.hpp"
#include "perfdata/annotate/report/report.hpp"
#include "perfdata/annotate/report/report_options.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/annotate/stat/stat.hpp"
