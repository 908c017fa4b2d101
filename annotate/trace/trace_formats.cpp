// SPDX-License-Identifier: MIT
#include "trace_formats.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <optional>
#include <set>

#include "perfdata/wire/feature/tracing_data.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::size_t most_format_bytes = std::size_t{64} << 10;
constexpr std::size_t most_fields = 1024;

std::uint64_t number_behind(std::string_view line, std::string_view label) {
    const auto at = line.find(label);
    std::uint64_t number = 0;
    if (at != std::string_view::npos) {
        std::from_chars(line.data() + at + label.size(), line.data() + line.size(), number);
    }
    return number;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// Directive is a parsed "%-5.3lld".
struct Directive {
    bool left = false, zeros = false, alternate = false, plus = false;
    std::optional<std::uint64_t> width, precision;
    unsigned longs = 0, halves = 0;
    char conversion = 0;
};

constexpr std::uint64_t most_width = 4096;

// most_text(record) returns the approximate limit on the text of one sample, in bytes, and on the parts of expressions
// that are evaluated for it. Formats may be long, and are shown again and again; a sample's data take three letters per
// byte in hexadecimal.
std::size_t most_text(const TraceRecord& record) {
    return 4096 + 4 * record.raw.size();
}

void append_padded(std::string& text, std::string_view word, const Directive& directive) {
    const auto width = static_cast<std::size_t>(std::min(directive.width.value_or(0), most_width));
    const auto fill = word.size() < width ? width - word.size() : 0;
    if (!directive.left) text.append(fill, ' ');
    text += word;
    if (directive.left) text.append(fill, ' ');
}

void append_number(std::string& text, std::uint64_t value, const Directive& directive) {
    const bool is_signed = directive.conversion == 'd' || directive.conversion == 'i';
    if (directive.halves > 1) {
        value = is_signed ? static_cast<std::uint64_t>(static_cast<std::int8_t>(value)) : value & 0xff;
    } else if (directive.halves == 1) {
        value = is_signed ? static_cast<std::uint64_t>(static_cast<std::int16_t>(value)) : value & 0xffff;
    } else if (directive.longs == 0) {
        value = is_signed ? static_cast<std::uint64_t>(static_cast<std::int32_t>(value)) : value & 0xffffffff;
    }
    const bool negative = is_signed && static_cast<std::int64_t>(value) < 0;
    std::string digits;
    switch (directive.conversion) {
        case 'x': digits = fmt::format("{:x}", value); break;
        case 'X': digits = fmt::format("{:X}", value); break;
        case 'o': digits = fmt::format("{:o}", value); break;
        default: digits = fmt::format("{}", negative ? 0 - value : value);
    }
    const auto precision = static_cast<std::size_t>(std::min(directive.precision.value_or(1), most_width));
    if (digits.size() < precision) digits.insert(0, precision - digits.size(), '0');
    std::string sign = negative ? "-" : is_signed && directive.plus ? "+" : "";
    if (directive.alternate && value != 0) {
        sign += directive.conversion == 'x'   ? "0x"
                : directive.conversion == 'X' ? "0X"
                : directive.conversion == 'o' ? "0"
                                              : "";
    }
    const auto width = static_cast<std::size_t>(std::min(directive.width.value_or(0), most_width));
    if (directive.zeros && !directive.left && !directive.precision && sign.size() + digits.size() < width) {
        digits.insert(0, width - sign.size() - digits.size(), '0');
    }
    append_padded(text, sign + digits, directive);
}

}  // namespace

TraceText TraceText::parse(std::string_view text) {
    TraceText format;
    bool in_common = true;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        if (line.starts_with("print fmt: ")) {
            format.parse_print(text.substr(std::string_view("print fmt: ").size()));
            break;
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (trimmed(line).starts_with("field:") && format.fields_.size() < most_fields)
            format.parse_field(trimmed(line));
        // An empty line ends the common fields of all tracepoints.
        if (trimmed(line).empty() && in_common && !format.fields_.empty()) {
            format.common_fields_ = format.fields_.size();
            in_common = false;
        }
    }
    return format;
}

