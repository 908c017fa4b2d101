// SPDX-License-Identifier: MIT
// Fuzz target: perfdata report, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "report",
        {
            {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
            {"--offline --jobs=1"},
            {"--strict", "", "--quiet", "--strict --quiet"},
            {"", "--json", "--header"},
            {"", "--sort=symbol", "--sort=comm,program,symbol,srcline", "--sort=pid,tid,cpu,cgroup", "--sort=kind,dso",
             "--sort=srcline", "--sort=program,symbol", "--fields=overhead,sample,dso",
             "--fields=overhead_children,period,symbol --sort=comm", "--sort=trace", "--sort=comm,trace:common_pid",
             "--sort=sched:sched_switch.prev_comm,trace:id", "--sort=trace_fields"},
            {"", "--width=40", "--width=100", "--no-demangle", "--group", "--group --group-sort-idx=1", "--no-group"},
            {"", "--call-graph", "--call-graph=caller", "--call-graph=callee,0", "--call-graph=none",
             "--call-graph=caller,graph,5", "--inverted", "--call-graph=fractal,0", "--call-graph=flat,0,9",
             "--call-graph=folded,0,callee,address,count", "--call-graph=srcline,period", "--no-call-graph"},
            {"", "--children", "--no-children"},
            {"", "--show-nr-samples", "--show-total-period", "--show-nr-samples --show-total-period",
             "--ratio=cycles/instructions", "--ratio=cpu-clock/page-faults --ratio=page-faults/cpu-clock"},
            {"", "--percent-limit=1", "--percent-limit=50 --percentage=relative", "--percentage=relative"},
            {"", "--max-stack=1", "--max-stack=8", "--max-stack=1024", "--histogram=common_pid",
             "--histogram=id,args[1],next_pid"},
            {"", "--time=,{time}", "--time={time},", "--time=0.000001,1"},
            {"", "--kind=bpf", "--kind=kernel,module", "--kind=user,jit,unknown", "--kind=out_of_line"},
            {"", "--pid={pid}", "--tid={pid}", "--comm=perf,sh", "--cpu=0,2-3", "--symbols={symbol}",
             "--dso=[kernel.kallsyms]", "--filter=common_pid>0||CPU==0", "--filter=!(id&1)&&COMM~\"w*\"",
             "--filter=args[1]==0x10||prev_comm!=work"},
            {"", "--parent={symbol}", "--parent=a|b --exclude-other", "--sort=parent,sym", "--ignore-callees=^m",
             "--ignore-callees=. --parent=."},
        });
    command.run({data, size});
    return 0;
}
