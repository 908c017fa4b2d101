// SPDX-License-Identifier: MIT
// Fuzz target: perfdata symbols, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "symbols", {
                       {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                       {"--offline"},
                       {"--strict", "", "--quiet", "--strict --quiet"},
                       {"", "--json"},
                       {"--at={time}", "--at={time} --address={address}", "--history={address}", "--at=0",
                        "--history=ffffffffffffffff"},
                       {"", "--pid={pid}", "--pid=-1"},
                       {"", "--time=,{time}", "--time={time},", "--pid={pid},1"},
                       {"", "--symbols={symbol}", "--dso=[kernel.kallsyms]", "--kind=kernel,bpf", "--kind=user"},
                   });
    command.run({data, size});
    return 0;
}
