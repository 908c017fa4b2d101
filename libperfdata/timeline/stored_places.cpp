// SPDX-License-Identifier: MIT
#include "stored_places.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace perfdata {
namespace {

// Where something is: the key of all that is sorted here.
template <class Place>
auto key_of_place(const Place& place) {
    return std::tuple(place.kind, place.index, place.offset);
}

// How many functions are looked at that begin before a place and may reach it. Those of a file nest little.
constexpr int most_overlapping = 64;

}  // namespace

StoredPlaces::StoredPlaces(const stored::Model& model) : model_(model), frames_(model) {
    add_points();
    add_starts();
}

void StoredPlaces::add_points() {
    points_.reserve(model_.frames.size());
    for (std::uint32_t row = 0; row < model_.frames.size(); ++row) {
        const auto live = frames_.frame(model_.frames[row]);
        const Point point{live.kind, live.mode, live.index, live.offset, row};
        points_.push_back(point);
        if (!model_.frames[row].function && model_.frames[row].nameless) nameless_.push_back(point);
    }
    const auto key = [](const Point& point) {
        return std::tuple_cat(key_of_place(point), std::tuple(point.mode, point.row));
    };
    std::ranges::sort(points_, {}, key);
    std::ranges::sort(nameless_, {}, key);
}

void StoredPlaces::add_starts() {
    starts_.reserve(model_.functions.size());
    for (std::uint32_t number = 0; number < model_.functions.size(); ++number) {
        const auto begin = frames_.function(stored::Ref<stored::Function>(number));
        const auto size = std::max<std::uint64_t>(model_.functions[number].size, 1);
        const auto last = begin.offset + std::min(size - 1, ~begin.offset);
        starts_.push_back({begin.kind, begin.index, begin.offset, last, last, number});
    }
    // Of those that begin together the first one is looked at first, from behind.
    std::ranges::sort(starts_, {}, [](const Start& start) {
        return std::tuple_cat(key_of_place(start), std::tuple(~start.function));
    });
    for (std::size_t at = 1; at < starts_.size(); ++at) {
        auto& start = starts_[at];
        const auto& before = starts_[at - 1];
        if (before.kind == start.kind && before.index == start.index) start.reach = std::max(start.last, before.reach);
    }
}

const stored::Frame* StoredPlaces::row(const Frame& frame) const {
    const auto found = std::ranges::equal_range(points_, key_of_place(frame), {}, key_of_place<Point>);
    if (found.empty()) return nullptr;
    const auto same = std::ranges::lower_bound(found, frame.mode, {}, &Point::mode);
    const bool has_mode = same != found.end() && same->mode == frame.mode;
    return &model_.frames[has_mode ? same->row : found.front().row];
}

StoredPlaces::Found StoredPlaces::function_at(const Frame& frame) const {
    if (const auto* known = row(frame)) {
        if (!known->function) return {};
        return {known->function, frame.offset - known->offset};
    }
    auto start = std::ranges::upper_bound(starts_, key_of_place(frame), {}, key_of_place<Start>);
    for (int looks = 0; looks < most_overlapping && start != starts_.begin(); ++looks) {
        --start;
        if (start->kind != frame.kind || start->index != frame.index || start->reach < frame.offset) break;
        if (start->last >= frame.offset) return {stored::Ref<stored::Function>(start->function), start->offset};
    }
    return {};
}

const stored::Frame* StoredPlaces::nameless_near(const Frame& frame) const {
    const auto after = std::ranges::lower_bound(nameless_, key_of_place(frame), {}, key_of_place<Point>);
    const auto is_near = [&](const Point& point) { return point.kind == frame.kind && point.index == frame.index; };
    if (after != nameless_.end() && is_near(*after)) return &model_.frames[after->row];
    if (after != nameless_.begin() && is_near(*std::prev(after))) return &model_.frames[std::prev(after)->row];
    return nullptr;
}

}  // namespace perfdata
