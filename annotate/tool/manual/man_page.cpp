// SPDX-License-Identifier: MIT
// Manual pages, in the macros of man(7).
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

#include "perfdata/version.hpp"

#include "manual.hpp"

namespace perfdata::tool {
namespace {

// Returns text as roff has it. Hyphens of options are minus signs, so that they can be copied.
std::string roff(std::string_view text) {
    std::string out;
    bool option = false;
    std::size_t begin = 0;  // of the word
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        const bool begins = at == 0 || std::string_view(" (=|[`\n").find(text[at - 1]) != std::string_view::npos;
        if (begins) option = letter == '-';
        if (begins) begin = at;
        switch (letter) {
            case '\\': out += "\\(rs"; break;
            case '\'': out += "\\(aq"; break;
            case '^': out += "\\(ha"; break;
            case '~': out += "\\(ti"; break;
            case '-': out += option ? "\\-" : "-"; break;
            default: out += letter;
        }
        // Long lists may be broken behind a comma.
        constexpr std::size_t most = 20;
        if (letter == ',' && at - begin > most) out += "\\:";
    }
    return out;
}

// Returns text in bold letters.
std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fP";
}
std::string italic(std::string_view text) {
    return "\\fI" + roff(text) + "\\fP";
}

// Returns a line of running text: what is between backquotes in bold. A full stop or quote in front is no request.
std::string line(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto begin = text.find('`');
        const auto end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
        if (end == std::string_view::npos) {
            out += roff(text);
            break;
        }
        out += roff(text.substr(0, begin)) + bold(text.substr(begin + 1, end - begin - 1));
        text.remove_prefix(end + 1);
    }
    if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
    return out;
}

// Returns paragraphs, and examples as they are.
std::string paragraphs(std::string_view text) {
    std::string out;
    bool example = false, begins = true;
    const auto end_example = [&] {
        if (example) out += ".EE\n.RE\n";
        example = false;
    };
    while (!text.empty()) {
        const auto one = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        if (one.empty()) {
            end_example();
            begins = true;
        } else if (one.starts_with(' ')) {
            if (!example) out += ".PP\n.RS 2\n.EX\n";
            example = true;
            out += line(one.substr(one.find_first_not_of(' '))) + "\n";
        } else {
            end_example();
            if (begins) out += ".PP\n";
            begins = false;
            out += line(one) + "\n";
        }
    }
    end_example();
    return out;
}

std::string sentence(const std::string& help) {
    return help + (help.ends_with('.') ? "" : ".");
}

std::string option_text(const ManualOption& option) {
    std::string out = ".TP\n";
    const bool argument = !option.names.front().starts_with('-');
    for (std::size_t at = 0; at < option.names.size(); ++at) {
        out += (at == 0 ? "" : ", ") + (argument ? italic(option.names[at]) : bold(option.names[at]));
    }
    // Of words that are not shown here the help names some.
    const bool shown = !argument && !option.value.empty() && !option.words.empty() && option.value == "TEXT";
    if (shown || (option.list && option.value != "KEYS")) {
        for (std::size_t at = 0; at < option.words.size(); ++at) out += (at == 0 ? " " : "|") + bold(option.words[at]);
    } else if (!argument && !option.value.empty()) {
        out += " " + italic(option.value);
    }
    return out + "\n" + line(sentence(option.help)) + "\n";
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string page_name(const ManualCommand& command) {
    return command.name.empty() ? "perfdata" : "perfdata-" + command.name;
}

std::string see_also(const ManualCommand& command, std::span<const ManualCommand> all) {
    std::vector<std::string> pages;
    for (const auto& other : all) {
        if (other.name != command.name) pages.push_back(page_name(other));
    }
    std::string out = ".SH SEE ALSO\n";
    for (const auto& page : pages) {
        std::string name;
        for (const char letter : page) name += letter == '-' ? "\\-" : std::string(1, letter);
        out += ".BR " + name + " (1),\n";
    }
    return out + ".BR perf (1)\n";
}

constexpr std::string_view environment =
    ".SH ENVIRONMENT\n"
    ".TP\n.B PAGER\n"
    "Pager of text on a terminal, for report, annotate and diff.\n"
    ".TP\n.BR NO_COLOR \", \" CLICOLOR_FORCE \", \" TERM\n"
    "Whether text has colours; see \\fB\\-\\-color\\fP.\n"
    ".SH FILES\n"
    ".TP\n.I perf.data\n"
    "The recording, if none is named.\n"
    ".TP\n.I \\(ti/.debug\n"
    "The build-id cache of perf, where files are looked for.\n";

}  // namespace

std::string man_page(const ManualCommand& command, std::span<const ManualCommand> all) {
    const auto name = page_name(command);
    std::string minus;
    for (const char letter : name) minus += letter == '-' ? "\\-" : std::string(1, letter);
    auto summary = command.summary;
    if (!command.name.empty()) summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
    std::string out = ".\\\" SPDX-License-Identifier: MIT\n.\\\" Made from the definitions of the tool's options.\n";
    out += fmt::format(".TH {} 1 \"\" \"perfdata {}\" \"perfdata\"\n", upper(minus), header_version);
    out += ".ad l\n.nh\n";
    out += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", minus, roff(summary));
    if (command.name.empty()) {
        out += ".B perfdata\n\\fICOMMAND\\fP [\\fIOPTION\\fP]... [\\fIFILE\\fP]\n";
    } else {
        out += fmt::format(".B perfdata {}\n[\\fIOPTION\\fP]...", command.name);
        for (const auto& argument : command.arguments) {
            out += " [" + italic(argument.names.front()) + "]" + (argument.repeats ? "..." : "");
        }
        out += "\n";
    }
    out += ".SH DESCRIPTION\n" + paragraphs(command.text);
    if (command.name.empty()) {
        out += ".SH COMMANDS\n";
        for (const auto& one : all) {
            if (one.name.empty()) continue;
            out += ".TP\n.BR perfdata\\-" + one.name + " (1)\n" + line(sentence(one.summary)) + "\n";
        }
    }
    out += ".SH OPTIONS\n";
    for (const auto& argument : command.arguments) out += option_text(argument);
    for (const auto& group : command.groups) {
        if (!group.title.empty()) out += ".SS " + roff(group.title) + "\n";
        for (const auto& option : group.options) out += option_text(option);
    }
    if (!command.footer.empty()) out += ".SH NOTES\n" + paragraphs(command.footer);
    if (command.name.empty()) out += environment;
    return out + see_also(command, all);
}

}  // namespace perfdata::tool
