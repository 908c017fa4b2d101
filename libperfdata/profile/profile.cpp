// SPDX-License-Identifier: MIT
#include "perfdata/profile/profile.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "perfdata/recording/walk.hpp"

namespace perfdata {

void add(Cells& sum, std::span<const Cell> cells) {
    if (sum.size() < cells.size()) sum.resize(cells.size());
    for (std::size_t event = 0; event < cells.size(); ++event) sum[event] += cells[event];
}

std::uint64_t hits(std::span<const Cell> cells) {
    std::uint64_t sum = 0;
    for (const auto& cell : cells) sum += cell.hits;
    return sum;
}

// Counts by (code, offset) in one flat table: a sample costs one lookup in the timeline and one in the table.
class ProfileCounter {
  public:
    ProfileCounter(const Recording& recording, const Timeline& timeline, const ProfileOptions& options)
        : timeline_(timeline), column_(recording.events().events().size(), not_counted) {
        profile_.events_ = options.events;
        std::erase_if(profile_.events_, [&](std::uint32_t event) { return event >= column_.size(); });
        if (profile_.events_.empty()) {
            profile_.events_.resize(column_.size());
            std::iota(profile_.events_.begin(), profile_.events_.end(), 0u);
        }
        columns_ = profile_.events_.size();
        for (std::size_t column = 0; column < columns_; ++column) column_[profile_.events_[column]] = column;
        profile_.totals_.resize(columns_);
        for (auto& cells : misses_) cells.resize(columns_);
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto column = column_[context.event];
        if (column == not_counted) return;
        const Cell cell{1, sample.period()};
        profile_.totals_[column] += cell;
        if (sample.time()) {
            const auto time = context.time;
            if (!profile_.first_time_ || time < *profile_.first_time_) profile_.first_time_ = time;
            if (!profile_.last_time_ || time > *profile_.last_time_) profile_.last_time_ = time;
        }
        const auto ip = sample.ip();
        const auto place = ip ? timeline_.locate(*ip, context.time, sample.mode())
                              : std::expected<Place, Miss>(std::unexpected(Miss::no_address));
        if (place) {
            row(*place)[column] += cell;
        } else {
            misses_[static_cast<std::size_t>(place.error())][column] += cell;
        }
    }

    Profile finish() &&;

  private:
    // A KSYMBOL's length has 32 bits, so code and offset fit into one word.
    static std::uint64_t key(Place place) { return std::uint64_t{place.code} << 32 | (place.offset & 0xffffffff); }

    std::span<Cell> row(Place place) {
        const auto [found, added] = rows_.try_emplace(key(place), cells_.size());
        if (added) cells_.resize(cells_.size() + columns_);
        return std::span(cells_).subspan(found->second, columns_);
    }

    static constexpr std::size_t not_counted = ~std::size_t{0};

    const Timeline& timeline_;
    std::vector<std::size_t> column_;  // of an event
    std::size_t columns_ = 0;
    std::unordered_map<std::uint64_t, std::size_t> rows_;  // key -> first cell
    Cells cells_;
    std::array<Cells, static_cast<std::size_t>(Miss::unknown_mode) + 1> misses_;
    Profile profile_;
};

Profile ProfileCounter::finish() && {
    std::vector<std::pair<std::uint64_t, std::size_t>> rows(rows_.begin(), rows_.end());
    std::ranges::sort(rows);  // by code, then offset
    auto& functions = profile_.functions_;
    for (const auto& [key, first] : rows) {
        const auto code = static_cast<CodeIndex>(key >> 32);
        if (functions.empty() || functions.back().code != code) functions.push_back({code, Cells(columns_), {}});
        const auto cells = std::span(cells_).subspan(first, columns_);
        add(functions.back().total, cells);
        functions.back().offsets.push_back({key & 0xffffffff, Cells(cells.begin(), cells.end())});
    }
    std::ranges::sort(functions, [&](const FunctionHits& a, const FunctionHits& b) {
        const auto rank = [&](const FunctionHits& function) {
            const auto& code = timeline_.code()[function.code];
            return std::tuple(~hits(function.total), code.from, code.range.begin, function.code);
        };
        return rank(a) < rank(b);
    });
    for (std::size_t miss = 0; miss < misses_.size(); ++miss) {
        if (hits(misses_[miss]) != 0) profile_.misses_[static_cast<Miss>(miss)] = std::move(misses_[miss]);
    }
    return std::move(profile_);
}

Result<Profile> Profile::count(const Recording& recording, const Timeline& timeline, const ProfileOptions& options) {
    ProfileCounter counter(recording, timeline, options);
    Completeness seen;  // the timeline's pass has counted all records already
    if (auto walked = walk(recording, seen, counter, {.order = {}, .stop = options.stop}); !walked)
        return fail(walked.error());
    return std::move(counter).finish();
}

}  // namespace perfdata
