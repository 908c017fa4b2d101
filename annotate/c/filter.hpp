// SPDX-License-Identifier: MIT
// Filters of the C API.
#pragma once

#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"

#include "call.hpp"

namespace perfdata::c {

// Throws Failure: invalid argument.
SampleFilter filter_of(const perfdata_filter* given, const Recording& recording);

}  // namespace perfdata::c
