// SPDX-License-Identifier: MIT
// Option values and their error messages. No invalid value passes as another one.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// Whole describes the values of an option for a whole number.
struct Whole {
    std::int64_t least = 0, most = 0;
    std::string_view words;  // "a number from 1 to 256 (default: one per CPU)"

    // Process and thread ids. -1 selects samples without one.
    static Whole process();
    static Whole thread();

    Result<std::int64_t> parse(const std::string& text) const;
};

// parse_size("512M") parses a value of --max-memory. Errors: malformed.
Result<std::uint64_t> parse_size(const std::string& text);

// parts(text) splits at commas; "" and "a,," yield empty parts.
std::vector<std::string> parts(const std::string& text);

// checked(parse) returns an option check that fails if `parse` does.
template <class Parse>
auto checked(Parse parse) {
    return [parse](const std::string& text) {
        const auto parsed = parse(text);
        return parsed ? std::string() : parsed.error().detail;
    };
}

// each(check) returns a check for a list, which applies `check` to each part. An empty part is an error; an empty text
// goes to `check`.
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

// parse_decimal(text) returns a number such as -1, 0.5 or 1e3.
std::optional<double> parse_decimal(const std::string& text);

// one_of(words) returns a check that accepts one of the words, and lists them in the help.
CLI::Validator one_of(const std::vector<std::string>& words);
// some_of(words) accepts a comma-separated list of them.
CLI::Validator some_of(const std::vector<std::string>& words);

template <class Number>
CLI::Option* add_whole(CLI::App& command, const char* names, Number& value, const char* help, Whole takes) {
    const auto set = [&value, takes](const std::string& text) {
        if (const auto number = takes.parse(text)) value = static_cast<Number>(*number);
    };
    return command.add_option_function<std::string>(names, set, help)
        ->check(checked([takes](const std::string& text) { return takes.parse(text); }), "")
        ->type_name("NUMBER");
}

// add_size(command, names, bytes, help) adds an option for a size such as 512M.
CLI::Option* add_size(CLI::App& command, const char* names, std::uint64_t& bytes, const char* help);

// add_list(command, names, values, help) adds an option for a comma-separated list. CLI11's own lists skip empty parts,
// and take the next argument if all are empty.
CLI::Option* add_list(CLI::App& command, const char* names, std::vector<std::string>& values, const char* help);

// add_parts(command, names, set, help) does the same but calls set(parts).
CLI::Option* add_parts(CLI::App& command, const char* names, std::function<void(const std::vector<std::string>&)> set,
                       const char* help);

// add_inline(command, wanted) adds --inline and --no-inline.
void add_inline(CLI::App& command, bool& wanted);

// add_wholes(...) does the same for whole numbers.
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

// refuse_empty(command) makes all options of the command reject empty texts and lists with empty parts.
void refuse_empty(CLI::App& command);

}  // namespace perfdata::tool
