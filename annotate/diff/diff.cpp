// SPDX-License-Identifier: MIT
#include "perfdata/annotate/diff/diff.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "diff_pairing.hpp"
#include "diff_statistics.hpp"
#include "format/words.hpp"

namespace perfdata {
namespace {

// Unit is what a count of an event is divided by: for each recording what it is divided by, and what it is multiplied
// with to be a percentage.
struct Unit {
    std::vector<double> per;  // by recording; 0: the share is 0
    double scale = 100;
};

class DiffMaker {
  public:
    DiffMaker(std::span<const DiffCounts> old_side, std::span<const DiffCounts> new_side, const DiffOptions& options)
        : sides_(old_side, new_side), options_(options) {}

    Result<Diff> make() {
        diff_.options = options_;
        events_ = pair_events(sides_);
        auto functions = pair_functions(sides_);
        diff_.pairs = std::move(functions.pairs);
        diff_.rebuilt = std::move(functions.rebuilt);
        diff_.reloaded = std::move(functions.reloaded);
        number_ = std::move(functions.number);
        nameless_ = std::move(functions.nameless);
        diff_.notes = differences(sides_);
        std::ranges::move(functions.notes, std::back_inserter(diff_.notes));
        std::ranges::move(events_.notes, std::back_inserter(diff_.notes));
        add_columns();
        if (auto checked = check(); !checked) return fail(std::move(checked.error()));
        add_recordings();
        for (std::uint32_t event = 0; event < diff_.events.size(); ++event) {
            if (options_.stop.stop_requested()) return stopped();
            auto unit = unit_of(event);
            if (!unit) return fail(std::move(unit.error()));
            units_.push_back(std::move(*unit));
            add_rows(event);
        }
        if (auto tested = test(); !tested) return fail(std::move(tested.error()));
        meet_conditions();
        sort_rows();
        hide_rows();
        return std::move(diff_);
    }

  private:
    // Values of a row by recording. They are kept until all is tested.
    struct Cells {
        std::vector<EventCount> counts;
        std::vector<double> shares;
    };

    static std::unexpected<Error> stopped() {
        return fail(ErrorCode::cancelled, Error::no_offset, "diff", "asked to stop");
    }
    std::size_t size() const { return sides_.all.size(); }
    std::size_t new_size() const { return size() - sides_.old_size; }
    const EventCount& whole(std::uint32_t event, std::size_t recording) const {
        return sides_.all[recording]->events[column(event, recording)].whole;
    }
    std::uint32_t column(std::uint32_t event, std::size_t recording) const { return columns_[event][recording]; }

    // Some event must be everywhere, unless nothing has samples at all: then there is nothing to compare.
    Result<void> check() const {
        if (!diff_.events.empty()) return {};
        bool has_any = false;
        for (const auto* one : sides_.all) has_any = has_any || !sampled_events(*one).empty();
        if (!has_any) return {};
        const auto list = [&](std::size_t at) {
            const auto names = sampled_events(*sides_.all[at]);
            return fmt::format("{} has {}", sides_.label(at), names.empty() ? "none" : names);
        };
        return fail(ErrorCode::missing, Error::no_offset, "diff",
                    fmt::format("there is no event that all recordings have: {}, {}", list(0), list(size() - 1)));
    }

    // Returns the names of events with samples, or the first ones.
    static std::string sampled_events(const DiffCounts& counts) {
        constexpr std::size_t most = 300;
        std::string names;
        for (const auto& event : counts.events) {
            if (event.whole.hits == 0 || names.size() > most) continue;
            names += (names.empty() ? "" : ", ") + shown(event.name);
        }
        return names;
    }

    // Events without samples anywhere have no rows.
    void add_columns() {
        for (const auto& columns : events_.columns) {
            DiffColumn made;
            made.name = sides_.all.front()->events[columns.front()].name;
            for (std::size_t at = 0; at < size(); ++at) {
                (sides_.is_new(at) ? made.new_whole : made.old_whole) += sides_.all[at]->events[columns[at]].whole;
            }
            if (made.old_whole.hits == 0 && made.new_whole.hits == 0) continue;
            for (std::size_t at = 0; at < size(); ++at) {
                if (sides_.all[at]->events[columns[at]].whole.hits != 0) continue;
                diff_.notes.push_back(fmt::format("{} has no samples of event {}", sides_.label(at), shown(made.name)));
            }
            diff_.events.push_back(std::move(made));
            columns_.push_back(columns);
        }
    }

