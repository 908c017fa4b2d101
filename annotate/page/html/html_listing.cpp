// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <span>

#include "disassembly/bpf_registers.hpp"
#include "format/percent.hpp"
#include "format/ratio.hpp"
#include "format/words.hpp"
#include "html_parts.hpp"
#include "html_source.hpp"

namespace perfdata {
namespace {

// ListingWriter writes one version of a function: source and instructions side by side.
class ListingWriter {
  public:
    ListingWriter(HtmlWriter& html, const HtmlModel& model, const Listing& listing, std::string anchor)
        : html_(html),
          model_(model),
          listing_(listing),
          anchor_(std::move(anchor)),
          kept_(rows_to_show()),
          source_(listing, lines_to_show()) {
        for (const auto& row : listing.instructions) {
            if (row.target && row.target->same_function && kept_at(row.target->offset)) {
                targets_.insert(row.target->offset);
            }
        }
    }

    void write() {
        for (const auto& problem : listing_.problems) {
            html_.print("<p class=pb>{}: ", listing_.instructions.empty() ? "No code" : "Note").text(problem.message());
        }
        if (listing_.instructions.empty()) return;
        html_.raw(source_.empty() ? "<div class=one>" : "<div class=two>");
        if (!source_.empty()) source();
        instructions();
        html_.raw("</div>\n");
    }

  private:
    // Leaves out long stretches without samples in long listings.
    std::vector<bool> rows_to_show() const {
        const auto& options = model_.options();
        if (listing_.instructions.size() <= options.whole_listing || hits(listing_.total) == 0) {
            return std::vector<bool>(listing_.instructions.size(), true);
        }
        // A hot function may have hits everywhere: show fewer instructions around each, but allow it twice the room.
        const auto room = options.whole_listing * (model_.percent_of_all(listing_.total) >= 0.5 ? 2 : 1);
        auto context = options.context;
        auto kept = rows_around_hits(context);
        while (context > 1 && static_cast<std::size_t>(std::ranges::count(kept, true)) > room) {
            context /= 2;
            kept = rows_around_hits(context);
        }
        return kept;
    }

    std::vector<bool> rows_around_hits(std::size_t context) const {
        const auto count = listing_.instructions.size();
        std::vector<bool> kept(count);
        std::size_t until = context;  // always shows the beginning of a function
        for (std::size_t at = 0; at < count; ++at) {
            const auto& row = listing_.instructions[at];
            if (hits(row.cells) != 0 || row.changed || !row.calls.empty()) {
                for (auto back = at; back-- > 0 && at - back <= context && !kept[back];) kept[back] = true;
                until = at + context + 1;
            }
            if (at < until) kept[at] = true;
        }
        // A gap takes a line itself, so show a single instruction instead.
        for (std::size_t at = 1; at + 1 < count; ++at) kept[at] = kept[at] || (kept[at - 1] && kept[at + 1]);
        return kept;
    }

    std::vector<bool> lines_to_show() const {
        std::vector<bool> shown(listing_.lines.size());
        for (std::size_t at = 0; at < kept_.size(); ++at) {
            const auto line = listing_.instructions[at].line;
            if (kept_[at] && line) shown[*line] = true;
        }
        return shown;
    }

    bool kept_at(std::uint64_t offset) const {
        const auto found = std::ranges::lower_bound(listing_.instructions, offset, {},
                                                    [](const auto& row) { return row.instruction.offset; });
        return found != listing_.instructions.end() && found->instruction.offset == offset &&
               kept_[static_cast<std::size_t>(found - listing_.instructions.begin())];
    }

    // Colours by the row's largest share of the function's samples in any event, whatever the percentages refer to.
    std::string heat(std::span<const EventCount> cells) const {
        const auto heat = heat_class(model_.percent(cells, listing_.total));
        return heat == 0 ? std::string() : fmt::format("h{}", heat);
    }

    void percent(const EventCount& cell, std::size_t column) {
        const auto of = model_.options().percent_of;
        const bool local = of == PercentOf::function_hits || of == PercentOf::function_periods;
        const auto& whole = local ? listing_.total[column] : model_.totals()[column];
        html_.print("{}", share_text(model_.count(cell), model_.count(whole)));
    }

