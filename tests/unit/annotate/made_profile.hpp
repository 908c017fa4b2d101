// SPDX-License-Identifier: MIT
// Profiles made of recordings, in few words.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "stored/profile_maker.hpp"
#include "support/scene.hpp"
#include "unit/annotate/annotated_scene.hpp"

namespace perfdata::test {

using MadeTexts = std::vector<std::string>;

// MadeProfile is a model with words for its rows. The recording need not outlive it.
struct MadeProfile {
    MadeProfile(const Recording& recording, const Symbolizer& symbolizer, const ProfileMakerOptions& options = {}) {
        auto made = make_profile(recording, symbolizer, options);
        REQUIRE(made);
        model = std::move(*made);
    }
    explicit MadeProfile(const AnnotatedScene& scene, const ProfileMakerOptions& options = {})
        : MadeProfile(scene.recording, scene.symbolizer, options) {}

    std::string text(stored::Ref<stored::Text> ref) const { return std::string(model.text(ref)); }
    // name(function) returns the name in BTF or after the tag for BPF code, else the symbol.
    std::string name(stored::Ref<stored::Function> ref) const {
        const auto& function = model.at(ref);
        return text(function.code ? model.at(function.code).name : function.symbol);
    }
    // place(frame) returns "main+6", "object+1000" or "nowhere+1000".
    std::string place(stored::Ref<stored::Frame> ref) const {
        const auto& frame = model.at(ref);
        const auto of = frame.function   ? name(frame.function)
                        : frame.nameless ? text(model.at(frame.nameless).object)
                                         : std::string("nowhere");
        return of + "+" + std::to_string(frame.offset);
    }
    // chain(node) returns "a+4^ b+4": outermost first, ^ behind places that a call returns to.
    std::string chain(stored::Ref<stored::Node> ref) const {
        const auto& node = model.at(ref);
        const auto own = place(node.frame) + (node.returns ? "^" : "");
        return node.caller ? chain(node.caller) + " " + own : own;
    }
    // cells() returns "0: comm chain event hits periods", by order.
    std::vector<std::string> cells() const {
        auto sorted = model.cells;
        std::ranges::sort(sorted, {}, &stored::Cell::order);
        std::vector<std::string> all;
        for (const auto& cell : sorted) {
            all.push_back(std::to_string(cell.order) + ": " + text(model.at(cell.task).comm) + " [" + chain(cell.node) +
                          "] " + std::to_string(model.at(cell.event).position) + " " + std::to_string(cell.hits) + " " +
                          std::to_string(cell.periods));
        }
        return all;
    }
    std::vector<std::string> functions() const {
        std::vector<std::string> all;
        for (std::size_t at = 0; at < model.functions.size(); ++at) {
            all.push_back(name(stored::Ref<stored::Function>(at)));
        }
        std::ranges::sort(all);
        return all;
    }
    const stored::Function& function(const std::string& wanted) const { return model.at(find(wanted)); }
    const stored::Version& version(const std::string& wanted) const {
        const auto found = std::ranges::find(model.versions, find(wanted), &stored::Version::function);
        REQUIRE(found != model.versions.end());
        return *found;
    }
    const stored::Lines& lines(const std::string& wanted) const {
        const auto found = std::ranges::find(model.lines, find(wanted), &stored::Lines::function);
        REQUIRE(found != model.lines.end());
        return *found;
    }
    stored::Ref<stored::Function> find(const std::string& wanted) const {
        for (std::size_t at = 0; at < model.functions.size(); ++at) {
            if (name(stored::Ref<stored::Function>(at)) == wanted) return stored::Ref<stored::Function>(at);
        }
        FAIL("no function " << wanted);
        return {};
    }

    stored::Model model;
};

}  // namespace perfdata::test
