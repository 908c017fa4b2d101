// SPDX-License-Identifier: MIT
#include "trace_fields.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <new>

#include "perfdata/wire/feature/tracing_data.hpp"

#include "format/words.hpp"
#include "trace_types.hpp"

namespace perfdata {
namespace {

constexpr std::string_view field_blanks = " \t\r";

std::string_view without_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(field_blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(field_blanks) + 1 - first);
}

// value_of(line, label) returns the number behind "offset:", nothing if there is none below 64 KiB: no sample is
// larger.
std::optional<std::uint32_t> value_of(std::string_view line, std::string_view label) {
    const auto at = line.find(label);
    if (at == std::string_view::npos) return {};
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(line.data() + at + label.size(), line.data() + line.size(), number);
    if (problem != std::errc{} || number > 0xffff) return {};
    return number;
}

bool has_word(std::string_view type, std::string_view word) {
    for (auto at = type.find(word); at != std::string_view::npos; at = type.find(word, at + 1)) {
        const auto is_end = [&](std::size_t place) { return place >= type.size() || !is_name_letter(type[place]); };
        if ((at == 0 || is_end(at - 1)) && is_end(at + word.size())) return true;
    }
    return false;
}

// element_bytes(type, long_bytes) returns the size of one element by the name of its type; 0: unknown.
std::uint8_t element_bytes(std::string_view type, std::uint8_t long_bytes) {
    if (type.find('*') != std::string_view::npos) return long_bytes;
    if (has_word(type, "struct") || has_word(type, "union")) return 0;
    struct Known {
        std::string_view word;
        std::uint8_t bytes;
    };
    constexpr Known known[] = {{"u8", 1},       {"s8", 1},     {"__u8", 1},     {"__s8", 1},     {"uint8_t", 1},
                               {"int8_t", 1},   {"bool", 1},   {"u16", 2},      {"s16", 2},      {"__u16", 2},
                               {"__s16", 2},    {"__le16", 2}, {"__be16", 2},   {"uint16_t", 2}, {"int16_t", 2},
                               {"short", 2},    {"u32", 4},    {"s32", 4},      {"__u32", 4},    {"__s32", 4},
                               {"__le32", 4},   {"__be32", 4}, {"uint32_t", 4}, {"int32_t", 4},  {"pid_t", 4},
                               {"gfp_t", 4},    {"dev_t", 4},  {"u64", 8},      {"s64", 8},      {"__u64", 8},
                               {"__s64", 8},    {"__le64", 8}, {"__be64", 8},   {"uint64_t", 8}, {"int64_t", 8},
                               {"sector_t", 8}, {"loff_t", 8}, {"ktime_t", 8}};
    for (const auto& one : known) {
        if (has_word(type, one.word)) return one.bytes;
    }
    if (type.find("long long") != std::string_view::npos) return 8;
    for (const std::string_view word : {"long", "size_t", "ssize_t", "uintptr_t", "cpumask_t"}) {
        if (has_word(type, word)) return long_bytes;
    }
    return has_word(type, "int") || has_word(type, "unsigned") ? 4 : has_word(type, "char") ? 1 : 0;
}

// parse_line(line, long_bytes) parses "field:unsigned long args[6];	offset:16;	size:48;	signed:0;".
std::optional<EventField> parse_line(std::string_view line, std::uint8_t long_bytes) {
    line.remove_prefix(std::string_view("field:").size());
    auto declaration = without_blanks(line.substr(0, line.find(';')));
    EventField field;
    auto& type = field.type;
    const auto offset = value_of(line, "offset:");
    const auto size = value_of(line, "size:");
    if (!offset || !size) return {};
    type.offset = *offset;
    type.size = *size;
    type.is_address = declaration.find('*') != std::string_view::npos;
    type.is_signed = value_of(line, "signed:").value_or(0) != 0;
    for (const auto& [word, where] : {std::pair{std::string_view("__data_loc "), FieldType::Where::data_loc},
                                      std::pair{std::string_view("__rel_loc "), FieldType::Where::rel_loc}}) {
        if (!declaration.starts_with(word)) continue;
        type.where = where;
        declaration.remove_prefix(word.size());
    }
    const auto bracket = declaration.find('[');
    const bool is_array = bracket != std::string_view::npos || type.where != FieldType::Where::here;
    std::uint32_t count = 0;
    if (bracket != std::string_view::npos && type.where == FieldType::Where::here) {
        const auto digits = declaration.substr(bracket + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), count);
        declaration = without_blanks(declaration.substr(0, bracket));
    }
    // In "__data_loc char[] name" the name follows the brackets, in "char comm[16]" it precedes them.
    const auto type_end = declaration.find_last_of(" *]");
    field.name = declaration.substr(type_end == std::string_view::npos ? 0 : type_end + 1);
    if (field.name.empty() || !std::ranges::all_of(field.name, is_name_letter)) return {};
    auto words = declaration.substr(0, declaration.size() - field.name.size());
    words = without_blanks(words.substr(0, words.find('[')));
    // As the kernel chooses what can be compared with text.
    if (is_array && words.find("char") != std::string_view::npos) {
        type.kind = FieldType::Kind::text;
        type.element = 1;
    } else if (is_array) {
        const auto by_count = count != 0 && type.size % count == 0 ? type.size / count : 0;
        const auto bytes = is_number_size(by_count) ? by_count : element_bytes(words, long_bytes);
        const bool fits = is_number_size(bytes) && (type.where != FieldType::Where::here || type.size % bytes == 0);
        type.kind = fits ? FieldType::Kind::numbers : FieldType::Kind::other;
        type.element = fits ? static_cast<std::uint8_t>(bytes) : std::uint8_t{0};
    } else if (is_number_size(type.size)) {
        const bool is_text = words == "char *" || words == "const char *";
        type.kind = is_text ? FieldType::Kind::pointer : FieldType::Kind::number;
        type.element = static_cast<std::uint8_t>(type.size);
        // As perf shows them.
        const bool is_hexadecimal = !type.is_signed || type.size == sizeof(std::uint32_t);
        type.is_address = type.is_address || (is_hexadecimal && has_word(words, "long"));
    } else {
        type.kind = FieldType::Kind::other;
    }
    if (type.where != FieldType::Where::here && type.size < sizeof(std::uint32_t)) return {};
    return field;
}

