// SPDX-License-Identifier: MIT
#include "perfdata/timeline/address_spaces.hpp"

#include <algorithm>

namespace perfdata {
namespace {

// So many ancestors of one level are followed one by one; then a fork copies what they mapped.
constexpr std::uint32_t most_alike = 16;
// At most so many copies are made for each mapping.
constexpr std::size_t most_copies = 8;

// for_each_cover(first, end, leaves, visit) visits the nodes that together cover the segments first ... end - 1.
template <class Visit>
void for_each_cover(std::size_t first, std::size_t end, std::size_t leaves, Visit&& visit) {
    for (first += leaves, end += leaves; first < end; first /= 2, end /= 2) {
        if (first % 2 != 0) visit(first++);
        if (end % 2 != 0) visit(--end);
    }
}

}  // namespace

SpaceIndex AddressSpaces::Builder::create() {
    spaces_.emplace_back();
    return static_cast<SpaceIndex>(spaces_.size() - 1);
}

SpaceIndex AddressSpaces::Builder::fork(SpaceIndex parent) {
    const auto child = create();
    auto limit = static_cast<std::uint32_t>(mappings_.size());
    while (parent != none && spaces_[parent].latest == no_entry) {
        limit = spaces_[parent].limit;
        parent = spaces_[parent].parent;
    }
    if (parent == none) return child;
    spaces_[child].parent = parent;
    spaces_[child].limit = limit;
    if (spaces_[parent].alike >= most_alike) gather(child);

    auto& space = spaces_[child];
    if (space.parent != none && spaces_[space.parent].level == space.level) {
        space.alike = spaces_[space.parent].alike + 1;
    }
    return child;
}

// gather(child) enters what the child's nearest ancestors, all of one level, mapped into it and makes it one of the
// next level: of n generations that all map and never exec only O(log n) are followed one by one, for as many copies of
// each mapping. It does not if memory would no longer be linear: in a tree of forks that is both deep and broad.
void AddressSpaces::Builder::gather(SpaceIndex child) {
    const auto most = most_copies * mappings_.size() - copied_;
    std::vector<std::uint32_t> seen;
    auto limit = spaces_[child].limit;
    auto at = spaces_[child].parent;
    const auto level = spaces_[at].level;
    for (; at != none && spaces_[at].level == level; limit = spaces_[at].limit, at = spaces_[at].parent) {
        for (auto entry = spaces_[at].latest; entry != no_entry; entry = entries_[entry].before) {
            if (entries_[entry].mapping < limit) seen.push_back(entries_[entry].mapping);
            if (seen.size() > most) return;
        }
    }
    copied_ += seen.size();
    std::ranges::sort(seen);
    for (const auto mapping : seen) enter(child, mapping);
    auto& space = spaces_[child];
    space.parent = at;
    space.limit = limit;
    space.level = level + 1;
}

void AddressSpaces::Builder::enter(SpaceIndex space, std::uint32_t mapping) {
    entries_.push_back({mapping, spaces_[space].latest});
    spaces_[space].latest = static_cast<std::uint32_t>(entries_.size() - 1);
}

void AddressSpaces::Builder::map(SpaceIndex space, const Mapping& mapping) {
    if (mapping.range.size == 0) return;
    mappings_.push_back(mapping);
    enter(space, static_cast<std::uint32_t>(mappings_.size() - 1));
}

AddressSpaces AddressSpaces::Builder::build() && {
    AddressSpaces built;
    built.mappings_ = std::move(mappings_);
    built.mappings_.shrink_to_fit();
    built.spaces_.reserve(spaces_.size());
    std::vector<std::uint32_t> own;
    for (const auto& space : spaces_) {
        own.clear();
        for (auto entry = space.latest; entry != no_entry; entry = entries_[entry].before) {
            own.push_back(entries_[entry].mapping);
        }
        std::ranges::reverse(own);
        built.spaces_.push_back({space.parent, space.limit, 0, 0});
        built.index(built.spaces_.back(), own);
    }
    return built;
}

void AddressSpaces::index(Space& space, std::span<const std::uint32_t> mappings) {
    const auto first = bounds_.size();
    for (const auto index : mappings) {
        const auto& range = mappings_[index].range;
        bounds_.push_back(range.begin);
        const auto end = range.last() + 1;
        if (end.value != 0) bounds_.push_back(end);
    }
    std::sort(bounds_.begin() + static_cast<std::ptrdiff_t>(first), bounds_.end());
    bounds_.erase(std::unique(bounds_.begin() + static_cast<std::ptrdiff_t>(first), bounds_.end()), bounds_.end());
    const auto bounds = std::span(bounds_).subspan(first);
    space.first_bound = static_cast<std::uint32_t>(first);
    space.bounds = static_cast<std::uint32_t>(bounds.size());

    // Two passes: how many mappings each node lists, then which.
    const auto nodes = node_ends_.size();
    node_ends_.resize(nodes + 2 * bounds.size());
    const auto each = [&](auto&& visit) {
        for (const auto index : mappings) {
            const auto& range = mappings_[index].range;
            const auto begin = std::ranges::lower_bound(bounds, range.begin) - bounds.begin();
            const auto end = std::ranges::upper_bound(bounds, range.last()) - bounds.begin();
            for_each_cover(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), bounds.size(),
                           [&](std::size_t node) { visit(nodes + node, index); });
        }
    };
    each([&](std::size_t node, std::uint32_t) { ++node_ends_[node]; });
    auto end = static_cast<std::uint32_t>(listed_.size());
    for (auto node = nodes; node < node_ends_.size(); ++node) {
        const auto count = node_ends_[node];
        node_ends_[node] = end;  // its begin, until it is filled
        end += count;
    }
    listed_.resize(end);
    each([&](std::size_t node, std::uint32_t index) { listed_[node_ends_[node]++] = index; });
}

