// SPDX-License-Identifier: MIT
// Whether counts differ more than by chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"

namespace perfdata {

// proportions_p(...) returns the chance that two equal proportions differ at least as much as hits of old_all and
// new_all do: two-sided. Up to exact_hits hits it is Fisher's exact test, beyond that the normal approximation.
inline constexpr std::uint64_t exact_hits = 1000;
double proportions_p(std::uint64_t old_hits, std::uint64_t old_all, std::uint64_t new_hits, std::uint64_t new_all);

// rates_p(...) does the same for rates of hits, per whatever old_for and new_for count: exactly by the binomial
// distribution, or by the normal approximation. 1 if either is not above 0.
double rates_p(std::uint64_t old_hits, double old_for, std::uint64_t new_hits, double new_for);

// correct_by_holm(p) replaces each by its value corrected for all: the chance of any false alarm is at most the level
// that these are compared with, however the tests depend on each other. n log n.
void correct_by_holm(std::span<double> p);

// count_splits(all, part) returns in how many ways `part` of `all` can be chosen; at most 2^64-1.
std::uint64_t count_splits(std::size_t all, std::size_t part);

// smallest_split_p(old_size, new_size) returns the smallest p that a two-sided test of all splits can have: equal sides
// can be swapped, which changes only signs.
double smallest_split_p(std::size_t old_size, std::size_t new_size);

// SplitTable is what is permuted: values of functions by recording, those of the old side first.
struct SplitTable {
    std::size_t old_size = 0, new_size = 0;   // recordings
    std::vector<std::vector<double>> values;  // [recording][function]
    // By function: the variance of a value that counting alone makes, the same for all recordings; above 0. It keeps
    // functions with a handful of samples from seeming constant.
    std::vector<double> floor;
};

// SplitTest is the result of permutation_test().
struct SplitTest {
    std::vector<double> p;     // by function, corrected for all functions
    std::uint64_t splits = 0;  // there are so many; at most 2^64-1
    std::uint64_t tried = 0;   // of these, the one that was observed included
};

// permutation_test(table, stop) shares out the recordings to the two sides in every other way, and compares: Westfall
// and Young's step-down maxT, with |t| as the statistic. It tries all splits if they are few (most_exact_splits) and
// cheap, else a fixed sequence of pseudorandom ones: the same in each run. Its time is at most about split_budget
// additions, or least_splits times the size of the table; its memory is that of the table. Errors: cancelled.
inline constexpr std::uint64_t most_exact_splits = 20'000, least_splits = 2'000;
inline constexpr double split_budget = 2e9;
Result<SplitTest> permutation_test(const SplitTable& table, const StopToken& stop);

}  // namespace perfdata
