// SPDX-License-Identifier: MIT
#include "line_options.hpp"

namespace perfdata::tool {

void LineChoice::add_to(CLI::App& command) {
    constexpr auto group = "Where source text comes from";
    command
        .add_option("--source-dir", source_dirs,
                    "Look for source files below this directory: by the path that the debug information has, then "
                    "without its first parts. May be given several times")
        ->type_name("DIR")
        ->check(no_directory, "")
        ->allow_extra_args(false)
        ->group(group);
}

}  // namespace perfdata::tool
