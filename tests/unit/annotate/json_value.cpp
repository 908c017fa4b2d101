// SPDX-License-Identifier: MIT
#include "unit/annotate/json_value.hpp"

#include <rapidjson/reader.h>
#include <utility>

namespace perfdata::test {

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

std::optional<Json> Json::parsed(std::string_view text) {
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
