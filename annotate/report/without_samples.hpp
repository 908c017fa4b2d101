// SPDX-License-Identifier: MIT
// What a recording without samples is, for who asks for samples.
#pragma once

#include <string>

#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// without_samples(recording, completeness) says what there is instead and which command shows it, by features and the
// types of records. Empty if the recording has samples. `completeness` is of a pass over all records.
std::string without_samples(const Recording& recording, const Completeness& completeness);

// explain_no_events(recording) is the error of commands that show samples where no event can be read. It reads the
// records.
Error explain_no_events(const Recording& recording, const std::string& file);

}  // namespace perfdata
