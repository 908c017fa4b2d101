// SPDX-License-Identifier: MIT
#include "trace_labels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "format/words.hpp"

namespace perfdata {
namespace {

using std::string_view_literals::operator""sv;

// The bytes of a value, or of a text, that are kept to tell labels apart. Beyond them it is a hash.
constexpr std::size_t most_identity = 256;

void append_label_number(std::string& text, const FieldType& type, const FieldNumber& number) {
    auto out = std::back_inserter(text);
    if (type.is_address) {
        fmt::format_to(out, "{:#x}", type.element == 4 ? number.bits & 0xffffffff : number.bits);
    } else if (number.is_signed) {
        fmt::format_to(out, "{}", static_cast<std::int64_t>(number.bits));
    } else {
        fmt::format_to(out, "{}", number.bits);
    }
}

// AskedNames passes questions on, and knows that there were some.
class AskedNames final : public TraceNames {
  public:
    // `names` may be null: then nobody may ask.
    explicit AskedNames(TraceNames* names) : names_(names) {}

    bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) override {
        is_asked_ = true;
        return names_->append_symbol(text, address, with_offset);
    }
    bool is_asked() const { return is_asked_; }

  private:
    TraceNames* names_;
    bool is_asked_ = false;
};

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
        const auto is_of = key.events_of(all, "--sort");
        if (!is_of) return fail(is_of.error());
        bool is_known = false;
        std::string left_out;  // an event that has it, and does not matter
        for (std::uint32_t event = 0; event < all.size(); ++event) {
            const auto* const format = labels.fields_.of(event);
            const bool is_trace = all[event].attr.type == attr_type::tracepoint;
            if (!is_trace || (key.kind != TraceKey::Kind::text && format == nullptr)) continue;
            if (!(*is_of)[event]) continue;
            const bool has = key.kind != TraceKey::Kind::field || format->find_own(key.field.name) != nullptr ||
                             format->find_common(key.field.name) != nullptr;
            takes[event] = has;
            is_known = is_known || (has && matters[event]);
            if (has && !matters[event] && left_out.empty()) left_out = all[event].name;
        }
        if (is_known) continue;
        const auto what = key.kind == TraceKey::Kind::field  ? fmt::format("the field {}", key.field.name)
                          : key.kind == TraceKey::Kind::text ? std::string("a text: there are no tracepoints")
                                                             : std::string("fields");
        if (!left_out.empty()) {
            return fail(ErrorCode::missing, Error::no_offset, "--sort",
                        fmt::format("no event of -e has {}; {} has", what, left_out));
        }
        auto detail = key.event.empty() ? fmt::format("no event of the recording has {}", what)
                                        : fmt::format("no event {} of the recording has {}", key.event, what);
        if (const auto damage = labels.fields_.damage_text(); !damage.empty()) detail += ": " + damage;
        return fail(ErrorCode::missing, Error::no_offset, "--sort", std::move(detail));
    }
    const auto prints = [](const TraceKey& key) { return key.kind == TraceKey::Kind::text || !key.raw; };
    if (std::ranges::any_of(keys, prints)) labels.formats_ = TraceFormats::read(recording);
    labels.title_ = keys.size() == 1 && keys[0].kind == TraceKey::Kind::field ? keys[0].field.text() : "Trace output";
    labels.keys_ = std::move(keys);
    labels.find_printed(all.size());
    labels.texts_.emplace_back();
    return labels;
}

