// SPDX-License-Identifier: MIT
// Any feature as text: its values on a line, its lists as tables under it.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "perfdata/core/error.hpp"

#include "format/words.hpp"

namespace perfdata::tool {

// TextLimits limits how much of a long list, text or run of bytes is shown.
struct TextLimits {
    std::size_t elements = 10;
    std::size_t values = 32;  // single-value elements on one line
    std::size_t bytes = 100;
};

// Unseen is a visitor that shows nothing: it only checks that the feature can be read.
struct Unseen {
    template <class T>
    void operator()(std::string_view, const T&) {}
    template <class Body>
    Result<void> list(std::string_view, std::optional<std::uint64_t>, Body&& body) {
        return body(*this);
    }
    template <class Body>
    Result<void> element(Body&& body) {
        return body(*this);
    }
};

// shown(value, limits) returns one value for a line of text.
std::string shown(std::string_view text, const TextLimits& limits);
std::string shown(Bytes bytes, const TextLimits& limits);
inline std::string shown(bool truth, const TextLimits&) {
    return truth ? "yes" : "no";
}
inline std::string shown(std::uint64_t number, const TextLimits&) {
    return std::to_string(number);
}
inline std::string shown(std::int64_t number, const TextLimits&) {
    return std::to_string(number);
}
inline std::string shown(double number, const TextLimits&) {
    return fmt::format("{}", number);
}
inline std::string shown(Address address, const TextLimits&) {
    return hex(address);
}
inline std::string shown(Time time, const TextLimits&) {
    return seconds(time);
}

// InlineText is a visitor of describe_feature that puts everything on one line: "core 0 socket 1, core 1 socket 1".
class InlineText {
  public:
    explicit InlineText(const TextLimits& limits) : limits_(&limits) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        if (name.empty() && count_++ >= limits_->values) return;
        add(name, shown(value, *limits_), " ");
    }
    template <class Body>
    Result<void> list(std::string_view name, std::optional<std::uint64_t>, Body&& body) {
        InlineText inner(*limits_);
        auto done = body(inner);
        add(name, "{" + inner.text() + "}", " ");
        return done;
    }
    template <class Body>
    Result<void> element(Body&& body) {
        InlineText inner(*limits_);
        auto done = body(inner);
        if (count_++ < limits_->values) add({}, inner.text(), ", ");
        return done;
    }

    std::string text() const;
    std::uint64_t count() const { return count_; }

  private:
    void add(std::string_view name, std::string_view value, std::string_view separator);

    const TextLimits* limits_;
    std::string text_;
    std::uint64_t count_ = 0;  // of a list
};

// TextTable is a visitor for a list: elements become rows, fields columns; plain values go on one line.
class TextTable {
  public:
    explicit TextTable(const TextLimits& limits) : limits_(&limits), line_(limits) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        line_(name, value);
    }
    template <class Body>
    Result<void> element(Body&& body) {
        if (count_++ >= limits_->elements) return body(Unseen{});
        rows_.emplace_back();
        return body(Row(*this));
    }
    // Lists in lists are always inside an element.
    template <class Body>
    Result<void> list(std::string_view, std::optional<std::uint64_t>, Body&& body) {
        return body(Unseen{});
    }

    std::uint64_t count() const { return count_; }
    // line() returns the plain values; empty if there are none.
    std::string line() const { return line_.count() == 0 ? std::string() : line_.text(); }
    // lines(indent) returns the table below a line of column names.
    std::string lines(std::size_t indent) const;

  private:
    class Row {
      public:
        explicit Row(TextTable& table) : table_(&table) {}
        template <class T>
        void operator()(std::string_view name, const T& value) {
            table_->cell(name, shown(value, *table_->limits_));
        }
        template <class Body>
        Result<void> list(std::string_view name, std::optional<std::uint64_t>, Body&& body) {
            InlineText inner(*table_->limits_);
            auto done = body(inner);
            table_->cell(name, inner.text());
            return done;
        }
        template <class Body>
        Result<void> element(Body&& body) {
            return body(Unseen{});
        }

      private:
        TextTable* table_;
    };

    void cell(std::string_view name, std::string value);

    const TextLimits* limits_;
    std::vector<std::string> columns_;
    std::vector<std::vector<std::string>> rows_;  // a row may lack its last columns
    InlineText line_;
    std::uint64_t count_ = 0;
};

// FeatureText is a visitor for a whole feature.
class FeatureText {
  public:
    explicit FeatureText(const TextLimits& limits) : limits_(&limits) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        fields_.push_back({std::string(name), shown(value, *limits_), std::is_convertible_v<T, std::string_view>});
    }
    template <class Body>
    Result<void> list(std::string_view name, std::optional<std::uint64_t>, Body&& body) {
        TextTable table(*limits_);
        auto done = body(table);
        add_list(name, table);
        return done;
    }
    // A feature is not a list.
    template <class Body>
    Result<void> element(Body&& body) {
        return body(Unseen{});
    }

    // summary() returns the line of values, tables() whole lines that follow it.
    std::string summary() const;
    const std::string& tables() const { return tables_; }

  private:
    struct Field {
        std::string name, value;
        bool text = false;
    };
    void add_list(std::string_view name, const TextTable& table);

    const TextLimits* limits_;
    std::vector<Field> fields_;
    std::string tables_;
};

}  // namespace perfdata::tool
