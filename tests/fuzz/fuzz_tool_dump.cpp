// SPDX-License-Identifier: MIT
// Fuzz target: perfdata dump, with the options that the input chooses (see tool_command.hpp).
#include "tool_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfdata::fuzz::ToolCommand command(
        "dump", {
                    {"--max-memory=64M", "--max-memory=16M", "--max-memory=256M"},
                    {"--strict", "", "--quiet", "--strict --quiet"},
                    {"", "--json"},
                    {"", "--order=time"},
                    {"", "--type=SAMPLE", "--type=KSYMBOL --type=BPF_EVENT", "--type=MMAP --type=MMAP2 --type=COMM",
                     "--type=80", "--type=TEXT_POKE"},
                    {"", "--time=0.000001,", "--time=,{time}", "--time={time},{time}"},
                });
    command.run({data, size});
    return 0;
}
