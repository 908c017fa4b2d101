// SPDX-License-Identifier: MIT
// Fuzz target: perfdata diff, with the options that the input chooses (see tool_command.hpp), of a recording and of the
// one that may follow it (see beside.hpp), else of the same once more.
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "diff", {
                    {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                    {"--offline --jobs=1"},
                    {"--strict", "", "--quiet", "--strict --quiet"},
                    {"", "--json"},
                    {"", "--compute=delta", "--compute=ratio", "--compute=wdiff:1,2", "--compute=wdiff:-1.5,0"},
                    {"", "--normalize=samples", "--normalize=time", "--normalize=none", "--normalize=cycles",
                     "--normalize=cpu-clock"},
                    {"", "--fail-if=delta>5%", "--fail-if=symbol=*{symbol}* --fail-if=noise=no",
                     "--fail-if=change!=both", "--fail-if=ratio>=1"},
                    {"", "--percent-limit=5", "--percentage=relative"},
                    {"", "--time=,{time}", "--time={time},", "--time=0.000001,1"},
                    {"", "--kind=bpf", "--kind=kernel,module", "--kind=user,jit,unknown", "--pid={pid}",
                     "--comm=perf,sh", "--cpu=0,2-3", "--symbols={symbol}", "--dso=[kernel.kallsyms]"},
                });
    command.run({data, size});
    return 0;
}
