// SPDX-License-Identifier: MIT
#include "trace_names.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "format/words.hpp"

namespace perfdata {

bool append_found_symbol(std::string& text, std::string_view symbol, std::uint64_t offset, bool with_offset) {
    // The symbol at the end of the kernel's code names no data behind it.
    if (symbol.empty() || symbol == "_etext") return false;
    text += shown(symbol);
    if (with_offset) fmt::format_to(std::back_inserter(text), "+{:#x}", offset);
    return true;
}

TraceStrings::TraceStrings(std::string_view printk_formats) {
    if (printk_formats.size() > ~std::uint32_t{0}) return;
    text_ = printk_formats;
    const std::string_view text = text_;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        auto line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.starts_with("0x")) line.remove_prefix(2);
        Place place;
        const auto [behind, problem] = std::from_chars(line.data(), line.data() + line.size(), place.address, 16);
        if (problem != std::errc{}) continue;
        line.remove_prefix(static_cast<std::size_t>(behind - line.data()));
        const auto quote = line.find('"');
        if (line.find_first_not_of(" :") != quote || quote == std::string_view::npos) continue;
        line.remove_prefix(quote + 1);
        if (line.ends_with('"')) line.remove_suffix(1);
        if (line.ends_with("\\n")) line.remove_suffix(2);
        place.begin = static_cast<std::uint32_t>(line.data() - text.data());
        place.size = static_cast<std::uint32_t>(line.size());
        places_.push_back(place);
    }
    std::ranges::sort(places_, {}, [](const Place& place) { return std::pair(place.address, place.begin); });
}

std::optional<std::string_view> TraceStrings::find(std::uint64_t address) const {
    const auto found = std::ranges::lower_bound(places_, address, {}, &Place::address);
    if (found == places_.end() || found->address != address) return {};
    return std::string_view(text_).substr(found->begin, found->size);
}

}  // namespace perfdata
