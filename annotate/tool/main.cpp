// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/build_info.hpp"

#include "core/platform.hpp"
#include "tool.hpp"
#include "tool/output/temporary_file.hpp"
#include "usage.hpp"

namespace perfdata::tool {
namespace {

// Prints the usual message if memory runs out before main() or where nothing may throw.
[[noreturn]] void terminate() {
    if (const auto problem = std::current_exception()) {
        try {
            std::rethrow_exception(problem);
        } catch (const std::bad_alloc&) {
            complain_of_memory();
            std::_Exit(failed);
        } catch (...) {  // a bug: abort
        }
    }
    std::abort();
}
[[gnu::constructor(101)]] void catch_all() {
    std::set_terminate(terminate);
}

// Returns the arguments in CLI11's order, last first. "--comm=" becomes two words: CLI11 would take the next argument
// as its value.
std::vector<std::string> words(int argc, char** argv) {
    std::vector<std::string> all;
    bool options = true;
    for (const std::string word : std::span(argv, static_cast<std::size_t>(argc)).subspan(argc == 0 ? 0 : 1)) {
        options = options && word != "--";
        const bool lacks_value = options && word.starts_with("--") && word.find('=') == word.size() - 1;
        all.push_back(lacks_value ? word.substr(0, word.size() - 1) : word);
        if (lacks_value) all.emplace_back();
    }
    std::ranges::reverse(all);
    return all;
}

// Returns the version on a line of its own, then how the tool was built.
std::string version_text() {
    const auto info = build_info();
    const auto has = [](bool has_it) { return has_it ? "yes" : "no"; };
    return std::string(info.version) + "\nbuilt by " + std::string(info.compiler) +
           "\nlines of ELF files (libdw): " + has(info.dwarf) +
           "\narchives of perf archive (libarchive): " + has(info.archives);
}

int run(int argc, char** argv) {
    platform::open_closed_streams();
    platform::raise_open_files();
    platform::fail_writes_quietly();
    remove_temporaries_on_signals();
    Disassembler::throw_without_memory();
    CLI::App app{
        "perfdata reads perf.data recordings and shows where the samples fell, function by function,\n"
        "instruction by instruction and line by line: in programs, libraries and the kernel, and in code that\n"
        "exists only for a while, such as BPF programs, JIT code and patched kernel text.\n"
        "\n"
        "  perf record -a -g -- sleep 5   record everything, with callers\n"
        "  perfdata report                where the samples fell, function by function\n"
        "  perfdata annotate              every function with samples, hottest first\n"
        "  perfdata annotate -s NAME      one of them\n"
        "  perfdata annotate -o a.html    all of it as a page, with source text and a flame graph\n"
        "  perfdata bpf                   the BPF programs, where and when they were loaded\n"
        "  perfdata info                  what the recording is and what it holds\n"
        "  perfdata script                every sample in order of time, as perf script prints it\n"
        "  perfdata symbols --at TIME     what lay where at a time\n"
        "  perfdata extract -s NAME       BPF or JIT code as an ELF file for objdump, gdb, llvm-mca\n"
        "  perfdata dump                  every record with every field",
        "perfdata"};
    app.set_version_flag("--version", version_text);
    app.require_subcommand(1);
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
    add_help(app, exit);
    try {
        app.parse(words(argc, argv));
    } catch (const CLI::ParseError& problem) {
        return answer(app, problem);
    }
    return exit;
}

}  // namespace
}  // namespace perfdata::tool

int main(int argc, char** argv) {
    using namespace perfdata::tool;
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        complain_of_memory();
    } catch (const std::length_error&) {  // a length beyond any memory
        complain_of_memory();
    } catch (const std::exception& problem) {
        complain(problem.what());
    }
    return failed;
}
