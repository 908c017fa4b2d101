// SPDX-License-Identifier: MIT
// perfdata extract --sources: source files made of what a recording has of them.
#pragma once

#include <string>

#include "elf/source_tree.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// write_sources(tree, directory, common) writes the files below the directory. Their names are the recording's: what is
// there already and no regular file is left alone, and so are the other names of a file that has several. Errors: io.
// One that is an input or another output is refused with refuse_taken().
Result<void> write_sources(const SourceTree& tree, const std::string& directory, const Common& common);

}  // namespace perfdata::tool
