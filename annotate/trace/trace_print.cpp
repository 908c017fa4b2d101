// SPDX-License-Identifier: MIT
#include "trace_print.hpp"

#include <charconv>
#include <utility>

#include "trace_pointer.hpp"

namespace perfdata {
namespace {

bool is_one_of(std::string_view letters, std::string_view text) {
    return !text.empty() && letters.find(text.front()) != std::string_view::npos;
}

}  // namespace

std::size_t most_trace_text(const TraceRecord& record) {
    return 4096 + 4 * record.raw.size();
}

std::optional<TracePrint> TracePrint::parse(std::string_view text, const std::vector<TraceField>& fields,
                                            std::uint8_t long_size, TraceRoom& room) {
    std::string format;
    const auto skip_blanks = [&] {
        const auto next = text.find_first_not_of(" \t\n");
        text.remove_prefix(next == std::string_view::npos ? text.size() : next);
    };
    skip_blanks();
    if (!text.starts_with('"')) return {};
    while (text.starts_with('"')) {
        std::size_t end = 1;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        if (end >= text.size()) return {};
        format += unescaped(text.substr(1, end - 1));
        text.remove_prefix(end + 1);
        skip_blanks();
    }
    auto arguments = TraceExpression::parse(text, fields, long_size, room);
    if (!arguments) return {};
    TracePrint print;
    print.arguments_ = std::move(*arguments);
    if (!print.parse_format(format, room)) return {};
    print.parts_.shrink_to_fit();
    return print;
}

bool TracePrint::parse_format(std::string_view format, TraceRoom& room) {
    std::uint32_t next = 0;
    const auto argument = [&] { return next < arguments_.size() ? next++ : none; };
    Part part;
    while (!format.empty()) {
        const auto percent = std::min(format.find('%'), format.size());
        part.literal += format.substr(0, percent);
        format.remove_prefix(percent);
        if (format.empty()) break;
        format.remove_prefix(1);
        if (format.empty() || format.starts_with('%')) {
            part.literal += '%';
            format.remove_prefix(format.empty() ? 0 : 1);
            continue;
        }
        auto& directive = part.directive;
        for (; is_one_of("-0# +", format); format.remove_prefix(1)) {
            directive.left = directive.left || format[0] == '-';
            directive.zeros = directive.zeros || format[0] == '0';
            directive.alternate = directive.alternate || format[0] == '#';
            directive.plus = directive.plus || format[0] == '+';
            directive.space = directive.space || format[0] == ' ';
        }
        const auto count = [&](std::uint32_t& in_argument) -> std::optional<std::uint64_t> {
            if (format.starts_with('*')) {
                format.remove_prefix(1);
                in_argument = argument();
                return {};
            }
            std::uint64_t number = 0;
            const auto* const end = std::from_chars(format.data(), format.data() + format.size(), number).ptr;
            if (end == format.data()) return {};
            format.remove_prefix(static_cast<std::size_t>(end - format.data()));
            return number;
        };
        directive.width = count(part.width);
        if (format.starts_with('.')) {
            format.remove_prefix(1);
            directive.precision = count(part.precision);
            if (!directive.precision && part.precision == none) directive.precision = 0;
        }
        for (; is_one_of("hlLqzZjt", format); format.remove_prefix(1)) {
            ++(format[0] == 'h' ? directive.halves : directive.longs);
        }
        if (format.empty()) break;
        directive.conversion = format[0];
        format.remove_prefix(1);
        if (directive.conversion == 'p') {
            const auto letters = pointer_letters(format);
            part.letters = format.substr(0, letters);
            format.remove_prefix(letters);
        }
        part.argument = argument();
        if (!room.take()) return false;
        parts_.push_back(std::exchange(part, {}));
    }
    if (!part.literal.empty()) {
        part.directive.conversion = 0;
        parts_.push_back(std::move(part));
    }
    return true;
}

void TracePrint::append(std::string& text, const std::vector<TraceField>& fields, const TraceRecord& record) const {
    const auto most = most_trace_text(record);
    TraceWriter writer(text, most);
    std::size_t steps = 0;
    for (const auto& part : parts_) {
        writer.plain(part.literal);
        if (writer.full()) break;
        if (part.directive.conversion == 0) continue;
        for (const auto index : {part.argument, part.width, part.precision}) {
            if (index != none) steps += arguments_[index].steps();
        }
        if (steps > most) {
            text += "…";
            return;
        }
        append(part, writer, fields, record);
        if (writer.full()) break;
    }
    if (writer.full()) text += "…";
}

void TracePrint::append(const Part& part, TraceWriter& writer, const std::vector<TraceField>& fields,
                        const TraceRecord& record) const {
    auto directive = part.directive;
    if (part.width != none) {
        const auto width = static_cast<std::int64_t>(arguments_[part.width].number(fields, record).bits);
        directive.left = directive.left || width < 0;
        directive.width = width < 0 ? 0 - static_cast<std::uint64_t>(width) : static_cast<std::uint64_t>(width);
    }
    if (part.precision != none) {
        const auto precision = arguments_[part.precision].number(fields, record).bits;
        if (static_cast<std::int64_t>(precision) >= 0) directive.precision = precision;
    }
    // A format may have fewer arguments than directives.
    if (part.argument == none) return;
    const auto& argument = arguments_[part.argument];
    switch (directive.conversion) {
        case 's': argument.append_text(writer, directive, fields, record); break;
        case 'p': append_pointer(writer, part.letters, directive, argument, fields, record); break;
        case 'c': {
            const char letter = static_cast<char>(argument.number(fields, record).bits);
            writer.word(std::string_view(&letter, 1), directive);
            break;
        }
        default: writer.number(argument.number(fields, record).bits, directive);
    }
}

}  // namespace perfdata
