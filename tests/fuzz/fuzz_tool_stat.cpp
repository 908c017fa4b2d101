// SPDX-License-Identifier: MIT
// Fuzz target: perfdata stat, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "stat", {
                    {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                    {"--strict", "", "--quiet", "--strict --quiet"},
                    {"", "--json", "--field-separator=,", "--field-separator=;"},
                    {"", "--no-aggr", "--per-socket", "--per-die", "--per-core", "--per-node", "--per-thread",
                     "--per-cache", "--per-cache=L1"},
                });
    command.run({data, size});
    return 0;
}
