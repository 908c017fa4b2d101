// SPDX-License-Identifier: MIT
// Fuzz target: a whole file through everything that `perfdata annotate` and `perfdata bpf` do with it. Besides not
// crashing and not hanging, it checks what the headers promise of every input; a broken promise is a trap.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <rapidjson/reader.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/disassembler.hpp"
#include "perfdata/annotate/listing.hpp"
#include "perfdata/annotate/page.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbols.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace {

using namespace perfdata;

constexpr std::size_t listed_functions = 16;
constexpr std::size_t examined_codes = 128;
constexpr std::size_t examined_loads = 64;

void require(bool promise) {
    if (!promise) __builtin_trap();
}

OpenOptions small_limits() {
    OpenOptions options;
    options.limits.section_bytes = std::uint64_t{1} << 20;
    options.limits.unpacked_bytes = std::uint64_t{1} << 22;
    options.limits.kallsyms_bytes = std::uint64_t{1} << 20;
    options.limits.events = 64;
    options.limits.ids = 4096;
    options.limits.bpf_programs = 256;
    options.limits.code_versions = 4096;
    options.limits.diagnostics = 16;
    return options;
}

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
        if (const auto place = timeline.owner(code.range.begin, code.from)) {
            const auto& owner = timeline.code()[place->code];
            require(owner.range.contains(code.range.begin));
            require(place->offset == code.range.begin - owner.range.begin);
        }
    }
    for (const auto& load : timeline.loads()) {
        require(load.loaded_at <= load.unloaded_at);
        for (const auto index : load.functions) require(index < timeline.code().size());
    }
}

void check_profile(const Profile& profile, const Completeness& completeness) {
    Cells sum(profile.totals().size());
    for (const auto& function : profile.functions()) {
        Cells offsets(sum.size());
        for (const auto& offset : function.offsets) add(offsets, offset.cells);
        require(offsets == function.total);
        add(sum, function.total);
    }
    for (const auto& [miss, cells] : profile.misses()) add(sum, cells);
    for (const auto& [why, cells] : profile.unnamed()) add(sum, cells);
    require(sum == profile.totals());
    const auto samples = completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
    require(hits(sum) == (samples == completeness.records.end() ? 0 : samples->second.decoded));
}

void check_listing(const Listing& listing) {
    Cells by_instruction(listing.total.size()), by_line(listing.total.size());
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

void check_json(std::string_view text) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> input(stream);
    rapidjson::BaseReaderHandler<> nothing;
    rapidjson::Reader reader;
    require(!reader.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag>(input, nothing)
                 .IsError());
}

// What `perfdata bpf` asks about every program.
void examine_programs(const Timeline& timeline, const Symbols& symbols) {
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

void write_pages(const PageContext& page, std::span<const Listing> listings) {
    const std::vector<Unattributed> unattributed = {{"not shown", page.profile.totals()}};
    std::string json;
    write_json_page(page, listings, unattributed, [&](std::string_view block) { json += block; });
    check_json(json);

    const auto discard = [](std::string_view) {};
    for (const auto percent_of : {PercentOf::all_hits, PercentOf::function_periods}) {
        const TextOptions options{.color = true, .raw_bytes = true, .percent_of = percent_of, .show_periods = true};
        write_text_summary(page, listings, unattributed, options, discard);
        for (const auto& listing : listings) write_text_listing(page, listing, options, discard);
    }
}

void annotate_recording(const Recording& recording) {
    const auto timeline = Timeline::build(recording);
    require(timeline.has_value());  // the only error is `cancelled`
    check_completeness(timeline->completeness());
    check_timeline(*timeline);
    const auto of_bpf = Profile::count(recording, *timeline);
    require(of_bpf.has_value());
    check_profile(*of_bpf, timeline->completeness());

    CodeBookOptions options;
    options.names.finder.offline = true;
    options.names.finder.limits = recording.limits();
    options.names.jit.as_recorded = false;
    const auto book = CodeBook::open(recording, *timeline, options);
    const auto profile = Profile::count(recording, book.versions());
    require(profile.has_value());
    check_profile(*profile, timeline->completeness());
    examine_programs(*timeline, book.symbols());
    const auto disassembler = Disassembler::create(recording.arch());
    std::vector<Listing> listings;
    for (const auto& function : profile->functions()) {
        if (listings.size() == listed_functions) break;
        listings.push_back(annotate(function, book, disassembler));
        check_listing(listings.back());
    }
    write_pages({recording, *timeline, *profile, timeline->completeness()}, listings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    const auto recording = Recording::from_memory(bytes, small_limits());
    if (recording) annotate_recording(*recording);
    return 0;
}
