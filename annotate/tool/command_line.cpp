// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/build_info.hpp"

#include "tool.hpp"
#include "usage.hpp"

namespace perfdata::tool {
namespace {

// All commands but help, in the order of the help.
struct AddedCommand {
    std::string_view name;
    void (*add)(CLI::App& app, int& exit);
};
constexpr AddedCommand added_commands[] = {
    {"annotate", add_annotate}, {"bpf", add_bpf},         {"info", add_info},   {"script", add_script},
    {"stat", add_stat},         {"symbols", add_symbols}, {"dump", add_dump},   {"extract", add_extract},
    {"export", add_export},     {"profile", add_profile}, {"merge", add_merge}, {"collect", add_collect},
    {"report", add_report},     {"batch", add_batch},     {"diff", add_diff},
};

constexpr auto description =
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
    "  perfdata stat                  what perf stat record counted, as perf stat report prints it\n"
    "  perfdata symbols --at TIME     what lay where at a time\n"
    "  perfdata extract -s NAME       BPF or JIT code as an ELF file for objdump, gdb, llvm-mca\n"
    "  perfdata export --format F     a profile for another tool: pprof, speedscope, Firefox's profiler...\n"
    "  perfdata profile -o FILE       samples, names and code as a small file that all of this reads\n"
    "  perfdata merge FILE... -o FILE the sum of such files\n"
    "  perfdata collect -o FILE       one file with all that is needed to show it on another machine\n"
    "  perfdata diff OLD NEW          which functions take more or less of the time than before\n"
    "  perfdata dump                  every record with every field\n"
    "  perfdata batch --do C LIST     what command C says of each recording of a list, in one process";
constexpr auto footer =
    "FILE defaults to perf.data; - is standard input; files packed with gzip, xz or zstd are unpacked.\n"
    "Exit status: 0 fine, 1 failed, 2 wrong usage, 3 (only with --strict) read, but not all of it,\n"
    "4 a condition of diff --fail-if holds.";

}  // namespace

std::string version_text() {
    const auto info = build_info();
    const auto has = [](bool has_it) { return has_it ? "yes" : "no"; };
    return std::string(info.version) + "\nbuilt by " + std::string(info.compiler) +
           "\nlines of ELF files (libdw): " + has(info.dwarf) +
           "\narchives of perf archive (libarchive): " + has(info.archives);
}

std::vector<std::string> reversed_words(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    bool options = true;
    for (const auto& word : words) {
        options = options && word != "--";
        const bool lacks_value = options && word.starts_with("--") && word.find('=') == word.size() - 1;
        all.push_back(lacks_value ? word.substr(0, word.size() - 1) : word);
        if (lacks_value) all.emplace_back();
    }
    std::ranges::reverse(all);
    return all;
}

std::unique_ptr<CLI::App> make_command_line(int& exit, std::span<const std::string> words) {
    const bool known =
        !words.empty() && std::ranges::find(words, "help") == words.end() &&
        std::ranges::find(added_commands, words.front(), &AddedCommand::name) != std::end(added_commands);
    auto whole = std::make_unique<CLI::App>(known ? "" : description, "perfdata");
    auto& app = *whole;
    app.set_help_flag("-h,--help", "Show this text");
    app.set_version_flag("--version", version_text, "Say the version, and how it was built");
    app.require_subcommand(1);
    app.footer(footer);
    for (const auto& command : added_commands) {
        if (!known || command.name == words.front()) command.add(app, exit);
    }
    if (known) {
        format_help(app);
    } else {
        add_help(app, exit);
    }
    return whole;
}

}  // namespace perfdata::tool
