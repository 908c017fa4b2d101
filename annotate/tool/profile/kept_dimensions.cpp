// SPDX-License-Identifier: MIT
#include "kept_dimensions.hpp"

#include <fmt/format.h>
#include <string_view>

#include "tool/options/dimension_word.hpp"
#include "tool/options/option_values.hpp"

namespace perfdata::tool {
namespace {

using stored::Dimension;

// Returns the bits of a word; of what --sort calls some of them, too. The word has been checked.
std::uint32_t bits_of_word(std::string_view word) {
    if (word == "dso") return stored::bit(Dimension::object);
    if (word == "srcline") return stored::bit(Dimension::line);
    for (std::uint8_t at = 0; at < stored::dimension_count; ++at) {
        const auto dimension = static_cast<Dimension>(at);
        if (dimension_word(dimension) == word) return stored::bit(dimension);
    }
    return 0;
}

}  // namespace

void KeepChoice::add_to(CLI::App& command) {
    auto known = dimension_words(stored::all_dimensions);
    known.insert(known.end(), {"dso", "srcline"});
    add_list(command, "--keep", words,
             "Keep only this in the profile: comm,symbol. What is not kept makes no difference between samples, and "
             "cannot be shown. Default: everything")
        ->check(some_of(known))
        ->group("What the profile keeps");
}

std::uint32_t KeepChoice::dimensions() const {
    if (words.empty()) return stored::all_dimensions;
    std::uint32_t bits = 0;
    for (const auto& word : words) bits |= bits_of_word(word);
    return bits;
}

std::string KeepChoice::problem() const {
    const auto bits = dimensions();
    if ((bits & stored::bit(Dimension::symbol)) != 0) return {};
    for (const auto dimension : {Dimension::line, Dimension::code}) {
        if ((bits & stored::bit(dimension)) == 0) continue;
        return fmt::format("--keep {}: these are of functions; keep symbol, too", dimension_word(dimension));
    }
    return {};
}

std::vector<std::string> dimension_words(std::uint32_t bits) {
    std::vector<std::string> words;
    each_kept(bits, [&](std::string_view word) { words.emplace_back(word); });
    return words;
}

}  // namespace perfdata::tool