// printed_addresses(print) returns the names of fields that a text `print fmt: "%pS", (void *)REC->call_site` prints as
// addresses, as they are or cast. Its cost is that of reading the text once.
std::vector<std::string_view> printed_addresses(std::string_view print) {
    std::vector<std::string_view> names;
    std::vector<bool> is_address;  // by argument
    auto at = print.find('"');
    if (at == std::string_view::npos) return names;
    for (++at; at < print.size() && print[at] != '"'; ++at) {
        if (print[at] == '\\') ++at;
        if (at >= print.size() || print[at] != '%') continue;
        for (++at; at < print.size() && std::string_view("0123456789+- #.*lhzjtL").contains(print[at]); ++at) {
            if (print[at] == '*') is_address.push_back(false);
        }
        if (at >= print.size() || print[at] == '"') break;
        if (print[at] != '%') is_address.push_back(print[at] == 'p');
    }
    if (at < print.size()) ++at;
    std::size_t argument = 0, depth = 0;
    bool in_text = false;
    for (auto begin = at + 1; at < print.size() && argument <= is_address.size(); ++at) {
        const auto c = print[at];
        if (c == '"' && print[at - 1] != '\\') in_text = !in_text;
        if (!in_text && c == '(') ++depth;
        if (!in_text && c == ')' && depth != 0) --depth;
        const bool is_last = at + 1 == print.size();
        if (in_text || depth != 0 || (c != ',' && c != '\n' && !is_last)) continue;
        // The comma behind the format itself ends nothing.
        if (argument != 0 && is_address[argument - 1]) {
            const auto end = is_last && c != ',' && c != '\n' ? print.size() : at;
            auto text = without_blanks(print.substr(begin, end - begin));
            while (text.starts_with('(') && text.contains(')')) text = without_blanks(text.substr(text.find(')') + 1));
            constexpr std::string_view record = "REC->";
            if (text.starts_with(record) && std::ranges::all_of(text.substr(record.size()), is_name_letter)) {
                names.push_back(text.substr(record.size()));
            }
        }
        ++argument;
        begin = at + 1;
        if (c == '\n') break;
    }
    return names;
}

}  // namespace

