// SPDX-License-Identifier: MIT
#include "script_places.hpp"

#include <fmt/format.h>
#include <iterator>

namespace perfdata {

std::uint64_t ScriptPlaces::shown(const Frame& frame, Address address) const {
    if (frame.kind != FrameKind::object) return address.value;
    const auto& object = names_.timeline().tasks().objects()[frame.index];
    switch (object.kind) {
        case ObjectKind::kernel:
        case ObjectKind::module:
        case ObjectKind::heap:
        case ObjectKind::stack: return address.value;
        case ObjectKind::memory:
            // perf takes the first of these for anonymous memory, and the second for no object at all.
            if (object.path.starts_with("/dev/zero") || object.path.starts_with("/SYSV")) return address.value;
            return frame.offset;
        default: return frame.offset;
    }
}

ScriptPlaces::Line ScriptPlaces::write(std::uint32_t number, ScriptFields fields) {
    const auto& found = name(number);
    const auto begin = text_.size();
    auto out = std::back_inserter(text_);
    fmt::format_to(out, "\t{:16x}", places_[number].shown);
    if ((fields & field_sym) != 0) {
        if (found.symbol.empty()) {
            text_ += " [unknown]";
        } else {
            text_ += ' ';
            text_ += found.symbol;
            if ((fields & field_symoff) != 0) fmt::format_to(out, "+{:#x}", found.offset);
        }
    }
    if ((fields & field_dso) != 0) {
        text_ += " (";
        text_ += found.object.empty() ? std::string_view("[unknown]") : found.object;
        text_ += ')';
    }
    text_ += '\n';
    return {begin, static_cast<std::uint32_t>(text_.size() - begin)};
}

}  // namespace perfdata
