// SPDX-License-Identifier: MIT
#include "perfdata/annotate/page/html_page.hpp"

#include <algorithm>
#include <array>

#include "perfdata/annotate/format/dropped_samples.hpp"

#include "format/loss_text.hpp"
#include "format/percent.hpp"
#include "format/ratio.hpp"
#include "format/words.hpp"
#include "html_parts.hpp"
#include "page/titles.hpp"
#include "report/without_samples.hpp"

namespace perfdata {
namespace {

constexpr std::string_view kinds = "kubjox";  // html_kind() of each, in display order
constexpr std::array<std::string_view, 6> kind_words = {"kernel", "user", "BPF", "JIT", "out of line", "unknown"};

class Page {
  public:
    Page(HtmlWriter& html, const HtmlModel& model, std::span<const Unattributed> unattributed, const Flame& flame)
        : html_(html), model_(model), recording_(model.page().recording), unattributed_(unattributed), flame_(flame) {}

    void write() {
        head();
        bar();
        html_.raw("<main>");
        recording();
        flame();
        functions();
        write_html_histograms(html_, model_);
        code();
        html_.raw("</main>");
        help();
        html_.raw("<script>").raw(html_script).raw("</script>\n");
    }

  private:
    std::string title() const {
        const auto& given = model_.options().title;
        if (!given.empty()) return given;
        const auto& path = recording_.path();
        return path.empty() || path == "-" ? "Recording" : std::string(short_name(path));
    }

