// SPDX-License-Identifier: MIT
// Fuzz target: perfdata annotate, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "annotate",
        {
            {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
            {"--offline --jobs=1"},
            {"--strict", "", "--quiet", "--strict --quiet"},
            {"", "--json", "--format=html", "--format=html --title=<b>"},
            {"", "--versions", "--symbol={symbol}", "--kind=bpf", "--kind=kernel,user", "--kind=jit,out_of_line",
             "--dso=[kernel.kallsyms]"},
            {"", "--calls", "--no-calls"},
            {"", "--bpf-registers", "--asm-raw", "--bpf-registers --asm-raw"},
            {"", "--disassembler-style=intel"},
            {"", "--percent-type=local-period", "--percent-type=global-period", "--percent-type=local-hits"},
            {"", "--show-total-period"},
            {"", "--at={time}"},
            {"", "--no-pager"},
            {"", "--percent-limit=1", "--percent-limit=50 --percentage=relative", "--percentage=relative"},
            {"", "--histogram=common_pid", "--histogram=id,args[1],next_pid", "--ratio=cycles/instructions",
             "--ratio=cpu-clock/page-faults --ratio=page-faults/cpu-clock"},
            {"", "--filter=common_pid>0||CPU==0", "--filter=!(id&1)&&COMM~\"w*\"",
             "--filter=args[1]==0x10||prev_comm!=work"},
        });
    command.run({data, size});
    return 0;
}
