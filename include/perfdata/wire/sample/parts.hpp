// SPDX-License-Identifier: MIT
// The places of the variable parts of one sample.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "perfdata/wire/sample/part.hpp"

namespace perfdata {

// SampleParts is the result of walking the variable parts of a sample.
struct SampleParts {
    // begin[part] is the offset from the start of the record; 0: not in this sample.
    std::array<std::uint16_t, sample_part_count> begin{};
    // end is the end of the last part that fits. Bytes behind it belong to fields that a newer kernel appended.
    std::uint16_t end = 0;
    // overrun is the part that claims more bytes than the record has: it and the following parts cannot be read.
    std::optional<SamplePart> overrun;
    SampleShape::Reading reading;

    // the part is in the sample and fits
    bool has(SamplePart part) const { return begin[static_cast<std::size_t>(part)] != 0; }

    // offset from the start of the record; 0 if not has(part)
    std::size_t begin_of(SamplePart part) const { return begin[static_cast<std::size_t>(part)]; }
};

namespace detail {

template <class Order>
SampleParts walk_sample_parts(const std::byte* record, std::size_t size, std::size_t at, const SampleShape& shape,
                              Order order, SampleShape::Reading reading, std::size_t stop) {
    SampleParts parts;
    parts.reading = reading;
    for (auto part = shape.next(0); part < stop; part = shape.next(part + 1)) {
        const auto length = shape.size_of(static_cast<SamplePart>(part), record + at, size - at, order, reading);
        if (length == SampleShape::overrun) {
            parts.overrun = static_cast<SamplePart>(part);
            break;
        }
        parts.begin[part] = static_cast<std::uint16_t>(at);
        at += static_cast<std::size_t>(length);
    }
    parts.end = static_cast<std::uint16_t>(at);
    return parts;
}

}  // namespace detail

// sample_parts(record, size, at, shape, order) walks the parts that begin at offset `at` of a record of `size` bytes.
//
// The attr alone leaves two things open: whether an empty branch stack has a hw_idx word (the kernel writes none if the
// PMU provided no stack at all), and whether branch counters follow (an event has them if any event of its group does).
// The record's size decides: the interpretation that ends exactly at its end is right. Bytes that newer kernels append
// may look like counters: where no event asks for any, see SampleShape::forbid_branch_counters(), they are none.
template <class Order>
SampleParts sample_parts(const std::byte* record, std::size_t size, std::size_t at, const SampleShape& shape,
                         Order order) {
    const SampleShape::Reading usual{false, shape.branch_counters()};
    auto parts = detail::walk_sample_parts(record, size, at, shape, order, usual, sample_part_count);
    if (!shape.has(SamplePart::branch_stack) || (parts.end == size && !parts.overrun)) return parts;
    for (const bool has_index : {false, true}) {
        for (const bool counters : {usual.branch_counters, !usual.branch_counters}) {
            if (counters && !shape.may_have_branch_counters()) continue;
            const auto other =
                detail::walk_sample_parts(record, size, at, shape, order, {has_index, counters}, sample_part_count);
            if (other.end == size && !other.overrun) return other;
        }
    }
    return parts;
}

// sample_parts_fit() returns true if sample_parts() would find no overrun, but is cheaper: it stores nothing.
template <class Order>
bool sample_parts_fit(const std::byte* record, std::size_t size, std::size_t at, const SampleShape& shape,
                      Order order) {
    if (shape.has(SamplePart::branch_stack)) return !sample_parts(record, size, at, shape, order).overrun;
    for (auto part = shape.next(0); part < sample_part_count; part = shape.next(part + 1)) {
        const auto length = shape.size_of(static_cast<SamplePart>(part), record + at, size - at, order, {});
        if (length == SampleShape::overrun) return false;
        at += static_cast<std::size_t>(length);
    }
    return true;
}

}  // namespace perfdata
