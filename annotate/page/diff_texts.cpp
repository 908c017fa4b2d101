// SPDX-License-Identifier: MIT
#include "diff_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <limits>

#include "format/words.hpp"

namespace perfdata {
namespace {

std::string functions_text(std::uint64_t tested) {
    return how_many(tested, "function");
}

std::string splits_text(const DiffTesting& testing) {
    if (testing.tried == testing.splits) return fmt::format("all {} splits", testing.splits);
    if (testing.splits == std::numeric_limits<std::uint64_t>::max()) {
        return fmt::format("{} pseudorandom splits", testing.tried);
    }
    return fmt::format("{} pseudorandom ones of {} splits", testing.tried, testing.splits);
}

}  // namespace

std::string whole_text(const DiffOptions& options) {
    switch (options.normalize) {
        case DiffNormalize::periods: return "100 % is all periods of the event in each recording";
        case DiffNormalize::samples: return "100 % is all samples of the event in each recording";
        case DiffNormalize::time: return "100 % is the samples per second of the baseline, of all functions";
        case DiffNormalize::event:
            return fmt::format("100 % is the periods per period of {} of the baseline, of all functions",
                               shown(options.per_event));
        case DiffNormalize::none: return "100 % is all periods of the baseline; nothing is normalised";
    }
    return {};
}

std::vector<std::string> test_text(const Diff& diff) {
    const auto& testing = diff.testing;
    const auto old_size = static_cast<std::size_t>(
        std::ranges::count_if(diff.recordings, [](const DiffRecording& one) { return !one.is_new; }));
    const auto new_size = diff.recordings.size() - old_size;
    if (testing.test != DiffTest::none && testing.can_tell && testing.tested == 0) {
        return {"Test: none: no function has names in all recordings"};
    }
    switch (testing.test) {
        case DiffTest::none: return {};
        case DiffTest::counts: {
            const bool parts =
                diff.options.normalize == DiffNormalize::periods || diff.options.normalize == DiffNormalize::samples;
            return {fmt::format("Test: two {} of samples, corrected by Holm for {}: 5 % false alarms in all",
                                parts ? "proportions" : "rates", functions_text(testing.tested)),
                    "It takes samples as independent; runs differ by more. Several recordings a side (--old A... --new "
                    "B...) test that"};
        }
        case DiffTest::permutation: break;
    }
    if (!testing.can_tell) {
        return {
            fmt::format("Test: none. {} and {} recordings cannot tell changes from noise: the smallest p of {} "
                        "splits is {:.2g}, and not 0.05; {} on each side suffice",
                        old_size, new_size, testing.splits, testing.smallest_p, testing.needed)};
    }
    std::vector<std::string> lines = {
        fmt::format("Test: permutation of recordings ({} and {}, {}), step-down maxT of Westfall and Young for {}: "
                    "5 % false alarms in all",
                    old_size, new_size, splits_text(testing), functions_text(testing.tested))};
    if (testing.untested != 0) {
        lines.push_back(fmt::format("{} with the fewest samples are not tested: there are too many",
                                    functions_text(testing.untested)));
    }
    return lines;
}

std::string p_text(const DiffRow& row) {
    if (!row.p) return "-";
    constexpr double least = 0.0001;
    if (*row.p < least) return "<0.0001";
    return fmt::format("{:.4f}", *row.p);
}

}  // namespace perfdata
