// SPDX-License-Identifier: MIT
// Fuzz target: perfdata extract, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "extract", {
                       {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                       {"--offline --jobs=1"},
                       {"--strict", "", "--quiet", "--strict --quiet"},
                       {"", "--format=raw"},
                       {"--program={program}", "--symbol={symbol}", "--symbol={symbol} --program={program}",
                        "--symbol={program}/0", "--symbol=function", "--symbol=jit_gen0"},
                       {"", "--at={time}"},
                       {"", "--time=,{time}", "--time={time},", "--pid={pid}"},
                       {"", "--symbols={symbol}", "--dso=[bpf:{program}]", "--kind=bpf,jit"},
                   });
    command.run({data, size});
    return 0;
}
