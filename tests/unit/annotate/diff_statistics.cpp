// SPDX-License-Identifier: MIT
#include "diff/diff_statistics.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;

namespace {

// split_table(values, old_size) has one function a column of `values`, whose rows are recordings.
SplitTable split_table(std::vector<std::vector<double>> values, std::size_t old_size) {
    SplitTable table{old_size, values.size() - old_size, std::move(values), {}};
    table.floor.assign(table.values.front().size(), 1e-12);
    return table;
}

bool is_near(double value, double expected) {
    return std::fabs(value - expected) < 1e-6 * std::max(1.0, std::fabs(expected));
}

}  // namespace

TEST_CASE("Two proportions are compared as Fisher did", "[annotate][diff]") {
    // The lady tasting tea: 17/35 one-sided 0.2429, two-sided 0.4857.
    CHECK(is_near(proportions_p(3, 4, 1, 4), 0.4857142857));
    // Known values of R's fisher.test().
    CHECK(is_near(proportions_p(1, 10, 9, 10), 0.001094));
    CHECK(is_near(proportions_p(0, 100, 10, 100), 0.00154205));
    CHECK(proportions_p(5, 100, 5, 100) == 1);
    // Nothing, or all, cannot differ.
    CHECK(proportions_p(0, 100, 0, 50) == 1);
    CHECK(proportions_p(100, 100, 50, 50) == 1);
    CHECK(proportions_p(0, 0, 5, 10) == 1);
    // More hits than samples are no reason to fail.
    CHECK(proportions_p(20, 10, 5, 10) <= 1);
}

TEST_CASE("Large counts are compared by the normal approximation", "[annotate][diff]") {
    // z = 2.8577380: p by tables 0.004266.
    const auto p = proportions_p(600, 10'000, 700, 10'000);
    CHECK(p > 0.004);
    CHECK(p < 0.0045);
    CHECK(proportions_p(1'000'000, 10'000'000, 1'000'000, 10'000'000) == 1);
    CHECK(proportions_p(0, 1'000'000, 1'000'000, 2'000'000) == 0);
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    CHECK(proportions_p(most, most, most, most) == 1);
    CHECK(proportions_p(0, most, most / 2, most) == 0);
}

TEST_CASE("Both tests of proportions agree where one gives way to the other", "[annotate][diff]") {
    const auto exact = proportions_p(450, 100'000, 550, 100'000);
    const auto normal = proportions_p(450, 100'000, 551, 100'000);
    CHECK(std::fabs(exact - normal) < 0.0005);
}

TEST_CASE("Two rates are compared by the binomial distribution", "[annotate][diff]") {
    // binom.test(9, 10, 0.5) and binom.test(2, 10, 0.75) of R.
    CHECK(is_near(rates_p(1, 1, 9, 1), 0.021484375));
    CHECK(is_near(rates_p(8, 1, 2, 3), 0.000415802));
    CHECK(rates_p(5, 1, 5, 1) == 1);
    CHECK(rates_p(0, 1, 0, 1) == 1);
    CHECK(rates_p(5, 0, 5, 1) == 1);
    CHECK(rates_p(5, std::numeric_limits<double>::quiet_NaN(), 5, 1) == 1);
    CHECK(rates_p(1'000'000, 1, 1'000'000, 1) == 1);
    CHECK(rates_p(1'000'000, 2, 1'000'000, 1) == 0);
}

TEST_CASE("Holm corrects the smallest value by all and the next by one less", "[annotate][diff]") {
    std::vector<double> p = {0.04, 0.01, 0.03, 0.9};
    correct_by_holm(p);
    CHECK(is_near(p[1], 0.04));
    CHECK(is_near(p[2], 0.09));
    CHECK(is_near(p[0], 0.09));  // 0.08 would be less than the one before it
    CHECK(is_near(p[3], 0.9));
    std::vector<double> none;
    correct_by_holm(none);
    std::vector<double> large = {0.6, 0.7};
    correct_by_holm(large);
    CHECK(large == std::vector<double>{1, 1});
}

