// SPDX-License-Identifier: MIT
// Strong types for the quantities of a recording. Each is one machine word; mixing two of them does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace perfdata {

// Bytes is a read-only view of raw file content. Functions that return one state its lifetime.
using Bytes = std::span<const std::byte>;

// Address is a virtual address of the recording machine. Arithmetic wraps like the machine's own.
struct Address {
    std::uint64_t value = 0;  // any 64 bits: not checked to be canonical or mapped

    constexpr auto operator<=>(const Address&) const = default;

    // The address behind; wraps at the end of the address space.
    friend constexpr Address operator+(Address address, std::uint64_t offset) { return {address.value + offset}; }
    // The distance from `low` up to `high`, in bytes.
    friend constexpr std::uint64_t operator-(Address high, Address low) { return high.value - low.value; }
};

// AddressRange is [begin, begin + size), cut at the end of the address space.
struct AddressRange {
    Address begin;           // of its first byte
    std::uint64_t size = 0;  // bytes; 0: no address is in it

    constexpr bool operator==(const AddressRange&) const = default;
    // last() is the address of the last byte; valid only if size != 0.
    constexpr Address last() const {
        const auto room = std::numeric_limits<std::uint64_t>::max() - begin.value;
        return {begin.value + (size - 1 < room ? size - 1 : room)};
    }

    // contains(address) returns whether it is inside; never for a size of 0.
    constexpr bool contains(Address address) const { return address >= begin && address.value - begin.value < size; }
    // overlaps(other) returns true if an address is in both; never if one of them has a size of 0.
    constexpr bool overlaps(const AddressRange& other) const {
        return size != 0 && other.size != 0 && begin <= other.last() && other.begin <= last();
    }
};

// Time is in nanoseconds of the recording's event clock (perf's clock unless the event chose another). Zero marks
// records that perf synthesized: they describe what existed before the recording began.
struct Time {
    std::uint64_t nanoseconds = 0;  // by the clock of the recording, whatever its start is

    constexpr auto operator<=>(const Time&) const = default;
    static constexpr Time forever() { return {std::numeric_limits<std::uint64_t>::max()}; }  // later than all others
};

// Pid and Tid are process and thread ids as the kernel recorded them; all ones means none.
struct Pid {
    std::uint32_t value = 0;  // process id (thread group id) in the recorder's pid namespace
    constexpr auto operator<=>(const Pid&) const = default;
};
// Tid is to threads what Pid is to processes.
struct Tid {
    std::uint32_t value = 0;  // thread id; that of the first thread is the process id
    constexpr auto operator<=>(const Tid&) const = default;
};

// EventId identifies one counter of one event (per CPU and thread). Zero marks synthesized records.
struct EventId {
    std::uint64_t value = 0;  // 0 in synthesized records; else unique, see Event::ids
    constexpr auto operator<=>(const EventId&) const = default;
};

// ProgramId is the kernel's id of a loaded BPF program; unique within one boot.
struct ProgramId {
    std::uint32_t value = 0;  // 0: unknown; ids start at 1
    constexpr auto operator<=>(const ProgramId&) const = default;
};

}  // namespace perfdata

// <string_view> has the template, as <functional> has, which is large.
template <>
struct std::hash<perfdata::EventId> {
    // The id as its own hash.
    std::size_t operator()(perfdata::EventId id) const noexcept { return std::hash<std::uint64_t>{}(id.value); }
};
