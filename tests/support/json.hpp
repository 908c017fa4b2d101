// SPDX-License-Identifier: MIT
// A JSON document in memory, for checks. (RapidJSON 1.1's own document.h does not compile with clang 19.)
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Json is one value. Access as a different type throws, which fails the test.
class Json {
  public:
    using Items = std::vector<Json>;
    using Members = std::vector<std::pair<std::string, Json>>;

    // parse(text) throws unless the text is JSON in valid UTF-8.
    static Json parse(const std::string& text);

    Json() = default;
    template <class T>
    explicit Json(T value) : value_(std::move(value)) {}

    bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    bool is_object() const { return std::holds_alternative<Members>(value_); }
    // count() returns a whole number that is not negative.
    std::uint64_t count() const { return get<std::uint64_t>("count"); }
    double number() const {
        const auto* whole = std::get_if<std::uint64_t>(&value_);
        return whole != nullptr ? static_cast<double>(*whole) : get<double>("number");
    }
    std::string_view text() const { return get<std::string>("text"); }
    const Items& items() const { return get<Items>("array"); }
    const Members& members() const { return get<Members>("object"); }

    bool has(std::string_view key) const { return find(key) != nullptr; }
    const Json& operator[](std::string_view key) const {
        const auto* found = find(key);
        if (found == nullptr) throw std::runtime_error("no member " + std::string(key));
        return *found;
    }

    // For the parser: containers being filled.
    Items& items() { return std::get<Items>(value_); }
    Members& members() { return std::get<Members>(value_); }

  private:
    const Json* find(std::string_view key) const {
        for (const auto& [name, value] : members()) {
            if (name == key) return &value;
        }
        return nullptr;
    }
    template <class T>
    const T& get(const char* wanted) const {
        const auto* found = std::get_if<T>(&value_);
        if (found == nullptr) throw std::runtime_error(std::string("not of type ") + wanted);
        return *found;
    }

    std::variant<std::monostate, bool, std::uint64_t, double, std::string, Items, Members> value_;
};