void TraceText::parse_field(std::string_view line) {
    line.remove_prefix(std::string_view("field:").size());
    auto declaration = trimmed(line.substr(0, line.find(';')));
    TraceField field;
    field.offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_behind(line, "offset:"), 0xffff));
    field.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_behind(line, "size:"), 0xffff));
    field.is_signed = number_behind(line, "signed:") != 0;
    if (declaration.starts_with("__data_loc ")) field.where = TraceField::Where::data_loc;
    if (declaration.starts_with("__rel_loc ")) field.where = TraceField::Where::rel_loc;
    bool is_array = field.where != TraceField::Where::here;
    if (const auto bracket = declaration.find('['); bracket != std::string_view::npos) {
        is_array = true;
        field.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_behind(declaration, "["), 0xffff));
        // In "__data_loc char[] name" the name follows the brackets, in "char comm[16]" it precedes them.
        if (field.where == TraceField::Where::here) declaration = declaration.substr(0, bracket);
    }
    if (is_array && field.count == 0) field.count = 1;
    const auto type_end = declaration.find_last_of(" *]");
    field.name = declaration.substr(type_end == std::string_view::npos ? 0 : type_end + 1);
    const auto type = declaration.substr(0, declaration.size() - field.name.size());
    field.is_text = type.find("char") != std::string_view::npos && is_array;
    field.is_long = type.find('*') != std::string_view::npos || type.find("long") != std::string_view::npos;
    // The length of the array may be a named constant.
    if (field.where == TraceField::Where::here && field.is_text) field.count = std::max(field.size, 1u);
    fields_.push_back(std::move(field));
}

void TraceText::parse_print(std::string_view text) {
    text = trimmed(text);
    while (!text.empty() && text.front() == '"') {
        std::size_t end = 1;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        if (end >= text.size()) return;
        format_ += unescaped(text.substr(1, end - 1));
        text = text.substr(end + 1);
        const auto next = text.find_first_not_of(" \t\n");
        text.remove_prefix(next == std::string_view::npos ? text.size() : next);
    }
    auto arguments = TraceExpression::parse(text, fields_);
    if (!arguments) return;
    arguments_ = std::move(*arguments);
    understood_ = true;
}

void TraceText::append(std::string& text, const TraceRecord& record) const {
    const auto begin = text.size();
    if (understood_) {
        append_print(text, record);
    } else {
        append_fields(text, record);
    }
    // The format itself, its field names, and characters split by a directive may contain unprintable bytes.
    const auto graphic = [](char c) { return c >= 0x20 && c < 0x7f; };
    if (std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), graphic)) return;
    const auto shown = printable(std::string_view(text).substr(begin));
    text.resize(begin);
    text += shown;
}

void TraceText::append_fields(std::string& text, const TraceRecord& record) const {
    const auto begin = text.size();
    const auto most = most_text(record);
    auto out = std::back_inserter(text);
    bool first = true;
    for (auto at = common_fields_; at < fields_.size(); ++at) {
        const auto& field = fields_[at];
        if (text.size() - begin > most) {
            text += " …";
            return;
        }
        fmt::format_to(out, "{}{}=", first ? "" : " ", field.name);
        first = false;
        const auto bytes = field_bytes(field, record);
        if (field.is_text) {
            text += printable(until_nul(bytes));
        } else if (field.count != 0) {
            text += hex_bytes(bytes);
        } else if (field.is_long) {
            fmt::format_to(out, "{:#x}", field_number(field, record, 0));
        } else if (field.is_signed) {
            fmt::format_to(out, "{}", static_cast<std::int64_t>(field_number(field, record, 0)));
        } else {
            fmt::format_to(out, "{}", field_number(field, record, 0));
        }
    }
}

