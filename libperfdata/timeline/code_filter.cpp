// SPDX-License-Identifier: MIT
#include "perfdata/timeline/code_filter.hpp"

#include <algorithm>
#include <charconv>

#include "perfdata/timeline/mapping.hpp"

namespace perfdata {
namespace {

// The last part of the path; "[JIT] tid N" for a perf map.
std::string last_part(std::string_view path) {
    constexpr std::string_view map = "/tmp/perf-", end = ".map";
    if (path.starts_with(map) && path.ends_with(end) && path.size() > map.size() + end.size()) {
        std::uint32_t pid = 0;
        const auto* stop = path.data() + path.size() - end.size();
        if (std::from_chars(path.data() + map.size(), stop, pid).ptr == stop) return "[JIT] tid " + std::to_string(pid);
    }
    const auto slash = path.rfind('/');
    return std::string(slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1));
}

}  // namespace

bool CodeFilter::takes_kind(CodeClass kind) const {
    return kinds.empty() || std::ranges::any_of(kinds, [&](CodeClass wanted) {
               return wanted == kind || (wanted == CodeClass::kernel && kind == CodeClass::module);
           });
}

bool CodeFilter::takes_object(std::string_view object, CodeClass kind) const {
    if (objects.empty() || std::ranges::find(objects, object) != objects.end()) return true;
    return std::ranges::find(objects, object_label(object, kind)) != objects.end();
}

bool CodeFilter::takes_symbol(std::string_view symbol, std::uint64_t offset) const {
    if (symbols.empty()) return true;
    if (!symbol.empty()) return std::ranges::find(symbols, symbol) != symbols.end();
    return std::ranges::find(symbols, symbol_label(symbol, offset)) != symbols.end();
}

CodePart CodeFilter::leaves_out(CodeClass kind, std::string_view object, std::string_view symbol,
                                std::uint64_t offset) const {
    if (!takes_kind(kind)) return CodePart::kind;
    if (!takes_object(object, kind)) return CodePart::object;
    return takes_symbol(symbol, offset) ? CodePart::none : CodePart::symbol;
}

std::string object_label(std::string_view object, CodeClass kind) {
    if (object.empty()) return "[unknown]";
    return kind == CodeClass::module ? "[" + module_name(object) + "]" : last_part(object);
}

std::string symbol_label(std::string_view symbol, std::uint64_t offset) {
    if (!symbol.empty()) return std::string(symbol);
    std::string text = "0x0000000000000000";
    for (std::size_t at = text.size(); offset != 0; offset >>= 4) text[--at] = "0123456789abcdef"[offset & 15];
    return text;
}

}  // namespace perfdata
