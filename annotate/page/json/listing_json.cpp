// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "perfdata/annotate/page/page.hpp"

#include "format/map_ids.hpp"
#include "json_parts.hpp"
#include "report/without_samples.hpp"

namespace perfdata {
namespace {

class JsonPage {
  public:
    JsonPage(const PageContext& page, const Sink& sink) : page_(page), json_(sink) {}

    void write(std::span<const Listing> listings, std::span<const Unattributed> unattributed) {
        json_.begin_object();
        json_.member("schema", "perfdata.annotation/1");
        write_recording(json_, RecordingFacts::of(page_.recording, page_.profile));
        if (hits(page_.profile.totals()) == 0) {
            const auto what = without_samples(page_.recording, page_.completeness);
            if (!what.empty()) json_.member("without_samples", what);
        }
        write_ratio_names(json_, page_.ratios, page_.profile.totals());
        write_dropped(json_, dropped_samples(page_.profile.dropped()));
        write_without_build_id(json_, WithoutBuildId::count(page_.profile));
        write_stacks(json_, page_.stacks);
        const auto& events = page_.recording.events().events();
        write_histograms(json_, page_.histograms, page_.without_field,
                         [&](std::uint32_t event) { return std::string_view(events[event].name); });
        write_completeness(json_, page_.completeness, true);
        if (!page_.notes.empty()) {
            json_.array("notes", page_.notes, [](const std::string& note) { return note; });
        }
        json_.key("functions");
        json_.begin_array();
        for (const auto& listing : listings) {
            function(listing);
        }
        json_.end_array();
        if (page_.hidden_functions != 0) json_.member("hidden_functions", page_.hidden_functions);
        json_.key("unattributed");
        json_.begin_array();
        for (const auto& entry : unattributed) {
            json_.begin_object();
            json_.member("reason", entry.reason);
            json_.counts(entry.cells);
            if (!entry.remedy.empty()) json_.member("remedy", entry.remedy);
            if (!entry.objects.empty()) {
                json_.array("objects", entry.objects, [](const std::string& object) { return object; });
            }
            json_.end_object();
        }
        json_.end_array();
        json_.end_object();
        json_.finish();
    }

  private:
    void function(const Listing& listing) {
        const auto& version = listing.version;
        json_.begin_object();
        json_.name("name", listing.name.name);
        json_.name("symbol", listing.symbol);
        json_.member("kind", to_string(listing.kind));
        json_.name("object", listing.object);
        json_.member("address", listing.range.begin);
        json_.member("size", listing.range.size);
        json_.member("from", version.from == Time{} ? std::nullopt : std::optional(version.from));
        json_.member("until", version.until == Time::forever() ? std::nullopt : std::optional(version.until));
        json_.member("version", version.number);
        json_.member("versions", listing.versions);
        if (listing.code) {
            const auto& code = page_.timeline.code()[*listing.code];
            if (code.load) bpf(listing, code, page_.timeline.loads()[*code.load]);
        }
        json_.counts(listing.total);
        percent(listing.total);
        write_ratios(json_, page_.ratios, listing.total);
        json_.member("on_instruction_start", listing.on_instruction_start);
        json_.member("code_from", listing.image ? std::optional(listing.image->origin) : std::nullopt);
        json_.key("instructions");
        json_.begin_array();
        for (const auto& row : listing.instructions) instruction(listing, row);
        json_.end_array();
        json_.key("lines");
        json_.begin_array();
        for (const auto& line : listing.lines) {
            json_.begin_object();
            source(line.source);
            json_.member("text", std::string_view(InLine(line.source.text)));
            json_.counts(line.cells);
            write_ratios(json_, page_.ratios, line.cells);
            json_.end_object();
        }
        json_.end_array();
        if (!listing.inlined.empty()) inlined(listing);
        if (listing.calls) calls(listing);
        json_.array("problems", listing.problems, [](const Error& error) { return error.message(); });
        json_.end_object();
    }

    void source(const SourceLine& source) { this->source(source, InLine(source.file, InLine::Keep::end)); }
    void source(const SourceLine& source, std::string_view file) {
        json_.member("file", file);
        json_.member("line", source.line);
        json_.member("column", source.column);
    }

    // Each instruction may have 128 inlined calls: shorten names that are long and numerous.
    void inlined(const Listing& listing) {
        constexpr std::size_t some = 4096, each = 4096, least = 64;
        auto left = some + each * listing.instructions.size();
        const auto take = [&](std::string_view text) {
            // A control character takes six bytes.
            const auto controls = std::ranges::count_if(text, [](char letter) { return letter >= 0 && letter < ' '; });
            left -= std::min(left, text.size() + 5 * static_cast<std::size_t>(controls));
        };
        json_.key("inlined");
        json_.begin_array();
        for (const auto& chain : listing.inlined) {
            json_.begin_array();
            for (const auto& call : chain) {
                const InLine function(call.function, InLine::Keep::beginning, std::clamp(left, least, most_shown));
                take(function);
                const InLine file(call.call.file, InLine::Keep::end, std::clamp(left, least, most_in_line));
                take(file);
                json_.begin_object();
                json_.member("function", std::string_view(function));
                source(call.call, file);
                json_.end_object();
            }
            json_.end_array();
        }
        json_.end_array();
    }

