// SPDX-License-Identifier: MIT
#include "diff_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace perfdata {
namespace {

// Ties are those that differ by rounding only.
constexpr double rounding = 1e-9;

double two_sided(double z) {
    return std::erfc(std::fabs(z) / std::sqrt(2.0));
}

// tail_p(first, observed, steps) adds up the chances of all outcomes that are no more likely than the observed one.
// `steps` has the logarithm of P(k + 1) / P(k), from k = first on.
double tail_p(std::uint64_t first, std::uint64_t observed, const std::vector<double>& steps) {
    std::vector<double> logs(steps.size() + 1);
    for (std::size_t at = 0; at < steps.size(); ++at) logs[at + 1] = logs[at] + steps[at];
    const double most = *std::ranges::max_element(logs);
    const double limit = logs[observed - first] - most + 1e-7;
    double all = 0, tail = 0;
    for (const auto one : logs) {
        const double chance = std::exp(one - most);
        all += chance;
        if (one - most <= limit) tail += chance;
    }
    return std::min(1.0, tail / all);
}

double number(std::uint64_t value) {
    return static_cast<double>(value);
}

}  // namespace

double proportions_p(std::uint64_t old_hits, std::uint64_t old_all, std::uint64_t new_hits, std::uint64_t new_all) {
    if (old_all == 0 || new_all == 0) return 1;
    old_hits = std::min(old_hits, old_all);
    new_hits = std::min(new_hits, new_all);
    const double hits = number(old_hits) + number(new_hits), all = number(old_all) + number(new_all);
    if (hits == 0 || hits == all) return 1;
    if (hits > static_cast<double>(exact_hits)) {
        const double share = hits / all;
        const double deviation = std::sqrt(share * (1 - share) * (1 / number(old_all) + 1 / number(new_all)));
        return two_sided((number(new_hits) / number(new_all) - number(old_hits) / number(old_all)) / deviation);
    }
    // Of all hits, those of the new side have the hypergeometric distribution.
    const std::uint64_t both = old_hits + new_hits;
    const std::uint64_t first = both > old_all ? both - old_all : 0, last = std::min(both, new_all);
    std::vector<double> steps;
    for (auto at = first; at < last; ++at) {
        const double rest = number(old_all) - number(both) + number(at) + 1;
        steps.push_back(std::log(number(both - at)) + std::log(number(new_all - at)) - std::log(number(at + 1)) -
                        std::log(rest));
    }
    return tail_p(first, new_hits, steps);
}

double rates_p(std::uint64_t old_hits, double old_for, std::uint64_t new_hits, double new_for) {
    const double hits = number(old_hits) + number(new_hits);
    if (!(old_for > 0) || !(new_for > 0) || hits == 0) return 1;
    const double odds = new_for / old_for;
    const double share = odds / (1 + odds);
    if (!std::isfinite(odds) || odds == 0) return 1;
    if (hits > static_cast<double>(exact_hits)) {
        return two_sided((number(new_hits) - hits * share) / std::sqrt(hits * share * (1 - share)));
    }
    const std::uint64_t both = old_hits + new_hits;
    std::vector<double> steps;
    for (std::uint64_t at = 0; at < both; ++at) {
        steps.push_back(std::log(number(both - at)) - std::log(number(at + 1)) + std::log(odds));
    }
    return tail_p(0, new_hits, steps);
}

void correct_by_holm(std::span<double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t at) { return std::pair(p[at], at); });
    double most = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        auto& value = p[order[rank]];
        most = std::max(most, std::min(1.0, value * static_cast<double>(order.size() - rank)));
        value = most;
    }
}

std::uint64_t count_splits(std::size_t all, std::size_t part) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    part = std::min(part, all - std::min(part, all));
    std::uint64_t splits = 1;
    for (std::size_t at = 1; at <= part; ++at) {
        // splits * factor is divisible by at: divide first what can be.
        const std::uint64_t factor = all - part + at;
        const auto common = std::gcd(splits, std::uint64_t{at});
        const auto rest = factor / (at / common);
        if (splits / common > most / rest) return most;
        splits = splits / common * rest;
    }
    return splits;
}

double smallest_split_p(std::size_t old_size, std::size_t new_size) {
    const auto splits = count_splits(old_size + new_size, new_size);
    return std::min(1.0, (old_size == new_size ? 2.0 : 1.0) / static_cast<double>(splits));
}

namespace {

// SplitRandom is SplitMix64: the same numbers everywhere.
class SplitRandom {
  public:
    // below(limit) returns one of the numbers from 0 to limit - 1, all equally likely.
    std::uint64_t below(std::uint64_t limit) {
        const auto uneven = (std::numeric_limits<std::uint64_t>::max() - limit + 1) % limit;
        for (;;) {
            const auto one = next();
            if (one >= uneven) return one % limit;
        }
    }

  private:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        auto mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }

    std::uint64_t state_ = 0x70657266'64617461;  // any fixed number
};

