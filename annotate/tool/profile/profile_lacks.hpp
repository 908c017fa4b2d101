// SPDX-License-Identifier: MIT
// What a profile lacks of its recordings, in JSON: the same in all documents.
#pragma once

#include <string_view>

#include "format/json_writer.hpp"
#include "recording/stored/model.hpp"

namespace perfdata::tool {

// partial_word(kind) returns what the kind is called in JSON.
inline std::string_view partial_word(stored::PartialKindChoice kind) {
    return kind.is(stored::PartialKind::filter) ? "filter" : "limit";
}

// write_lacks(json, model, partial) writes the members `partial`, by this name, and left_out of an object.
inline void write_lacks(JsonWriter& json, const stored::Model& model, std::string_view partial) {
    json.key(partial);
    json.begin_array();
    for (const auto& row : model.facts.partial) {
        json.begin_object();
        json.member("kind", partial_word(row.kind));
        json.member("where", model.text(row.where));
        json.member("detail", model.text(row.detail));
        json.end_object();
    }
    json.end_array();
    json.key("left_out");
    json.begin_array();
    for (const auto& row : model.facts.left_out) {
        json.begin_object();
        json.member("what", model.text(row.what));
        json.member("number", row.number);
        json.end_object();
    }
    json.end_array();
}

}  // namespace perfdata::tool