    void head() {
        // Forbid requests and foreign scripts, in case a name passes the escaping as markup.
        html_.raw(
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src '");
        html_.raw(html_script_hash);
        html_.raw(
            "'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
            "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=color-scheme content=\"light dark\"><meta name=referrer content=no-referrer>\n"
            "<link rel=icon href=\"data:,\"><title>");
        html_.text(title()).raw("</title>\n<style>").raw(html_style).raw("</style></head>\n<body>");
    }

    void bar() {
        html_.raw("<header class=bar><a class=br href=#top>")
            .text(title(), 60)
            .raw(
                "</a><nav><a href=#flame>Flame graph"
                "</a><a href=#functions>Functions</a>")
            .raw(model_.page().histograms.empty() ? "" : "<a href=#fields>Fields</a>")
            .raw("<a href=#code>Code</a></nav><span class=\"jo tools\">");
        const auto& columns = model_.columns();
        if (columns.size() > 1) {
            html_.raw("<label>Event <select id=ev><option value=-1>all");
            for (std::size_t at = 0; at < columns.size(); ++at) {
                html_.print("<option value={}>", at).text(model_.event_name(columns[at]), 60);
            }
            html_.raw("</select></label>");
        }
        html_.raw(
            "<input id=q type=search placeholder=\"Search functions  /\" aria-label=\"Search functions\" "
            "autocomplete=off spellcheck=false>"
            "<button id=th type=button title=\"Dark or light (t)\" aria-label=\"Dark or light\">◐</button>"
            "<button id=hb type=button title=\"Keys (?)\" aria-label=\"Keys\">?</button></span></header>\n");
    }

    void fact(std::string_view name, std::string_view content, std::size_t most = 300) {
        if (content.empty()) return;
        html_.print("<div><dt>{}<dd>", name).text(content, most).raw("</div>");
    }

    void recording() {
        html_.raw("<section id=top><h1>").text(title()).raw("</h1>");
        std::string command;
        for (const auto& word : recording_.command_line()) command += (command.empty() ? "" : " ") + word;
        if (!command.empty()) html_.raw("<pre class=cmd>").text(command, 600).raw("</pre>");
        html_.raw("<dl class=fs>");
        const auto& profile = model_.page().profile;
        for (const auto column : model_.columns()) {
            const auto& cell = model_.totals()[column];
            html_.raw("<div><dt>").text(model_.event_name(column), 60);
            html_.print("<dd>{} samples, period {}</div>", cell.hits, quantity(cell.periods));
        }
        for (const auto& ratio : model_.page().ratios) {
            html_.raw("<div><dt>").text(ratio.name, 60).raw("<dd>");
            html_.raw(ratio_text(ratio.of(profile.totals()))).raw("</div>");
        }
        if (profile.first_time() && profile.last_time()) {
            const auto length = Time{profile.last_time()->nanoseconds - profile.first_time()->nanoseconds};
            fact("sampled for", fmt::format("{:.3f} s", static_cast<double>(length.nanoseconds) / 1e9));
            fact("from, to", seconds(*profile.first_time()) + ", " + seconds(*profile.last_time()));
        }
        fact("host", recording_.hostname());
        fact("architecture", recording_.arch());
        fact("processor", recording_.cpu_description());
        fact("kernel", recording_.os_release());
        fact("perf", recording_.perf_version());
        html_.raw("</dl>");
        shares();
        completeness();
        html_.raw("</section>\n");
    }

    // Shows how much falls on each kind of code and on unknown code, for the first event; scripts switch events.
    void shares() {
        const auto& columns = model_.columns();
        if (columns.empty()) return;
        std::array<EventCounts, 7> parts;
        parts.fill(EventCounts(model_.totals().size()));
        for (const auto& function : model_.functions()) {
            add(parts[kinds.find(html_kind(function.first().kind))], function.total);
        }
        for (const auto& entry : unattributed_) add(parts[6], entry.cells);
        html_.raw("<div class=kb aria-hidden=true>");
        const auto each = [&](auto write) {
            for (std::size_t at = 0; at < parts.size(); ++at) {
                if (hits(parts[at]) == 0) continue;
                std::string all;
                for (const auto column : columns) {
                    // In full: the script rounds them as below.
                    all += fmt::format("{}{}", all.empty() ? "" : ",",
                                       share(parts[at][column].hits, model_.totals()[column].hits));
                }
                const auto first = columns.front();
                const auto percent = share(parts[at][first].hits, model_.totals()[first].hits);
                write(at, percent, all, percent == 0 ? " hidden" : "");
            }
        };
        const auto letter = [](std::size_t at) { return at < kinds.size() ? kinds[at] : 'n'; };
        each([&](std::size_t at, double percent, const std::string& all, std::string_view hidden) {
            html_.print("<i class={} style=flex-grow:{} data-c={}{}></i>", letter(at), percent_text(percent), all,
                        hidden);
        });
        html_.raw("</div><ul class=kl>");
        each([&](std::size_t at, double percent, const std::string& all, std::string_view hidden) {
            html_.print("<li class={} data-c={}{}>{} <b>{} %</b>", letter(at), all, hidden,
                        at < kinds.size() ? kind_words[at] : "not attributed", percent_text(percent, 1));
        });
        html_.raw("</ul>");
    }

    // Says what the page does not show and how certain the rest is.
    void completeness() {
        const auto& completeness = model_.page().completeness;
        html_.raw("<ul class=nt>");
        if (hits(model_.totals()) == 0) {
            const auto what = without_samples(recording_, completeness);
            if (!what.empty()) html_.raw("<li class=w>").text(what, 500);
        }
        const auto& profile = model_.page().profile;
        if (const auto text = filter_text(profile.dropped(), profile.totals(), model_.totals()); !text.empty()) {
            html_.raw("<li>").text(text, 500);
        }
        code_at_hand();
        if (!model_.page().ratios.empty()) html_.raw("<li>").text(ratio_note, 300);
        for (const auto& entry : unattributed_) {
            const auto count = hits(entry.cells);
            if (count == 0) continue;
            html_
                .print("<li><b>{} sample{}, {} %,</b> in no function: ", count, count == 1 ? "" : "s",
                       share_text(count, hits(model_.totals())))
                .text(entry.reason);
            for (std::size_t at = 0; at < entry.objects.size(); ++at) {
                html_.raw(at == 0 ? " (" : ", ").text(entry.objects[at], 120);
            }
            if (!entry.objects.empty()) html_.raw(")");
            if (!entry.remedy.empty()) html_.raw(" <small>To have them: ").text(entry.remedy, 400).raw("</small>");
        }
        for (const auto& note : model_.page().stacks.notes()) {
            html_.raw("<li class=w>Flame graph and calls lack callers: ").text(note, 500);
        }
        losses();
        std::uint64_t damaged = 0;
        for (const auto& [type, counts] : completeness.records) damaged += counts.damaged;
        if (damaged != 0) html_.print("<li class=w>{} records are damaged", damaged);
        if (completeness.bytes.unread != 0) {
            html_.print("<li class=w>{} of {} bytes of the file could not be read", completeness.bytes.unread,
                        completeness.bytes.total);
        }
        for (const auto& note : model_.options().notes) html_.raw("<li>").text(note, 500);
        const auto& diagnostics = completeness.diagnostics;
        if (!diagnostics.empty()) {
            constexpr std::size_t most = 20;
            html_.print("<li class=w><details><summary>{} problems while reading</summary><ul>", diagnostics.count());
            for (std::size_t at = 0; at < std::min(most, diagnostics.kept().size()); ++at) {
                html_.raw("<li>").text(diagnostics.kept()[at].message(), 400);
            }
            html_.raw("</ul></details>");
        }
        html_.raw("</ul>");
    }

    // What a BPF filter dropped alone is no warning.
    void losses() {
        const auto& completeness = model_.page().completeness;
        const auto lines = loss_lines(completeness);
        const bool lost = recorder_lost(completeness);
        for (std::size_t at = 0; at < lines.size(); ++at) {
            html_.raw(at != 0 ? "<br>" : lost ? "<li class=w>" : "<li>").text(lines[at], 400);
            if (at == 0 && lost) html_.raw(": <small>").text(loss_reason).raw("</small>");
        }
    }

    void code_at_hand() {
        std::uint64_t with_code = 0;
        double on_start = 0;
        std::size_t listed = 0;
        for (const auto& function : model_.functions()) {
            if (function.number != 0) ++listed;
            for (const auto* listing : function.versions) {
                if (!listing->on_instruction_start) continue;
                with_code = add_up_to_most(with_code, hits(listing->total));
                on_start += static_cast<double>(hits(listing->total)) * *listing->on_instruction_start;
            }
        }
        html_.print("<li>{} of {} functions with samples have a listing below", listed, model_.functions().size());
        if (with_code == 0) return;
        const auto percent = on_start * 100 / static_cast<double>(with_code);
        html_.print(
            "; their code holds {} % of all samples, and <b class={}>{} %</b> of these fall exactly on "
            "the start of an instruction",
            share_text(with_code, hits(model_.totals()), 1),
            percent >= 99   ? "ok"
            : percent >= 90 ? "so"
                            : "bad",
            percent_text(percent, 1));
    }

    void flame() {
        html_.raw("<section id=flame><h2>Flame graph</h2><p class=hint>");
        html_.raw(flame_.chains ? "Callers are above what they called. A width is a share of all samples."
                                : "The recording has no call chains (perf record -g): functions by command.");
        if (flame_.least_percent > 0) {
            html_.print(" Branches below {:.2g} %{} are drawn together.", flame_.least_percent,
                        flame_.cut_deepest ? ", and the deepest of those with as much," : "");
        }
        html_.raw(
            "<span class=jo> Click to zoom, click again for the code.</span></p><p id=fi class=\"jo fi\" "
            "aria-live=polite></p><div class=fw tabindex=0 role=group aria-label=\"Flame graph\">");
        write_html_flame(html_, model_, flame_);
        html_.raw("</div></section>\n");
    }

    void functions() {
        html_.raw(
            "<section id=functions><h2>Functions</h2><div class=\"jo chips\" id=ch role=group "
            "aria-label=\"Kinds of code\">");
        std::array<std::size_t, 6> counts{};
        for (const auto& function : model_.functions()) ++counts[kinds.find(html_kind(function.first().kind))];
        if (std::ranges::count_if(counts, [](std::size_t count) { return count != 0; }) > 1) {
            for (std::size_t at = 0; at < counts.size(); ++at) {
                if (counts[at] == 0) continue;
                html_.print("<button type=button class={} aria-pressed=true>{} {}</button>", kinds[at], kind_words[at],
                            counts[at]);
            }
        }
        html_.raw("</div>");
        write_html_table(html_, model_, unattributed_);
        html_.raw("</section>\n");
    }

    void code() {
        html_.raw("<section id=code><h2>Code</h2>");
        const bool local = model_.options().percent_of == PercentOf::function_hits ||
                           model_.options().percent_of == PercentOf::function_periods;
        html_.print(
            "<p class=hint>Percentages of lines and instructions are of {}. Colours are always relative to the "
            "function.</p>\n",
            local ? "the function's samples" : "all samples");
        for (const auto& function : model_.functions()) {
            if (function.number != 0) write_html_function(html_, model_, function);
        }
        html_.raw("</section>\n");
    }

    void help() {
        constexpr std::pair<std::string_view, std::string_view> keys[] = {
            {"/", "search"},
            {"Esc", "clear the search, zoom out, close"},
            {"j, k", "next, previous function"},
            {"n, p", "the hottest instruction of the function, the next hottest, back"},
            {"↑, ↓", "after n, p or a click: the instruction before, behind"},
            {"Enter", "follow the jump or call of the instruction"},
            {"↑, ↓, ←, →", "in the flame graph: the caller, what it calls, beside"},
            {"Home, End", "in the flame graph: the root, the end of the stack"},
            {"Enter", "in the flame graph: zoom, then show the code"},
            {"v", "next version of the function"},
            {"e", "next event, then all of them"},
            {"r", "registers of BPF in its code, or not"},
            {"t", "dark or light"},
            {"?", "this help"},
        };
        html_.raw("<dialog id=help aria-label=Keys><h2>Keys</h2><table>");
        for (const auto& [key, what] : keys) html_.print("<tr><th><kbd>{}</kbd><td>{}", key, what);
        html_.raw(
            "</table><p>This page is complete in itself: it asks for nothing from anywhere.</p>"
            "<form method=dialog><button autofocus>Close</button></form></dialog>\n");
    }

    HtmlWriter& html_;
    const HtmlModel& model_;
    const Recording& recording_;
    std::span<const Unattributed> unattributed_;
    const Flame& flame_;
};

}  // namespace

void write_html_page(const PageContext& page, std::span<const Listing> listings,
                     std::span<const Unattributed> unattributed, const Flame& flame, const HtmlOptions& options,
                     const Sink& sink) {
    HtmlWriter html(sink);
    const HtmlModel model(page, listings, options);
    Page(html, model, unattributed, flame).write();
    html.flush();
}

}  // namespace perfdata