bool is_name_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string FieldName::text() const {
    return index ? name + "[" + std::to_string(*index) + "]" : name;
}

std::optional<FieldName> parse_field_name(std::string_view text) {
    FieldName field;
    const auto bracket = text.find('[');
    const auto name = text.substr(0, bracket);
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    if (name.empty() || is_digit(name.front()) || !std::ranges::all_of(name, is_name_letter)) return {};
    field.name = name;
    if (bracket == std::string_view::npos) return field;
    const auto* const end = text.data() + text.size();
    std::uint32_t index = 0;
    const auto parsed = std::from_chars(text.data() + bracket + 1, end, index);
    if (parsed.ec != std::errc{} || index > 0xffff || std::string_view(parsed.ptr, end) != "]") return {};
    field.index = index;
    return field;
}

std::optional<Bytes> field_content(const FieldType& type, Bytes raw, AnyOrder order) {
    const auto part = [&](std::uint64_t offset, std::uint64_t size) -> std::optional<Bytes> {
        if (offset > raw.size() || size > raw.size() - offset) return {};
        return raw.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    };
    if (type.where == FieldType::Where::here) return part(type.offset, type.size);
    const auto here = part(type.offset, sizeof(std::uint32_t));
    if (!here) return {};
    const auto place = order.load<std::uint32_t>(here->data());
    const std::uint64_t base =
        type.where == FieldType::Where::rel_loc ? std::uint64_t{type.offset} + sizeof(std::uint32_t) : 0;
    return part(base + (place & 0xffff), place >> 16);
}

std::optional<FieldNumber> number_in(const FieldType& type, std::uint32_t index, Bytes raw, AnyOrder order) {
    const auto bytes = field_content(type, raw, order);
    if (!bytes || type.element == 0 || index >= bytes->size() / type.element) return {};
    const auto* const at = bytes->data() + std::size_t{index} * type.element;
    const auto extended = [&](auto value, auto number) {
        return FieldNumber{
            type.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) : std::uint64_t{value},
            type.is_signed};
    };
    switch (type.element) {
        case 1: {
            const auto value = order.load<std::uint8_t>(at);
            return extended(value, static_cast<std::int8_t>(value));
        }
        case 2: {
            const auto value = order.load<std::uint16_t>(at);
            return extended(value, static_cast<std::int16_t>(value));
        }
        case 4: {
            const auto value = order.load<std::uint32_t>(at);
            return extended(value, static_cast<std::int32_t>(value));
        }
        case 8: return FieldNumber{order.load<std::uint64_t>(at), type.is_signed};
        default: return {};
    }
}

std::optional<std::string_view> text_in(const FieldType& type, Bytes raw, AnyOrder order) {
    if (type.kind != FieldType::Kind::text) return {};
    const auto bytes = field_content(type, raw, order);
    if (!bytes) return {};
    return until_nul(*bytes);
}

