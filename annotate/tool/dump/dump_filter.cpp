// SPDX-License-Identifier: MIT
#include "dump_filter.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "format/words.hpp"

namespace perfdata::tool {

Result<std::uint32_t> parse_record_type(const std::string& text) {
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc{} && end == text.data() + text.size()) return number;

    std::string name = text;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    constexpr std::string_view prefix = "PERF_RECORD_";
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    std::string known;
    for (std::uint32_t type = 1; type <= last_record_type; ++type) {
        const auto type_name = record_type_name(type);
        if (type_name.empty()) continue;
        if (type_name == name) return type;
        known += (known.empty() ? "" : " ") + std::string(type_name);
    }
    return fail(ErrorCode::malformed, Error::no_offset, "--type",
                "no type of record: " + printable(text) + "; it is a number or one of " + known);
}

}  // namespace perfdata::tool
