// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/page/page.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"

#include "disassembly/bpf_registers.hpp"
#include "format/loss_text.hpp"
#include "format/map_ids.hpp"
#include "format/percent.hpp"
#include "format/words.hpp"
#include "histogram_text.hpp"
#include "page/titles.hpp"
#include "report/without_samples.hpp"
#include "text_calls.hpp"

namespace perfdata {
namespace {

class TextPage : private TextCalls {
  public:
    TextPage(const PageContext& page, const TextOptions& options, const Sink& sink)
        : TextCalls(page, options), sink_(sink) {}

    // Call finish() after the functions below.
    void finish() { hand_out(sink_); }

    void summary(std::span<const Listing> listings, std::span<const Unattributed> unattributed) {
        print("Samples: ");
        for (const auto column : columns_) {
            print("{}{} of {}", column == columns_.front() ? "" : ", ", page_.profile.totals()[column].hits,
                  shown(event_name(column)));
        }
        print("\n\n");
        for (const auto& ratio : page_.ratios) {
            print("{}: {}\n", shown(ratio.name), ratio_text(ratio.of(page_.profile.totals())));
        }
        if (!page_.ratios.empty()) print("{}\n\n", ratio_note);
        if (const auto text = filter_text(page_.profile.dropped(), page_.profile.totals(), page_.whole());
            !text.empty()) {
            print("{}\n\n", text);
        }
        if (const auto text = WithoutBuildId::count(page_.profile).sampled_text(); !text.empty()) {
            styled(TextStyle::dim, text);
            print("\n\n");
        }
        event_names();
        columns_title();
        std::size_t width = std::string_view("function").size();
        std::vector<std::string> names;
        for (const auto& listing : listings) {
            names.push_back(shown(listing.name.full()) + version_mark(listing));
            constexpr std::size_t widest = 44;
            width = std::clamp(names.back().size(), width, widest);
        }
        // Rows that would look the same: moves of JIT code, or functions of one name in one file.
        std::vector<std::string> labels;
        std::vector<const Listing*> rows;
        for (std::size_t index = 0; index < listings.size(); ++index) {
            labels.push_back(names[index] + '\n' + place(listings[index]));
            rows.push_back(&listings[index]);
        }
        const auto marks = told_apart(labels, rows);
        print("  {:>8}  {:<11}  {:<{}}  {}\n", "on start", "kind", "function", width, "object");
        for (std::size_t index = 0; index < listings.size(); ++index) {
            const auto& listing = listings[index];
            cells(listing.total, nullptr);
            print("  {:>8}  {:<11}  ", on_start(listing), to_string(listing.kind));
            styled(TextStyle::title, fmt::format("{:<{}}", names[index], width));
            print("  {}{}\n", shown(place(listing)), marks[index]);
            end_row();
        }
        for (const auto& entry : unattributed) {
            cells(entry.cells, nullptr);
            print("  {:>8}  {:<11}  ", "", "");
            styled(TextStyle::dim, "(" + shown(entry.reason) + ")");
            print("\n");
        }
        const auto& completeness = page_.completeness;
        const auto losses = loss_lines(completeness);
        for (std::size_t at = 0; at < losses.size(); ++at) {
            const bool reason = at == 0 && recorder_lost(completeness);
            print("{}{}{}{}\n", at == 0 ? "\n" : "  ", losses[at], reason ? ": " : "", reason ? loss_reason : "");
        }
        const auto stacks = page_.stacks.notes();
        for (std::size_t at = 0; at < stacks.size(); ++at) {
            print("{}Callers are missing: {}\n", at == 0 ? "\n" : "", stacks[at]);
        }
        if (hits(page_.profile.totals()) != 0) return;
        if (const auto what = without_samples(page_.recording, completeness); !what.empty()) print("\n{}\n", what);
    }