EventFields EventFields::parse(std::string_view format, std::uint8_t long_bytes) {
    EventFields fields;
    if (long_bytes != 4) long_bytes = 8;
    bool in_common = true;
    while (!format.empty() && fields.fields_.size() < most_fields) {
        const auto line = format.substr(0, format.find('\n'));
        if (line.starts_with("print fmt:")) {
            for (const auto name : printed_addresses(format)) {
                const auto named = std::ranges::find(fields.fields_, name, &EventField::name);
                if (named == fields.fields_.end() || named->type.element != long_bytes) continue;
                if (named->type.is_number()) named->type.is_address = true;
            }
            break;
        }
        format.remove_prefix(std::min(format.size(), line.size() + 1));
        const auto inside = without_blanks(line);
        if (inside.starts_with("field:")) {
            if (auto field = parse_line(inside, long_bytes)) fields.fields_.push_back(std::move(*field));
        } else if (inside.empty() && in_common && !fields.fields_.empty()) {
            // An empty line ends the common fields of all tracepoints.
            fields.common_ = fields.fields_.size();
            in_common = false;
        }
    }
    fields.is_cut_ = fields.fields_.size() == most_fields && format.find("field:") != std::string_view::npos;
    return fields;
}

const EventField* EventFields::find(std::span<const EventField> fields, std::string_view name) {
    const auto found = std::ranges::find(fields, name, &EventField::name);
    return found == fields.end() ? nullptr : &*found;
}

TraceFields TraceFields::of_formats(const std::vector<std::string>& formats, AnyOrder order) {
    TraceFields fields;
    fields.order_ = order;
    for (const auto& format : formats) {
        fields.by_event_.push_back(static_cast<std::uint32_t>(fields.formats_.size()));
        fields.formats_.push_back(EventFields::parse(format));
    }
    return fields;
}

TraceFields TraceFields::read(const Recording& recording) {
    TraceFields fields;
    fields.order_ = recording.order();
    const auto& events = recording.events().events();
    std::map<std::uint64_t, std::uint32_t> wanted;  // by Attr::config: index in formats_, or none; log n each
    for (const auto& event : events) {
        if (event.attr.type == attr_type::tracepoint) wanted.emplace(event.attr.config, none);
    }
    if (wanted.empty()) return fields;
    const auto section = recording.read_feature(Feature::tracing_data);
    if (!section && section.error().code == ErrorCode::out_of_memory) throw std::bad_alloc();
    fields.unread_ = wanted.size();
    if (!section) {
        if (section.error().code != ErrorCode::missing) fields.damaged_ = fields.unread_;
        return fields;
    }
    auto data = TracingData::decode(Cursor(*section, recording.order(), {.where = "feature TRACING_DATA"}));
    if (!data) {
        fields.damaged_ = fields.unread_;
        return fields;
    }
    fields.order_ = data->order();
    auto format = data->next();
    for (; format && *format; format = data->next()) {
        const auto id = (*format)->id();
        const auto found = id ? wanted.find(*id) : wanted.end();
        if (found == wanted.end() || found->second != none) continue;
        if ((*format)->text.size() > EventFields::most_format_bytes) {
            ++fields.damaged_;
            continue;
        }
        auto parsed = EventFields::parse((*format)->text, data->long_size());
        if (parsed.is_cut()) {
            ++fields.damaged_;
            continue;
        }
        found->second = static_cast<std::uint32_t>(fields.formats_.size());
        fields.formats_.push_back(std::move(parsed));
        --fields.unread_;
    }
    // What is behind the damage is lost. A format that comes twice, too long, counts once.
    fields.damaged_ = format ? std::min(fields.damaged_, fields.unread_) : fields.unread_;
    for (const auto& event : events) {
        const bool is_trace = event.attr.type == attr_type::tracepoint;
        fields.by_event_.push_back(is_trace ? wanted.find(event.attr.config)->second : none);
    }
    return fields;
}

std::string TraceFields::damage_text() const {
    if (damaged_ == 0) return {};
    return damaged_ == 1 ? "the format of 1 tracepoint is damaged or too long"
                         : "the formats of " + std::to_string(damaged_) + " tracepoints are damaged or too long";
}

std::vector<Error> TraceFields::problems() const {
    if (damaged_ == 0) return {};
    return {{ErrorCode::malformed, Error::no_offset, "feature TRACING_DATA",
             damage_text() + (damaged_ == 1 ? ": its samples have no fields" : ": their samples have no fields")}};
}

}  // namespace perfdata