// latest(...) narrows the stretch to that of its answer.
const Mapping* AddressSpaces::latest(const Space& space, Address address, Time time, std::uint32_t limit,
                                     Stretch& stretch) const {
    const auto bounds = std::span(bounds_).subspan(space.first_bound, space.bounds);
    const auto above = std::ranges::upper_bound(bounds, address);
    if (above != bounds.end()) stretch.last = std::min(stretch.last, Address{above->value - 1});
    if (above == bounds.begin()) return nullptr;
    stretch.begin = std::max(stretch.begin, *std::prev(above));
    const auto seen = [&](std::uint32_t index) { return index < limit && mappings_[index].from <= time; };
    std::uint32_t found = 0;  // index + 1
    auto next = limit;        // the first that comes later
    const auto nodes = std::size_t{2} * space.first_bound;
    for (auto node = static_cast<std::size_t>(above - bounds.begin()) - 1 + bounds.size(); node != 0; node /= 2) {
        const auto end = node_ends_[nodes + node];
        const auto begin = nodes + node == 0 ? 0 : node_ends_[nodes + node - 1];
        if (begin == end || listed_[begin] >= limit) continue;
        const auto list = std::span(listed_).subspan(begin, end - begin);
        const auto later = std::ranges::partition_point(list, seen);
        if (later != list.begin()) found = std::max(found, *std::prev(later) + 1);
        if (later != list.end()) next = std::min(next, *later);
    }
    if (next != limit) stretch.until = std::min(stretch.until, mappings_[next].from);
    return found == 0 ? nullptr : &mappings_[found - 1];
}

const Mapping* AddressSpaces::find(SpaceIndex space, Address address, Time time, Stretch& stretch) const {
    auto limit = static_cast<std::uint32_t>(mappings_.size());
    for (; space != none; limit = spaces_[space].limit, space = spaces_[space].parent) {
        if (const auto* mapping = latest(spaces_[space], address, time, limit, stretch)) return mapping;
    }
    return nullptr;
}

}  // namespace perfdata
