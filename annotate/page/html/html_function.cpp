// SPDX-License-Identifier: MIT
#include <algorithm>

#include "disassembly/bpf_registers.hpp"
#include "format/percent.hpp"
#include "format/ratio.hpp"
#include "format/words.hpp"
#include "html_parts.hpp"

namespace perfdata {
namespace {

// FunctionWriter writes a function's heading, then each version.
class FunctionWriter {
  public:
    FunctionWriter(HtmlWriter& html, const HtmlModel& model, const HtmlFunction& function)
        : html_(html), model_(model), function_(function), listing_(function.first()) {}

    void write() {
        const auto kind = html_kind(listing_.kind);
        html_.print("<details class=fn{}><summary>", function_.number == 1 ? " open" : "");
        const auto percent = model_.percent_of_all(function_.total);
        html_.print("<b class=\"p h{}\" data-c=", heat_class(percent));
        for (std::size_t at = 0; at < model_.columns().size(); ++at) {
            const auto column = model_.columns()[at];
            html_.print("{}{}", at == 0 ? "" : ",",
                        share_text(model_.count(function_.total[column]), model_.count(model_.totals()[column])));
        }
        html_.print(">{} %</b> <h3>", percent_text(percent))
            .text(listing_.name.full())
            .print("</h3> <span class=\"kd {}\">{}</span> <small>", kind, to_string(listing_.kind))
            .text(short_name(listing_.object), 120)
            .raw("</small>");
        if (listing_.versions > 1) html_.print(" <span class=vb>{} versions</span>", listing_.versions);
        html_.print("</summary><div class=fb id=f{}>", function_.number);
        facts();
        if (listing_.kind == CodeClass::bpf && has_registers()) {
            html_.raw("<p class=rg><label><input type=checkbox> Registers of BPF beside those of the machine</label>");
        }
        const bool several = function_.versions.size() > 1 || listing_.versions > 1;
        if (several) time_line();
        for (std::size_t at = 0; at < function_.versions.size(); ++at) {
            const auto& version = *function_.versions[at];
            const auto anchor = this->anchor(version);
            if (several) {
                html_.print("<section class=vr id={}><h4>Version {} of {} <small>", anchor, version.version.number + 1,
                            std::max(version.versions, 1u));
                interval(version.version);
                html_.raw("</small></h4>");
            }
            version_facts(version);
            write_html_calls(html_, model_, version);
            write_html_listing(html_, model_, version, anchor);
            if (several) html_.raw("</section>");
        }
        html_.raw("</div></details>\n");
    }

  private:
    std::string anchor(const Listing& version) const {
        return fmt::format("f{}v{}", function_.number, version.version.number + 1);
    }

    void fact(std::string_view name, std::string_view content) {
        html_.print("<div><dt>{}<dd>", name).text(content).raw("</div>");
    }

    bool has_registers() const {
        const auto& arch = model_.page().recording.arch();
        return std::ranges::any_of(listing_.instructions, [&](const ListingInstruction& row) {
            return !bpf_registers(arch, row.instruction.operands).empty();
        });
    }

    const BpfLoad* load() const { return model_.page().timeline.load_of(listing_.version.function); }

    static std::string moment(Time time) {
        return time == Time{} ? "before the recording" : time == Time::forever() ? "its end" : seconds(time);
    }

