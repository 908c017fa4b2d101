// SPDX-License-Identifier: MIT
#include "support/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace {

// Builder makes values from RapidJSON's events. `open_` holds the document, then the containers not yet closed.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
  public:
    bool Null() { return add(Json()); }
    bool Bool(bool truth) { return add(Json(truth)); }
    bool Uint(unsigned number) { return add(Json(std::uint64_t{number})); }
    bool Uint64(std::uint64_t number) { return add(Json(number)); }
    bool Int(int number) { return add(Json(static_cast<double>(number))); }
    bool Int64(std::int64_t number) { return add(Json(static_cast<double>(number))); }
    bool Double(double number) { return add(Json(number)); }
    bool String(const char* text, rapidjson::SizeType size, bool) { return add(Json(std::string(text, size))); }
    bool StartObject() { return open(Json(Json::Members{})); }
    bool StartArray() { return open(Json(Json::Items{})); }
    bool EndObject(rapidjson::SizeType) { return close(); }
    bool EndArray(rapidjson::SizeType) { return close(); }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        const std::string_view key(text, size);
        if (open_.back().has(key)) return false;  // a duplicate key
        open_.back().members().emplace_back(key, Json());
        return true;
    }

    Json take() { return std::move(document_); }

  private:
    bool add(Json value) {
        if (open_.empty()) {
            document_ = std::move(value);
        } else if (open_.back().is_object()) {
            open_.back().members().back().second = std::move(value);
        } else {
            open_.back().items().push_back(std::move(value));
        }
        return true;
    }
    bool open(Json container) {
        open_.push_back(std::move(container));
        return true;
    }
    bool close() {
        auto value = std::move(open_.back());
        open_.pop_back();
        return add(std::move(value));
    }

    std::vector<Json> open_;
    Json document_;
};

}  // namespace

Json Json::parse(const std::string& text) {
    constexpr unsigned flags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;
    rapidjson::StringStream stream(text.c_str());
    rapidjson::Reader reader;
    Builder builder;
    const auto parsed = reader.Parse<flags>(stream, builder);
    if (parsed.IsError()) {
        throw std::runtime_error(std::string(rapidjson::GetParseError_En(parsed.Code())) + " At byte " +
                                 std::to_string(parsed.Offset()));
    }
    return builder.take();
}
