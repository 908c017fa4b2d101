// SPDX-License-Identifier: MIT
// Fuzz target: everything that the tool writes from a whole file. JSON must parse, text must not command a terminal,
// HTML must have no foreign markup, and a written ELF file must read back with the same content.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/elf/elf_writer.hpp"
#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/profile/call_edges.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "export/autofdo.hpp"
#include "export/bolt.hpp"
#include "export/branch_counts.hpp"
#include "export/callgrind.hpp"
#include "export/csv_tables.hpp"
#include "export/exported.hpp"
#include "export/firefox.hpp"
#include "export/folded.hpp"
#include "export/pprof.hpp"
#include "export/speedscope.hpp"
#include "outputs.hpp"
#include "promise.hpp"
#include "script/script.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::size_t listed_functions = 8;

// Written is the output of an exporter.
struct Written {
    std::string text;
    Sink sink = [this](std::string_view block) { text += block; };
};

void write_pages(const PageContext& page, std::span<const Listing> listings, const Flame& flame) {
    const std::vector<Unattributed> unattributed = {{"not shown", page.profile.totals()}};
    Written json, html, text;
    write_json_page(page, listings, unattributed, json.sink);
    fuzz::check_json(json.text);
    HtmlOptions options;
    options.raw_bytes = true;
    options.whole_listing = 20;
    options.notes = {"a note"};
    write_html_page(page, listings, unattributed, flame, options, html.sink);
    fuzz::check_html(html.text);
    for (const auto percent_of : {PercentOf::all_hits, PercentOf::function_periods}) {
        const TextOptions of_text{
            .raw_bytes = true, .percent_of = percent_of, .bpf_registers = true, .show_periods = true};
        write_text_summary(page, listings, unattributed, of_text, text.sink);
        for (const auto& listing : listings) write_text_listing(page, listing, of_text, text.sink);
        write_text_versions(page, listings, of_text, text.sink);
    }
    fuzz::check_text(text.text);
}

void write_reports(const Recording& recording, const Timeline& timeline, const Symbolizer& symbolizer) {
    ReportOptions all;
    all.keys.clear();
    for (const auto& words : report_keys()) all.keys.push_back(words.key);
    ReportOptions trees;
    trees.children = true;
    trees.tree = ReportTree::caller;
    for (const auto& options : {all, trees}) {
        auto counting = count_options(options, symbolizer);
        counting.max_stack = 127;
        const auto counts = SampleCounts::count(recording, timeline, counting);
        require(counts.has_value());
        const auto report = Report::make(recording, *counts, symbolizer, options);
        Written json, sparse, text;
        write_report_json(report, json.sink);
        fuzz::check_json(json.text);
        write_report_json(report, sparse.sink, {.sparse = true});
        fuzz::check_json(sparse.text);
        write_report_text(report, {.color = false, .hits = true, .periods = true}, text.sink);
        fuzz::check_text(text.text);
    }
}

// every_field(recording) chooses all fields that its events have.
FieldChoice every_field(const Recording& recording) {
    std::string fitting;
    for (const auto* name :
         {"comm",     "tid",    "pid",        "time",      "cpu",    "event",          "trace",         "ip",
          "sym",      "symoff", "dso",        "addr",      "period", "iregs",          "uregs",         "brstack",
          "data_src", "weight", "bpf-output", "phys_addr", "misc",   "data_page_size", "code_page_size"}) {
        FieldChoice one;
        if (!one.choose(name) || !one.fit(recording, true)) continue;
        fitting += (fitting.empty() ? "" : ",") + std::string(name);
    }
    FieldChoice choice;
    if (!fitting.empty()) require(choice.choose(fitting).has_value());
    require(choice.fit(recording, true).has_value() || fitting.empty());
    return choice;
}

void write_scripts(const Recording& recording, const Symbolizer& names) {
    if (recording.events().empty()) return;
    ScriptOptions options;
    Written text, json;
    options.fields = every_field(recording);
    const auto of_text = write_script(recording, names, options, text.sink);
    fuzz::check_text(text.text);
    options.json = true;
    const auto of_json = write_script(recording, names, options, json.sink);
    fuzz::check_json_lines(json.text);
    require(of_text && of_json && of_text->samples == of_json->samples);
}

