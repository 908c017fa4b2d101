// SPDX-License-Identifier: MIT
#include <algorithm>

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

    // Writes the frames in depth-first order, each at its place: browsers nest elements no deeper than 512, and stacks
    // are deeper. Places are for the first event; scripts switch events, and say who calls whom from the depths.
    void write() {
        if (cells_.empty() || flame_.nodes.empty()) return;
        std::uint32_t deepest = 0;
        for (const auto& node : flame_.nodes) deepest = std::max(deepest, node.depth);
        html_.print("<div id=fg class=fg style=--n:{}>", deepest + 1);
        std::vector<Level> levels(1);
        for (const auto& node : flame_.nodes) {
            levels.resize(node.depth + 1);
            auto& level = levels.back();
            const auto anchor = anchor_of(flame_.names[node.name], node.depth == 0 ? 0 : levels[node.depth - 1].anchor);
            const auto width = share(count(node, cells_.front()), count(flame_.nodes.front(), cells_.front()));
            frame(node, level.next, width, anchor);
            const auto begin = level.next;
            level = {begin + width, anchor};
            levels.push_back({begin, 0});
        }
        html_.raw("</div>");
    }

  private:
    struct Level {
        double next = 0;           // where the next frame begins, in percent of all
        std::uint32_t anchor = 0;  // of the last frame
    };

    // Code that was inlined is in the listing of the function that contains it.
    std::uint32_t anchor_of(const FlameName& name, std::uint32_t caller) const {
        if (name.role != FlameRole::code) return 0;
        return name.inlined ? caller : model_.anchor(name.function);
    }

    std::uint64_t count(const FlameNode& node, std::size_t cell) const { return model_.count(node.cells[cell]); }

    void frame(const FlameNode& node, double begin, double width, std::uint32_t anchor) {
        const auto& name = flame_.names[node.name];
        // Too narrow for a label until the reader zooms in.
        constexpr double narrow = 1.7;  // percent of all
        const bool slim = width < narrow;
        html_.print("<a class={2}{0}{1}{2} style=--d:{3};left:{4:.5g}%;width:{5:.4g}%", kind_of(name), slim ? " z" : "",
                    slim ? "\"" : "", node.depth, begin, width);
        html_.raw(" data-c=");
        for (std::size_t at = 0; at < cells_.size(); ++at) {
            html_.print("{}{}", at == 0 ? "" : ",", count(node, cells_[at]));
        }
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
            case FlameRole::smaller: html_.print("({} more)", node.smaller); return;
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
