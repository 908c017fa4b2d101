// SPDX-License-Identifier: MIT
#include "screen_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/platform.hpp"
#include "option_values.hpp"
#include "tool/output/line_cutter.hpp"

namespace perfdata::tool {
namespace {

constexpr std::size_t narrowest = 40, widest = 100000;

Result<std::size_t> parse_width(const std::string& text) {
    constexpr std::string_view expected = "a number of columns from 40 to 100000, or 0 for lines of any length";
    const auto width = Whole{0, widest, expected}.parse(text);
    if (!width) return fail(width.error());
    if (*width == 0 || *width >= static_cast<std::int64_t>(narrowest)) return static_cast<std::size_t>(*width);
    return fail(ErrorCode::malformed, Error::no_offset, {},
                fmt::format("{} is too small; expected {}", text, expected));
}

}  // namespace

void ScreenChoice::add_to(CLI::App& command) {
    const auto set = [this](const std::string& text) {
        if (const auto parsed = parse_width(text)) width = *parsed;
    };
    command
        .add_option_function<std::string>("-w,--width", set,
                                          "Cut lines of text at this column; 0: do not cut. Default: the width of the "
                                          "terminal; elsewhere lines are not cut")
        ->check(checked(parse_width), "")
        ->type_name("COLUMNS");
    command.add_flag("--no-pager", no_pager, "Do not show text on a terminal with $PAGER or less");
}

std::size_t ScreenChoice::columns(const Output& output) const {
    if (width) return *width;
    if (!output.is_terminal()) return 0;
    const auto known = platform::terminal_columns(platform::standard_output);
    return known ? std::max(*known, narrowest) : 0;
}

void ScreenChoice::write(Output& output, std::string_view prefix, const Callback<void(const Sink&)>& text) const {
    const auto limit = columns(output);
    LineCutter cutter(output.sink(), limit);
    text([&](std::string_view part) { cutter.write(part); });
    if (const auto cut = cutter.end(); cut != 0) {
        output.sink()(fmt::format("{}({} lines are cut to {} columns; -w 0 shows them whole)\n", prefix, cut, limit));
    }
}

}  // namespace perfdata::tool
