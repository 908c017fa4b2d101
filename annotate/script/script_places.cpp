// SPDX-License-Identifier: MIT
#include "script_places.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "format/words.hpp"

namespace perfdata {

ScriptPlaces::ScriptPlaces(const Symbolizer& symbolizer, std::size_t most_places)
    : symbolizer_(symbolizer),
      most_places_(most_places),
      jit_(symbolizer.jit().empty() ? nullptr : &symbolizer.jit()),
      recent_tasks_(symbolizer.timeline().tasks()),
      recent_(std::size_t{1} << recent_bits) {
    constexpr Pid kernel{~std::uint32_t{0}};
    for (const auto& code : symbolizer.timeline().code()) {
        changes_.push_back(code.from);
        changes_.push_back(code.until);
    }
    for (const auto& mapping : symbolizer.timeline().tasks().mappings()) {
        if (mapping.pid == kernel) changes_.push_back(mapping.from);
    }
    std::ranges::sort(changes_);
}

bool ScriptPlaces::forget_many() {
    constexpr std::size_t most_text = std::size_t{64} << 20, most_inlined = std::size_t{1} << 20;
    if (places_.size() < most_places_ && texts_->bytes() < most_text && inlined_.size() < most_inlined) return false;
    places_ = {};
    for (auto& known : inlined_at_) known.clear();
    inlined_.clear();
    offsets_.clear();
    asked_ = 0;
    frame_names_.clear();
    for (auto& lines : lines_) lines.clear();
    left_out_lines_.clear();
    texts_ = std::make_shared<TextArena>();
    shared_texts_ = texts_;
    ++stretch_;  // invalidates recent lookups
    return true;
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
    if (name.symbol.empty() && name.miss == SymbolMiss::not_opened) [[unlikely]] {
        not_opened_.insert(name.object);
    }
    const bool kernel = name.kind == CodeClass::kernel || name.kind == CodeClass::module || frame.misses(Miss::kernel);
    unnamed_kernel_ = unnamed_kernel_ || (name.symbol.empty() && kernel && !symbolizer_.has_kernel_names());
    return name;
}

std::uint64_t ScriptPlaces::shown(const Frame& frame, Address address) const {
    if (frame.kind != FrameKind::object) return address.value;
    const auto& object = symbolizer_.timeline().tasks().objects()[frame.index];
    switch (object.kind) {
        case ObjectKind::kernel:
        case ObjectKind::module:
        case ObjectKind::heap:
        case ObjectKind::stack: return address.value;
        case ObjectKind::memory:
            // perf treats the first of these as anonymous memory, and the second as no object at all.
            if (object.path.starts_with("/dev/zero") || object.path.starts_with("/SYSV")) return address.value;
            return frame.offset;
        default: return frame.offset;
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

std::string_view ScriptPlaces::write(std::uint32_t number, ScriptFields fields) {
    const auto found = name_once(number);
    writing_.clear();
    auto out = std::back_inserter(writing_);
    fmt::format_to(out, "\t{:16x}", places_[number].shown);
    if ((fields & field_sym) != 0) {
        if (found.symbol.empty()) {
            writing_ += " [unknown]";
        } else {
            writing_ += ' ';
            // A chain may have very many inlined functions, all with one long name.
            writing_ += found.inlined ? printable(InLine(found.symbol)) : perfdata::shown(found.symbol);
            if ((fields & field_symoff) != 0) {
                // As in perf, from the start of the function that contains it.
                fmt::format_to(out, "+{:#x}", found.inlined ? offsets_.at(number) : found.offset);
            }
        }
    }
    if (found.inlined) {
        writing_ += inlined_mark;
    } else if ((fields & field_dso) != 0) {
        writing_ += " (";
        writing_ += found.object.empty() ? "[unknown]" : perfdata::shown(found.object);
        writing_ += ')';
    }
    writing_ += '\n';
    return texts_->keep(writing_);
}

std::string_view ScriptPlaces::left_out_line(std::uint32_t number) {
    auto& line = left_out_lines_[number];
    if (line.empty()) {
        const auto count = left_out_count(number);
        line = texts_->keep(fmt::format("\t{:16} [{} more inlined function{}]\n", "", count, count == 1 ? "" : "s"));
    }
    return line;
}

std::string_view ScriptPlaces::write_object(std::uint32_t number) {
    const auto object = name_once(number).object;
    writing_.clear();
    writing_ += object.empty() ? "[unknown]" : printable(InLine(object, InLine::Keep::end));
    return texts_->keep(writing_);
}

}  // namespace perfdata
