// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual.hpp"

namespace perfdata::tool {
namespace {

// The part that is the same for all commands. `values` says what completes the value of an option.
constexpr std::string_view frame = R"(
_perfdata() {
    local cur=${COMP_WORDS[COMP_CWORD]} option= command= prefix= kind= words= options= arguments= word i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ $word != -* ]]; then
            command=$word
            break
        fi
    done

    # The option whose value is completed: bash makes "--format=js" three words, unless = is no word break.
    if [[ $cur == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} cur=
    elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $cur == --*=* ]]; then
        option=${cur%%=*} prefix=$option= cur=${cur#*=}
    elif ((COMP_CWORD > 1)); then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi

    _perfdata_command "$command" "$option"
    if [[ -z $kind && $cur == -* ]]; then
        kind=words words=$options
    elif [[ -z $kind ]]; then
        kind=$arguments
    fi
    case $kind in
    file | directory)
        local letter=f
        [[ $kind == directory ]] && letter=d
        mapfile -t COMPREPLY < <(compgen -"$letter" -P "$prefix" -- "$cur")
        compopt -o filenames 2>/dev/null
        ;;
    list)
        # The last of several, with commas between.
        local last=${cur##*,}
        mapfile -t COMPREPLY < <(compgen -P "$prefix${cur%"$last"}" -W "$words" -- "$last")
        compopt -o nospace 2>/dev/null
        ;;
    words)
        mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "$cur")
        ;;
    esac
}
complete -F _perfdata perfdata
)";

std::string names_of(const ManualCommand& command) {
    std::string names;
    for (const auto& group : command.groups) {
        for (const auto& option : group.options) {
            for (const auto& name : option.names) names += (names.empty() ? "" : " ") + name;
        }
    }
    return names;
}

std::string_view kind_of(const ManualOption& option) {
    switch (option.completes) {
        case Completes::nothing: return "nothing";
        case Completes::file: return "file";
        case Completes::directory: return "directory";
        case Completes::words: return option.list ? "list" : "words";
    }
    return {};
}

std::string words_of(const ManualOption& option) {
    return option.words.empty() ? std::string() : fmt::format(" words='{}'", fmt::join(option.words, " "));
}

}  // namespace

std::string bash_completion(std::span<const ManualCommand> commands) {
    std::string out =
        "# SPDX-License-Identifier: MIT\n"
        "# bash completion of perfdata(1). Made from the definitions of the tool's options.\n\n"
        "# Sets what the caller completes by: options, arguments, and kind and words if the option takes a value.\n"
        "_perfdata_command() {\n    case $1 in\n";
    std::string names;
    for (const auto& command : commands) {
        if (!command.name.empty()) names += (names.empty() ? "" : " ") + command.name;
    }
    for (const auto& command : commands) {
        out += fmt::format("    {})\n        options='{}'\n", command.name.empty() ? "''" : command.name,
                           names_of(command));
        if (command.name.empty()) {
            out += fmt::format("        arguments=words words='{}'\n", names);
        } else if (!command.arguments.empty()) {
            const auto& argument = command.arguments.front();
            out += fmt::format("        arguments={}{}\n", kind_of(argument), words_of(argument));
        }
        std::string cases;
        for (const auto& group : command.groups) {
            for (const auto& option : group.options) {
                if (option.value.empty()) continue;
                cases += fmt::format("        {}) kind={}{} ;;\n", fmt::join(option.names, " | "), kind_of(option),
                                     words_of(option));
            }
        }
        if (!cases.empty()) out += "        case $2 in\n" + cases + "        esac\n";
        out += "        ;;\n";
    }
    return out + "    esac\n}\n" + std::string(frame);
}

}  // namespace perfdata::tool