    void add_recordings() {
        for (std::size_t at = 0; at < size(); ++at) {
            const auto& counts = *sides_.all[at];
            DiffRecording made;
            made.recording = counts.recording;
            made.is_new = sides_.is_new(at);
            made.seconds = counts.seconds;
            for (const auto& columns : columns_) {
                made.whole.push_back(counts.events[columns[at]].whole);
                made.kept.push_back(counts.events[columns[at]].kept);
            }
            made.dropped = counts.dropped;
            made.notes = counts.notes;
            made.without_samples = counts.without_samples;
            made.completeness = counts.completeness;
            diff_.recordings.push_back(std::move(made));
        }
    }

    double amount(const EventCount& count) const {
        const bool hits = options_.normalize == DiffNormalize::samples || options_.normalize == DiffNormalize::time;
        return static_cast<double>(hits ? count.hits : count.periods);
    }

    Result<Unit> unit_of(std::uint32_t event) const {
        Unit unit;
        for (std::size_t at = 0; at < size(); ++at) {
            auto per = divisor(event, at);
            if (!per) return fail(std::move(per.error()));
            unit.per.push_back(*per);
        }
        if (options_.normalize == DiffNormalize::periods || options_.normalize == DiffNormalize::samples) return unit;
        const auto mean = [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (auto at = begin; at < end; ++at) sum += divided(amount(whole(event, at)), unit.per[at]);
            return sum / static_cast<double>(end - begin);
        };
        // Without anything on the old side, the new one is 100 %.
        double base = mean(0, sides_.old_size);
        if (base == 0) base = mean(sides_.old_size, size());
        unit.scale = base == 0 ? 0 : 100 / base;
        return unit;
    }

    Result<double> divisor(std::uint32_t event, std::size_t at) const {
        const auto lacks = [&](std::string what) {
            return fail(ErrorCode::missing, Error::no_offset, "--normalize",
                        fmt::format("{} {}", sides_.label(at), what));
        };
        switch (options_.normalize) {
            case DiffNormalize::periods:
            case DiffNormalize::samples: return amount(whole(event, at));
            case DiffNormalize::none: return 1;
            case DiffNormalize::time:
                if (sides_.all[at]->seconds > 0) return sides_.all[at]->seconds;
                return lacks("does not say how long was recorded");
            case DiffNormalize::event: break;
        }
        const auto& name = options_.per_event;
        const DiffEvent* found = nullptr;
        for (const auto& one : sides_.all[at]->events) {
            if (one.name != name && one.plain != name) continue;
            if (found == nullptr || one.name == name) found = &one;
        }
        if (found == nullptr) return lacks(fmt::format("has no event {}", shown(name)));
        if (found->whole.periods == 0) return lacks(fmt::format("has no samples of event {}", shown(name)));
        return static_cast<double>(found->whole.periods);
    }

    static double divided(double amount, double per) { return per == 0 ? 0 : amount / per; }

    void add_rows(std::uint32_t event) {
        std::vector<std::uint32_t> row_of(diff_.pairs.size(), PairedEvents::none);
        const auto begin = diff_.rows.size();
        for (std::size_t at = 0; at < size(); ++at) {
            const auto& functions = sides_.all[at]->functions;
            for (std::size_t function = 0; function < functions.size(); ++function) {
                const auto& cells = functions[function].cells;
                const auto cell = std::ranges::lower_bound(cells, column(event, at), {}, &DiffCell::event);
                if (cell == cells.end() || cell->event != column(event, at)) continue;
                auto& row = row_of[number_[at][function]];
                if (row == PairedEvents::none) {
                    row = static_cast<std::uint32_t>(diff_.rows.size());
                    DiffRow made;
                    made.event = event;
                    made.pair = number_[at][function];
                    diff_.rows.push_back(std::move(made));
                    cells_.push_back({std::vector<EventCount>(size()), std::vector<double>(size())});
                }
                cells_[row].counts[at] = cell->count;
            }
        }
        for (auto row = begin; row < diff_.rows.size(); ++row) fill(diff_.rows[row], cells_[row]);
        diff_.events[event].rows = diff_.rows.size() - begin;
    }

