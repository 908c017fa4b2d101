// SPDX-License-Identifier: MIT
// What a profile keeps, in the words of --keep.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "recording/stored/facts.hpp"

namespace perfdata::tool {

// KeepChoice is --keep: what is told apart in the profile that is written.
struct KeepChoice {
    std::vector<std::string> words;  // empty: everything

    void add_to(CLI::App& command);
    // dimensions() returns bits of stored::Dimension.
    std::uint32_t dimensions() const;
    bool keeps(stored::Dimension dimension) const { return (dimensions() & stored::bit(dimension)) != 0; }
    // problem() says what the chosen words need that is not chosen; empty if nothing.
    std::string problem() const;
};

// dimension_words(bits) returns the words of --keep for bits of stored::Dimension, in their order.
std::vector<std::string> dimension_words(std::uint32_t bits);

}  // namespace perfdata::tool