    void bpf(const Listing& listing, const Code& code, const BpfLoad& load) {
        json_.key("bpf");
        json_.begin_object();
        json_.member("program_id", load.id.value);
        json_.name("program_name", listing.name.program);
        json_.member("program_tag", hex(load.tag));
        const bool has_tag = load.info != nullptr && code.subprogram < load.info->tags();
        json_.member("tag", has_tag ? std::optional(hex(load.info->function_tag(code.subprogram))) : std::nullopt);
        json_.member("program_type",
                     load.info == nullptr ? std::nullopt : std::optional(program_type(load.info->type)));
        json_.member("subprogram", code.subprogram);
        json_.member("subprograms", std::uint64_t{load.function_count()});
        json_.member("btf_id",
                     load.info == nullptr || load.info->btf_id == 0 ? std::nullopt : std::optional(load.info->btf_id));
        json_.name_or_null("prototype", listing.name.prototype);
        write_map_ids(json_, load.info);
        json_.member("loaded_at", load.loaded_at == Time{} ? std::nullopt : std::optional(load.loaded_at));
        json_.member("unloaded_at",
                     load.unloaded_at == Time::forever() ? std::nullopt : std::optional(load.unloaded_at));
        json_.end_object();
    }

    void percent(std::span<const EventCount> cells) {
        const auto& totals = page_.whole();
        json_.key("percent");
        json_.begin_array();
        for (std::size_t event = 0; event < cells.size(); ++event) {
            json_.value(share(cells[event].hits, totals[event].hits));
        }
        json_.end_array();
        json_.key("percent_periods");
        json_.begin_array();
        for (std::size_t event = 0; event < cells.size(); ++event) {
            json_.value(share(cells[event].periods, totals[event].periods));
        }
        json_.end_array();
    }

    // Cells are samples below the call. Branches count something else and appear only if there are any.
    void call(const ListingCall& call) {
        json_.begin_object();
        json_.name_or_null("name", call.name);
        json_.name("object", call.object);
        json_.member("kind", to_string(call.kind));
        if (call.offset) json_.member("offset", *call.offset);
        if (call.returns_to && call.name.empty() && !call.offset) {
            json_.member("return_address", Address{*call.returns_to});
        } else if (call.returns_to) {
            json_.member("returns_to", *call.returns_to);
        }
        if (call.entry) json_.member("into_kernel", true);
        json_.counts(call.below);
        if (std::ranges::any_of(call.branches, [](std::uint64_t count) { return count != 0; })) {
            json_.array("branches", call.branches, std::identity());
        }
        json_.end_object();
    }

    void calls(const Listing& listing) {
        const auto list = [&](std::string_view name, const std::vector<ListingCall>& calls) {
            json_.key(name);
            json_.begin_array();
            for (const auto& one : calls) call(one);
            json_.end_array();
        };
        json_.key("with_callees");
        json_.begin_object();
        json_.counts(listing.calls->with_callees);
        json_.end_object();
        list("callers", listing.calls->callers);
        list("callees", listing.calls->callees);
    }

    void instruction(const Listing& listing, const ListingInstruction& row) {
        const auto& decoded = row.instruction;
        json_.begin_object();
        json_.member("offset", decoded.offset);
        json_.member("address", row.address);
        json_.member("bytes", hex_bytes(row.bytes));
        json_.member("text", text_of(decoded));
        json_.counts(row.cells);
        write_ratios(json_, page_.ratios, row.cells);
        if (row.target) {
            json_.key("target");
            json_.begin_object();
            json_.name_or_null("name", row.target->name);
            const auto& offset = row.target->offset;
            if (row.target->relocation) {
                json_.member("offset", static_cast<std::int64_t>(offset));
            } else {
                json_.member("offset", row.target->name.empty() ? std::nullopt : std::optional(offset));
            }
            json_.member("address", row.target->relocation ? std::nullopt : std::optional(row.target->address));
            if (row.target->relocation) json_.member("relocation", true);
            json_.end_object();
        }
        if (!row.calls.empty()) {
            json_.key("calls");
            json_.begin_array();
            for (const auto index : row.calls) call(listing.calls->sites[index]);
            json_.end_array();
        }
        if (row.line) json_.member("line", *row.line);
        if (row.inlined) json_.member("inlined", *row.inlined);
        if (row.changed) {
            json_.key("changed");
            json_.begin_object();
            json_.member("time", row.changed->time);
            json_.member("before", row.changed->text);
            json_.end_object();
        }
        if (row.bpf_instruction) json_.member("bpf_instruction", *row.bpf_instruction);
        json_.end_object();
    }

    const PageContext& page_;
    JsonWriter json_;
};

}  // namespace

void write_json_page(const PageContext& page, std::span<const Listing> listings,
                     std::span<const Unattributed> unattributed, const Sink& sink) {
    JsonPage(page, sink).write(listings, unattributed);
}

}  // namespace perfdata
