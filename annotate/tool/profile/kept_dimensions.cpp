// SPDX-License-Identifier: MIT
#include "kept_dimensions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

#include "tool/options/option_values.hpp"

namespace perfdata::tool {
namespace {

using stored::Dimension;

struct KeptWord {
    std::string_view word;
    Dimension dimension;
};

// By their bits; behind them, what --sort calls some of them.
constexpr std::size_t kept_bits = std::popcount(stored::all_dimensions);
constexpr std::array<KeptWord, kept_bits + 2> kept_words = {{{"comm", Dimension::comm},
                                                             {"pid", Dimension::pid},
                                                             {"tid", Dimension::tid},
                                                             {"cpu", Dimension::cpu},
                                                             {"cgroup", Dimension::cgroup},
                                                             {"object", Dimension::object},
                                                             {"symbol", Dimension::symbol},
                                                             {"line", Dimension::line},
                                                             {"chains", Dimension::chains},
                                                             {"code", Dimension::code},
                                                             {"dso", Dimension::object},
                                                             {"srcline", Dimension::line}}};

}  // namespace

void KeepChoice::add_to(CLI::App& command) {
    std::vector<std::string> known;
    for (const auto& one : kept_words) known.emplace_back(one.word);
    add_list(command, "--keep", words,
             "Keep only this in the profile: comm,symbol. What is not kept makes no difference between samples, and "
             "cannot be shown. Default: everything")
        ->check(some_of(known))
        ->group("What the profile keeps");
}

std::uint32_t KeepChoice::dimensions() const {
    if (words.empty()) return stored::all_dimensions;
    std::uint32_t bits = 0;
    for (const auto& word : words) {
        const auto found = std::ranges::find(kept_words, std::string_view(word), &KeptWord::word);
        if (found != kept_words.end()) bits |= stored::bit(found->dimension);
    }
    return bits;
}

std::string KeepChoice::problem() const {
    const auto bits = dimensions();
    if ((bits & stored::bit(Dimension::symbol)) != 0) return {};
    for (const auto dimension : {Dimension::line, Dimension::code}) {
        if ((bits & stored::bit(dimension)) == 0) continue;
        return fmt::format("--keep {}: these are of functions; keep symbol, too",
                           dimension_words(stored::bit(dimension)).front());
    }
    return {};
}

std::vector<std::string> dimension_words(std::uint32_t bits) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < kept_bits; ++at) {
        if ((bits & stored::bit(kept_words[at].dimension)) != 0) words.emplace_back(kept_words[at].word);
    }
    return words;
}

}  // namespace perfdata::tool
