// SPDX-License-Identifier: MIT
#include <cstddef>

#include "perfdata/annotate/diff/diff.hpp"

namespace perfdata {
namespace {

// word_at(words, value) returns the word of a value of an enum; empty for a value that is none of them.
template <std::size_t size, class Value>
std::string_view word_at(const std::string_view (&words)[size], Value value) {
    const auto at = static_cast<std::size_t>(value);
    return at < size ? words[at] : std::string_view();
}

}  // namespace

std::string_view to_string(DiffCompute compute) {
    constexpr std::string_view words[] = {"delta", "delta-abs", "ratio", "wdiff"};
    return word_at(words, compute);
}
std::string_view to_string(DiffNormalize normalize) {
    constexpr std::string_view words[] = {"periods", "samples", "time", "event", "none"};
    return word_at(words, normalize);
}
std::string_view to_string(DiffTest test) {
    constexpr std::string_view words[] = {"none", "counts", "permutation"};
    return word_at(words, test);
}
std::string_view to_string(DiffNoise noise) {
    constexpr std::string_view words[] = {"changed", "within", "too_few", "untested", "no_names"};
    return word_at(words, noise);
}
std::string_view to_string(DiffChange change) {
    constexpr std::string_view words[] = {"both", "added", "removed"};
    return word_at(words, change);
}
std::string_view to_string(DiffCode code) {
    constexpr std::string_view words[] = {"unknown", "same", "changed", "rebuilt"};
    return word_at(words, code);
}

}  // namespace perfdata