    // Versions of one function are adjacent.
    void versions(std::span<const Listing> listings) {
        event_names();
        columns_title();
        print("  {:>7}  {:<21}  {}  {}\n", "version", "from", "until", "changed");
        const Listing* before = nullptr;
        for (const auto& listing : listings) {
            const auto& version = listing.version;
            if (before == nullptr || !(before->version.function == version.function)) {
                styled(TextStyle::title, shown(listing.name.full()));
                print("  {}, {} bytes at {}\n", shown(place(listing)), listing.range.size, hex(listing.range.begin));
            }
            before = &listing;
            cells(listing.total, nullptr);
            print("  {:>7}  {:<21}  {}", fmt::format("{}/{}", version.number + 1, listing.versions),
                  version.from == Time{} ? "before the recording" : seconds(version.from),
                  version.until == Time::forever() ? "its end" : seconds(version.until));
            std::string_view before_change = "  ";
            for (const auto& row : listing.instructions) {
                if (!row.changed) continue;
                print("{}+0x{:x} {} -> {}", before_change, row.instruction.offset, row.changed->text,
                      text_of(row.instruction));
                before_change = ", ";
            }
            print("\n");
            end_row();
        }
    }

    void listing(const Listing& listing) {
        header(listing);
        if (listing.instructions.empty()) {
            for (const auto& problem : listing.problems) print("  No code: {}\n", shown(problem.message()));
            calls(listing);
            return;
        }
        for (const auto& problem : listing.problems) print("  Note: {}\n", shown(problem.message()));
        calls(listing);
        print("\n");
        event_names();
        columns_title();
        print("   {:>6}  {}\n", "offset", "source line, instruction");
        const auto hottest = std::ranges::max_element(listing.instructions, {},
                                                      [&](const ListingInstruction& row) { return weight(row.cells); });
        std::vector<bool> seen(listing.lines.size());
        std::optional<std::uint32_t> line, inlined;
        for (auto row = listing.instructions.begin(); row != listing.instructions.end(); ++row) {
            if (row->line && (row->line != line || row->inlined != inlined)) {
                heading(listing, *row, seen[*row->line]);
                seen[*row->line] = true;
            }
            line = row->line;
            inlined = row->inlined;
            instruction(listing, *row, row == hottest && weight(row->cells) != 0);
            end_row();
        }
    }

  private:
    // Hand out during the table: rows of many events are long.
    void end_row() {
        constexpr std::size_t block = std::size_t{1} << 16;
        if (text().size() >= block) hand_out(sink_);
    }

    static std::string on_start(const Listing& listing) {
        return listing.on_instruction_start ? percent_text(*listing.on_instruction_start * 100) + "%" : "no code";
    }

    void field(std::string_view name, std::string_view content) { print("  {:<11}{}\n", name, shown(content)); }

    // "+0x10", "-0x4" or nothing.
    void distance(std::uint64_t offset) {
        if (offset == 0) return;
        const bool behind = offset >> 63 == 0;
        put(behind ? "+0x" : "-0x");
        hexadecimal(behind ? offset : ~offset + 1);
    }

    // " (2 of 3)" if the function's code changed.
    static std::string version_mark(const Listing& listing) {
        return listing.versions < 2 ? std::string()
                                    : fmt::format(" ({} of {})", listing.version.number + 1, listing.versions);
    }

    // place(listing) returns the object, and for BPF code also the function's number in the program.
    std::string place(const Listing& listing) const {
        if (!listing.code) return std::string(short_name(listing.object));
        const auto& code = page_.timeline.code()[*listing.code];
        return code.load ? fmt::format("{} {}", listing.object, code.subprogram) : listing.object;
    }

    static std::string span(Time from, Time until) {
        return fmt::format("from {} to {}", from == Time{} ? "before the recording" : seconds(from),
                           until == Time::forever() ? "its end" : seconds(until));
    }

    const BpfLoad* load_of(const Listing& listing) const { return page_.timeline.load_of(listing.version.function); }

