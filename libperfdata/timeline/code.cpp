// SPDX-License-Identifier: MIT
#include "perfdata/timeline/code.hpp"

#include <algorithm>

#include "perfdata/wire/feature/bpf_prog_info.hpp"

namespace perfdata {

std::optional<BpfSymbol> parse_bpf_symbol(std::string_view symbol) {
    constexpr std::string_view prefix = "bpf_prog_";
    constexpr std::size_t digits = 16;
    if (!symbol.starts_with(prefix)) return {};
    symbol.remove_prefix(prefix.size());
    const auto tag = symbol.substr(0, digits);
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (tag.size() != digits || !std::ranges::all_of(tag, is_hex)) return {};
    symbol.remove_prefix(digits);
    if (symbol.empty()) return BpfSymbol{tag, {}};
    if (symbol.front() != '_') return {};
    return BpfSymbol{tag, symbol.substr(1)};
}

bool is_bpf_image(std::string_view symbol) {
    return symbol.starts_with("bpf_trampoline_") || symbol.starts_with("bpf_dispatcher_") ||
           symbol.starts_with("bpf__");
}

std::string_view object_of(const Code& code) {
    return code.kind == CodeKind::out_of_line ? "[kernel.kallsyms]" : code.symbol;
}

std::string hex(const BpfTag& tag) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : tag) {
        text += digits[std::to_integer<std::size_t>(byte >> 4)];
        text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return text;
}

std::size_t BpfLoad::function_count() const {
    if (stored_count != 0) return stored_count;
    return info != nullptr && !info->jited_ksyms().empty() ? info->jited_ksyms().size() : functions.size();
}

}  // namespace perfdata
