// SPDX-License-Identifier: MIT
#include "trace_print.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "trace_fields.hpp"
#include "trace_pointer.hpp"

namespace perfdata {
namespace {

bool is_one_of(std::string_view letters, std::string_view text) {
    return !text.empty() && letters.find(text.front()) != std::string_view::npos;
}

constexpr std::string_view blanks = " \t\n";
constexpr std::size_t least_limit = 4096;  // of most_trace_text()

// named_in(literal, is_first) returns the name in front of a directive, and the place in the literal behind it:
// "ino=" and "prev_state=0x", or "ino: ", "ino = " and "ino ". Nothing if there is none at the beginning of a word. In
// the first literal of a format every word begins.
std::optional<std::pair<std::string_view, std::size_t>> named_in(std::string_view literal, bool is_first) {
    const auto word_at = [&](std::size_t end) -> std::optional<std::size_t> {
        const auto blank = literal.substr(0, end).find_last_of(blanks);
        if (blank != std::string_view::npos) return blank + 1;
        return is_first ? std::optional<std::size_t>(0) : std::nullopt;
    };
    const auto name_at = [&](std::size_t begin) {
        auto end = begin;
        while (end < literal.size() && is_name_letter(literal[end])) ++end;
        return literal.substr(begin, end - begin);
    };
    const auto begin = word_at(literal.size());
    if (!begin) return {};
    const auto is_mark = [&](std::size_t at) { return at < literal.size() && is_one_of("=:", literal.substr(at)); };
    const auto name = name_at(*begin);
    const auto behind = *begin + name.size();
    if (!name.empty() && is_mark(behind)) return std::pair(name, behind + 1);
    // The name may be the word before, and the mark a word of its own.
    if (*begin == 0) return {};
    auto word_end = *begin - 1;
    auto before = word_at(word_end);
    bool has_mark = is_mark(*begin);
    const auto value = *begin + (has_mark ? 1 : 0);
    if (!has_mark && before && *before != 0 && *before + 1 == word_end && is_mark(*before)) {
        has_mark = true;
        word_end = *before - 1;
        before = word_at(word_end);
    }
    if (!before) return {};
    const auto earlier = name_at(*before);
    const auto end = *before + earlier.size();
    if (earlier.empty() || end + (!has_mark && is_mark(end) ? 1 : 0) != word_end) return {};
    return std::pair(earlier, value);
}

}  // namespace

std::size_t most_trace_text(const TraceRecord& record) {
    return least_limit + 4 * record.raw.size();
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
    print.flatten();
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
        for (const auto index : {part.argument, part.width, part.precision}) {
            if (index != none) part.steps += arguments_[index].steps();
        }
        if (!room.take()) return false;
        parts_.push_back(std::exchange(part, {}));
    }
    if (!part.literal.empty()) {
        part.directive.conversion = 0;
        parts_.push_back(std::move(part));
    }
    return true;
}

void TracePrint::flatten() {
    const auto graphic = [](char c) { return c >= 0x20 && c < 0x7f; };
    FlatPrint flat;
    std::size_t steps = 0;
    for (const auto& part : parts_) {
        if (!std::ranges::all_of(part.literal, graphic)) return;
        flat.add_text(part.literal);
        steps += part.steps;
        if (part.directive.conversion == 0 || part.argument == none) continue;
        const auto* program = arguments_[part.argument].program();
        const bool is_plain = part.width == none && part.precision == none && FlatPrint::can_print(part.directive);
        if (!is_plain || program == nullptr) return;
        flat.add_number(*program, part.directive);
    }
    if (std::max(flat.most(), steps) <= least_limit) flat_ = std::move(flat);
}

bool TracePrint::append(const Part& part, Steps& steps, TraceWriter& writer, const std::vector<TraceField>& fields,
                        const TraceRecord& record) const {
    if (part.directive.conversion == 0) return true;
    steps.taken += part.steps;
    if (steps.taken > steps.most) return false;
    append(part, writer, fields, record);
    return true;
}

