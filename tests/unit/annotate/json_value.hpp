// SPDX-License-Identifier: MIT
// A JSON document as a value, read by RapidJSON. RapidJSON's own document.h (1.1.0) does not compile with newer clang.
#pragma once

#include <cstdint>
#include <optional>
#include <rapidjson/reader.h>
#include <string>
#include <string_view>
#include <utility>
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

struct Json::Handler {
    using Size = rapidjson::SizeType;

    bool Null() { return put(nullptr); }
    bool Bool(bool truth) { return put(truth); }
    bool Int(int number) { return put(static_cast<double>(number)); }
    bool Uint(unsigned number) { return put(std::uint64_t{number}); }
    bool Int64(std::int64_t number) { return put(static_cast<double>(number)); }
    bool Uint64(std::uint64_t number) { return put(number); }
    bool Double(double number) { return put(number); }
    bool RawNumber(const char*, Size, bool) { return false; }
    bool String(const char* text, Size size, bool) { return put(std::string(text, size)); }
    bool StartObject() { return open(Object{}); }
    bool EndObject(Size) { return close(); }
    bool StartArray() { return open(Array{}); }
    bool EndArray(Size) { return close(); }
    bool Key(const char* text, Size size, bool) {
        auto& keys = parents.back()->keys_;
        for (const auto& known : keys) {
            if (known == std::string_view(text, size)) return false;
        }
        keys.emplace_back(text, size);
        return true;
    }

    // Pointers to parents stay valid: only the innermost open one grows.
    template <class T>
    Json* place(T value) {
        auto* target = &root;
        if (!parents.empty()) target = &parents.back()->elements_.emplace_back();
        target->value_ = std::move(value);
        return target;
    }
    template <class T>
    bool put(T value) {
        place(std::move(value));
        return true;
    }
    template <class T>
    bool open(T kind) {
        parents.push_back(place(kind));
        return true;
    }
    bool close() {
        parents.pop_back();
        return true;
    }

    Json root;
    std::vector<Json*> parents;
};

inline std::optional<Json> Json::parsed(std::string_view text) {
    // Parse in place: RapidJSON's character stack triggers UndefinedBehaviorSanitizer.
    std::string content(text);
    rapidjson::InsituStringStream stream(content.data());
    rapidjson::Reader reader;
    Handler handler;
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseValidateEncodingFlag;
    if (content.find('\0') != std::string::npos || !reader.Parse<flags>(stream, handler)) return {};
    return std::move(handler.root);
}

}  // namespace perfdata::test
