// SPDX-License-Identifier: MIT
// Fuzz target: does everything with a whole file that `perfdata annotate` and `perfdata bpf` do. It must not crash or
// hang, and the promises of the headers must hold for every input; a broken one traps. Files for options may follow the
// recording: see beside.hpp.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "beside.hpp"
#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::size_t listed_functions = 16;
constexpr std::size_t examined_codes = 128;
constexpr std::size_t examined_loads = 64;

void check_completeness(const Completeness& completeness) {
    const auto& bytes = completeness.bytes;
    require(bytes.total == bytes.records + bytes.outside_records + bytes.unread);
    require(completeness.diagnostics.kept().size() <= completeness.diagnostics.count());
    for (const auto& diagnostic : completeness.diagnostics.kept()) require(!diagnostic.message().empty());
}

void check_timeline(const Timeline& timeline) {
    for (const auto& code : timeline.code()) {
        require(code.range.size != 0);
        require(code.from <= code.until);
        require(!code.load || *code.load < timeline.loads().size());
        if (const auto place = timeline.code_at(code.range.begin, code.from)) {
            const auto& owner = timeline.code()[place->index];
            require(owner.range.contains(code.range.begin));
            require(place->offset == code.range.begin - owner.range.begin);
        }
    }
    for (const auto& load : timeline.loads()) {
        require(load.loaded_at <= load.unloaded_at);
        for (const auto index : load.functions) require(index < timeline.code().size());
    }
}

void check_profile(const Profile& profile, const Recording& recording, const Completeness& completeness) {
    EventCounts sum(profile.totals().size());
    for (const auto& function : profile.functions()) {
        EventCounts offsets(sum.size());
        for (const auto& offset : function.offsets) add(offsets, offset.cells);
        require(offsets == function.total);
        add(sum, function.total);
    }
    for (const auto& [miss, cells] : profile.misses()) add(sum, cells);
    for (const auto& [why, cells] : profile.unnamed()) add(sum, cells);
    require(sum == profile.totals());
    const auto samples = completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
    const auto decoded = samples == completeness.records.end() ? 0 : samples->second.decoded;
    // A sample with the values of counters stands for those that grew.
    if (CounterSamples::are_in(recording.events())) {
        require(hits(sum) <= CounterSamples::most_in_sample * decoded);
    } else {
        require(hits(sum) == decoded);
    }
}

void check_listing(const Listing& listing) {
    EventCounts by_instruction(listing.total.size()), by_line(listing.total.size());
    std::uint64_t next = 0;
    for (const auto& row : listing.instructions) {
        require(row.instruction.size != 0);
        require(row.instruction.offset == next);
        require(row.bytes.size() == row.instruction.size);
        require(!row.line || *row.line < listing.lines.size());
        require(!row.inlined || *row.inlined < listing.inlined.size());
        next += row.instruction.size;
        add(by_instruction, row.cells);
    }
    for (const auto& line : listing.lines) add(by_line, line.cells);
    if (!listing.instructions.empty()) {
        require(by_instruction == listing.total);
        require(listing.image && listing.image->bytes.size() == next);
    }
    if (!listing.lines.empty()) require(by_line == listing.total);
    const auto on_start = listing.on_instruction_start;
    require(!on_start || (*on_start >= 0 && *on_start <= 1));
}

// Reads what `perfdata bpf` shows of every program.
void examine_programs(const Timeline& timeline, const BpfPrograms& symbols) {
    for (std::size_t index = 0; index < timeline.loads().size() && index < examined_loads; ++index) {
        const auto& load = timeline.loads()[index];
        (void)symbols.program_name(load);
        (void)symbols.problem(load);
        (void)load.function_count();
    }
    for (CodeIndex index = 0; index < timeline.code().size() && index < examined_codes; ++index) {
        const auto& code = timeline.code()[index];
        (void)symbols.name(index);
        (void)symbols.target(code.range.last(), code.from);
        if (const auto image = symbols.image(index)) require(image->size() <= code.range.size);
        if (const auto lines = symbols.lines(index)) {
            require(std::ranges::is_sorted(*lines, {}, &LineStart::offset));
            for (const auto& line : *lines) require(line.offset < code.range.size);
        }
    }
}

// Versions of patched code follow each other without gaps, and patched places are in order.
void check_versions(const Symbolizer& symbolizer) {
    auto functions = symbolizer.versions().functions();
    functions.resize(std::min(functions.size(), listed_functions));
    for (const auto& function : functions) {
        const auto versions = symbolizer.versions().versions(function);
        require(versions.size() > 1);
        for (std::size_t number = 0; number < versions.size(); ++number) {
            const auto& version = versions[number];
            require(version.number == number && version.from <= version.until);
            if (number != 0) require(versions[number - 1].until <= version.from);
            const auto image = symbolizer.image(version);
            if (!image) continue;
            std::uint64_t end = 0;
            for (const auto& gap : image->gaps) {
                require(gap.offset >= end && gap.size != 0);
                end = gap.offset + gap.size;
                require(end <= image->bytes.size());
            }
            for (const auto& change : image->changes) require(change.offset < image->bytes.size());
        }
    }
}

// options(beside, limits) includes the files of the input.
SymbolizerOptions options(const fuzz::Beside& beside, const Limits& limits) {
    SymbolizerOptions options;
    options.finder.offline = true;
    options.finder.limits = limits;
    options.jit.as_recorded = false;
    for (const auto& [name, file] : beside.files()) {
        if (name == "ksym") options.finder.kallsyms = file->path();
        if (name == "vmlx") options.finder.vmlinux = file->path();
        if (name == "kcor") options.kcore = file->path();
        if (name == "jitd") options.jit.given.push_back(file->path());
    }
    return options;
}

void annotate_recording(const Recording& recording, const fuzz::Beside& beside) {
    const auto timeline = Timeline::build(recording);
    require(timeline.has_value());  // the only error is `cancelled`
    check_completeness(timeline->completeness());
    check_timeline(*timeline);
    const auto of_bpf = Profile::count(recording, *timeline);
    require(of_bpf.has_value());
    check_profile(*of_bpf, recording, timeline->completeness());

    const auto symbolizer = Symbolizer::open(recording, *timeline, options(beside, recording.limits()));
    for (const auto& problem : symbolizer.problems()) require(!problem.message().empty());
    const auto profile = Profile::count(recording, symbolizer.versions());
    require(profile.has_value());
    check_profile(*profile, recording, timeline->completeness());
    examine_programs(*timeline, symbolizer.bpf());
    check_versions(symbolizer);
    const auto disassembler = Disassembler::create(recording.arch());
    const std::span functions(profile->functions());
    for (const auto& function : functions.first(std::min(functions.size(), listed_functions))) {
        check_listing(annotate(function, symbolizer, disassembler));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto bytes = std::as_bytes(std::span(data, size));
    fuzz::Beside beside;
    beside.take(bytes);
    const auto recording = Recording::from_memory(bytes, {fuzz::small_limits()});
    if (recording) annotate_recording(*recording, beside);
    return 0;
}
