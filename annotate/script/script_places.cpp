// SPDX-License-Identifier: MIT
#include "script_places.hpp"

#include <algorithm>
#include <iterator>

#include "format/words.hpp"
#include "report/unnamed_samples.hpp"

namespace perfdata {

ScriptPlaces::ScriptPlaces(const Symbolizer& symbolizer)
    : symbolizer_(symbolizer),
      timeline_(symbolizer.timeline()),
      jit_(symbolizer.jit().empty() ? nullptr : &symbolizer.jit()),
      recent_tasks_(timeline_.tasks()),
      recent_(std::size_t{1} << recent_bits) {
    constexpr Pid kernel{~std::uint32_t{0}};
    for (const auto& object : timeline_.tasks().objects()) shows_offset_.push_back(shows_offset(object));
    for (const auto& code : timeline_.code()) {
        changes_.push_back(code.from);
        changes_.push_back(code.until);
    }
    for (const auto& mapping : timeline_.tasks().mappings()) {
        if (mapping.pid == kernel) changes_.push_back(mapping.from);
    }
    std::ranges::sort(changes_);
}

void ScriptPlaces::forget() {
    places_ = {};
    for (auto& known : inlined_at_) known.clear();
    inlined_.clear();
    offsets_.clear();
    asked_ = 0;
    frame_names_.clear();
    ++stretch_;  // invalidates recent lookups
}

void ScriptPlaces::enter(Time time) {
    const auto next = std::ranges::upper_bound(changes_, time);
    since_ = next == changes_.begin() ? Time{} : *std::prev(next);
    until_ = next == changes_.end() ? Time::forever() : *next;
    ++stretch_;
}

FrameName ScriptPlaces::name_of(const Frame& frame) {
    auto name = symbolizer_.name(frame);
    if (name.symbol.empty() && name.kind == CodeClass::user && lacks_build_id(name.miss)) [[unlikely]] {
        without_build_id_.emplace(name.object, name.miss);
    }
    if (name.symbol.empty() && name.kind == CodeClass::user && is_about_file(name.miss)) [[unlikely]] {
        without_file_.emplace(name.object, name.miss);
    }
    const bool kernel = name.kind == CodeClass::kernel || name.kind == CodeClass::module || frame.misses(Miss::kernel);
    unnamed_kernel_ = unnamed_kernel_ || (name.symbol.empty() && kernel && !symbolizer_.has_kernel_names());
    return name;
}

// Returns whether perf shows where in the object an address lies.
bool ScriptPlaces::shows_offset(const Object& object) {
    switch (object.kind) {
        case ObjectKind::kernel:
        case ObjectKind::module:
        case ObjectKind::heap:
        case ObjectKind::stack: return false;
        case ObjectKind::memory:
            // perf treats the first of these as anonymous memory, and the second as no object at all.
            return !object.path.starts_with("/dev/zero") && !object.path.starts_with("/SYSV");
        default: return true;
    }
}

void ScriptPlaces::find_inlined() {
    const auto& functions = symbolizer_.functions();
    // What is found is a place, too, at which nothing is inlined.
    for (const auto end = static_cast<std::uint32_t>(places_.size()); asked_ < end; ++asked_) {
        const auto number = static_cast<std::uint32_t>(asked_);
        if (places_[number].frame.kind != FrameKind::object) continue;
        const auto place = places_[number];
        for (const bool returns : {false, true}) {
            calls_.clear();
            functions.add_inlined(place.frame, returns, calls_);
            if (calls_.empty()) continue;
            auto& known = inlined_at_[returns ? 1 : 0];
            if (known.size() <= number) known.resize(std::max(places_.size(), 2 * known.size()));
            known[number] = {inlined_.size(), calls_.size()};
            const auto offset = name_once(number).offset;
            constexpr std::size_t a_line = 32;  // without the name
            for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
                inlined_.push_back(places_.intern(ScriptPlace{*call, place.shown}));
                offsets_.emplace(inlined_.back(), offset);
                known[number].bytes += a_line + printable(InLine(name_once(inlined_.back()).symbol)).size();
            }
        }
    }
    asked_ = places_.size();
}

}  // namespace perfdata