    // Returns the factor that turns a shown percentage into a share of the function's samples.
    double of_function(std::size_t column) const {
        const auto of = model_.options().percent_of;
        if (of == PercentOf::function_hits || of == PercentOf::function_periods) return 1;
        const auto own = static_cast<double>(model_.count(listing_.total[column]));
        return own == 0 ? 0 : static_cast<double>(model_.count(model_.totals()[column])) / own;
    }

    void source() {
        html_.raw("<div class=sp tabindex=0 role=group aria-label=Source><table class=sc><thead><tr>");
        const auto& columns = model_.columns();
        for (const auto column : columns) {
            if (columns.size() == 1) {
                html_.raw("<th scope=col class=n>%");
            } else {
                html_.raw("<th scope=col class=n title=\"% of ").text(model_.event_name(column), 100).raw("\">% ");
                html_.text(model_.event_name(column), 100);
            }
        }
        ratio_heads();
        html_.raw("<th scope=col class=n>line<th scope=col>source<tbody>");
        std::string_view file;
        std::uint32_t last = 0;
        bool first = true;
        const auto indent = source_.indent();
        for (std::size_t at = 0; at < source_.rows().size(); ++at) {
            const auto& row = source_.rows()[at];
            // Lines of one file are adjacent and share a heading.
            if (first || BeforeText{}(file, row.file) || BeforeText{}(row.file, file)) {
                html_.print("<tr class=fl><th colspan={} title=\"", source_width()).text(row.file).raw("\">");
                if (row.line == 0 && row.file.empty()) {
                    html_.raw("without source");
                } else {
                    html_.text(short_name(row.file), 120);
                }
            } else if (row.line > last + 1) {
                html_.print("<tr class=g><td colspan={}>⋯", source_width());
            }
            first = false;
            file = row.file;
            last = row.line;
            source_row(at, row, indent);
        }
        html_.raw("</table></div>");
    }

    void source_row(std::size_t at, const HtmlSourceRow& row, std::size_t indent) {
        const auto hot = heat(row.cells);
        html_.print("<tr id={}s{}", anchor_, at);
        if (!hot.empty()) html_.raw(" class=").raw(hot);
        html_.raw(">");
        for (const auto column : model_.columns()) {
            html_.raw("<td>");
            if (row.cells[column].hits != 0) percent(row.cells[column], column);
        }
        ratios(row.cells);
        if (row.line == 0) {
            html_.raw("<td><td>(no source)\n");
            return;
        }
        html_.print("<td>{}<td>", row.line).text(row.text.substr(std::min(indent, row.text.size())), 400).raw("\n");
    }

    std::size_t width() const {
        return model_.columns().size() * 2 + model_.page().ratios.size() + (listing_.lines.empty() ? 0 : 1) + 3 +
               raw_bytes();
    }
    std::size_t source_width() const { return model_.columns().size() + model_.page().ratios.size() + 2; }
    void ratio_heads() {
        for (const auto& ratio : model_.page().ratios) html_.raw("<th scope=col class=n>").text(ratio.name, 60);
    }
    void ratios(std::span<const EventCount> cells) {
        for (const auto& ratio : model_.page().ratios) {
            html_.raw("<td>");
            if (hits(cells) != 0) html_.raw(ratio_text(ratio.of(cells)));
        }
    }
    std::size_t raw_bytes() const { return model_.options().raw_bytes ? 1 : 0; }