    void facts() {
        html_.raw("<dl class=fs>");
        if (!listing_.name.prototype.empty()) fact("prototype", listing_.name.prototype);
        if (!listing_.symbol.empty() && listing_.symbol != listing_.name.name) fact("symbol", listing_.symbol);
        if (const auto* of = load()) {
            auto text = fmt::format("{} {}, tag {}", listing_.name.program, of->id.value, hex(of->tag));
            if (of->info != nullptr) text += ", " + program_type(of->info->type);
            fact("program", text);
            fact("loaded", fmt::format("{}, unloaded {}",
                                       of->loaded_at == Time{} ? "before the recording" : seconds(of->loaded_at),
                                       of->unloaded_at == Time::forever() ? "after it" : seconds(of->unloaded_at)));
        } else {
            fact("object", listing_.object.empty() ? "[unknown]" : listing_.object);
            if (listing_.code && listing_.versions < 2) {
                fact("there", moment(listing_.version.from) + " to " + moment(listing_.version.until));
            }
        }
        if (listing_.range.size != 0) {
            fact("address", fmt::format("{}, {} bytes{}", hex(listing_.range.begin), listing_.range.size,
                                        listing_.version.address ? "" : ", in the file"));
        }
        for (const auto column : model_.columns()) {
            const auto& cell = function_.total[column];
            if (cell.hits == 0) continue;
            html_.raw("<div><dt>").text(model_.event_name(column), 60);
            html_.print("<dd>{} sample{}, {} % of all", cell.hits, cell.hits == 1 ? "" : "s",
                        share_text(cell.hits, model_.totals()[column].hits));
            if (const auto below = with_callees(column); below > cell.hits) {
                html_.print("; {} % with what it calls", share_text(below, model_.totals()[column].hits));
            }
            html_.raw("</div>");
        }
        for (const auto& ratio : model_.page().ratios) {
            html_.raw("<div><dt>").text(ratio.name, 60).raw("<dd>");
            html_.text(ratio_text(ratio.of(function_.total))).raw("</div>");
        }
        html_.raw("</dl>");
    }

    std::uint64_t with_callees(std::size_t column) const {
        std::uint64_t sum = 0;
        for (const auto* version : function_.versions) {
            if (version->calls && version->calls->chains) sum += version->calls->with_callees[column].hits;
        }
        return sum;
    }

    void version_facts(const Listing& version) {
        if (!version.image && !version.on_instruction_start) return;
        html_.raw("<p class=tr>");
        if (version.on_instruction_start) {
            const auto start = *version.on_instruction_start;
            html_.print("<span class={}>{} {} %</span> of the samples are on the start of an instruction",
                        start >= 0.99  ? "ok"
                        : start >= 0.9 ? "so"
                                       : "bad",
                        start >= 0.99 ? "✓" : "⚠", percent_text(start * 100, 1));
            if (start < 0.9) html_.raw(": these may be other bytes than those that ran");
        }
        if (version.image) html_.raw(" · code from ").text(version.image->origin);
    }

    void interval(const CodeVersion& version) {
        html_.raw("from ").raw(moment(version.from)).raw(" to ").raw(moment(version.until));
    }

    // Draws versions to scale: each as wide as its lifetime within the time of the samples.
    void time_line() {
        const auto begin = model_.page().profile.first_time().value_or(Time{}).nanoseconds;
        const auto end = std::max(begin + 1, model_.page().profile.last_time().value_or(Time{}).nanoseconds);
        html_.raw("<nav class=vs aria-label=\"Versions of the code\">");
        const auto all = hits(function_.total);
        auto at = begin;
        const auto gap = [&](std::uint64_t until) {
            if (until <= at) return;
            html_.print("<span style=flex-grow:{} title=\"no samples\"></span>", permille(until - at, end - begin));
        };
        for (const auto* listing : function_.versions) {
            const auto& version = listing->version;
            const auto from = std::clamp(version.from.nanoseconds, begin, end);
            const auto until = std::clamp(version.until.nanoseconds, begin, end);
            gap(from);
            html_.print("<a href=#{} style=flex-grow:{}><b>{}</b> <i>{} samples, {} %</i></a>", anchor(*listing),
                        permille(until - from, end - begin), version.number + 1, hits(listing->total),
                        share_text(hits(listing->total), all, 0));
            at = std::max(at, until);
        }
        gap(end);
        html_.raw("</nav>");
    }

    static std::uint64_t permille(std::uint64_t part, std::uint64_t whole) {
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share(part, whole) * 10));
    }

    HtmlWriter& html_;
    const HtmlModel& model_;
    const HtmlFunction& function_;
    const Listing& listing_;
};

}  // namespace

void write_html_function(HtmlWriter& html, const HtmlModel& model, const HtmlFunction& function) {
    FunctionWriter(html, model, function).write();
}

}  // namespace perfdata