    void header(const Listing& listing) {
        const auto* load = load_of(listing);
        const auto& version = listing.version;
        print("\n");
        styled(TextStyle::title, shown(listing.name.full()));
        if (load != nullptr) {
            const auto subprogram = page_.timeline.code()[*listing.code].subprogram;
            print("   program {}, subprogram {} of 0 to {}", load->id.value, subprogram,
                  std::max<std::size_t>(load->function_count(), subprogram + 1) - 1);
        }
        if (listing.versions > 1) print("   version {} of {}", version.number + 1, listing.versions);
        print("\n");
        if (!listing.name.prototype.empty()) field("prototype", listing.name.prototype);
        if (listing.symbol != listing.name.name) field("symbol", listing.symbol);
        if (load != nullptr) {
            program(*load, listing, page_.timeline.code()[*listing.code]);
        } else {
            field("object", listing.object);
        }
        if (listing.range.size != 0) {
            field("address", fmt::format("{} to {}, {} bytes{}", hex(listing.range.begin), hex(listing.range.last()),
                                         listing.range.size, version.address ? "" : ", in the file"));
        }
        if ((load == nullptr && listing.code) || listing.versions > 1)
            field("there", span(version.from, version.until));
        for (const auto column : columns_) {
            const auto& cell = listing.total[column];
            const auto& whole = page_.whole()[column];
            field(column == columns_.front() ? "samples" : "",
                  fmt::format("{} of {} {} ({}%), {}% of its periods", cell.hits, whole.hits, event_name(column),
                              share_text(cell.hits, whole.hits), share_text(cell.periods, whole.periods)));
        }
        for (const auto& ratio : page_.ratios)
            field("ratio", fmt::format("{}: {}", ratio.name, ratio_text(ratio.of(listing.total))));
        if (listing.image) field("code", "from " + listing.image->origin);
        if (listing.on_instruction_start) {
            field("checked", fmt::format("{}% of the samples are on the start of an instruction",
                                         percent_text(*listing.on_instruction_start * 100)));
        }
    }

    void program(const BpfLoad& load, const Listing& listing, const Code& code) {
        std::string text =
            fmt::format("{}, tag {}", listing.name.program.empty() ? "(no name)" : listing.name.program, hex(load.tag));
        if (load.info != nullptr) {
            text += ", " + program_type(load.info->type);
            if (load.info->btf_id != 0) text += fmt::format(", BTF {}", load.info->btf_id);
            if (const auto maps = map_ids_text(*load.info, "map", "maps"); !maps.empty()) text += ", " + maps;
            if (code.subprogram < load.info->tags() && load.info->function_tag(code.subprogram) != load.tag) {
                text += ", tag of this subprogram " + hex(load.info->function_tag(code.subprogram));
            }
            if (load.info->run_count != 0) {
                text += fmt::format(", {} in {} ns", how_many(load.info->run_count, "run"), load.info->run_time_ns);
            }
        }
        field("program", text);
        field("loaded", fmt::format("{}, unloaded {}",
                                    load.loaded_at == Time{} ? "before the recording" : seconds(load.loaded_at),
                                    load.unloaded_at == Time::forever() ? "after it" : seconds(load.unloaded_at)));
    }

    void heading(const Listing& listing, const ListingInstruction& row, bool again) {
        const auto& line = listing.lines[*row.line];
        if (again) {
            cells(EventCounts(line.cells.size()), &listing.total);
        } else {
            cells(line.cells, &listing.total);
        }
        const auto& source = line.source;
        const auto file = printable(InLine(source.file, InLine::Keep::end));
        const auto place = source.line == 0     ? std::string("(no source)")
                           : source.column == 0 ? fmt::format("{}:{}", file, source.line)
                                                : fmt::format("{}:{}:{}", file, source.line, source.column);
        print("   {:>6}  ", "");
        if (again) {
            // The line's text is already shown above.
            styled(TextStyle::source, fmt::format("; {}", place));
        } else {
            const auto indent = std::min(source.text.find_first_not_of(" \t"), source.text.size());
            const auto text = printable(InLine(source.text.substr(indent)));
            styled(TextStyle::source, fmt::format("; {}{}{}", place, text.empty() ? "" : "  ", text));
        }
        if (row.inlined) styled(TextStyle::dim, inlined_text(listing.inlined[*row.inlined]));
        print("\n");
    }

