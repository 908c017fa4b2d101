// SPDX-License-Identifier: MIT
#include "trace_formats.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <set>
#include <utility>

#include "perfdata/wire/feature/tracing_data.hpp"

#include "format/words.hpp"
#include "trace_raw_fields.hpp"

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

// inner_elements("2][3]") returns 3: how many elements the inner arrays of an array of arrays have together; 0 for a
// plain array.
std::uint32_t inner_elements(std::string_view brackets) {
    std::uint64_t count = 0;
    for (auto at = brackets.find('['); at != std::string_view::npos; at = brackets.find('[', at + 1)) {
        count = std::max<std::uint64_t>(count, 1) * number_behind(brackets.substr(at), "[");
        if (count > 0xffff) return 0;
    }
    return static_cast<std::uint32_t>(count);
}

// escape_behind(text, begin) replaces unprintable bytes behind there: the format itself, its field names, and
// characters split by a directive may contain some.
void escape_behind(std::string& text, std::size_t begin) {
    const auto graphic = [](char c) { return c >= 0x20 && c < 0x7f; };
    if (std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), graphic)) return;
    const auto shown = printable(std::string_view(text).substr(begin));
    text.resize(begin);
    text += shown;
}

}  // namespace

TraceText TraceText::parse(std::string_view text, std::uint8_t long_size, std::size_t most) {
    TraceText format;
    bool in_common = true;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        if (line.starts_with("print fmt: ")) {
            text.remove_prefix(std::string_view("print fmt: ").size());
            const auto room_before = std::min(most, TraceRoom::most_in_format);
            TraceRoom room{room_before};
            format.print_ = TracePrint::parse(text, format.fields_, long_size, room);
            if (format.print_) format.parts_ = room_before - room.left;
            format.is_too_large_ = room.is_full;
            break;
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (trimmed(line).starts_with("field:") && format.fields_.size() < most_fields)
            format.parse_field(trimmed(line), long_size);
        // An empty line ends the common fields of all tracepoints.
        if (trimmed(line).empty() && in_common && !format.fields_.empty()) {
            format.common_fields_ = format.fields_.size();
            in_common = false;
        }
    }
    return format;
}

void TraceText::parse_field(std::string_view line, std::uint8_t long_size) {
    line.remove_prefix(std::string_view("field:").size());
    auto declaration = trimmed(line.substr(0, line.find(';')));
    TraceField field;
    field.offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_behind(line, "offset:"), 0xffff));
    field.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_behind(line, "size:"), 0xffff));
    field.is_signed = number_behind(line, "signed:") != 0;
    if (declaration.starts_with("__data_loc ")) field.where = TraceField::Where::data_loc;
    if (declaration.starts_with("__rel_loc ")) field.where = TraceField::Where::rel_loc;
    const bool is_here = field.where == TraceField::Where::here;
    bool is_array = !is_here;
    std::string_view type;
    if (const auto bracket = declaration.find('['); bracket != std::string_view::npos) {
        is_array = true;
        field.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_behind(declaration, "["), 0xffff));
        // In "__data_loc char[] name" the name follows the brackets, in "char comm[16]" it precedes them.
        type = declaration.substr(0, bracket);
        if (is_here) {
            field.columns = inner_elements(declaration.substr(bracket + 1));
            declaration = type;
        }
    }
    if (is_array && field.count == 0) field.count = 1;
    const auto type_end = declaration.find_last_of(" *]");
    field.name = declaration.substr(type_end == std::string_view::npos ? 0 : type_end + 1);
    if (is_here) type = declaration.substr(0, declaration.size() - field.name.size());
    const auto has = [&](std::string_view word) { return type.find(word) != std::string_view::npos; };
    field.is_text = has("char") && is_array;
    field.is_bytes = is_array && (has("char") || has("u8") || has("s8"));
    field.is_long = has("long");
    field.is_pointer = has("*");
    // The length of the array may be a named constant.
    if (is_here && field.is_text && field.columns == 0) field.count = std::max(field.size, 1u);
    if (is_array) {
        if (!is_here) type = type.substr(std::min(type.find(' '), type.size()));
        const auto known = trace_type(type, long_size);
        const auto all = std::uint64_t{field.count} * std::max(field.columns, 1u);
        if (is_here && field.size % all == 0) field.element = static_cast<std::uint32_t>(field.size / all);
        // A type's size is surer than a count, which may be a named constant.
        if (known && known->bytes != 0 && (!is_here || field.count <= 1)) field.element = known->bytes;
        if (field.is_bytes) field.element = 1;
    }
    fields_.push_back(std::move(field));
}

