// SPDX-License-Identifier: MIT
#include "report_places.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace perfdata {
namespace {

constexpr std::string_view no_line = "??:0";

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

// As perf's dso__set_basename: the last part of the path, "[JIT] tid N" for a perf map.
std::string last_part(std::string_view path) {
    constexpr std::string_view map = "/tmp/perf-", end = ".map";
    if (path.starts_with(map) && path.ends_with(end)) {
        std::uint32_t pid = 0;
        const auto* begin = path.data() + map.size();
        const auto* stop = path.data() + path.size() - end.size();
        if (begin < stop && std::from_chars(begin, stop, pid).ptr == stop) return fmt::format("[JIT] tid {}", pid);
    }
    const auto slash = path.rfind('/');
    return std::string(slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1));
}

}  // namespace

Places::Places(const Names& names, const Symbols& symbols, PlaceKeys keys) : names_(names), keys_(keys) {
    if (keys.line) code_lines_.emplace(names.timeline(), names, symbols);
}

std::string ReportPlace::text() const {
    return symbol.empty() ? fmt::format("0x{:016x}", address) : std::string(symbol);
}

const std::string& Places::short_name(std::string_view path, CodeClass kind) {
    // Frames of one object come in a row, with the very same path.
    if (last_name_ != nullptr && path.data() == last_path_.data() && path.size() == last_path_.size() &&
        kind == last_kind_) {
        return *last_name_;
    }
    auto& name = short_names_[{path, kind}];
    if (name.empty()) {
        name = path.empty() ? "[unknown]" : kind == CodeClass::module ? "[" + module_name(path) + "]" : last_part(path);
    }
    last_path_ = path;
    last_kind_ = kind;
    last_name_ = &name;
    return name;
}

const std::vector<LineStart>& Places::lines_of(const Frame& function, std::uint64_t size) {
    const auto number = line_functions_.intern(function);
    if (number == lines_.size()) {
        auto lines = code_lines_->lines(function, size);
        lines_.push_back(lines ? std::move(*lines) : std::vector<LineStart>());
    }
    return lines_[number];
}

std::string Places::line_of(const Frame& frame) {
    auto [begin, size, address] = names_.extent(frame);
    begin.mode = CpuMode::unknown;  // the lines are the same in every mode
    const auto& lines = lines_of(begin, std::max<std::uint64_t>(size, 1));
    const auto after = std::ranges::upper_bound(lines, frame.offset - begin.offset, {}, &LineStart::offset);
    if (after == lines.begin()) return std::string(no_line);
    const auto& source = std::prev(after)->source;
    if (source.line == 0 || source.file.empty()) return std::string(no_line);
    return fmt::format("{}:{}", source.file, source.line);
}

std::uint64_t Places::Key::hash() const {
    constexpr std::hash<std::string_view> text;
    std::uint64_t sum = symbol.empty() ? 0 : text(symbol);
    const auto mix = [&](std::uint64_t part) {
        sum = (sum ^ part) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    };
    if (!object.empty()) mix(text(object));
    if (!line.empty()) mix(text(line));
    mix(address);
    mix(std::uint64_t{load} << 8 | static_cast<unsigned char>(level));
    return sum;
}

std::uint32_t Places::number(const Frame& frame) {
    const auto name = names_.name(frame);
    const auto& object = short_name(name.object, name.kind);
    std::optional<std::uint32_t> load;
    if (frame.kind == FrameKind::code) load = names_.timeline().code()[frame.index].load;

    ReportPlace place{};
    place.level = level_of(frame, name.kind);
    place.kind = name.kind;
    if (keys_.symbol) {
        place.symbol = name.symbol;
        if (name.symbol.empty()) place.address = frame.offset;
    }
    if (keys_.line) place.line = line_of(frame);
    // An address without a name means something in its object only.
    const bool by_object = keys_.object || (keys_.symbol && name.symbol.empty());
    const Key key{by_object ? std::string_view(object) : std::string_view(),
                  place.symbol,
                  place.address,
                  keys_.symbol ? place.level : '\0',
                  keys_.kind ? name.kind : CodeClass::unknown,
                  place.line,
                  keys_.program ? load.value_or(no_load) : no_load};
    const auto number = numbers_.intern(key);
    if (number == places_.size()) {
        place.object = object;
        place.path = name.object;
        places_.push_back(std::move(place));
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
