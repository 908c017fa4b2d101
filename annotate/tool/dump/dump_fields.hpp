// SPDX-License-Identifier: MIT
// Formats the fields of a record as members of a JSON object, or as "name value" pairs in a line of text.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "perfdata/wire/record/fields.hpp"
#include "perfdata/wire/sample/fields.hpp"

#include "dump_words.hpp"
#include "format/append_numbers.hpp"
#include "format/json_stream.hpp"
#include "format/words.hpp"

namespace perfdata::tool {

// is_nobody(name, content) returns true if the field, or an element of it, is an id of all ones in its width: -1, none.
template <class T>
bool is_nobody(std::string_view name, const T& content) {
    constexpr std::string_view ids[] = {"pid",         "tid",        "ppid",       "ptid",          "cpu",
                                        "sample_pid",  "sample_tid", "sample_cpu", "next_prev_pid", "next_prev_tid",
                                        "machine_pid", "thread",     "vcpu"};
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
        return content == static_cast<T>(-1) && std::ranges::find(ids, name) != std::end(ids);
    } else {
        return false;
    }
}

// JsonFields is a FieldVisitor that writes members of the open JSON object. A field with the name of a member that
// every line has gets `record` as a prefix: "auxtrace_size". With an empty `record` no name changes.
class JsonFields {
  public:
    static constexpr std::string_view of_every_line[] = {"offset", "unpacked", "type", "size",
                                                         "misc",   "cpumode",  "time", "event"};

    JsonFields(CompactJson& writer, std::string_view record) : writer_(writer), record_(record) {}

    template <class T>
    void operator()(std::string_view name, const T& content) {
        key(name);
        if (is_nobody(name, content)) {
            writer_.Int(-1);
        } else if constexpr (FieldArray<T>) {
            array(name, content);
        } else {
            value(content);
        }
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        key(name);
        writer_.StartArray();
        for (std::size_t index = 0; index < count; ++index) {
            writer_.StartObject();
            at(index, JsonFields(writer_, {}));
            writer_.EndObject();
        }
        writer_.EndArray();
    }

  private:
    void key(std::string_view name) {
        if (record_.empty() || std::ranges::find(of_every_line, name) == std::end(of_every_line)) {
            writer_.text(name);
            return;
        }
        writer_.text(std::string(record_) + "_" + std::string(name));
    }
    void value(bool truth) { writer_.Bool(truth); }
    void value(double number) { writer_.Double(std::isfinite(number) ? number : 0.0); }
    template <std::unsigned_integral T>
    void value(T number) {
        writer_.Uint64(number);
    }
    template <std::signed_integral T>
    void value(T number) {
        writer_.Int64(number);
    }
    void value(Address address) { value(std::string_view(hex(address))); }
    void value(Time time) { value(std::string_view(seconds(time))); }
    void value(Bytes bytes) { writer_.hex(bytes); }
    void value(std::string_view text) { writer_.text(text); }
    template <class Order>
    void value(const AddressWords<Order>& addresses) {
        writer_.StartArray();
        for (const auto address : addresses.words) value(Address{address});
        writer_.EndArray();
    }
    template <FieldArray T>
    void array(std::string_view name, const T& elements) {
        writer_.StartArray();
        for (std::size_t index = 0; index < elements.size(); ++index) {
            if (is_nobody(name, elements[index])) {
                writer_.Int(-1);
            } else if (name == "ips") {
                value(Address{static_cast<std::uint64_t>(elements[index])});
            } else {
                value(elements[index]);
            }
        }
        writer_.EndArray();
    }

    CompactJson& writer_;
    std::string_view record_;
};

// TextFields is a FieldVisitor that appends "name value" pairs to a line. It truncates long runs of bytes.
class TextFields {
  public:
    explicit TextFields(std::string& text) : text_(text) {}

    template <class T>
    void operator()(std::string_view name, const T& content) {
        begin(name);
        text_ += ' ';
        if constexpr (std::integral<T> && !std::same_as<T, bool>) {
            if (is_nobody(name, content)) {
                text_ += "-1";
            } else if (is_hexadecimal(name)) {
                append_hex(text_, static_cast<std::uint64_t>(content));
            } else {
                value(content);
            }
        } else if constexpr (FieldArray<T>) {
            array(name, content, is_hexadecimal(name));
        } else {
            value(content);
        }
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        begin(name);
        text_ += " {";
        for (std::size_t index = 0; index < count; ++index) {
            if (index != 0) text_ += " |";
            at(index, *this);
        }
        text_ += " }";
    }

  private:
    // Numbers to print in hexadecimal: addresses, masks and codes.
    static bool is_hexadecimal(std::string_view name) {
        const auto in = [&](auto... names) { return ((name == names) || ...); };
        switch (name.size()) {
            case 3: return in("ips");
            case 4: return in("priv");
            case 5: return in("pgoff");
            case 6: return in("config");
            case 7: return in("config1", "config2", "config3", "config4");
            case 8: return in("sig_data");
            case 9: return in("reference");
            case 16: return in("sample_regs_user", "sample_regs_intr");
            default: return false;
        }
    }

    // Names are those of fields and registers, in this program.
    void begin(std::string_view name) {
        text_ += ' ';
        text_ += name;
    }
    void value(bool truth) { text_ += truth ? "yes" : "no"; }
    template <std::integral T>
    void value(T number) {
        append_decimal(text_, number);
    }
    void value(double number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
    void value(Address address) { append_hex(text_, address.value); }
    void value(Time time) { append_seconds(text_, time); }
    void value(Bytes bytes) {
        constexpr std::size_t most = 64;
        if (bytes.empty()) text_ += '-';
        append_hex_bytes(text_, bytes.first(std::min(bytes.size(), most)));
        if (bytes.size() > most) fmt::format_to(std::back_inserter(text_), "... ({} bytes)", bytes.size());
    }
    void value(std::string_view text) { text_ += text.empty() ? "-" : printable(text); }
    template <class Order>
    void value(const AddressWords<Order>& addresses) {
        text_ += '[';
        for (const auto address : addresses.words) {
            text_ += ' ';
            if (const auto marker = chain_context_name(address); !marker.empty()) {
                text_ += marker;
            } else {
                append_hex(text_, address);
            }
        }
        text_ += " ]";
    }
    template <FieldArray T>
    void array(std::string_view name, const T& elements, bool as_hex) {
        text_ += '[';
        for (std::size_t index = 0; index < elements.size(); ++index) {
            if (index != 0) text_ += ' ';
            if (is_nobody(name, elements[index])) {
                text_ += "-1";
            } else if (as_hex) {
                append_hex(text_, static_cast<std::uint64_t>(elements[index]));
            } else {
                fmt::format_to(std::back_inserter(text_), "{}", elements[index]);
            }
        }
        text_ += ']';
    }

    std::string& text_;
};

}  // namespace perfdata::tool