void TraceText::append(std::string& text, const TraceRecord& record) const {
    if (const auto* flat = print_ ? print_->flat() : nullptr) return flat->append(text, record.raw, record.order);
    const auto begin = text.size();
    if (print_) {
        print_->append(text, fields_, record);
    } else {
        append_fields(text, record);
    }
    escape_behind(text, begin);
}

std::map<std::string_view, TraceText::Value> TraceText::values() const {
    return print_ ? print_->values(fields_) : std::map<std::string_view, Value>();
}

std::size_t TraceText::append_value(std::string& text, const Value& value, const TraceRecord& record) const {
    if (!print_) return 0;
    const auto begin = text.size();
    const auto taken = print_->append_value(text, value, fields_, record);
    escape_behind(text, begin);
    return taken;
}

void TraceText::append_fields(std::string& text, const TraceRecord& record) const {
    TraceWriter writer(text, most_trace_text(record));
    writer.plain("[FAILED TO PARSE]");
    for (auto at = common_fields_; at < fields_.size() && !writer.full(); ++at) {
        writer.plain(" ");
        writer.plain(fields_[at].name);
        writer.plain("=");
        append_raw_field(writer, fields_[at], record);
    }
    if (writer.full()) text += " …";
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
    formats.long_size_ = data->long_size() == 4 ? 4 : 8;
    // A damaged tail has no strings; pointers to them are shown as numbers.
    if (const auto tail = data->tail()) formats.strings_ = TraceStrings(tail->printk_formats);
    auto room = TraceRoom::most;
    auto format = data->next();
    for (; format && *format; format = data->next()) {
        const auto id = (*format)->id();
        if (!id || !wanted.contains(*id)) continue;
        if ((*format)->text.size() > most_format_bytes) {
            ++formats.unread_;
            continue;
        }
        auto parsed = TraceText::parse((*format)->text, formats.long_size_, room);
        room -= parsed.parts();
        formats.too_large_ += parsed.is_too_large();
        formats.formats_.emplace(*id, std::move(parsed));
    }
    if (!format) formats.unread_ = wanted.size() - formats.formats_.size();
    return formats;
}

void TraceFormats::append(std::string& text, std::uint64_t id, Bytes raw, TraceNames* names) const {
    const auto format = formats_.find(id);
    if (format == formats_.end()) {
        text += hex_bytes(raw);
        return;
    }
    format->second.append(text, {raw, order_, long_size_, &strings_, names});
}

bool TraceFormats::names_code(std::uint64_t id) const {
    const auto format = formats_.find(id);
    return format != formats_.end() && format->second.names_code();
}

std::map<std::string_view, TraceText::Value> TraceFormats::values(std::uint64_t id) const {
    const auto format = formats_.find(id);
    return format == formats_.end() ? std::map<std::string_view, TraceText::Value>() : format->second.values();
}

std::size_t TraceFormats::append_value(std::string& text, std::uint64_t id, const TraceText::Value& value, Bytes raw,
                                       TraceNames* names) const {
    const auto format = formats_.find(id);
    if (format == formats_.end()) return 0;
    return format->second.append_value(text, value, {raw, order_, long_size_, &strings_, names});
}

}  // namespace perfdata
