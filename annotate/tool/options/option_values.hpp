// SPDX-License-Identifier: MIT
// What options take, and the words for what they do not: nothing that makes no sense goes on as something else.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// Whole is what an option for a whole number takes.
struct Whole {
    std::int64_t least = 0, most = 0;
    std::string_view words;  // "a number from 1 to 256 (default: one per CPU)"

    // Numbers of processes and threads: those without one are of nobody, -1.
    static Whole process();
    static Whole thread();

    Result<std::int64_t> parse(const std::string& text) const;
};

// parse_size("512M") takes what --max-memory takes. Errors: malformed.
Result<std::uint64_t> parse_size(const std::string& text);

// parts(text) is a list between commas; "" and "a,," have empty parts.
std::vector<std::string> parts(const std::string& text);

// checked(parse) is the check of an option whose text `parse` must understand.
template <class Parse>
auto checked(Parse parse) {
    return [parse](const std::string& text) {
        const auto parsed = parse(text);
        return parsed ? std::string() : parsed.error().detail;
    };
}

// each(check) is the check of a list. An empty part is none for `check`.
template <class Check>
auto each(Check check) {
    return [check](const std::string& text) {
        if (text == ",") return std::string("there is nothing beside the comma");
        for (const auto& part : parts(text)) {
            if (part.empty() && !text.empty()) return "there is nothing between two commas, or beside one: " + text;
            if (auto problem = check(part); !problem.empty()) return problem;
        }
        return std::string();
    };
}

// one_of(words) is the check of an option that takes one of them, and tells the help.
CLI::Validator one_of(const std::vector<std::string>& words);
// some_of(words): a list of them.
CLI::Validator some_of(const std::vector<std::string>& words);

// add_whole(command, names, value, help, takes) adds an option for a whole number.
template <class Number>
CLI::Option* add_whole(CLI::App& command, const char* names, Number& value, const char* help, Whole takes) {
    const auto set = [&value, takes](const std::string& text) {
        if (const auto number = takes.parse(text)) value = static_cast<Number>(*number);
    };
    return command.add_option_function<std::string>(names, set, help)
        ->check(checked([takes](const std::string& text) { return takes.parse(text); }), "")
        ->type_name("NUMBER");
}

// add_list(command, names, values, help) adds an option for a list with commas. CLI11's own lists skip empty parts, and
// take the next argument if there are no others.
CLI::Option* add_list(CLI::App& command, const char* names, std::vector<std::string>& values, const char* help);

// add_parts(command, names, set, help): the same for set(parts).
CLI::Option* add_parts(CLI::App& command, const char* names, std::function<void(const std::vector<std::string>&)> set,
                       const char* help);

// add_wholes(...): a list of whole numbers.
template <class Number>
CLI::Option* add_wholes(CLI::App& command, const char* names, std::vector<Number>& values, const char* help,
                        Whole takes) {
    const auto set = [&values, takes](const std::vector<std::string>& given) {
        values.clear();
        for (const auto& part : given) {
            if (const auto number = takes.parse(part)) values.push_back(static_cast<Number>(*number));
        }
    };
    return add_parts(command, names, set, help)
        ->check(each(checked([takes](const std::string& text) { return takes.parse(text); })), "")
        ->type_name("NUMBERS");
}

// refuse_empty(command) lets no option of the command be an empty text, and no list have an empty part.
void refuse_empty(CLI::App& command);

}  // namespace perfdata::tool
