// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/demangle/demangle.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "demangle_parts.hpp"
#include "symbols/stack_room.hpp"

namespace perfdata {
namespace {

// Longer names stay mangled.
constexpr std::size_t longest_name = 8192;
// libiberty needs up to 300 bytes of stack for each letter of a name, and up to 512 KiB to print what the letters refer
// to. Shorter names cannot nest deeply enough.
constexpr std::size_t most_stack = std::size_t{640} << 10;
constexpr std::size_t own_stack = std::size_t{1} << 20;
constexpr std::size_t flat_name = 48;

bool is_hash(std::string_view text) {
    return text.size() == 17 && text[0] == 'h' &&
           std::ranges::all_of(text.substr(1), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Takes one escape of legacy Rust, such as "$LT$", from the front of the text; nothing if there is none.
std::optional<std::string> escape(std::string_view& text) {
    struct Escape {
        std::string_view name, character;
    };
    static constexpr std::array<Escape, 9> escapes{{{"SP", "@"},
                                                    {"BP", "*"},
                                                    {"RF", "&"},
                                                    {"LT", "<"},
                                                    {"GT", ">"},
                                                    {"LP", "("},
                                                    {"RP", ")"},
                                                    {"C", ","},
                                                    {"u", {}}}};
    const auto end = text.find('$', 1);
    if (end == std::string_view::npos) return {};
    const auto name = text.substr(1, end - 1);
    for (const auto& [known, character] : escapes) {
        if (character.empty()) {  // "$u20$": a character by its number
            std::uint32_t code = 0;
            const auto digits = name.substr(std::min<std::size_t>(1, name.size()));
            const auto [after, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
            if (!name.starts_with(known) || problem != std::errc{} || after != digits.data() + digits.size()) continue;
            if (code < 0x20 || code > 0x7e) return {};
            text.remove_prefix(end + 1);
            return std::string(1, static_cast<char>(code));
        }
        if (name == known) {
            text.remove_prefix(end + 1);
            return std::string(character);
        }
    }
    return {};
}

// Returns one element of a legacy Rust path, unescaped.
std::string part(std::string_view text) {
    std::string out;
    if (text.starts_with("_$")) text.remove_prefix(1);  // an element must not begin with an escape
    while (!text.empty()) {
        if (text.starts_with("..")) {
            out += "::";
            text.remove_prefix(2);
        } else if (text[0] == '$') {
            if (const auto character = escape(text)) {
                out += *character;
            } else {
                return out.append(text);
            }
        } else {
            out += text[0];
            text.remove_prefix(1);
        }
    }
    return out;
}

// A legacy Rust name is a nested C++ name without types. Its last element is a hash:
// _ZN3std2io5print17h0123456789abcdefE.
std::optional<std::string> legacy_rust(std::string_view symbol, NameStyle style) {
    if (!symbol.starts_with("_ZN")) return {};
    symbol.remove_prefix(3);
    std::string out;
    std::string_view last;
    while (!symbol.empty() && symbol[0] >= '1' && symbol[0] <= '9') {
        std::size_t size = 0;
        const auto [after, problem] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), size);
        symbol.remove_prefix(static_cast<std::size_t>(after - symbol.data()));
        if (problem != std::errc{} || size > symbol.size()) return {};
        if (!last.empty()) {
            if (!out.empty()) out += "::";
            out += part(last);
        }
        last = symbol.substr(0, size);
        symbol.remove_prefix(size);
    }
    if (!symbol.starts_with('E') || !is_hash(last) || out.empty()) return {};
    if (style == NameStyle::full) out.append("::").append(last);
    return out;
}

}  // namespace

std::optional<std::string> demangle(std::string_view symbol, NameStyle style) {
    constexpr std::string_view plt = "@plt";
    const bool in_plt = symbol.ends_with(plt);
    symbol = symbol.substr(0, symbol.find('@'));  // also the version, as in "name@@GLIBCXX_3.4"
    const bool rust = symbol.starts_with("_R");
    if ((!rust && !symbol.starts_with("_Z")) || symbol.size() > longest_name || symbol.contains('\0')) return {};
    auto name = rust ? std::nullopt : legacy_rust(symbol, style);
    if (!name) {
        const std::string text(symbol);
        const auto nested = [&] { name = rust ? demangle_rust(text, style) : demangle_cxx(text, style); };
        if (text.size() <= flat_name || has_stack(most_stack)) {
            nested();
        } else {
            on_own_stack(own_stack, nested);
        }
    }
    if (name && in_plt) name->append(plt);
    return name;
}

}  // namespace perfdata
