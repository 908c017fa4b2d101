// SPDX-License-Identifier: MIT
// Fuzz target: profile files as the commands take them that show and merge profiles, with the options that the input
// chooses (see tool_command.hpp). The last choice is the command. `profile_seeds` makes the seeds.
#include <array>

#include "choices.hpp"
#include "tool_command.hpp"

namespace {

using perfdata::fuzz::ToolCommand;

const perfdata::fuzz::Words memory = {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"};
const perfdata::fuzz::Words names = {"--offline --jobs=1"};  // has no effect on profiles
const perfdata::fuzz::Words strictness = {"--strict", "", "--quiet", "--strict --quiet"};
const perfdata::fuzz::Words filters = {
    "",         "--kind=bpf",        "--kind=kernel,module", "--kind=user,jit,unknown",
    "--pid=1",  "--comm=perf,sh",    "--cpu=0,2-3",          "--dso=[kernel.kallsyms]",
    "--tid=-1", "--symbols={symbol}"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static std::array<ToolCommand, 5> commands = {
        ToolCommand("report", {memory,
                               names,
                               strictness,
                               {"", "--json"},
                               {"", "--sort=comm,pid,tid,symbol", "--sort=cpu,cgroup,kind", "--sort=symbol,srcline",
                                "--sort=program,symbol", "--sort=dso,parent --parent=main"},
                               {"", "--call-graph=caller", "--call-graph=callee,srcline", "--call-graph=none",
                                "--call-graph=folded"},
                               {"", "--no-children"},
                               {"", "--max-stack=1", "--max-stack=3"},
                               {"", "--no-inline", "--group"},
                               filters}),
        ToolCommand("annotate", {memory,
                                 names,
                                 strictness,
                                 {"", "--json", "--format=html", "--format=lines", "--versions", "--json --versions"},
                                 {"", "--calls"},
                                 {"", "--asm-raw", "--no-demangle"},
                                 filters}),
        ToolCommand("export", {memory,
                               names,
                               strictness,
                               {"", "--format=pprof", "--format=callgrind", "--format=csv --table=frames",
                                "--format=csv --table=functions", "--format=bolt", "--format=speedscope"},
                               {"", "--periods", "--plain", "--no-lines", "--no-inline"},
                               {"", "--max-stack=1", "--max-stack=8"},
                               filters}),
        ToolCommand("merge", {memory,
                              strictness,
                              {"--allow-duplicates", ""},
                              {"", "--keep=comm,symbol", "--keep=comm,pid,tid,cpu,cgroup", "--keep=object,chains",
                               "--keep=symbol,line,code"}}),
        ToolCommand("info", {memory, strictness, {"", "--json"}, {"", "--verbose"}, {"", "--completeness"}}),
    };
    const std::span<const std::uint8_t> input(data, size);
    const auto last = perfdata::fuzz::choice_mark.size() + 1;
    const auto chosen = perfdata::fuzz::has_choices(input) ? input[size - last] : size;
    commands[chosen % commands.size()].run(input);
    return 0;
}