// Finds out what the events print for the fields of the keys. Events may share a format: it is looked at once for each
// key.
void TraceLabels::find_printed(std::size_t events) {
    for (std::size_t key = 0; key < keys_.size(); ++key) {
        auto& of_event = printed_of_.emplace_back(events, none);
        if (keys_[key].kind == TraceKey::Kind::text || keys_[key].raw) continue;
        std::unordered_map<const EventFields*, std::uint32_t> known;
        for (std::uint32_t event = 0; event < events; ++event) {
            if (!takes_[key][event]) continue;
            const auto* const format = fields_.of(event);
            const auto [number, is_new] = known.emplace(format, static_cast<std::uint32_t>(printed_.size()));
            of_event[event] = number->second;
            if (!is_new) continue;
            const auto values = formats_.values(id_[event]);
            const auto printed = [&](const EventField& field) {
                PrintedField made;
                const auto found = values.find(field.name);
                // A text is shown whole, however the event cuts it.
                if (found != values.end() && field.type.kind != FieldType::Kind::text) made.value = found->second;
                return made;
            };
            auto& made = printed_.emplace_back();
            if (keys_[key].kind == TraceKey::Kind::all_fields) {
                for (const auto& field : format->own()) made.push_back(printed(field));
                continue;
            }
            const auto* const field = format->find_own(keys_[key].field.name);
            made.push_back(field == nullptr || keys_[key].field.index ? PrintedField() : printed(*field));
        }
    }
}

void TraceLabels::append_both(std::string_view text) {
    made_ += text;
    identity_ += text;
}

// Ends a field in front of another.
void TraceLabels::end_field() {
    ends_.push_back(identity_.size());
    append_both(" ");
}

// A value such as the name of a thread may look like the end of its field and the beginning of another: then where
// fields end tells labels apart, too.
void TraceLabels::note_value(std::string_view shown) {
    is_open_ = is_open_ || (shown.contains(' ') && shown.contains('='));
}

// Of long texts it keeps a hash with the process's key: no file can be made in which two texts have the same. A NUL is
// in front of it: no text has one.
void TraceLabels::append_identity(std::string_view text) {
    if (text.size() <= most_identity) {
        identity_ += text;
    } else {
        fmt::format_to(std::back_inserter(identity_), "\0\0{:x}:{}"sv, HashKey::process().text(text), text.size());
    }
}

// Appends the field to made_ and identity_.
void TraceLabels::append_field(const EventField& field, std::optional<std::uint32_t> index, PrintedField* printed,
                               std::uint32_t event, Bytes raw, TraceNames* names) {
    const auto content = field_content(field.type, raw, fields_.order());
    if (!content) return append_both("-");  // outside of the data
    work_ += content->size();
    const bool prints = printed != nullptr && printed->value;
    // The value of a large array is needed as text only if it is shown.
    const bool is_large = prints && content->size() > most_identity;
    value_.clear();
    if (is_large) {
        value_.assign(reinterpret_cast<const char*>(content->data()), content->size());
    } else if (!append_field_value(value_, field.type, index, raw, fields_.order())) {
        return append_both("-");  // no such element
    }
    if (!prints) {
        made_ += value_;
        note_value(value_);
        return append_identity(value_);
    }
    const bool is_own = printed->value->is_own;
    const bool may_be_known = is_own && !is_large && value_.size() <= most_identity;
    const auto begin = made_.size();
    const auto known = may_be_known && !printed->has_names ? printed->shown.find(value_) : printed->shown.end();
    if (known != printed->shown.end()) {
        made_ += known->second;
    } else {
        AskedNames asked(names);
        work_ += formats_.append_value(made_, id_[event], *printed->value, raw, names == nullptr ? nullptr : &asked);
        // The event may print nothing for flags without a bit.
        if (made_.size() == begin && is_large) append_field_value(made_, field.type, index, raw, fields_.order());
        if (made_.size() == begin) made_ += value_;
        printed->has_names = printed->has_names || asked.is_asked();
        const auto size = made_.size() - begin + value_.size();
        if (may_be_known && !printed->has_names && shown_ < most_labels && size <= most_bytes - shown_bytes_) {
            ++shown_;
            shown_bytes_ += size;
            printed->shown.emplace(value_, made_.substr(begin));
        }
    }
    const auto shown = std::string_view(made_).substr(begin);
    note_value(shown);
    if (is_own || printed->has_names) {
        append_identity(shown);
        if (shown == value_) return;
    } else {
        // Another event with the same value may show another text.
        fmt::format_to(std::back_inserter(identity_), "\0{}"sv, static_cast<const void*>(printed));
    }
    identity_ += '\0';
    append_identity(value_);
}

