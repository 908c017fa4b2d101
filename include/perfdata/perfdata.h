/* SPDX-License-Identifier: MIT */
/* The C API of perfdata: decodes perf.data recordings and annotates code with samples. Link libperfdata-c
 * (perfdata::c, or perfdata-c.pc). C99 or newer, and C++. docs/c.md has an example; what holds for all functions is
 * said in perfdata/c/base.h. */
#ifndef PERFDATA_PERFDATA_H
#define PERFDATA_PERFDATA_H

#include "perfdata/c/base.h"

#include "perfdata/c/annotation.h"
#include "perfdata/c/code.h"
#include "perfdata/c/heat.h"
#include "perfdata/c/recording.h"
#include "perfdata/c/report.h"
#include "perfdata/c/samples.h"

#endif
