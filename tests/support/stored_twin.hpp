// SPDX-License-Identifier: MIT
// A profile of a recording, made in the simplest way: its counts without names.
#pragma once

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "recording/stored/model.hpp"
#include "support/writer.hpp"

namespace perfdata::test {

// stored_twin(recording, timeline, inlined) returns the model of a profile. Its frames are in no function; what is
// inlined at them is what `inlined` says, if it is not null.
stored::Model stored_twin(const Recording& recording, const Timeline& timeline, const FunctionIndex* inlined = nullptr,
                          std::uint32_t max_stack = 1024);

// profile_bytes(model) returns its file, not packed.
Blob profile_bytes(const stored::Model& model);

}  // namespace perfdata::test
