// SPDX-License-Identifier: MIT
// Writes a profile to the place that -o names, and says what is in it.
#pragma once

#include "recording/stored/model.hpp"
#include "tool/session.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// write_profile_output(common, session, model) writes the file, then with --json a summary to standard output. It
// returns an exit code; what failed has been told. The model must be canonical.
int write_profile_output(const Common& common, Session& session, const stored::Model& model);

}  // namespace perfdata::tool