    void instructions() {
        html_.raw("<div class=ap tabindex=0 role=group aria-label=Instructions><table class=as data-c=");
        for (std::size_t at = 0; at < model_.columns().size(); ++at) {
            html_.print("{}{:.6g}", at == 0 ? "" : ",", of_function(model_.columns()[at]));
        }
        html_.raw("><thead>");
        const auto& columns = model_.columns();
        if (columns.size() > 1) {
            html_.raw("<tr class=ev>");
            for (const auto column : columns) {
                html_.raw("<th colspan=2 scope=colgroup title=\"").text(model_.event_name(column), 100).raw("\">");
                html_.text(model_.event_name(column), 100);
            }
            html_.print("<td colspan={}>", width() - columns.size() * 2);
        }
        html_.raw("<tr>");
        for (std::size_t at = 0; at < columns.size(); ++at) {
            html_.raw("<th scope=col class=n>%<th scope=col class=n>samples");
        }
        ratio_heads();
        if (!listing_.lines.empty()) html_.raw("<th scope=col class=n>line");
        html_.raw("<th scope=col class=n>offset");
        if (raw_bytes() != 0) html_.raw("<th scope=col>bytes");
        html_.raw("<th scope=col colspan=2>instruction<tbody>");
        std::optional<std::size_t> line;
        std::optional<std::uint32_t> inlined;
        std::size_t gap = 0;
        for (std::size_t at = 0; at < listing_.instructions.size(); ++at) {
            if (!kept_[at]) {
                ++gap;
                continue;
            }
            const auto& row = listing_.instructions[at];
            if (gap != 0) {
                html_.print("<tr class=g><td colspan={}>⋯ {} instructions without a sample\n", width(), gap);
                line.reset();
                gap = 0;
            }
            if (row.inlined != inlined) {
                chain(row.inlined ? std::span<const InlinedCall>(listing_.inlined[*row.inlined])
                                  : std::span<const InlinedCall>());
            }
            inlined = row.inlined;
            // Positions that differ only by column share a source row.
            const auto own = !row.line         ? std::nullopt
                             : source_.empty() ? std::optional<std::size_t>(*row.line)
                                               : std::optional(source_.row_of(*row.line));
            instruction(row, own != line);
            line = own;
        }
        if (gap != 0) {
            html_.print("<tr class=g><td colspan={}>⋯ {} instructions without a sample\n", width(), gap);
        }
        html_.raw("</table></div>");
    }

    // "in f inlined at main.c:12 ← g inlined at f.c:3", outermost last; without calls "in" and the function.
    void chain(std::span<const InlinedCall> calls) {
        html_.print("<tr class=i><td colspan={}>", width());
        if (calls.empty()) html_.raw("in <b>").text(listing_.name.name, 120).raw("</b>");
        for (std::size_t at = 0; at < calls.size(); ++at) {
            const auto& call = calls[at];
            html_.raw(at == 0 ? "in <b>" : " ← <b>");
            if (call.function.empty()) html_.raw("(unknown)");
            html_.text(call.function, 120).raw("</b>");
            if (call.call.line != 0) {
                html_.raw(" inlined at ").text(short_name(call.call.file), 60).print(":{}", call.call.line);
            }
        }
        html_.raw("\n");
    }

    void instruction(const ListingInstruction& row, bool new_line) {
        const auto& decoded = row.instruction;
        html_.raw("<tr");
        if (targets_.contains(decoded.offset) || !row.calls.empty())
            html_.print(" id={}-{:x}", anchor_, decoded.offset);
        auto classes = heat(row.cells);
        if (row.changed) classes += classes.empty() ? "c" : " c";
        if (classes.find(' ') != std::string::npos) classes = '"' + classes + '"';
        if (!classes.empty()) html_.raw(" class=").raw(classes);
        if (row.line && new_line && !source_.empty()) html_.print(" data-l={}", source_.row_of(*row.line));
        html_.raw(">");
        for (const auto column : model_.columns()) {
            const auto& cell = row.cells[column];
            html_.raw("<td>");
            if (cell.hits != 0) percent(cell, column);
            html_.raw("<td>");
            if (cell.hits != 0) html_.print("{}", cell.hits);
        }
        ratios(row.cells);
        if (!listing_.lines.empty()) {
            html_.raw("<td>");
            if (row.line && new_line) place(*row.line);
        }
        html_.print("<td>{:x}", decoded.offset);
        if (raw_bytes() != 0)
            html_.raw("<td>").raw(hex_bytes(row.bytes.first(std::min<std::size_t>(row.bytes.size(), 16))));
        html_.raw("<td>").text(decoded.mnemonic, 40).raw("<td");
        std::string registers;
        if (listing_.kind == CodeClass::bpf) {
            registers = bpf_registers(model_.page().recording.arch(), decoded.operands);
            if (!registers.empty()) html_.raw(" data-r=\"").raw(registers).raw("\"");
        }
        html_.raw(">");
        operands(row);
        for (const auto index : row.calls) called(listing_.calls->sites[index], row);
        if (row.changed) {
            html_.raw(" <del title=\"until ").raw(seconds(row.changed->time)).raw("\">");
            html_.text(row.changed->text, 200).raw("</del>");
        }
        // End the cell before the newline, so that text which CSS appends stays on this line.
        html_.raw(registers.empty() ? "\n" : "</td>\n");
    }

