// SPDX-License-Identifier: MIT
#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#include "tool.hpp"

int main(int argc, char** argv) {
    using namespace perfdata::tool;
    std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away ends the writing quietly
    CLI::App app{
        "perfdata reads perf.data recordings and shows, instruction by instruction and line by line,\n"
        "where the samples fell, in code that may be gone: BPF programs of the recorded machine.\n"
        "\n"
        "  perf record -a -- sleep 5      record everything, BPF programs included\n"
        "  perfdata report                where the samples fell, function by function\n"
        "  perfdata annotate              every BPF function with samples, hottest first\n"
        "  perfdata annotate -s NAME      one of them\n"
        "  perfdata bpf                   the BPF programs, where and when they were loaded\n"
        "  perfdata info                  what the recording is and what it holds\n"
        "  perfdata script                every sample in order of time, as perf script prints it\n"
        "  perfdata symbols --at TIME     what lay where at a time\n"
        "  perfdata extract -s NAME       code as an ELF file for objdump, gdb, llvm-mca\n"
        "  perfdata dump                  every record with every field",
        "perfdata"};
    app.set_version_flag("--version", PERFDATA_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    app.footer(
        "FILE defaults to perf.data; - is standard input; files packed with gzip, xz or zstd are unpacked.\n"
        "Exit status: 0 fine, 1 failed, 2 wrong usage, 3 (only with --strict) read, but not all of it.");

    int exit = fine;
    add_annotate(app, exit);
    add_bpf(app, exit);
    add_info(app, exit);
    add_script(app, exit);
    add_symbols(app, exit);
    add_dump(app, exit);
    add_extract(app, exit);
    add_report(app, exit);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        const auto status = app.exit(problem);
        return status == 0 ? fine : usage;
    } catch (const std::bad_alloc&) {
        complain_of_memory();
        return failed;
    } catch (const std::exception& problem) {
        complain(problem.what());
        return failed;
    }
    return exit;
}