// Writes all formats of `perfdata export`. Sums of hits must be those that were counted.
void write_exports(const Recording& recording, const Symbolizer& symbolizer) {
    if (recording.events().empty()) return;
    ExportedOptions by_function, by_address;
    by_function.addresses = false;
    by_function.samples = by_address.samples = true;
    const auto functions = Exported::make(recording, symbolizer, by_function);
    const auto places = Exported::make(recording, symbolizer, by_address);
    require(functions && places && functions->totals == places->totals);
    std::uint64_t hits_of_rows = 0;
    for (const auto& cell : places->cells) hits_of_rows += cell.count.hits;
    require(hits_of_rows == hits(places->totals) && hits_of_rows == places->samples.size());
    for (const bool periods : {false, true}) {
        Written folded, speedscope, firefox;
        write_folded(*functions, {periods, !periods}, folded.sink);
        fuzz::check_text(folded.text);
        write_speedscope(*functions, {periods, !periods}, speedscope.sink);
        fuzz::check_json(speedscope.text);
        write_firefox(*places, {periods}, firefox.sink);
        fuzz::check_json(firefox.text);
    }
    Written pprof, callgrind;
    write_pprof(*places, PprofOptions::of(recording, *places), pprof.sink);
    require(pprof.text.starts_with("\x1f\x8b"));
    write_callgrind(*places, {}, callgrind.sink);
    fuzz::check_text(callgrind.text);
    for (const auto& [table, name] : csv_tables) {
        Written rows;
        write_csv_table(*places, symbolizer, table, rows.sink);
        fuzz::check_text(rows.text);
    }
    const auto branches = BranchCounts::count(recording, symbolizer, {});
    require(branches.has_value());
    Written bolt, autofdo;
    require(write_bolt(*branches, symbolizer, {}, bolt.sink).has_value());
    require(write_autofdo(*branches, symbolizer, {}, autofdo.sink).has_value());
}

// Writes programs like `perfdata extract`.
void write_programs(const Recording& recording, const Timeline& timeline, const BpfPrograms& symbols) {
    const auto target = ElfTarget::of(recording.arch());
    if (!target) return;
    for (const auto& load : timeline.loads()) {
        ElfCode code;
        code.target = *target;
        code.name = symbols.program_name(load);
        code.producer = "fuzz";
        for (const auto index : load.functions) {
            const auto image = symbols.image(index);
            auto lines = symbols.lines(index);
            if (!image) continue;
            code.functions.push_back({symbols.name(index).name, timeline.code()[index].range.begin, *image,
                                      lines ? std::move(*lines) : std::vector<LineStart>{}});
        }
        const auto written = write_elf(code);
        if (!written) continue;
        const auto file = ElfFile::open(memory_source(as_bytes(*written)));
        require(file.has_value() && file->machine() == target->machine);
        const auto elf_symbols = ElfSymbols::load(*file);
        for (const auto& function : code.functions) {
            std::vector<std::byte> read(function.code.size());
            require(file->read(function.address.value, read) == read.size());
            require(std::ranges::equal(read, function.code));
            // An empty name, or one that begins with a NUL, cannot be a symbol.
            if (function.name.empty() || function.name.front() == '\0') continue;
            require(elf_symbols && elf_symbols->find(function.address.value));
        }
    }
}

void export_recording(const Recording& recording) {
    const auto timeline = Timeline::build(recording);
    require(timeline.has_value());
    SymbolizerOptions options;
    options.finder.offline = true;
    options.finder.limits = recording.limits();
    options.jit.as_recorded = false;
    const auto symbolizer = Symbolizer::open(recording, *timeline, options);
    const auto profile = Profile::count(recording, symbolizer.versions());
    require(profile.has_value());
    const auto disassembler = Disassembler::create(recording.arch());
    std::vector<Listing> listings;
    for (const auto& function : profile->functions()) {
        if (listings.size() == listed_functions) break;
        listings.push_back(annotate(function, symbolizer, disassembler));
    }
    std::vector<CodeVersion> functions;
    for (const auto& listing : listings) functions.push_back(listing.version);
    auto edges = CallEdges::count(recording, symbolizer.versions(), functions);
    require(edges && edges->add_branches(recording, symbolizer.versions(), functions));
    add_calls(listings, *edges, symbolizer, recording.arch());
    const auto counts = SampleCounts::count(recording, *timeline, flame_counting(symbolizer, true));
    require(counts.has_value());
    write_pages({recording, *timeline, *profile, timeline->completeness()}, listings, Flame::make(*counts, symbolizer));
    write_reports(recording, *timeline, symbolizer);
    write_scripts(recording, symbolizer);
    write_exports(recording, symbolizer);
    write_programs(recording, *timeline, symbolizer.bpf());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    const auto recording = Recording::from_memory(bytes, {fuzz::small_limits()});
    if (recording) export_recording(*recording);
    return 0;
}
