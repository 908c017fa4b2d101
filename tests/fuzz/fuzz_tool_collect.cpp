// SPDX-License-Identifier: MIT
// Fuzz target: perfdata collect --check, with the options that the input chooses (see tool_command.hpp). It does all
// but pack, and writes no files.
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command("collect", {
                                                              {"--max-memory=64M", "--max-memory=16M"},
                                                              {"--check --offline --jobs=1"},
                                                              {"--strict", "", "--quiet", "--strict --quiet"},
                                                              {"", "--json"},
                                                              {"", "--with-debug=none", "--with-debug=full"},
                                                              {"", "--with-sources"},
                                                              {"", "--with-vmlinux"},
                                                          });
    command.run({data, size});
    return 0;
}
