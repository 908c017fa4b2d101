// SPDX-License-Identifier: MIT
#include <cmath>

#include "format/words.hpp"
#include "html_parts.hpp"

namespace perfdata {
namespace {

class FlameWriter {
  public:
    FlameWriter(HtmlWriter& html, const HtmlModel& model, const Flame& flame)
        : html_(html), model_(model), flame_(flame) {
        // The flame graph and the profile may count different events.
        for (const auto column : model.columns()) {
            const auto event = model.page().profile.events()[column];
            for (std::size_t at = 0; at < flame.events.size(); ++at) {
                if (flame.events[at] == event) cells_.push_back(at);
            }
        }
    }

    // Writes a tree of lists. Each node is as wide as its share of its caller, for the first event; scripts switch
    // events.
    void write() {
        if (cells_.empty() || flame_.nodes.empty()) return;
        html_.raw("<ul id=fg class=fg>");
        std::vector<Caller> callers;
        for (std::size_t at = 0; at < flame_.nodes.size(); ++at) {
            const auto& node = flame_.nodes[at];
            for (; callers.size() > node.depth; callers.pop_back()) html_.raw("</ul>");
            const auto own = count(node, cells_.front());
            const auto anchor = anchor_of(flame_.names[node.name], callers);
            begin(node, callers.empty() ? own : callers.back().width, anchor);
            const bool leaf = at + 1 == flame_.nodes.size() || flame_.nodes[at + 1].depth <= node.depth;
            if (leaf) continue;
            html_.raw("<ul>");
            callers.push_back({own, anchor});
        }
        for (const auto& open : callers) {
            static_cast<void>(open);
            html_.raw("</ul>");
        }
        html_.raw("</ul>");
    }

  private:
    struct Caller {
        std::uint64_t width = 0;
        std::uint32_t anchor = 0;
    };

    // Code that was inlined is in the listing of the function that contains it.
    std::uint32_t anchor_of(const FlameName& name, const std::vector<Caller>& callers) const {
        if (name.role != FlameRole::code) return 0;
        if (!name.inlined) return model_.anchor(name.function);
        return callers.empty() ? 0 : callers.back().anchor;
    }

    std::uint64_t count(const FlameNode& node, std::size_t cell) const { return model_.count(node.cells[cell]); }

    void begin(const FlameNode& node, std::uint64_t of, std::uint32_t anchor) {
        const auto& name = flame_.names[node.name];
        // Too narrow for a label until the reader zooms in.
        constexpr double narrow = 1.7;  // percent of all
        const auto all = count(flame_.nodes.front(), cells_.front());
        const bool slim = share(count(node, cells_.front()), all) < narrow;
        html_.print("<li class={2}{0}{1}{2}", kind_of(name), slim ? " z" : "", slim ? "\"" : "");
        // Round down: siblings together must not be wider than their caller.
        const auto width = std::floor(share(count(node, cells_.front()), of) * 100) / 100;
        if (width < 100) html_.print(" style=width:{:.4g}%", width);
        html_.raw(" data-c=");
        for (std::size_t at = 0; at < cells_.size(); ++at) {
            html_.print("{}{}", at == 0 ? "" : ",", count(node, cells_[at]));
        }
        html_.raw("><a");
        if (anchor != 0) html_.print(" href=#f{}", anchor);
        html_.raw(">");
        label(name, node);
        html_.raw("</a>");
    }

    static char kind_of(const FlameName& name) {
        switch (name.role) {
            case FlameRole::all: return 'a';
            case FlameRole::task: return 't';
            case FlameRole::smaller: return 's';
            case FlameRole::code: break;
        }
        return html_kind(name.kind);
    }

    void label(const FlameName& name, const FlameNode& node) {
        constexpr std::size_t most = 300;  // as in the table, so that a search finds both
        switch (name.role) {
            case FlameRole::all: html_.raw("all"); return;
            case FlameRole::smaller: html_.print("({} smaller)", node.smaller); return;
            case FlameRole::task:
            case FlameRole::code: break;
        }
        if (!name.symbol.empty()) {
            html_.text(name.symbol, most);
            if (name.inlined) html_.raw(inlined_mark);
        } else if (name.object.empty()) {
            html_.raw("[unknown]");
        } else if (name.object.starts_with('[')) {
            html_.text(name.object, most);
        } else {
            html_.raw("[").text(short_name(name.object), most).raw("]");
        }
    }

    HtmlWriter& html_;
    const HtmlModel& model_;
    const Flame& flame_;
    std::vector<std::size_t> cells_;  // of the nodes, by shown column
};

}  // namespace

void write_html_flame(HtmlWriter& html, const HtmlModel& model, const Flame& flame) {
    FlameWriter(html, model, flame).write();
}

}  // namespace perfdata
