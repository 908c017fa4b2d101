// SPDX-License-Identifier: MIT
// A JSON document as a value, read by RapidJSON. RapidJSON's own document.h (1.1.0) does not compile with newer clang.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catch.hpp"

namespace perfdata::test {

// Json is one value. Access as a different type fails the test.
class Json {
  public:
    // parsed(text) returns nothing unless the text is JSON in valid UTF-8 without duplicate keys.
    static std::optional<Json> parsed(std::string_view text);

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
    std::string text() const { return get<std::string>(); }
    std::uint64_t number() const { return get<std::uint64_t>(); }
    bool truth() const { return get<bool>(); }
    double real() const { return get<double>(); }
    std::size_t size() const { return elements_.size(); }
    bool has(std::string_view key) const { return find(key) != nullptr; }

    const Json& operator[](std::string_view key) const {
        INFO("key " << key);
        REQUIRE(find(key) != nullptr);
        return *find(key);
    }
    const Json& operator[](std::size_t index) const {
        REQUIRE(is<Array>());
        REQUIRE(index < size());
        return elements_[index];
    }
    std::vector<std::uint64_t> numbers() const {
        REQUIRE(is<Array>());
        std::vector<std::uint64_t> all;
        for (const auto& element : elements_) all.push_back(element.number());
        return all;
    }

  private:
    struct Handler;
    struct Array {};
    struct Object {};

    template <class T>
    bool is() const {
        return std::holds_alternative<T>(value_);
    }
    template <class T>
    const T& get() const {
        REQUIRE(is<T>());
        return std::get<T>(value_);
    }
    const Json* find(std::string_view key) const {
        REQUIRE(is<Object>());
        for (std::size_t index = 0; index < keys_.size(); ++index) {
            if (keys_[index] == key) return &elements_[index];
        }
        return nullptr;
    }

    std::variant<std::nullptr_t, bool, std::uint64_t, double, std::string, Array, Object> value_;
    std::vector<std::string> keys_;  // object keys, parallel to its elements
    std::vector<Json> elements_;
};

}  // namespace perfdata::test
