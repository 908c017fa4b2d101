// SPDX-License-Identifier: MIT
// Writes the fields of any record or sample as text.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "perfdata/wire/record/all.hpp"
#include "perfdata/wire/sample/fields.hpp"

namespace perfdata::test {

using Lines = std::vector<std::string>;

// FieldText writes fields as name=value: integers in decimal, addresses in hex, times with ns, texts in quotes, bytes
// as hex digits in <>, arrays in []. Fields of list elements are prefixed by list and index: entries[0].id=7.
class FieldText {
  public:
    explicit FieldText(Lines& lines, std::string prefix = {}) : lines_(&lines), prefix_(std::move(prefix)) {}

    template <FieldValue T>
    void operator()(std::string_view name, const T& value) {
        lines_->push_back(prefix_ + std::string(name) + "=" + text(value));
    }
    template <class Order>
    void operator()(std::string_view name, const AddressWords<Order>& value) {
        (*this)(name, value.words);
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        for (std::size_t index = 0; index < count; ++index) {
            at(index, FieldText(*lines_, prefix_ + std::string(name) + "[" + std::to_string(index) + "]."));
        }
    }

  private:
    static std::string text(std::string_view value) { return "'" + std::string(value) + "'"; }
    static std::string text(bool value) { return value ? "true" : "false"; }
    static std::string text(double value) { return std::to_string(value); }
    static std::string text(Time value) { return std::to_string(value.nanoseconds) + "ns"; }
    static std::string text(Address value) { return hex("0x%llx", value.value); }
    static std::string text(Bytes value) {
        std::string digits;
        for (const auto byte : value) digits += hex("%02llx", std::to_integer<unsigned>(byte));
        return "<" + digits + ">";
    }
    template <std::integral T>
    static std::string text(T value) {
        return std::to_string(value);
    }
    template <FieldArray T>
    static std::string text(const T& value) {
        std::string items;
        for (std::size_t index = 0; index < value.size(); ++index) {
            items += (index == 0 ? "" : ",") + std::to_string(value[index]);
        }
        return "[" + items + "]";
    }
    static std::string hex(const char* format, unsigned long long value) {
        char digits[32];
        std::snprintf(digits, sizeof digits, format, value);
        return digits;
    }

    Lines* lines_;
    std::string prefix_;
};
static_assert(FieldVisitor<FieldText>);

}  // namespace perfdata::test
