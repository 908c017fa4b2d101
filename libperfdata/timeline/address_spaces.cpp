// SPDX-License-Identifier: MIT
#include "perfdata/timeline/address_spaces.hpp"

#include <algorithm>

#include "recording/look_out.hpp"

namespace perfdata {
namespace {

// for_each_cover(first, end, leaves, visit) visits the nodes that together cover the segments first ... end - 1.
template <class Visit>
void for_each_cover(std::size_t first, std::size_t end, std::size_t leaves, Visit&& visit) {
    for (first += leaves, end += leaves; first < end; first /= 2, end /= 2) {
        if (first % 2 != 0) visit(first++);
        if (end % 2 != 0) visit(--end);
    }
}

// Segments are those that a mapping covers, from `first` on and before `end`.
struct Segments {
    std::uint32_t first = 0, end = 0;
};

}  // namespace

SpaceIndex AddressSpaces::Builder::create() {
    spaces_.emplace_back();
    return static_cast<SpaceIndex>(spaces_.size() - 1);
}

SpaceIndex AddressSpaces::Builder::fork(SpaceIndex parent) {
    const auto child = create();
    auto limit = static_cast<std::uint32_t>(mappings_.size());
    while (parent != none && spaces_[parent].empty) {
        limit = spaces_[parent].limit;
        parent = spaces_[parent].parent;
    }
    if (parent == none) return child;
    spaces_[child].parent = parent;
    spaces_[child].limit = limit;
    return child;
}

void AddressSpaces::Builder::map(SpaceIndex space, const Mapping& mapping) {
    if (mapping.range.size == 0) return;
    mappings_.push_back(mapping);
    owners_.push_back(space);
    spaces_[space].empty = false;
}

// heirs() returns for each space the child that continues its path, none if it has no child.
std::vector<SpaceIndex> AddressSpaces::Builder::heirs() const {
    std::vector<std::uint32_t> descendants(spaces_.size());
    std::vector<SpaceIndex> heirs(spaces_.size(), none);
    for (auto space = static_cast<SpaceIndex>(spaces_.size()); space-- > 0;) {
        const auto parent = spaces_[space].parent;
        if (parent == none) continue;
        descendants[parent] += descendants[space] + 1;
        auto& heir = heirs[parent];
        if (heir == none || descendants[space] >= descendants[heir]) heir = space;
    }
    return heirs;
}

AddressSpaces AddressSpaces::Builder::build() && {
    LookOut nobody;
    return std::move(*this).build(nobody);
}

AddressSpaces AddressSpaces::Builder::build(LookOut& look) && {
    AddressSpaces built;
    const auto heirs = this->heirs();
    built.spaces_.resize(spaces_.size());
    for (SpaceIndex index = 0; index < spaces_.size(); ++index) {
        const auto& [parent, limit, empty] = spaces_[index];
        auto& space = built.spaces_[index];
        if (parent != none && heirs[parent] == index) {
            space.path = built.spaces_[parent].path;
        } else {
            space.path = static_cast<std::uint32_t>(built.paths_.size());
            built.paths_.push_back({parent, limit, {}});
        }
        if (heirs[index] != none) space.handed_down = spaces_[heirs[index]].limit;
    }
    // Assign mappings to trees: first come those of paths, then those of spaces.
    std::vector<std::uint32_t> trees;
    trees.reserve(mappings_.size());
    for (std::uint32_t mapping = 0; mapping < mappings_.size(); ++mapping) {
        look();
        auto& space = built.spaces_[owners_[mapping]];
        auto tree = space.path;
        if (mapping >= space.handed_down) {
            if (space.late == all) {
                space.late = static_cast<std::uint32_t>(built.late_.size());
                built.late_.emplace_back();
            }
            tree = static_cast<std::uint32_t>(built.paths_.size()) + space.late;
        }
        trees.push_back(tree);
    }
    // List the mappings tree by tree, in order of time. Counting them takes linear time: sorting them took 5 % of the
    // first pass.
    std::vector<std::uint32_t> ends(built.paths_.size() + built.late_.size() + 1);
    for (const auto tree : trees) ++ends[tree + 1];
    for (std::size_t tree = 1; tree < ends.size(); ++tree) ends[tree] += ends[tree - 1];
    std::vector<std::uint32_t> listed(trees.size());
    for (std::uint32_t mapping = 0; mapping < trees.size(); ++mapping) listed[ends[trees[mapping]]++] = mapping;
    built.mappings_ = std::move(mappings_);
    built.mappings_.shrink_to_fit();
    built.bounds_.reserve(2 * trees.size());
    std::uint32_t begin = 0;
    for (std::uint32_t tree = 0; tree + 1 < ends.size(); ++tree) {
        const auto own = std::span(listed).subspan(begin, ends[tree] - begin);
        begin = ends[tree];
        if (own.empty()) continue;
        auto& place = tree < built.paths_.size() ? built.paths_[tree].tree : built.late_[tree - built.paths_.size()];
        place = built.index(own, look);
    }
    return built;
}

AddressSpaces::Tree AddressSpaces::index(std::span<const std::uint32_t> mappings, LookOut& look) {
    const auto first = bounds_.size();
    for (const auto index : mappings) {
        const auto& range = mappings_[index].range;
        bounds_.push_back(range.begin);
        const auto end = range.last() + 1;
        if (end.value != 0) bounds_.push_back(end);
    }
    std::ranges::sort(bounds_.begin() + static_cast<std::ptrdiff_t>(first), bounds_.end(), {},
                      look.by([](Address bound) { return bound; }));
    bounds_.erase(std::unique(bounds_.begin() + static_cast<std::ptrdiff_t>(first), bounds_.end()), bounds_.end());
    const auto bounds = std::span(bounds_).subspan(first);
    const Tree tree{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(bounds.size())};

    std::vector<Segments> segments;
    segments.reserve(mappings.size());
    for (const auto index : mappings) {
        look();
        const auto& range = mappings_[index].range;
        const auto begin = std::ranges::lower_bound(bounds, range.begin) - bounds.begin();
        const auto end = std::ranges::upper_bound(bounds, range.last()) - bounds.begin();
        segments.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    }
    // Two passes: count the mappings that each node lists, then list them.
    const auto nodes = node_ends_.size();
    node_ends_.resize(nodes + 2 * bounds.size());
    const auto each = [&](auto&& visit) {
        for (std::size_t at = 0; at < mappings.size(); ++at) {
            look();
            for_each_cover(segments[at].first, segments[at].end, bounds.size(),
                           [&](std::size_t node) { visit(nodes + node, mappings[at]); });
        }
    };
    each([&](std::size_t node, std::uint32_t) { ++node_ends_[node]; });
    auto end = static_cast<std::uint32_t>(listed_.size());
    for (auto node = nodes; node < node_ends_.size(); ++node) {
        const auto count = node_ends_[node];
        node_ends_[node] = end;  // its begin, until the list is filled
        end += count;
    }
    listed_.resize(end);
    each([&](std::size_t node, std::uint32_t index) { listed_[node_ends_[node]++] = index; });
    return tree;
}

// latest(...) narrows the stretch to that of its answer.
const Mapping* AddressSpaces::latest(const Tree& tree, Address address, Time time, std::uint32_t limit,
                                     Stretch& stretch) const {
    const auto bounds = std::span(bounds_).subspan(tree.first_bound, tree.bounds);
    const auto above = std::ranges::upper_bound(bounds, address);
    if (above != bounds.end()) stretch.last = std::min(stretch.last, Address{above->value - 1});
    if (above == bounds.begin()) return nullptr;
    stretch.begin = std::max(stretch.begin, *std::prev(above));
    const auto seen = [&](std::uint32_t index) { return index < limit && mappings_[index].from <= time; };
    std::uint32_t found = 0;  // index + 1
    auto next = limit;        // the first later one
    const auto nodes = std::size_t{2} * tree.first_bound;
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
    while (space != none) {
        const auto& [number, handed_down, late] = spaces_[space];
        if (late != all && limit > handed_down) {
            if (const auto* mapping = latest(late_[late], address, time, limit, stretch)) return mapping;
        }
        const auto& path = paths_[number];
        if (const auto* mapping = latest(path.tree, address, time, std::min(limit, handed_down), stretch)) {
            return mapping;
        }
        space = path.parent;
        limit = path.limit;
    }
    return nullptr;
}

std::span<const Mapping> AddressSpaces::mappings() const {
    return mappings_;
}

}  // namespace perfdata