    // "  (in f, inlined at main.c:12; in g, inlined at f.c:3)", outermost last; with long names only the first calls.
    static std::string inlined_text(const InlinedCalls& chain) {
        std::string text;
        std::size_t written = 0;
        for (const auto& call : chain) {
            if (text.size() > most_inlined_text) {
                text += fmt::format("; and {} more", chain.size() - written);
                break;
            }
            ++written;
            text += fmt::format("{}in {}, inlined at {}:{}", text.empty() ? "  (" : "; ",
                                call.function.empty()
                                    ? "(unknown)"
                                    : printable(InLine(call.function, InLine::Keep::beginning, most_inlined_text)),
                                printable(InLine(short_name(call.call.file))), call.call.line);
        }
        return text + ")";
    }

    void instruction(const Listing& listing, const ListingInstruction& row, bool hottest) {
        const auto& decoded = row.instruction;
        cells(row.cells, &listing.total);
        put(hottest ? " > " : "   ");
        hexadecimal(decoded.offset, 6);
        put(": ");
        if (options_.raw_bytes) {
            std::string bytes;
            for (const auto byte : row.bytes) bytes += fmt::format("{:02x} ", std::to_integer<unsigned>(byte));
            styled(TextStyle::dim, fmt::format("{:<31}", bytes));
        }
        if (decoded.operands.empty()) {
            put(decoded.mnemonic);
        } else {
            left_aligned(decoded.mnemonic, 7);
            put(" ");
            put(decoded.operands);
        }
        if (row.target && !row.target->name.empty()) {
            const auto& target = *row.target;
            put("   ");
            begin(TextStyle::source);
            put("<");
            put(shown(target.name));
            distance(target.offset);
            put(">");
            end(TextStyle::source);
            if (target.relocation) {
                print("   ");
                styled(TextStyle::dim, "# bytes before relocation");
            }
        }
        if (!row.calls.empty()) called(listing, row);
        if (options_.bpf_registers && listing.kind == CodeClass::bpf) {
            if (const auto registers = bpf_registers(page_.recording.arch(), decoded.operands); !registers.empty()) {
                print("   ");
                styled(TextStyle::dim, "# " + registers);
            }
        }
        if (row.changed) {
            print("   ");
            styled(TextStyle::warm, fmt::format("# was: {}, until {}", row.changed->text, seconds(row.changed->time)));
        }
        put("\n");
    }

    static constexpr std::size_t most_inlined_text = 1024;  // bytes of a line, about

    const Sink& sink_;
};

}  // namespace

void write_text_histograms(const PageContext& page, const Sink& sink) {
    if (page.histograms.empty()) return;
    const auto& events = page.recording.events().events();
    for (const auto& histogram : page.histograms) sink(histogram_text(histogram, events[histogram.event].name, ""));
    if (page.without_field != 0) sink(without_field_text(page.without_field) + "\n\n");
}

void write_text_summary(const PageContext& page, std::span<const Listing> listings,
                        std::span<const Unattributed> unattributed, const TextOptions& options, const Sink& sink) {
    TextPage text(page, options, sink);
    text.summary(listings, unattributed);
    text.finish();
}

void write_text_versions(const PageContext& page, std::span<const Listing> listings, const TextOptions& options,
                         const Sink& sink) {
    TextPage text(page, options, sink);
    text.versions(listings);
    text.finish();
}

void write_text_listing(const PageContext& page, const Listing& listing, const TextOptions& options, const Sink& sink) {
    TextPage text(page, options, sink);
    text.listing(listing);
    text.finish();
}

}  // namespace perfdata
