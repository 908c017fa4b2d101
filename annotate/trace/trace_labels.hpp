// SPDX-License-Identifier: MIT
// What tells the samples of tracepoints apart in a report: their text, or the values of some fields.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/hash_key.hpp"
#include "perfdata/recording/recording.hpp"

#include "trace_fields.hpp"
#include "trace_formats.hpp"
#include "trace_key.hpp"

namespace perfdata {

// TraceLabels gives samples that agree in all keys the same number. Fields agree if their values do; what is shown for
// a value is what the event prints for it ("prev_state=%s"). Where other fields decide that, too, it is what the first
// sample with these values prints. Names of code are those of the sample's time: one address may have several, and then
// several numbers. One thread at a time may use it.
class TraceLabels {
  public:
    // Bounds of what is kept. Samples with other values beyond them have one label together.
    static constexpr std::size_t most_labels = std::size_t{1} << 18;
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

    // make(recording, keys, events): `events` are the indices of the events that matter; empty: all. Errors: missing (a
    // field that none of them has).
    static Result<TraceLabels> make(const Recording& recording, std::vector<TraceKey> keys,
                                    const std::vector<std::uint32_t>& events);

    // number(event, raw, names) returns the label of a sample, by index in recording.events(); 0: the event has none of
    // the fields, or is no tracepoint. `names` names code in texts; null: nobody does.
    std::uint32_t number(std::uint32_t event, std::optional<Bytes> raw, TraceNames* names = nullptr);
    // text(number) returns the label. It lives as long as this object, and may have any bytes; empty for 0.
    std::string_view text(std::uint32_t number) const {
        return number < texts_.size() ? std::string_view(texts_[number]) : std::string_view();
    }
    // title() returns the heading of a column of labels.
    const std::string& title() const { return title_; }
    // problems() returns what could not be read of formats, for Completeness.
    std::vector<Error> problems() const;
    // not_kept() returns how many samples had to share the label for further values.
    std::uint64_t not_kept() const { return not_kept_; }

  private:
    struct TextHash {
        std::size_t operator()(std::string_view text) const {
            return static_cast<std::size_t>(HashKey::process().text(text));
        }
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // PrintedField is what an event prints for a field.
    struct PrintedField {
        std::optional<TraceText::Value> value{};               // nothing: the field is shown by its type
        bool has_names = false;                                // of code: `shown` is not used
        std::unordered_map<std::string, std::string> shown{};  // by the field's value, if that decides; short ones
    };
    // Fields of one key in one format: of Kind::field one, else all own ones.
    using PrintedFields = std::vector<PrintedField>;

    void find_printed(std::size_t events);
    // Returns true if it appended anything to made_.
    bool append(std::size_t key, std::uint32_t event, Bytes raw, TraceNames* names);
    void append_field(const EventField& field, std::optional<std::uint32_t> index, PrintedField* printed,
                      std::uint32_t event, Bytes raw, TraceNames* names);
    // Appends to both made_ and identity_.
    void append_both(std::string_view text);
    void append_identity(std::string_view text);
    void end_field();
    void note_value(std::string_view shown);
    std::uint32_t intern();

    std::vector<TraceKey> keys_;
    TraceFields fields_;
    TraceFormats formats_;
    std::vector<std::uint64_t> id_;         // by event: Attr::config of tracepoints
    std::vector<std::vector<bool>> takes_;  // by key, by event: the key is for the event
    std::vector<PrintedFields> printed_;
    std::vector<std::vector<std::uint32_t>> printed_of_;  // by key, by event: index in printed_, or none
    std::size_t shown_ = 0, shown_bytes_ = 0;             // in all PrintedField::shown
    // What tells a label apart, and behind it its text, if that differs.
    std::vector<std::unique_ptr<std::string>> kept_;
    std::vector<std::string_view> texts_;  // by number
    std::unordered_map<std::string_view, std::uint32_t, TextHash> numbers_;
    std::string title_;
    // Of the sample: its text; what tells it apart, in a few hundred bytes for each field; a value of it.
    std::string made_, identity_, value_;
    std::vector<std::size_t> ends_;  // where its fields end in identity_, but for the last
    bool is_open_ = false;           // a value may look like several fields
    std::size_t work_ = 0;           // bytes and parts that were looked at for it
    std::size_t bytes_ = 0;
    std::uint32_t other_ = none;  // the label of values that are not kept
    std::uint64_t not_kept_ = 0;
};

// append_field_value(text, type, index, raw, order) appends a field, or an element of an array, as users read it.
// Returns false if it is outside of the data.
bool append_field_value(std::string& text, const FieldType& type, std::optional<std::uint32_t> index, Bytes raw,
                        AnyOrder order);

}  // namespace perfdata
