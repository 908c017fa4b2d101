// SPDX-License-Identifier: MIT
#include "report_places.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "format/words.hpp"

namespace perfdata {
namespace {

char level_of(const Frame& frame, CodeClass kind) {
    switch (frame.mode) {
        case CpuMode::kernel: return 'k';
        case CpuMode::user: return '.';
        case CpuMode::guest_kernel: return 'g';
        case CpuMode::guest_user: return 'u';
        case CpuMode::hypervisor: return 'H';
        case CpuMode::unknown: break;
    }
    return kind == CodeClass::user || kind == CodeClass::jit ? '.' : kind == CodeClass::unknown ? '?' : 'k';
}

}  // namespace

Places::Places(const Symbolizer& symbolizer, PlaceKeys keys) : symbolizer_(symbolizer), keys_(keys) {
    if (keys.line) lines_.emplace(symbolizer);
}

std::string ReportPlace::text() const {
    if (symbol.empty()) {
        std::string text;
        append_address(address, text);
        return text;
    }
    return std::string(symbol) + std::string(inlined ? inlined_mark : "");
}

std::string_view Places::short_name(std::string_view path, CodeClass kind) {
    // Consecutive frames of one object share the same path storage.
    if (!last_name_.empty() && path.data() == last_path_.data() && path.size() == last_path_.size() &&
        kind == last_kind_) {
        return last_name_;
    }
    auto& name = short_names_[{path, kind}];
    if (name.empty()) {
        const auto text = object_label(path, kind);
        auto known = objects_.find(text);
        if (known == objects_.end()) {
            const auto kept = texts_.keep(text);
            known = objects_.emplace(kept, kept).first;
        }
        name = known->second;
    }
    last_path_ = path;
    last_kind_ = kind;
    last_name_ = name;
    return name;
}

std::uint64_t Places::Key::hash(const HashKey& key) const {
    const auto text = [&](std::string_view of) { return of.empty() ? 0 : key.text(of); };
    const auto rest = std::uint64_t{load} << 32 | std::uint64_t{inlined ? 1u : 0u} << 16 |
                      std::uint64_t{static_cast<unsigned char>(level)} << 8 | static_cast<std::uint64_t>(kind);
    return key(text(symbol), key(text(object), text(line)), address, rest);
}

Places::Key Places::key_of(const ReportPlace& place) const {
    Key key;
    key.symbol = place.symbol;
    key.address = place.address + place.offset;  // one of them is zero
    key.inlined = place.inlined;
    // Without a name, an address is meaningful only within its object.
    if (keys_.object || (keys_.symbol && place.symbol.empty())) key.object = place.object;
    if (keys_.symbol) key.level = place.level;
    if (keys_.kind) key.kind = place.kind;
    if (keys_.line) key.line = place.line;
    if (keys_.program && !place.loads.empty()) key.load = place.loads.front();
    return key;
}

std::uint32_t Places::number(const Frame& frame, bool shown) {
    const auto name = symbolizer_.name(frame);
    const auto object = short_name(name.object, name.kind);
    const auto* code = symbolizer_.timeline().code_of(frame);
    const auto load = code != nullptr ? code->load : std::nullopt;

    ReportPlace place{};
    place.level = level_of(frame, name.kind);
    place.kind = name.kind;
    if (keys_.symbol) {
        place.symbol = name.symbol;
        place.inlined = name.inlined;
        if (name.symbol.empty()) {
            place.address = frame.offset;
        } else if (keys_.address) {
            place.offset = frame.offset - symbolizer_.function(frame).offset;
        }
    }
    std::string line;
    if (keys_.line) place.line = line = lines_->line_of(frame, shown);
    place.object = object;
    place.path = name.object;
    if (load) place.loads.push_back(*load);
    const auto key = key_of(place);
    auto& number =
        slots_.number(key.hash(HashKey::process()), [&](std::uint32_t known) { return key_of(places_[known]) == key; });
    if (number == HashSlots::free) {
        number = static_cast<std::uint32_t>(places_.size());
        place.line = texts_.keep(line);
        places_.push_back(std::move(place));
        return number;
    }
    auto& known = places_[number];
    if (known.kind != name.kind) known.kind = CodeClass::unknown;
    if (load) {
        const auto at = std::ranges::lower_bound(known.loads, *load);
        if (at == known.loads.end() || *at != *load) known.loads.insert(at, *load);
    }
    return number;
}

}  // namespace perfdata