    void fill(DiffRow& row, Cells& cells) {
        const auto& unit = units_[row.event];
        for (std::size_t at = 0; at < size(); ++at) {
            cells.shares[at] = divided(amount(cells.counts[at]), unit.per[at]) * unit.scale;
            (sides_.is_new(at) ? row.new_count : row.old_count) += cells.counts[at];
        }
        const auto middle = cells.shares.begin() + static_cast<std::ptrdiff_t>(sides_.old_size);
        row.old_share = std::accumulate(cells.shares.begin(), middle, 0.0) / static_cast<double>(sides_.old_size);
        row.new_share = std::accumulate(middle, cells.shares.end(), 0.0) / static_cast<double>(new_size());
        row.delta = row.new_share - row.old_share;
        if (row.old_share > 0) row.ratio = row.new_share / row.old_share;
        row.wdiff = options_.new_weight * row.new_share - options_.old_weight * row.old_share;
        row.change = row.old_count.hits == 0   ? DiffChange::added
                     : row.new_count.hits == 0 ? DiffChange::removed
                                               : DiffChange::both;
        if (size() == 2) return;
        row.old_shares.assign(cells.shares.begin(), middle);
        row.new_shares.assign(middle, cells.shares.end());
    }

    Result<void> test() {
        auto& testing = diff_.testing;
        if (diff_.rows.empty()) return {};
        if (size() == 2) {
            test_counts();
            return {};
        }
        testing.test = DiffTest::permutation;
        testing.splits = count_splits(size(), new_size());
        testing.smallest_p = smallest_split_p(sides_.old_size, new_size());
        testing.can_tell = testing.smallest_p <= DiffTesting::rate;
        if (!testing.can_tell) {
            testing.needed = std::max(sides_.old_size, new_size());
            while (smallest_split_p(testing.needed, testing.needed) > DiffTesting::rate) ++testing.needed;
            for (auto& row : diff_.rows) row.noise = DiffNoise::too_few;
            (void)named_rows();
            return {};
        }
        return test_splits();
    }

    // The test counts samples, whatever shares are of: periods are no independent observations.
    void test_counts() {
        const auto chosen = named_rows();
        std::vector<double> p;
        p.reserve(chosen.size());
        for (const auto at : chosen) p.push_back(counts_p(diff_.rows[at], cells_[at]));
        correct_by_holm(p);
        diff_.testing.test = DiffTest::counts;
        diff_.testing.tested = p.size();
        for (std::size_t at = 0; at < p.size(); ++at) answer(diff_.rows[chosen[at]], p[at]);
    }

    bool is_nameless(const DiffRow& row) const {
        return std::ranges::binary_search(nameless_, diff_.pairs[row.pair].object);
    }
    // Returns the rows that can be compared, and marks the others.
    std::vector<std::size_t> named_rows() {
        std::vector<std::size_t> rows;
        rows.reserve(diff_.rows.size());
        for (std::size_t at = 0; at < diff_.rows.size(); ++at) {
            if (is_nameless(diff_.rows[at])) {
                diff_.rows[at].noise = DiffNoise::no_names;
            } else {
                rows.push_back(at);
            }
        }
        return rows;
    }

    double counts_p(const DiffRow& row, const Cells& cells) const {
        const auto of_old = cells.counts[0].hits, of_new = cells.counts[1].hits;
        const bool parts = options_.normalize == DiffNormalize::periods || options_.normalize == DiffNormalize::samples;
        if (parts) return proportions_p(of_old, whole(row.event, 0).hits, of_new, whole(row.event, 1).hits);
        return rates_p(of_old, units_[row.event].per[0], of_new, units_[row.event].per[1]);
    }

    static void answer(DiffRow& row, double p) {
        row.p = p;
        row.noise = p <= DiffTesting::rate ? DiffNoise::changed : DiffNoise::within;
    }

    // Bounds the table of the test: of more functions than it holds, those with most samples are tested. How many
    // samples a function has on both sides together says nothing of the split, so choosing by it is fair.
    Result<void> test_splits() {
        constexpr std::size_t most_tested = 100'000, most_values = std::size_t{1} << 24;
        auto chosen = named_rows();
        const auto comparable = chosen.size();
        if (chosen.empty()) return {};
        const auto room = std::min(most_tested, std::max<std::size_t>(1, most_values / size()));
        if (chosen.size() > room) {
            const auto all_hits = [&](std::size_t at) {
                return diff_.rows[at].old_count.hits + diff_.rows[at].new_count.hits;
            };
            std::ranges::sort(chosen, {}, [&](std::size_t at) {
                return std::pair(std::numeric_limits<std::uint64_t>::max() - all_hits(at), at);
            });
            chosen.resize(room);
            std::ranges::sort(chosen);
        }
        SplitTable table{sides_.old_size, new_size(), {}, {}};
        for (std::size_t at = 0; at < size(); ++at) {
            auto& values = table.values.emplace_back();
            for (const auto row : chosen) values.push_back(cells_[row].shares[at]);
        }
        for (const auto row : chosen) table.floor.push_back(counting_variance(row));
        auto result = permutation_test(table, options_.stop);
        if (!result) return fail(std::move(result.error()));
        for (std::size_t at = 0; at < chosen.size(); ++at) answer(diff_.rows[chosen[at]], result->p[at]);
        diff_.testing.tested = chosen.size();
        diff_.testing.untested = comparable - chosen.size();
        diff_.testing.tried = result->tried;
        return {};
    }

