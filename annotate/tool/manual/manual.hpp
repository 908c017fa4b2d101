// SPDX-License-Identifier: MIT
// Writes what comes with the tool: manual pages, and completions for shells. Each returns the text of one file.
#pragma once

#include <span>
#include <string>

#include "command_model.hpp"

namespace perfdata::tool {

// man_page(command, all) returns the page perfdata-COMMAND(1), or perfdata(1) of the tool itself.
std::string man_page(const ManualCommand& command, std::span<const ManualCommand> all);

// `commands` begins with the tool itself.
std::string bash_completion(std::span<const ManualCommand> commands);
std::string zsh_completion(std::span<const ManualCommand> commands);
std::string fish_completion(std::span<const ManualCommand> commands);

// shell_quoted(text) returns the text in single quotes, for bash and zsh.
std::string shell_quoted(std::string_view text);

}  // namespace perfdata::tool