TEST_CASE("Splits are counted without overflow", "[annotate][diff]") {
    CHECK(count_splits(6, 3) == 20);
    CHECK(count_splits(10, 5) == 252);
    CHECK(count_splits(20, 10) == 184'756);
    CHECK(count_splits(5, 1) == 5);
    CHECK(count_splits(5, 5) == 1);
    CHECK(count_splits(66, 33) == 7'219'428'434'016'265'740);
    CHECK(count_splits(68, 34) == std::numeric_limits<std::uint64_t>::max());
    CHECK(count_splits(2000, 1000) == std::numeric_limits<std::uint64_t>::max());
    // Equal sides can be swapped.
    CHECK(is_near(smallest_split_p(3, 3), 0.1));
    CHECK(is_near(smallest_split_p(4, 4), 2.0 / 70));
    CHECK(is_near(smallest_split_p(2, 4), 1.0 / 15));
    CHECK(is_near(smallest_split_p(1, 1), 1));
}

TEST_CASE("A permutation test of few splits is exact", "[annotate][diff]") {
    // 4 and 4: 70 splits. The first function is apart as far as can be, the second is not at all.
    const auto result = permutation_test(
        split_table({{1.0, 5}, {1.1, 6}, {1.2, 7}, {1.3, 8}, {9.0, 5}, {9.1, 6}, {9.2, 7}, {9.3, 8}}, 4), {});
    REQUIRE(result);
    CHECK(result->splits == 70);
    CHECK(result->tried == 70);
    CHECK(is_near(result->p[0], 2.0 / 70));
    CHECK(result->p[1] == 1);
}

TEST_CASE("One function alone has the p value of all splits at least as far apart", "[annotate][diff]") {
    // 3 and 3, values 1 2 4 | 3 5 6: sums of the new side 14; of 20 splits those with 14 or more are {3,5,6}, {4,5,6},
    // and as many at the other end, {1,2,3} and {1,2,4}.
    const auto result = permutation_test(split_table({{1}, {2}, {4}, {3}, {5}, {6}}, 3), {});
    REQUIRE(result);
    CHECK(result->tried == 20);
    CHECK(is_near(result->p[0], 4.0 / 20));
}

TEST_CASE("Ties of a permutation test count as at least as extreme", "[annotate][diff]") {
    // Two values only: 0 0 1 | 0 1 1. Every split has one of four sums.
    const auto result = permutation_test(split_table({{0}, {0}, {1}, {0}, {1}, {1}}, 3), {});
    REQUIRE(result);
    CHECK(result->p[0] == 1);
    const auto constant = permutation_test(split_table({{7}, {7}, {7}, {7}, {7}, {7}, {7}, {7}}, 4), {});
    REQUIRE(constant);
    CHECK(constant->p[0] == 1);
}

TEST_CASE("Many splits are sampled, the same in each run", "[annotate][diff]") {
    std::vector<std::vector<double>> values;
    for (int at = 0; at < 24; ++at) values.push_back({(at < 12 ? 1 : 2) + 0.01 * (at * 7 % 24), 0.1 * (at * 5 % 24)});
    const auto table = split_table(values, 12);
    const auto one = permutation_test(table, {}), other = permutation_test(table, {});
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->splits == 2'704'156);
    CHECK(one->tried == most_exact_splits);
    CHECK(one->p == other->p);
    // What was observed is one of those tried: never 0.
    CHECK(one->p[0] >= 1.0 / static_cast<double>(one->tried));
    CHECK(one->p[0] < 0.01);
    CHECK(one->p[1] > 0.05);
}

TEST_CASE("A permutation test stops when asked", "[annotate][diff]") {
    const auto result =
        permutation_test(split_table({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}, 4), StopToken([] { return true; }));
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::cancelled);
}

TEST_CASE("Of 200 families without a change few have any function beyond noise", "[annotate][diff]") {
    // The rate is 5 %, so 10 of 200 are expected; more than 20 have a chance of less than one in a thousand.
    test::Random random(1);
    const auto uniform = [&] { return static_cast<double>(random.below(1'000'000)) / 1e6; };
    constexpr int families = 200, functions = 60, recordings = 10;
    int alarms = 0;
    for (int family = 0; family < families; ++family) {
        std::vector<std::vector<double>> values(recordings);
        for (auto& row : values) {
            // Runs differ as a whole, too, so that functions depend on each other.
            const double run = uniform();
            for (int at = 0; at < functions; ++at)
                row.push_back((1 + at) * (1 + 0.1 * run + 0.2 * uniform() * uniform()));
        }
        const auto result = permutation_test(split_table(std::move(values), recordings / 2), {});
        REQUIRE(result);
        bool alarm = false;
        for (const auto p : result->p) alarm = alarm || p <= 0.05;
        alarms += alarm ? 1 : 0;
    }
    CHECK(alarms <= 20);
    CHECK(alarms >= 1);  // a test that never finds anything would pass as well
}
