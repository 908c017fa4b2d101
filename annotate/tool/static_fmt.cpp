// SPDX-License-Identifier: MIT
// What the other files take from fmt's library, compiled into the tool: Debian has no archive of it. A name that is
// missing here comes from the library itself, which is then linked: the test tool.start finds that.
#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace perfdata::tool {

// Whoever has the address of an inline function needs the function. Nobody calls used_of_fmt().
struct UsedOfFmt {
    std::string (*vformat)(fmt::string_view, fmt::format_args) = &fmt::vformat;
    bool (*is_printable)(std::uint32_t) = &fmt::detail::is_printable;
    decltype(&fmt::detail::throw_format_error) throw_format_error = &fmt::detail::throw_format_error;
    decltype(&fmt::detail::decimal_point_impl<char>) decimal_point = &fmt::detail::decimal_point_impl<char>;
    decltype(&fmt::detail::thousands_sep_impl<char>) thousands_separator = &fmt::detail::thousands_sep_impl<char>;
};
[[gnu::used]] UsedOfFmt used_of_fmt() {
    return {};
}

}  // namespace perfdata::tool
