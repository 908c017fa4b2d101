// SPDX-License-Identifier: MIT
// Whether types of several BTF blobs are one type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "type_table.hpp"

namespace perfdata {

// describe_type(types, id, most, room) returns the layout of a type with all its names, so that equal descriptions mean
// equal types: programs built with one header have a copy each. It takes the bytes that it wrote from the room. Nothing
// for types that take more bytes than `most` or than the room has.
std::optional<std::string> describe_type(const TypeTable& types, std::uint32_t id, std::size_t most, std::size_t& room);

}  // namespace perfdata
