// SPDX-License-Identifier: MIT
// Fuzz target: perfdata bpf, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command("bpf", {
                                                          {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                                                          {"--strict", "", "--quiet", "--strict --quiet"},
                                                          {"", "--json"},
                                                          {"", "--time=,{time}", "--time={time},"},
                                                          {"", "--symbols={symbol}", "--dso=[bpf:1]", "--kind=bpf"},
                                                          {"", "--timeline", "--code=jited", "--code=jited --linum"},
                                                      });
    command.run({data, size});
    return 0;
}
