// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual.hpp"

namespace perfdata::tool {
namespace {

// In fish's single quotes a backslash escapes itself and the quote.
std::string fish_quoted(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        if (letter == '\'' || letter == '\\') out += '\\';
        out += letter;
    }
    return out + "'";
}

std::string values(const ManualOption& option) {
    const auto words = fmt::format("{}", fmt::join(option.words, " "));
    switch (option.completes) {
        case Completes::nothing: return " -x";
        case Completes::file: return " -r -F";
        case Completes::directory: return " -x -a '(__fish_complete_directories)'";
        case Completes::words:
            return option.list ? fmt::format(" -x -a '(__fish_append , {})'", words)
                               : fmt::format(" -x -a '{}'", words);
    }
    return {};
}

std::string option_line(const std::string& condition, const ManualOption& option) {
    std::string out = "complete -c perfdata -n " + condition;
    for (const auto& name : option.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.value.empty()) out += values(option);
    return out + " -d " + fish_quoted(first_sentence(option.help)) + "\n";
}

}  // namespace

std::string fish_completion(std::span<const ManualCommand> commands) {
    std::string out =
        "# SPDX-License-Identifier: MIT\n"
        "# fish completion of perfdata(1). Made from the definitions of the tool's options.\n"
        "complete -c perfdata -f\n";
    for (const auto& command : commands) {
        const bool whole = command.name.empty();
        const std::string condition =
            whole ? "__fish_use_subcommand" : fish_quoted("__fish_seen_subcommand_from " + command.name);
        out += "\n";
        if (!whole) {
            out += fmt::format("complete -c perfdata -n __fish_use_subcommand -a {} -d {}\n", command.name,
                               fish_quoted(command.summary));
        }
        for (const auto& argument : command.arguments) {
            if (argument.completes == Completes::file) {
                out += fmt::format("complete -c perfdata -n {} -F\n", condition);
            } else if (argument.completes == Completes::words) {
                out += fmt::format("complete -c perfdata -n {} -a '{}'\n", condition, fmt::join(argument.words, " "));
            }
        }
        for (const auto& group : command.groups) {
            for (const auto& option : group.options) out += option_line(condition, option);
        }
    }
    return out;
}

}  // namespace perfdata::tool