void TraceText::append_print(std::string& text, const TraceRecord& record) const {
    const auto begin = text.size();
    const auto most = most_text(record);
    std::size_t argument = 0;
    std::size_t evaluated = 0;  // bytes of text, of which a precision may show none
    std::size_t steps = 0;
    const auto next = [&]() -> TraceValue {
        if (argument == arguments_.size()) return {};
        steps += arguments_[argument].steps();
        if (steps > most) return {};
        auto value = arguments_[argument++].evaluate(fields_, record);
        evaluated += value.text.size();
        return value;
    };
    const auto* at = format_.data();
    const auto* const end = at + format_.size();
    while (at != end) {
        if (text.size() - begin > most || evaluated > 2 * most) {
            text += "…";
            return;
        }
        if (*at != '%' || at + 1 == end) {
            text += *at++;
            continue;
        }
        if (*++at == '%') {
            text += *at++;
            continue;
        }
        Directive directive;
        for (; at != end && std::string_view("-0# +").find(*at) != std::string_view::npos; ++at) {
            directive.left = directive.left || *at == '-';
            directive.zeros = directive.zeros || *at == '0';
            directive.alternate = directive.alternate || *at == '#';
            directive.plus = directive.plus || *at == '+';
        }
        const auto count = [&]() -> std::uint64_t {
            std::uint64_t number = 0;
            if (at != end && *at == '*') {
                ++at;
                return next().number;
            }
            at = std::from_chars(at, end, number).ptr;
            return number;
        };
        if (at != end && (*at == '*' || (*at >= '1' && *at <= '9'))) directive.width = count();
        if (at != end && *at == '.') {
            ++at;
            directive.precision = count();
        }
        for (; at != end && std::string_view("hlLqzjt").find(*at) != std::string_view::npos; ++at) {
            ++(*at == 'h' ? directive.halves : directive.longs);
        }
        if (at == end) break;
        directive.conversion = *at++;
        if (directive.conversion == 'p') {
            // Letters after it tell how the kernel would show the data: unknown here.
            while (at != end &&
                   ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9'))) {
                ++at;
            }
        }
        const auto value = next();
        if (steps > most) {
            text += "…";
            return;
        }
        if (value.is_text || directive.conversion == 's') {
            auto word = value.is_text ? value.text : fmt::format("{:#x}", value.number);
            if (directive.precision && *directive.precision < word.size()) word.resize(*directive.precision);
            append_padded(text, printable(word), directive);
        } else if (directive.conversion == 'p') {
            append_padded(text, fmt::format("{:#x}", value.number), directive);
        } else if (directive.conversion == 'c') {
            append_padded(text, printable(std::string(1, static_cast<char>(value.number))), directive);
        } else {
            append_number(text, value.number, directive);
        }
    }
}

TraceFormats TraceFormats::read(const Recording& recording) {
    TraceFormats formats;
    formats.order_ = recording.order();
    std::set<std::uint64_t> wanted;
    for (const auto& event : recording.events().events()) {
        if (event.attr.type == attr_type::tracepoint) wanted.insert(event.attr.config);
    }
    if (wanted.empty()) return formats;
    const auto section = recording.read_feature(Feature::tracing_data);
    if (!section && section.error().code == ErrorCode::out_of_memory) throw std::bad_alloc();
    if (!section) {
        if (section.error().code != ErrorCode::missing) formats.unread_ = wanted.size();
        return formats;
    }
    auto data = TracingData::decode(Cursor(*section, recording.order(), {.where = "feature TRACING_DATA"}));
    if (!data) {
        formats.unread_ = wanted.size();
        return formats;
    }
    formats.order_ = data->order();
    auto format = data->next();
    for (; format && *format; format = data->next()) {
        const auto id = (*format)->id();
        if (!id || !wanted.contains(*id)) continue;
        if ((*format)->text.size() > most_format_bytes) {
            ++formats.unread_;
            continue;
        }
        formats.formats_.emplace(*id, TraceText::parse((*format)->text));
    }
    if (!format) formats.unread_ = wanted.size() - formats.formats_.size();
    return formats;
}

void TraceFormats::append(std::string& text, std::uint64_t id, Bytes raw) const {
    const auto format = formats_.find(id);
    if (format == formats_.end()) {
        text += hex_bytes(raw);
        return;
    }
    format->second.append(text, {raw, order_});
}

}  // namespace perfdata
