// SPDX-License-Identifier: MIT
// perfdata extract --sources: writes source files from the source text in a recording.
#pragma once

#include <string>

#include "elf/source_tree.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// write_sources(tree, directory, common) writes the files below the directory. Their names come from the recording: an
// existing entry that is not a regular file is an error and stays, and other names of a hard-linked file keep the old
// content. Errors: io. refuse_taken() refuses a file that is an input or another output.
Result<void> write_sources(const SourceTree& tree, const std::string& directory, const Common& common);

}  // namespace perfdata::tool