void TracePrint::append(std::string& text, const std::vector<TraceField>& fields, const TraceRecord& record) const {
    const auto most = most_trace_text(record);
    TraceWriter writer(text, most);
    Steps steps{0, most};
    for (const auto& part : parts_) {
        writer.plain(part.literal);
        if (writer.full()) break;
        if (!append(part, steps, writer, fields, record)) {
            text += "…";
            return;
        }
        if (writer.full()) break;
    }
    if (writer.full()) text += "…";
}

bool TracePrint::names_code() const {
    return std::ranges::any_of(parts_, [](const Part& part) {
        return part.directive.conversion == 'p' && is_one_of(code_letters, part.letters);
    });
}

std::map<std::string_view, TracePrint::Value> TracePrint::values(const std::vector<TraceField>& fields) const {
    std::map<std::string_view, Value> values;
    std::map<std::string_view, unsigned> fields_of;  // by name: a damaged format may have several
    for (const auto& field : fields) ++fields_of[field.name];
    for (std::uint32_t first = 0; first < parts_.size(); ++first) {
        if (parts_[first].directive.conversion == 0) continue;
        const auto named = named_in(parts_[first].literal, first == 0);
        if (!named) continue;
        Value value{first, static_cast<std::uint32_t>(named->second), first + 1, 0};
        for (; value.last < parts_.size(); ++value.last) {
            const std::string_view literal = parts_[value.last].literal;
            const auto blank = literal.find_first_of(blanks);
            auto end = std::min(blank, literal.size());
            const bool is_end = blank != std::string_view::npos || value.last + 1 == parts_.size();
            while (is_end && end != 0 && is_one_of(",;", literal.substr(end - 1))) --end;
            value.end = static_cast<std::uint32_t>(end);
            if (blank != std::string_view::npos || parts_[value.last].directive.conversion == 0) break;
        }
        const auto uses = [&](const Part& part) {
            return part.argument != none && arguments_[part.argument].uses(named->first, fields);
        };
        const auto pieces = std::span(parts_).subspan(first, value.last - first);
        if (values.contains(named->first) || !std::ranges::any_of(pieces, uses)) continue;
        const auto uses_others = [&](const Part& part) {
            return std::ranges::any_of(std::array{part.argument, part.width, part.precision}, [&](std::uint32_t index) {
                return index != none && arguments_[index].uses_others(named->first, fields);
            });
        };
        value.is_own = fields_of[named->first] == 1 && std::ranges::none_of(pieces, uses_others);
        values.emplace(named->first, value);
    }
    return values;
}

std::size_t TracePrint::append_value(std::string& text, const Value& value, const std::vector<TraceField>& fields,
                                     const TraceRecord& record) const {
    const auto most = most_trace_text(record);
    TraceWriter writer(text, most);
    Steps steps{0, most};
    for (auto at = value.first; at <= value.last && at < parts_.size(); ++at) {
        std::string_view literal = parts_[at].literal;
        if (at == value.last) literal = literal.substr(0, value.end);
        if (at == value.first) literal.remove_prefix(std::min<std::size_t>(value.begin, literal.size()));
        writer.plain(literal);
        if (writer.full() || at == value.last) break;
        if (!append(parts_[at], steps, writer, fields, record)) {
            text += "…";
            return steps.taken + writer.seen();
        }
        if (writer.full()) break;
    }
    if (writer.full()) text += "…";
    return steps.taken + writer.seen();
}

void TracePrint::append(const Part& part, TraceWriter& writer, const std::vector<TraceField>& fields,
                        const TraceRecord& record) const {
    if (part.width == none && part.precision == none) {
        return append(part, part.directive, writer, fields, record);
    }
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
    append(part, directive, writer, fields, record);
}

void TracePrint::append(const Part& part, const TraceDirective& directive, TraceWriter& writer,
                        const std::vector<TraceField>& fields, const TraceRecord& record) const {
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
