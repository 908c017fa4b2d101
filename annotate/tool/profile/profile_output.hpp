// SPDX-License-Identifier: MIT
// Writes a profile to the place that -o names, and says what is in it.
#pragma once

#include <cstdint>

#include "recording/stored/model.hpp"
#include "tool/session.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// write_profile_output(common, session, model, permissions, threads) writes the file, then with --json a summary to
// standard output. It returns an exit code; what failed has been told. The model must be canonical. `permissions`: of a
// new file, before the umask.
int write_profile_output(const Common& common, Session& session, const stored::Model& model, std::uint32_t permissions,
                         unsigned threads = 1);

}  // namespace perfdata::tool
