// SPDX-License-Identifier: MIT
// References between the tables of a profile file, and words of enumerations. Each says in its type what it may be, so
// that one visitor can check or renumber all of them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace perfdata::stored {

// Ref is the number of a row of the table of `Row`, or nothing.
template <class Row>
struct Ref {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t number = none;

    constexpr Ref() = default;
    constexpr explicit Ref(std::size_t row) : number(static_cast<std::uint32_t>(row)) {}

    constexpr explicit operator bool() const { return number != none; }
    // In files and in comparisons nothing is 0, and comes first: so a table in the order of its rows has the chains
    // that begin nowhere at its beginning.
    constexpr std::uint32_t code() const { return number + 1; }
    static constexpr Ref of_code(std::uint32_t code) {
        Ref ref;
        ref.number = code - 1;
        return ref;
    }
    constexpr bool operator==(const Ref&) const = default;
    constexpr std::strong_ordering operator<=>(const Ref& other) const { return code() <=> other.code(); }
};

// Choice is a value of an enumeration with `Count` values, from 0 on. The enumeration itself may be of a room that this
// one must not know.
template <std::uint8_t Count>
struct Choice {
    static constexpr std::uint8_t count = Count;

    std::uint8_t value = 0;

    constexpr Choice() = default;
    template <class Enumeration>
    constexpr Choice(Enumeration of) : value(static_cast<std::uint8_t>(of)) {}

    // as<Enumeration>() returns it as that.
    template <class Enumeration>
    constexpr Enumeration as() const {
        return static_cast<Enumeration>(value);
    }
    // is(of) returns true if it is that value.
    template <class Enumeration>
    constexpr bool is(Enumeration of) const {
        return value == static_cast<std::uint8_t>(of);
    }
    constexpr auto operator<=>(const Choice&) const = default;
};

// The enumerations of other rooms, by their names there.
using ErrorCodeChoice = Choice<11>;
using CpuModeChoice = Choice<6>;
using FrameKindChoice = Choice<6>;  // only those that a row allows
using MissChoice = Choice<10>;
using ObjectKindChoice = Choice<11>;
using CodeKindChoice = Choice<3>;
using CodeClassChoice = Choice<7>;
using SymbolMissChoice = Choice<15>;
using CodeOriginChoice = Choice<6>;   // CodeOrigin::Kind
using LinesOriginChoice = Choice<3>;  // LinesOrigin::Kind
using RelocationBaseChoice = Choice<3>;
using PartialKindChoice = Choice<2>;
inline constexpr std::size_t stack_end_choices = 12;  // of StackEnd

// FrameKind by its numbers, for those rooms that do not know its names.
namespace frame_kind {
inline constexpr std::uint8_t code = 0, object = 1, jit = 2, memory = 3, inlined = 4, nowhere = 5;
}
// ObjectKind likewise.
namespace object_kind_number {
inline constexpr std::uint8_t file = 0, kernel = 1, module = 2;
}

}  // namespace perfdata::stored