// Permuter holds values around their mean. Then the sum of one side says everything: |t| is a function of it, of the
// sum of all squares and of the floor, and the latter two are the same for all splits.
class Permuter {
  public:
    Permuter(const SplitTable& table)
        : size_(table.floor.size()),
          all_(table.old_size + table.new_size),
          new_size_(table.new_size),
          values_(table.values),
          scale_(1 / static_cast<double>(table.old_size) + 1 / static_cast<double>(table.new_size)),
          floor_(table.floor),
          squares_(size_),
          sum_(size_),
          statistic_(size_),
          above_(size_) {
        for (std::size_t at = 0; at < size_; ++at) {
            double mean = 0;
            for (const auto& row : values_) mean += row[at] / static_cast<double>(all_);
            for (auto& row : values_) {
                row[at] -= mean;
                squares_[at] += row[at] * row[at];
            }
        }
        std::vector<std::size_t> chosen(new_size_);
        std::iota(chosen.begin(), chosen.end(), table.old_size);
        compute(chosen);
        observed_ = statistic_;
        order_.resize(size_);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::sort(order_, {}, [&](std::size_t at) { return std::pair(-observed_[at], at); });
    }

    // add(chosen) counts the split that makes these recordings the new side.
    void add(const std::vector<std::size_t>& chosen) {
        compute(chosen);
        count();
    }
    void add_observed() {
        statistic_ = observed_;
        count();
    }

    std::vector<double> p() const {
        std::vector<double> values(size_);
        double most = 0;
        for (const auto at : order_) {
            most = std::max(most, static_cast<double>(above_[at]) / static_cast<double>(tried_));
            values[at] = most;
        }
        return values;
    }
    std::uint64_t tried() const { return tried_; }

  private:
    void compute(const std::vector<std::size_t>& chosen) {
        std::ranges::fill(sum_, 0.0);
        for (const auto recording : chosen) {
            const auto& row = values_[recording];
            for (std::size_t at = 0; at < size_; ++at) sum_[at] += row[at];
        }
        const auto freedom = static_cast<double>(all_ - 2);
        for (std::size_t at = 0; at < size_; ++at) {
            const double within = std::max(0.0, squares_[at] - sum_[at] * sum_[at] * scale_);
            statistic_[at] = std::fabs(sum_[at]) * scale_ / std::sqrt((within / freedom + floor_[at]) * scale_);
        }
    }

    // A function's statistic must be beaten by the largest of all that are not more extreme than it.
    void count() {
        ++tried_;
        double most = 0;
        for (auto rank = size_; rank-- != 0;) {
            const auto at = order_[rank];
            most = std::max(most, statistic_[at]);
            if (most >= observed_[at] * (1 - rounding)) ++above_[at];
        }
    }

    std::size_t size_, all_, new_size_;
    std::vector<std::vector<double>> values_;
    double scale_;
    std::vector<double> floor_, squares_, sum_, statistic_, observed_;
    std::vector<std::size_t> order_;  // functions, most extreme first
    std::vector<std::uint64_t> above_;
    std::uint64_t tried_ = 0;
};

// Changes `chosen` to the next of all choices from 0 to all - 1, in their order; false behind the last one.
bool next_choice(std::vector<std::size_t>& chosen, std::size_t all) {
    for (auto at = chosen.size(); at-- != 0;) {
        if (chosen[at] == all - chosen.size() + at) continue;
        ++chosen[at];
        for (auto behind = at + 1; behind < chosen.size(); ++behind) chosen[behind] = chosen[behind - 1] + 1;
        return true;
    }
    return false;
}

}  // namespace

Result<SplitTest> permutation_test(const SplitTable& table, const StopToken& stop) {
    const auto all = table.old_size + table.new_size;
    SplitTest result;
    result.splits = count_splits(all, table.new_size);
    Permuter permuter(table);
    const auto stopped = [] { return fail(ErrorCode::cancelled, Error::no_offset, "diff", "asked to stop"); };
    std::vector<std::size_t> chosen(table.new_size);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    const double each =
        std::max(1.0, static_cast<double>(table.floor.size()) * static_cast<double>(table.new_size + 4));
    const double affordable = split_budget / each;
    if (result.splits <= most_exact_splits &&
        (result.splits <= least_splits || static_cast<double>(result.splits) <= affordable)) {
        do {
            if (stop.stop_requested()) return stopped();
            permuter.add(chosen);
        } while (next_choice(chosen, all));
    } else {
        const auto tries = static_cast<std::uint64_t>(
            std::clamp(affordable, static_cast<double>(least_splits), static_cast<double>(most_exact_splits)));
        permuter.add_observed();
        SplitRandom random;
        std::vector<std::size_t> cards(all);
        std::iota(cards.begin(), cards.end(), std::size_t{0});
        while (permuter.tried() < tries) {
            if (stop.stop_requested()) return stopped();
            for (std::size_t at = 0; at < table.new_size; ++at) {
                std::swap(cards[at], cards[at + static_cast<std::size_t>(random.below(all - at))]);
                chosen[at] = cards[at];
            }
            // The order of additions is that of the recordings, whatever the shuffle.
            std::ranges::sort(chosen);
            permuter.add(chosen);
        }
    }
    result.tried = permuter.tried();
    result.p = permuter.p();
    return result;
}

}  // namespace perfdata
