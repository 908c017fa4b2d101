// SPDX-License-Identifier: MIT
// Links on the way to an output.
#pragma once

#include <string>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// check_output_way(name) follows the way to an output or a directory of outputs, its last part included, and refuses
// links that another user put where everybody may put one, such as in /tmp. The kernel refuses them as well, unless
// fs.protected_symlinks is 0. What is not there yet is taken for a directory that will be made. A link that is put
// there afterwards is not seen. Errors: io.
Result<void> check_output_way(const std::string& name);

}  // namespace perfdata::tool
