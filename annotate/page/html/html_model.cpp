// SPDX-License-Identifier: MIT
#include "html_model.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "format/words.hpp"

namespace perfdata {
namespace {

// Kernel code is at one address for all processes, so the address alone identifies it.
std::pair<std::string, std::uint64_t> place_of(const Listing& listing, Address begin) {
    return {listing.version.in_kernel() ? std::string() : listing.object, begin.value};
}

}  // namespace

bool has_listing(const Listing& listing) {
    return !listing.instructions.empty() || !listing.problems.empty();
}

char html_kind(CodeClass kind) {
    switch (kind) {
        case CodeClass::kernel:
        case CodeClass::module: return 'k';
        case CodeClass::bpf: return 'b';
        case CodeClass::out_of_line: return 'o';
        case CodeClass::user: return 'u';
        case CodeClass::jit: return 'j';
        case CodeClass::unknown: break;
    }
    return 'x';
}

int heat_class(double percent) {
    constexpr double steps[] = {0.5, 1, 2, 5, 10, 20, 40};
    return static_cast<int>(std::ranges::upper_bound(steps, percent) - std::begin(steps));
}

std::string quantity(std::uint64_t number) {
    constexpr std::string_view units[] = {"", " k", " M", " G", " T", " P", " E"};
    auto value = static_cast<double>(number);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(units); value /= 1000) ++unit;
    return unit == 0     ? std::to_string(number)
           : value < 10  ? fmt::format("{:.2f}{}", value, units[unit])
           : value < 100 ? fmt::format("{:.1f}{}", value, units[unit])
                         : fmt::format("{:.0f}{}", value, units[unit]);
}

HtmlModel::HtmlModel(const PageContext& page, std::span<const Listing> listings, const HtmlOptions& options)
    : page_(page), options_(options) {
    choose_columns();
    group(listings);
    find_periods();
}

// Events without samples (such as perf's "dummy") get no columns.
void HtmlModel::choose_columns() {
    for (std::size_t column = 0; column < totals().size(); ++column) {
        if (totals()[column].hits != 0) columns_.push_back(column);
    }
    if (columns_.empty() && !totals().empty()) columns_.push_back(0);
}

void HtmlModel::group(std::span<const Listing> listings) {
    std::map<std::tuple<FrameKind, std::uint32_t, std::uint64_t>, std::size_t> known;
    for (const auto& listing : listings) {
        const auto& frame = listing.version.function;
        const auto [place, added] = known.try_emplace({frame.kind, frame.index, frame.offset}, functions_.size());
        if (added) functions_.push_back({{}, EventCounts(totals().size()), 0});
        auto& function = functions_[place->second];
        function.versions.push_back(&listing);
        add(function.total, listing.total);
    }
    std::ranges::stable_sort(functions_, std::greater(), [](const HtmlFunction& of) { return hits(of.total); });
    std::uint32_t number = 0;
    for (auto& function : functions_) {
        std::ranges::stable_sort(function.versions, {}, [](const Listing* of) { return of->version.number; });
        if (!std::ranges::any_of(function.versions, [](const Listing* of) { return has_listing(*of); })) continue;
        function.number = ++number;
        numbered_.push_back(&function);
        const auto& frame = function.first().version.function;
        anchors_.emplace(std::tuple(frame.kind, frame.index, frame.offset), number);
        places_.emplace(place_of(function.first(), function.first().range.begin), &function);
    }
}

// Periods add nothing if all samples have the same period.
void HtmlModel::find_periods() {
    for (const auto column : columns_) {
        const auto& whole = totals()[column];
        for (const auto& function : functions_) {
            const auto& cell = function.total[column];
            const auto expected = share(cell.hits, whole.hits);
            if (std::abs(share(cell.periods, whole.periods) - expected) > 0.005) has_periods_ = true;
        }
    }
}

const std::string& HtmlModel::event_name(std::size_t column) const {
    return page_.recording.events().events()[page_.profile.events()[column]].name;
}

double HtmlModel::percent(std::span<const EventCount> cells, std::span<const EventCount> whole) const {
    double most = 0;
    for (const auto column : columns_) most = std::max(most, share(count(cells[column]), count(whole[column])));
    return most;
}

std::uint32_t HtmlModel::anchor(const Frame& function) const {
    const auto found = anchors_.find({function.kind, function.index, function.offset});
    return found == anchors_.end() ? 0 : found->second;
}

std::string HtmlModel::call_anchor(const ListingCall& call) const {
    const auto number = anchor(call.function);
    if (number == 0) return {};
    const auto& function = *numbered_[number - 1];
    const auto& listing = function.first();
    if (call.offset && function.versions.size() == 1) {
        const auto row = std::ranges::lower_bound(listing.instructions, *call.offset, {},
                                                  [](const auto& of) { return of.instruction.offset; });
        const bool there = row != listing.instructions.end() && row->instruction.offset == *call.offset;
        if (there && !row->calls.empty())
            return fmt::format("f{}v{}-{:x}", number, listing.version.number + 1, *call.offset);
    }
    return fmt::format("f{}", number);
}

std::uint32_t HtmlModel::anchor(const Listing& from, const ListingTarget& target) const {
    if (target.name.empty() || target.same_function) return 0;
    const auto [begin, end] = places_.equal_range(place_of(from, Address{target.address.value - target.offset}));
    // Addresses are reused: the name must match as well.
    for (auto place = begin; place != end; ++place) {
        const auto& function = place->second->first();
        if (target.name == function.name.name || target.name == function.symbol ||
            target.name == function.name.full()) {
            return place->second->number;
        }
    }
    return 0;
}

}  // namespace perfdata
