// SPDX-License-Identifier: MIT
// Fuzz target: perfdata export, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "export", {
                      {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                      {"--offline --jobs=1"},
                      {"--strict", "", "--quiet", "--strict --quiet"},
                      {"", "--format=pprof", "--format=speedscope", "--format=firefox", "--format=callgrind",
                       "--format=csv --table=samples", "--format=csv --table=stacks", "--format=csv --table=frames",
                       "--format=csv --table=functions", "--format=csv --table=objects", "--format=csv --table=loads",
                       "--format=autofdo", "--format=bolt"},
                      {"", "--periods", "--plain", "--no-lines", "--no-inline", "--no-demangle"},
                      {"", "--max-stack=1", "--max-stack=8", "--max-stack=65535"},
                      {"", "--time=,{time}", "--time={time},", "--time=0.000001,1"},
                      {"", "--kind=bpf", "--kind=kernel,module", "--kind=user,jit,unknown", "--pid={pid}",
                       "--comm=perf,sh", "--cpu=0,2-3", "--symbols={symbol}", "--dso=[kernel.kallsyms]"},
                  });
    command.run({data, size});
    return 0;
}
