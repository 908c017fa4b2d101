// SPDX-License-Identifier: MIT
// Fuzz target: perfdata script, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "script",
        {
            {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
            {"--offline"},
            {"--strict", "", "--quiet", "--strict --quiet"},
            {"", "--json", "--header"},
            {"", "--fields=comm,tid,time,ip,sym,symoff,dso", "--fields=+addr,+period,+phys_addr", "--fields=+brstack",
             "--fields=iregs,uregs", "--fields=+data_src,+weight,+misc", "--fields=trace:comm,trace --fields=hw:ip",
             "--fields=+bpf-output", "--fields=+data_page_size,+code_page_size,-period"},
            {"", "--hide-call-graph"},
            {"", "--max-stack=0", "--max-stack=3"},
            {"", "--ns"},
            {"", "--time=,{time}", "--time={time},", "--time=0.000001,1"},
            {"", "--pid={pid}", "--tid={pid}", "--comm=perf,sh", "--cpu=0,2-3", "--symbols={symbol}",
             "--dsos=[kernel.kallsyms]", "--filter=common_pid>0||CPU==0", "--filter=!(id&1)&&COMM~\"w*\"",
             "--filter=args[1]==0x10||prev_comm!=work"},
            {"", "--bpf-output-type=start", "--bpf-output-type=pair --bpf-output-type=tick", "--bpf-output-bytes"},
        });
    command.run({data, size});
    return 0;
}
