// SPDX-License-Identifier: MIT
#include "trace_labels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "perfdata/recording/event_names.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

void append_label_number(std::string& text, const FieldType& type, const FieldNumber& number) {
    auto out = std::back_inserter(text);
    if (type.is_address) {
        fmt::format_to(out, "{:#x}", number.bits);
    } else if (number.is_signed) {
        fmt::format_to(out, "{}", static_cast<std::int64_t>(number.bits));
    } else {
        fmt::format_to(out, "{}", number.bits);
    }
}

}  // namespace

bool append_field_value(std::string& text, const FieldType& type, std::optional<std::uint32_t> index, Bytes raw,
                        AnyOrder order) {
    if (type.kind == FieldType::Kind::text && !index) {
        const auto found = text_in(type, raw, order);
        if (found) text += *found;
        return found.has_value();
    }
    if (type.is_number() || index) {
        const auto number = number_in(type, index.value_or(0), raw, order);
        if (number) append_label_number(text, type, *number);
        return number.has_value();
    }
    const auto bytes = field_content(type, raw, order);
    if (!bytes) return false;
    if (type.kind == FieldType::Kind::other) {
        text += hex_bytes(*bytes);
        return true;
    }
    const auto count = bytes->size() / type.element;
    text += '[';
    for (std::uint32_t at = 0; at < count; ++at) {
        if (at != 0) text += ", ";
        if (const auto number = number_in(type, at, raw, order)) append_label_number(text, type, *number);
    }
    text += ']';
    return true;
}

std::optional<TraceKey> TraceKey::parse(std::string_view word) {
    TraceKey key;
    // As perf spells fields whose values are not to be named. None are here.
    constexpr std::string_view raw = "/raw";
    if (word.ends_with(raw) && word != "trace/raw") word.remove_suffix(raw.size());
    if (word == "trace") return key;
    if (word == "trace_fields") return TraceKey{Kind::all_fields};
    auto name = word;
    if (word.starts_with("trace:")) {
        name.remove_prefix(std::string_view("trace:").size());
    } else {
        const auto point = word.rfind('.');
        if (point == std::string_view::npos || point == 0) return {};
        // A path in front of which a word is missing: no event's name has a slash.
        if (word.contains('/')) return {};
        key.event = word.substr(0, point);
        name.remove_prefix(point + 1);
    }
    if (name == "*") {
        key.kind = Kind::all_fields;
        return key;
    }
    const auto field = parse_field_name(name);
    if (!field) return {};
    key.kind = TraceKey::Kind::field;
    key.field = *field;
    return key;
}

Result<TraceLabels> TraceLabels::make(const Recording& recording, std::vector<TraceKey> keys,
                                      const std::vector<std::uint32_t>& events) {
    TraceLabels labels;
    labels.fields_ = TraceFields::read(recording);
    const auto& all = recording.events().events();
    for (const auto& event : all) labels.id_.push_back(event.attr.config);
    std::vector<bool> matters(all.size(), events.empty());
    for (const auto event : events) matters[event] = true;
    for (const auto& key : keys) {
        auto& takes = labels.takes_.emplace_back(all.size());
        bool is_known = false;
        std::string left_out;  // an event that has it, and does not matter
        for (std::uint32_t event = 0; event < all.size(); ++event) {
            const auto* const format = labels.fields_.of(event);
            const bool is_trace = all[event].attr.type == attr_type::tracepoint;
            if (!is_trace || (key.kind != TraceKey::Kind::text && format == nullptr)) continue;
            const std::string_view name = all[event].name;
            const auto colon = name.find(':');
            const bool is_named = key.event.empty() || is_called(all[event], key.event) ||
                                  (colon != std::string_view::npos && name.substr(colon + 1) == key.event);
            if (!is_named) continue;
            const bool has = key.kind != TraceKey::Kind::field || format->find_own(key.field.name) != nullptr ||
                             format->find_common(key.field.name) != nullptr;
            takes[event] = has;
            is_known = is_known || (has && matters[event]);
            if (has && !matters[event] && left_out.empty()) left_out = name;
        }
        if (is_known) continue;
        const auto what = key.kind == TraceKey::Kind::field  ? fmt::format("the field {}", key.field.name)
                          : key.kind == TraceKey::Kind::text ? std::string("a text: there are no tracepoints")
                                                             : std::string("fields");
        if (!left_out.empty()) {
            return fail(ErrorCode::missing, Error::no_offset, "--sort",
                        fmt::format("no event of -e has {}; {} has", what, left_out));
        }
        return fail(ErrorCode::missing, Error::no_offset, "--sort",
                    key.event.empty() ? fmt::format("no event of the recording has {}", what)
                                      : fmt::format("no event {} of the recording has {}", key.event, what));
    }
    const bool shows_text = std::ranges::find(keys, TraceKey::Kind::text, &TraceKey::kind) != keys.end();
    if (shows_text) labels.formats_ = TraceFormats::read(recording);
    labels.title_ = keys.size() == 1 && keys[0].kind == TraceKey::Kind::field ? keys[0].field.text() : "Trace output";
    labels.keys_ = std::move(keys);
    labels.texts_.emplace_back();
    return labels;
}

// Returns true if it appended anything.
bool TraceLabels::append(std::string& text, const TraceKey& key, std::uint32_t event, Bytes raw,
                         TraceNames* names) const {
    constexpr std::string_view no_value = "-";  // outside of the data
    const auto add = [&](const EventField& field, std::optional<std::uint32_t> index) {
        if (!append_field_value(text, field.type, index, raw, fields_.order())) text += no_value;
    };
    const auto* const format = fields_.of(event);
    switch (key.kind) {
        case TraceKey::Kind::text: formats_.append(text, id_[event], raw, names); return true;
        case TraceKey::Kind::field: {
            const auto* field = format->find_own(key.field.name);
            if (field == nullptr) field = format->find_common(key.field.name);
            if (keys_.size() > 1) text += key.field.text() + "=";
            add(*field, key.field.index);
            return true;
        }
        case TraceKey::Kind::all_fields: {
            // As many as a line can have; each array of a sample takes a few characters for a byte.
            const auto begin = text.size();
            for (const auto& field : format->own()) {
                if (text.size() != begin) text += ' ';
                text += field.name + "=";
                add(field, std::nullopt);
                constexpr std::size_t most_line = 4096;
                if (text.size() - begin > most_line) {
                    text += " …";
                    break;
                }
            }
            return true;
        }
    }
    return false;
}

std::uint32_t TraceLabels::number(std::uint32_t event, std::optional<Bytes> raw, TraceNames* names) {
    if (!raw) return 0;
    made_.clear();
    bool has_any = false;
    for (std::size_t at = 0; at < keys_.size(); ++at) {
        if (event >= takes_[at].size() || !takes_[at][event]) continue;
        if (has_any) made_ += ' ';
        has_any = append(made_, keys_[at], event, *raw, names) || has_any;
    }
    return has_any ? intern(made_) : 0;
}

std::uint32_t TraceLabels::intern(std::string text) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const auto next = static_cast<std::uint32_t>(texts_.size());
    if (texts_.size() >= most_labels || text.size() > most_bytes - bytes_) {
        ++not_kept_;
        if (other_ == none) {
            other_ = next;
            texts_.push_back("[further values]");
        }
        return other_;
    }
    bytes_ += text.size();
    kept_.push_back(std::make_unique<std::string>(std::move(text)));
    texts_.push_back(*kept_.back());
    numbers_.emplace(texts_.back(), next);
    return next;
}

}  // namespace perfdata