    // Writes the number of samples below the call, and the callee's name unless the operands show it.
    void called(const ListingCall& call, const ListingInstruction& row) {
        const bool target = row.calls.size() == 1 && row.target && row.target->offset == 0 &&
                            !row.target->name.empty() &&
                            (call.name == row.target->name || call.name.ends_with("/" + row.target->name));
        if (!target) {
            const auto anchor = call.name.empty() ? 0 : model_.anchor(call.function);
            html_.raw(" <u>→ ");
            if (anchor != 0) html_.print("<a href=#f{}>", anchor);
            html_.text(called_name(call), 120);
            if (anchor != 0) html_.raw("</a>");
            html_.raw("</u>");
        }
        std::uint64_t branches = 0;
        for (const auto count : call.branches) branches += count;
        const auto below = hits(call.below);
        if (below != 0) {
            html_.print(" <b class=\"cb h{}\" title=\"", heat_class(model_.percent_of_all(call.below)));
            for (const auto column : model_.columns()) {
                html_.print("{} samples below, {} % of ", call.below[column].hits,
                            share_text(call.below[column].hits, model_.totals()[column].hits));
                html_.text(model_.event_name(column), 60).raw("\n");
            }
            html_.raw("\" data-c=");
            for (std::size_t at = 0; at < model_.columns().size(); ++at) {
                html_.print("{}{}", at == 0 ? "" : ",", call.below[model_.columns()[at]].hits);
            }
            html_.print(">{}</b>", below);
        }
        if (branches != 0) html_.print(" <b class=cb title=\"seen so often in branch stacks\">{}×</b>", branches);
    }

    void place(std::uint32_t line) {
        const auto& source = listing_.lines[line].source;
        if (source.line == 0) return;
        if (source_.empty()) {
            html_.text(short_name(source.file), 40).print(":{}", source.line);
        } else {
            html_.print("<a href=#{}s{}>{}</a>", anchor_, source_.row_of(line), source.line);
        }
    }

    // Replaces an operand that is only the target's address by the target's name.
    void operands(const ListingInstruction& row) {
        const auto& text = row.instruction.operands;
        const bool address =
            row.target && (text == hex(row.target->address) || text == fmt::format("{}", row.target->address.value));
        const bool named = row.target && (row.target->same_function || !row.target->name.empty());
        if (!named || !address) html_.text(text, 200);
        if (!named) return;
        const auto& target = *row.target;
        if (!address) html_.raw(" ");
        if (target.same_function) {
            if (targets_.contains(target.offset)) {
                html_.print("<a class=jp href=#{}-{:x}>{:x}</a>", anchor_, target.offset, target.offset);
            } else {
                html_.print("{:x}", target.offset);
            }
            return;
        }
        const auto anchor = target.relocation ? 0 : model_.anchor(listing_, target);
        if (anchor != 0) {
            html_.print("<a href=#f{}>", anchor);
        } else {
            html_.raw("<i>");
        }
        html_.text(target.name, 160);
        if (target.offset >> 63 != 0) {
            html_.print("-0x{:x}", ~target.offset + 1);
        } else if (target.offset != 0) {
            html_.print("+0x{:x}", target.offset);
        }
        if (target.relocation)
            html_.raw(
                "<small title=\"the bytes are from before the kernel filled in addresses\"> before relocation</small>");
        html_.raw(anchor != 0 ? "</a>" : "</i>");
    }

    HtmlWriter& html_;
    const HtmlModel& model_;
    const Listing& listing_;
    std::string anchor_;
    std::vector<bool> kept_;  // by instruction
    HtmlSource source_;
    std::set<std::uint64_t> targets_;  // offsets of jump targets in this function
};

}  // namespace

void write_html_listing(HtmlWriter& html, const HtmlModel& model, const Listing& listing, const std::string& anchor) {
    ListingWriter(html, model, listing, anchor).write();
}

}  // namespace perfdata