bool TraceLabels::append(std::size_t key_number, std::uint32_t event, Bytes raw, TraceNames* names) {
    const auto& key = keys_[key_number];
    const auto* const format = fields_.of(event);
    const auto place = printed_of_[key_number][event];
    auto* const printed = place == none ? nullptr : &printed_[place];
    switch (key.kind) {
        case TraceKey::Kind::text: {
            const auto begin = made_.size();
            formats_.append(made_, id_[event], raw, names);
            is_open_ = is_open_ || std::string_view(made_).substr(begin).contains(' ');
            append_identity(std::string_view(made_).substr(begin));
            return true;
        }
        case TraceKey::Kind::field: {
            const auto* field = format->find_own(key.field.name);
            if (field == nullptr) field = format->find_common(key.field.name);
            if (keys_.size() > 1) append_both(key.field.text() + "=");
            append_field(*field, key.field.index, printed == nullptr ? nullptr : &printed->front(), event, raw, names);
            return true;
        }
        case TraceKey::Kind::all_fields: {
            // As many as a line can have; each array of a sample takes a few characters for a byte. The fields of a
            // damaged format may all be the same bytes, and print few letters for them.
            constexpr std::size_t most_line = 4096;
            const auto begin = made_.size();
            const auto most_work = work_ + 2 * (most_line + 4 * raw.size());
            std::size_t at = 0;
            for (const auto& field : format->own()) {
                if (made_.size() != begin) end_field();
                append_both(field.name);
                append_both("=");
                append_field(field, std::nullopt, printed == nullptr ? nullptr : &(*printed)[at], event, raw, names);
                ++at;
                if (made_.size() - begin > most_line || work_ > most_work) {
                    append_both(" …");
                    break;
                }
            }
            return true;
        }
    }
    return false;
}

std::vector<Error> TraceLabels::problems() const {
    auto problems = fields_.problems();
    if (const auto large = formats_.too_large(); large != 0) {
        problems.push_back(
            {ErrorCode::limit, Error::no_offset, "feature TRACING_DATA",
             fmt::format("the text{} of {} tracepoint{} {} too many parts: values are shown instead",
                         large == 1 ? "" : "s", large, large == 1 ? "" : "s", large == 1 ? "has" : "have")});
    }
    return problems;
}

std::uint32_t TraceLabels::number(std::uint32_t event, std::optional<Bytes> raw, TraceNames* names) {
    if (!raw) return 0;
    made_.clear();
    identity_.clear();
    ends_.clear();
    is_open_ = false;
    work_ = 0;
    bool has_any = false;
    for (std::size_t at = 0; at < keys_.size(); ++at) {
        if (event >= takes_[at].size() || !takes_[at][event]) continue;
        if (has_any) end_field();
        has_any = append(at, event, *raw, names) || has_any;
    }
    if (is_open_) {
        for (const auto end : ends_) fmt::format_to(std::back_inserter(identity_), "\0\0\0{:x}"sv, end);
    }
    return has_any ? intern() : 0;
}

// Returns the number of the sample's label.
std::uint32_t TraceLabels::intern() {
    if (const auto found = numbers_.find(identity_); found != numbers_.end()) return found->second;
    const auto next = static_cast<std::uint32_t>(texts_.size());
    // Most texts are what tells them apart.
    const auto identity = identity_.size();
    const bool is_text = made_ == identity_;
    if (!is_text) identity_ += made_;
    if (texts_.size() >= most_labels || identity_.size() > most_bytes - bytes_) {
        ++not_kept_;
        if (other_ == none) {
            other_ = next;
            texts_.push_back("[further values]");
        }
        return other_;
    }
    bytes_ += identity_.size();
    kept_.push_back(std::make_unique<std::string>(identity_));
    const std::string_view kept = *kept_.back();
    texts_.push_back(is_text ? kept : kept.substr(identity));
    numbers_.emplace(kept.substr(0, identity), next);
    return next;
}

}  // namespace perfdata
