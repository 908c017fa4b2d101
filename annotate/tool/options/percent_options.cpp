// SPDX-License-Identifier: MIT
#include "percent_options.hpp"

#include <fmt/format.h>

#include "option_values.hpp"

namespace perfdata::tool {
namespace {

Result<double> parse_percent(const std::string& text) {
    if (const auto percent = parse_decimal(text); percent && *percent >= 0 && *percent <= 100) return *percent;
    return fail(ErrorCode::malformed, Error::no_offset, "--percent-limit",
                fmt::format("{} is no percentage; give a number from 0 to 100", text.empty() ? "nothing" : text));
}

}  // namespace

void PercentChoice::add_to(CLI::App& command, const char* limit_help) {
    command.add_option("--percent-limit", limit, limit_help)->check(checked(parse_percent), "")->type_name("PERCENT");
    command
        .add_option("--percentage", percentage,
                    "absolute (the default): of all samples of the chosen events, times and CPUs; relative: of those "
                    "that the filters leave")
        ->check(one_of({"absolute", "relative"}));
}

}  // namespace perfdata::tool
