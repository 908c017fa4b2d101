// SPDX-License-Identifier: MIT
// Facts of a profile that are spread over its sources, and attrs as bytes.
#pragma once

#include <string>
#include <string_view>

#include "perfdata/wire/attr.hpp"

#include "model.hpp"

namespace perfdata::stored {

// shared_fact(model, member) returns a text that all recordings share; empty if they differ, or have none.
std::string_view shared_fact(const Model& model, Ref<Text> Source::*member);

// encode_attr(attr) returns the 144 bytes that Attr::decode() reads in little-endian order. decode_attr(bytes) reads
// them.
std::string encode_attr(const Attr& attr);
Attr decode_attr(std::string_view bytes);

// recordings(model) returns how many recordings are in it, those that were merged twice twice.
std::uint64_t recordings(const Model& model);
// differing(model) returns how many versions of functions had other code in some recordings.
std::uint64_t differing(const Model& model);

}  // namespace perfdata::stored