    // A mean of n hits varies by a part of 1 / sqrt(n), and so does the share.
    double counting_variance(std::size_t row) const {
        const auto hits =
            static_cast<double>(diff_.rows[row].old_count.hits) + static_cast<double>(diff_.rows[row].new_count.hits);
        const auto recordings = static_cast<double>(size());
        const auto& shares = cells_[row].shares;
        const double mean = std::accumulate(shares.begin(), shares.end(), 0.0) / recordings;
        const double variance = mean * mean * recordings / std::max(1.0, hits);
        return variance > 0 ? variance : std::numeric_limits<double>::min();
    }

    void meet_conditions() {
        if (options_.conditions.empty()) return;
        for (auto& row : diff_.rows) {
            const auto& pair = diff_.pairs[row.pair];
            DiffFacts facts;
            facts.delta = row.delta;
            facts.ratio = row.ratio.value_or(row.new_share > 0 ? std::numeric_limits<double>::infinity() : 1);
            facts.wdiff = row.wdiff;
            facts.old_share = row.old_share;
            facts.new_share = row.new_share;
            facts.samples = static_cast<double>(row.old_count.hits) + static_cast<double>(row.new_count.hits);
            facts.p = row.p.value_or(1);
            facts.symbol = pair.name;
            facts.object = pair.object;
            facts.kind = to_string(pair.kind);
            facts.event = diff_.events[row.event].name;
            facts.change = to_string(row.change);
            facts.code = to_string(pair.code);
            facts.noise = row.noise == DiffNoise::changed ? "no" : "yes";
            row.meets_condition = std::ranges::any_of(
                options_.conditions, [&](const DiffCondition& condition) { return condition.holds(facts); });
            diff_.met += row.meets_condition ? 1 : 0;
        }
    }

    // rank(row) is least for what comes first.
    double rank(const DiffRow& row) const {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        switch (options_.compute) {
            case DiffCompute::delta: return -row.delta;
            case DiffCompute::delta_abs: return -std::fabs(row.delta);
            case DiffCompute::ratio: return row.ratio ? -*row.ratio : row.new_share > 0 ? -infinite : infinite;
            case DiffCompute::wdiff: return -std::fabs(row.wdiff);
        }
        return 0;
    }

    // What one function gains another one loses, equal but for rounding: such a tie is broken by what is more likely to
    // be the cause. Another body comes first, then what grew.
    void sort_rows() {
        constexpr double steps = 1e9;  // in a percentage point; differences below that are rounding
        std::ranges::sort(diff_.rows, {}, [&](const DiffRow& row) {
            return std::tuple(row.event, row.noise != DiffNoise::changed, std::round(rank(row) * steps),
                              diff_.pairs[row.pair].code != DiffCode::changed, row.delta < 0,
                              -std::max(row.old_share, row.new_share), row.pair);
        });
    }

    // What meets a condition is shown however small it is: it is why the command fails.
    void hide_rows() {
        std::erase_if(diff_.rows, [&](const DiffRow& row) {
            const bool hidden = std::max(row.old_share, row.new_share) < options_.percent_limit && !row.meets_condition;
            if (hidden) ++diff_.events[row.event].hidden_rows;
            return hidden;
        });
    }

    DiffSides sides_;
    const DiffOptions& options_;
    PairedEvents events_;
    std::vector<std::vector<std::uint32_t>> columns_;  // of those in events_ that have samples
    std::vector<std::vector<std::uint32_t>> number_;   // as PairedFunctions::number
    std::vector<std::string> nameless_;                // as PairedFunctions::nameless
    std::vector<Unit> units_;                          // by event
    // By row, until rows are sorted. Rows are at most the cells of all recordings.
    std::vector<Cells> cells_;
    Diff diff_;
};

}  // namespace

Result<Diff> Diff::make(std::span<const DiffCounts> old_side, std::span<const DiffCounts> new_side,
                        const DiffOptions& options) {
    return catch_bad_alloc([&]() -> Result<Diff> { return DiffMaker(old_side, new_side, options).make(); });
}

}  // namespace perfdata
