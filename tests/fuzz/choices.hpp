// SPDX-License-Identifier: MIT
// The last part of an input for a tool command: bytes that select the command's options. Each byte changes one option.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace perfdata::fuzz {

// A mark at the very end says that the bytes before it are choices.
inline constexpr std::size_t choice_bytes = 16;
inline constexpr std::string_view choice_mark = "opts";
inline constexpr std::size_t choice_block = choice_bytes + choice_mark.size();

// has_choices(input) returns true if it ends with a block of choices.
inline bool has_choices(std::span<const std::uint8_t> input) {
    return input.size() >= choice_block &&
           std::memcmp(input.last(choice_mark.size()).data(), choice_mark.data(), choice_mark.size()) == 0;
}

}  // namespace perfdata::fuzz
