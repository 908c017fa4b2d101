// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "manual.hpp"

namespace perfdata::tool {
namespace {

// Returns text in single quotes.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        if (letter == '\'') {
            out += "'\\''";
        } else {
            out += letter;
        }
    }
    return out + "'";
}

// Returns text between brackets of _arguments.
std::string explained(const std::string& help) {
    std::string out;
    for (const char letter : first_sentence(help)) {
        if (letter == '[' || letter == ']' || letter == '\\') out += '\\';
        out += letter;
    }
    return "[" + out + "]";
}

// Returns what _arguments does for a value: ":FILE:_files".
std::string action(const ManualOption& option) {
    const auto words = fmt::format("{}", fmt::join(option.words, " "));
    switch (option.completes) {
        case Completes::nothing: return fmt::format(":{}: ", option.value);
        case Completes::file: return fmt::format(":{}:_files", option.value);
        case Completes::directory: return fmt::format(":{}:_files -/", option.value);
        case Completes::words:
            return option.list ? fmt::format(":{}:_sequence compadd - {}", option.value, words)
                               : fmt::format(":{}:({})", option.value, words);
    }
    return {};
}

// Returns a specification for each name of an option, one a line. Options that are one exclude each other.
std::string specifications(const ManualOption& option) {
    std::string out;
    for (const auto& name : option.names) {
        std::string text = option.repeats            ? "*"
                           : option.names.size() > 1 ? fmt::format("({})", fmt::join(option.names, " "))
                                                     : "";
        text += name;
        if (!option.value.empty()) text += name.starts_with("--") ? "=" : "+";
        text += explained(option.help);
        if (!option.value.empty()) text += action(option);
        out += " \\\n                " + shell_quoted(text);
    }
    return out;
}

}  // namespace

std::string zsh_completion(std::span<const ManualCommand> commands) {
    std::string out =
        "#compdef perfdata\n"
        "# SPDX-License-Identifier: MIT\n"
        "# zsh completion of perfdata(1). Made from the definitions of the tool's options.\n\n"
        "_perfdata() {\n"
        "    local curcontext=$curcontext state line\n"
        "    local -a commands\n"
        "    typeset -A opt_args\n"
        "    commands=(\n";
    for (const auto& command : commands) {
        if (!command.name.empty()) out += "        " + shell_quoted(command.name + ":" + command.summary) + "\n";
    }
    out += "    )\n    _arguments -C -S";
    for (const auto& group : commands.front().groups) {
        for (const auto& option : group.options) out += specifications(option);
    }
    out +=
        " \\\n                '1:command:->command' \\\n                '*::argument:->argument'\n"
        "    case $state in\n"
        "    command) _describe command commands ;;\n"
        "    argument)\n"
        "        case $words[1] in\n";
    for (const auto& command : commands) {
        if (command.name.empty()) continue;
        out += fmt::format("        {})\n            _arguments -s -S", command.name);
        for (const auto& group : command.groups) {
            for (const auto& option : group.options) out += specifications(option);
        }
        for (const auto& argument : command.arguments) {
            out += " \\\n                " + shell_quoted((argument.repeats ? "*" : "1") + action(argument));
        }
        out += "\n            ;;\n";
    }
    return out + "        esac\n        ;;\n    esac\n}\n\n_perfdata \"$@\"\n";
}

}  // namespace perfdata::tool
