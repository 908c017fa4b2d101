// SPDX-License-Identifier: MIT
#include "annotate_options.hpp"

#include "tool/options/time_choice.hpp"

namespace perfdata::tool {

void add_annotate_options(CLI::App& command, AnnotateOptions& options) {
    options.common.add_to(command, {Format::text, Format::json, Format::html, Format::lines});
    auto& functions = options.functions;
    const auto several = [&](const char* names, std::vector<std::string>& values, const char* help) {
        return command.add_option(names, values, help)->allow_extra_args(false);
    };
    several("-s,--symbol", functions.symbols,
            "Only this function: as source or debug information calls it, a kernel symbol "
            "(bpf_prog_<tag>_<name>), or PROGRAM/SUBPROGRAM of a BPF program by names or numbers. "
            "May be given several times")
        ->type_name("NAME");
    options.samples.add_to(command);
    command
        .add_option("--at", options.at,
                    "Only code that was there at this time, in seconds, such as 12.5: of a function that changed, its "
                    "version then")
        ->check(checked(parse_time), "")
        ->type_name("SECONDS");
    command.add_flag("--versions", functions.versions,
                     "List the functions whose code changed, with all versions and when each was there");
    options.common.add_format_to(
        command,
        "text (the default), json, html: one file with flame graph and listings, or lines: JSON for "
        "editors, by source line. Counts more than the ending of a name");
    options.common.add_stdio_to(command);
    command.add_option("--title", options.title, "Title of the HTML page (default: the name of the recording)")
        ->type_name("WORDS");
    command
        .add_option("-M,--disassembler-style", options.style, "Syntax of x86 instructions: att (the default) or intel")
        ->check(one_of({"att", "intel"}));
    command
        .add_option("--percent-type", options.percent_type,
                    "global-hits, global-period: of all samples; local-hits, local-period: of the function's "
                    "(default global-hits, of HTML local-hits)")
        ->check(one_of({"global-hits", "global-period", "local-hits", "local-period"}));
    options.percent.add_to(
        command, "Leave out functions with less percent of the periods than this, such as 0.5 (default 0: none)");
    options.ratios.add_to(command);
    options.histograms.add_to(command, "before the functions, and in the page");
    command.add_flag("--asm-raw", options.raw_bytes, "Show the bytes of each instruction");
    command.add_flag("--show-total-period", options.show_periods, "A column of periods beside the hits");
    command.add_flag("--bpf-registers", options.bpf_registers,
                     "Say beside each instruction of BPF code which registers of BPF its registers stand for");
    auto* calls = command.add_flag("--calls", options.calls,
                                   "Say who calls whom, as call chains and branch stacks tell (HTML does)");
    command.add_flag("--no-calls", options.no_calls, "Leave that out of HTML, and callers out of lines")
        ->excludes(calls);
    add_inline(command, options.inlines);
    const auto most = CallOptions().max_stack;
    add_whole(command, "--max-stack", options.max_stack,
              "Only so many frames of a call chain, innermost first; inlined functions do not count (default 1024)",
              {1, most, "a number from 1 to 1024 (default 1024)"});
    // Shown anyway.
    command.add_flag_callback(
        "-l,--print-line", [] {}, "Say the lines of source text: they are always shown");
    command.add_flag_callback(
        "-n,--show-nr-samples", [] {}, "Show numbers of samples: they are always shown");
    options.screen.add_to(command);
    options.lines.add_to(command);
    options.names.add_to(command);
    options.names.add_code_to(command);
}

}  // namespace perfdata::tool
