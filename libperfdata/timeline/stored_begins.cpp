// SPDX-License-Identifier: MIT
#include "stored_begins.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>

#include "perfdata/timeline/mapping.hpp"

namespace perfdata {
namespace {

// What a function may claim of the room for those that are moved: sizes in a file may be any.
constexpr std::uint64_t most_room = std::uint64_t{1} << 40;

// Claim is a byte that something lies at. `owner`: 0 is code without a name, else the number of the function, plus 1.
struct Claim {
    std::uint8_t kind = 0;
    std::uint32_t index = 0;
    std::uint64_t offset = 0;
    std::uint32_t owner = 0;

    auto operator<=>(const Claim&) const = default;
    bool is_at(const Claim& other) const {
        return kind == other.kind && index == other.index && offset == other.offset;
    }
};

bool is_movable(stored::FrameKindChoice kind) {
    return kind.is(stored::frame_kind::object) || kind.is(stored::frame_kind::memory) ||
           kind.is(stored::frame_kind::nowhere);
}

std::uint64_t base_of_stored(const stored::Model& model, stored::Ref<stored::Object> object) {
    const auto& row = model.at(object);
    return row.kind.is(ObjectKind::kernel) ? row.base : 0;
}

// The claim of a row of functions or frames that has room.
template <class Row>
Claim claim_of(const stored::Model& model, const Row& row, std::uint64_t offset, std::uint32_t owner) {
    const bool object = row.kind.is(stored::frame_kind::object);
    if (object) offset += base_of_stored(model, row.object);
    return {row.kind.value, object ? row.object.number : row.number, offset, owner};
}

// Each place is for who claims it first: code without a name, then functions in their order.
void move_apart(const stored::Model& model, std::vector<std::uint64_t>& begins) {
    std::vector<Claim> claims;
    std::vector<std::uint64_t> room(begins.size());
    for (std::uint32_t number = 0; number < begins.size(); ++number) {
        const auto& function = model.functions[number];
        room[number] = std::clamp<std::uint64_t>(function.size, 1, most_room);
        if (is_movable(function.kind)) claims.push_back(claim_of(model, function, function.begin, number + 1));
    }
    for (const auto& frame : model.frames) {
        if (!frame.function) {
            if (is_movable(frame.kind)) claims.push_back(claim_of(model, frame, frame.offset, 0));
            continue;
        }
        const auto& function = model.at(frame.function);
        auto& own = room[frame.function.number];
        own = std::max(own, std::min(frame.offset, most_room) + 1);
        if (!is_movable(function.kind)) continue;
        claims.push_back(claim_of(model, function, function.begin + frame.offset, frame.function.number + 1));
    }
    std::ranges::sort(claims);
    std::vector<bool> moves(begins.size());
    for (std::size_t at = 0, first = 0; at < claims.size(); ++at) {
        if (!claims[at].is_at(claims[first])) first = at;
        if (claims[at].owner != claims[first].owner) moves[claims[at].owner - 1] = true;
    }
    auto next = stored_moved;
    for (std::size_t number = 0; number < begins.size(); ++number) {
        if (!moves[number]) continue;
        begins[number] = next;
        next += room[number];
    }
}

}  // namespace

std::vector<std::uint64_t> stored_begins(const stored::Model& model) {
    std::vector<std::uint64_t> begins;
    begins.reserve(model.functions.size());
    for (const auto& function : model.functions) {
        auto begin = is_movable(function.kind) ? function.begin : 0;
        if (function.kind.is(stored::frame_kind::object)) begin += base_of_stored(model, function.object);
        begins.push_back(begin);
    }
    if (model.facts.merged) move_apart(model, begins);
    return begins;
}

}  // namespace perfdata
