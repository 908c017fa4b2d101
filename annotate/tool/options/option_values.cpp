// SPDX-License-Identifier: MIT
#include "option_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

namespace perfdata::tool {
namespace {

std::unexpected<Error> no_value(std::string detail) {
    return fail(ErrorCode::malformed, Error::no_offset, {}, std::move(detail));
}

bool is_number(const std::string& text) {
    return parse_decimal(text).has_value();
}

// Describes an empty value, by the type name in the help.
std::string lack(std::string_view type) {
    if (type == "FILE") return "the name of the file is empty";
    if (type == "DIR") return "the name of the directory is empty";
    if (type == "DIR|TAR") return "the name of the directory or file is empty";
    if (type == "EVENT") return "the name of the event is empty";
    if (type == "PREFIX") return "the beginning of the names of files is empty";
    if (type == "ID|NAME") return "the name or number is empty";
    if (type == "NAME" || type == "NAMES" || type == "STRUCT") return "the name is empty";
    if (type == "WORDS") return "the text is empty";
    if (type == "TYPE") return "the type is empty; expected a name such as SAMPLE, or a number";
    if (type == "KEYS") return "there is no key; expected some such as comm,dso,symbol";
    if (type == "FIELDS") return "there is no field; expected some such as comm,time,ip,sym";
    if (type == "TRACE_FIELDS") return "there is no field; expected some such as ret,args[2]";
    if (type == "CPUS") return "there is no CPU; expected numbers and ranges such as 0,2-3";
    if (type == "START,END") return "the time is empty; expected START,END in seconds such as 12.5,13.25";
    if (type == "SECONDS") return "the time is empty; expected seconds: 12.5";
    if (type == "ADDRESS") return "the address is empty; expected hexadecimal digits such as ffffffffc0025c34";
    return {};
}

CLI::Validator words_check(const std::vector<std::string>& words, bool list) {
    const auto known = [words](const std::string& text) {
        if (std::ranges::find(words, text) != words.end()) return std::string();
        return fmt::format("{}; expected one of {}", text.empty() ? "no word is given" : text, fmt::join(words, ", "));
    };
    const auto name = fmt::format("{{{}}}", fmt::join(words, ","));
    if (!list) return {known, name};
    return {each(known), name};
}

}  // namespace

// libc++ 19 has no from_chars() for this. The tool sets no locale: the decimal point is a point.
std::optional<double> parse_decimal(const std::string& text) {
    if (text.empty() || text.front() == '+' || text.find_first_not_of("0123456789.eE+-") != std::string::npos)
        return {};
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !std::isfinite(number)) return {};
    return number;
}

Whole Whole::process() {
    return {-1, std::numeric_limits<std::int32_t>::max(), "the number of a process, such as 4711"};
}
Whole Whole::thread() {
    return {-1, std::numeric_limits<std::int32_t>::max(), "the number of a thread, such as 4711"};
}

Result<std::int64_t> Whole::parse(const std::string& text) const {
    if (text.empty()) return no_value(fmt::format("the number is empty; expected {}", words));
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || problem == std::errc::invalid_argument) {
        return no_value(fmt::format("{} is no {}number; expected {}", text, is_number(text) ? "whole " : "", words));
    }
    if (problem != std::errc{}) number = text.front() == '-' ? std::numeric_limits<std::int64_t>::min() : most;
    if (number < least) return no_value(fmt::format("{} is too small; expected {}", text, words));
    if (number > most || problem != std::errc{}) {
        return no_value(fmt::format("{} is too large; expected {}", text, words));
    }
    return number;
}

Result<std::uint64_t> parse_size(const std::string& text) {
    // The program itself and the threads' stacks count, so the minimum leaves room for them. No machine has the
    // maximum.
    constexpr std::uint64_t least = std::uint64_t{16} << 20, most = std::uint64_t{1} << 50;
    constexpr std::string_view expected = "expected a size from 16M to 1P, such as 512M";
    constexpr std::string_view letters = "KMGTP";
    if (text.empty()) return no_value(fmt::format("the size is empty; {}", expected));
    std::uint64_t number = 0;
    const auto* const stop = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), stop, number);
    std::string unit(end, stop);
    std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (problem == std::errc::invalid_argument) {
        if (text.front() == '-' && is_number(text))
            return no_value(fmt::format("{} is too little; {}", text, expected));
        return no_value(fmt::format("{} is no size; {}", text, expected));
    }
    unsigned shift = 0;
    if (const auto letter = unit.empty() ? std::string_view::npos : letters.find(unit.front());
        letter != std::string_view::npos) {
        shift = 10 * (static_cast<unsigned>(letter) + 1);
        unit.erase(0, 1);
        if (unit.starts_with('I')) unit.erase(0, 1);
    }
    if (!unit.empty() && unit != "B") return no_value(fmt::format("{} is no size; {}", text, expected));
    const bool fits = problem == std::errc{} && number <= (most >> shift);
    if (!fits) return no_value(fmt::format("{} is too much; {}", text, expected));
    if (number << shift < least) return no_value(fmt::format("{} is too little; {}", text, expected));
    return number << shift;
}

std::vector<std::string> parts(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t begin = 0;;) {
        const auto comma = text.find(',', begin);
        all.push_back(text.substr(begin, comma - begin));
        if (comma == std::string::npos) return all;
        begin = comma + 1;
    }
}

CLI::Validator one_of(const std::vector<std::string>& words) {
    return words_check(words, false);
}
CLI::Validator some_of(const std::vector<std::string>& words) {
    return words_check(words, true);
}

CLI::Option* add_size(CLI::App& command, const char* names, std::uint64_t& bytes, const char* help) {
    const auto set = [&bytes](const std::string& text) {
        if (const auto size = parse_size(text)) bytes = *size;
    };
    return command.add_option_function<std::string>(names, set, help)
        ->check(checked(parse_size), "")
        ->type_name("SIZE");
}

CLI::Option* add_list(CLI::App& command, const char* names, std::vector<std::string>& values, const char* help) {
    return add_parts(
               command, names, [&values](const std::vector<std::string>& given) { values = given; }, help)
        ->check(each([](const std::string&) { return std::string(); }), "");
}

CLI::Option* add_parts(CLI::App& command, const char* names, std::function<void(const std::vector<std::string>&)> set,
                       const char* help) {
    CLI::callback_t take = [set = std::move(set)](const CLI::results_t& texts) {
        std::vector<std::string> all;
        for (const auto& text : texts) {
            for (auto& part : parts(text)) all.push_back(std::move(part));
        }
        set(all);
        return true;
    };
    return command.add_option(names, std::move(take), help)
        ->type_size(1)
        ->expected(1, CLI::detail::expected_max_vector_size)
        ->allow_extra_args(false);
}

void add_inline(CLI::App& command, bool& wanted) {
    command.add_flag("--inline,!--no-inline", wanted,
                     "Show functions that the compiler inlined in call chains (the default), or leave them out");
}

void refuse_empty(CLI::App& command) {
    for (auto* option : command.get_options([](CLI::Option*) { return true; })) {
        if (option->get_type_size() == 0) continue;
        const auto full = option->get_type_name();
        const auto type = option->get_positional() ? std::string("FILE") : full.substr(0, full.find(':'));
        const auto problem = lack(type);
        if (problem.empty()) continue;
        // Run before all other checks.
        option->transform(
            CLI::Validator([problem](std::string& text) { return text.empty() ? problem : std::string(); }, ""));
    }
    for (auto* part : command.get_subcommands([](CLI::App* one) { return one->get_name().empty(); })) {
        refuse_empty(*part);
    }
}

}  // namespace perfdata::tool
