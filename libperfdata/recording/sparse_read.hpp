// SPDX-License-Identifier: MIT
// Reads a block of records without the copies of stacks in samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// Copies of stacks that have so many bytes or more are left unread. Each costs a system call: 0.3 to 1.4 us were
// measured, and 0.7 us to copy 8 KiB, which is what perf asks for. With stacks of 8 KiB, order of time takes 2.4 times
// as long if they are left out.
constexpr std::size_t least_stack_left_out = std::size_t{12} << 10;

// SparseRead says how far a block was filled.
struct SparseRead {
    std::size_t filled = 0;  // from the start of the block, what was left unread included
    bool left_out = false;   // copies of stacks were left unread: their bytes are undefined
};

// read_sparsely(source, offset, block, kept, events, order) fills the block with the bytes at `offset` of the source,
// of which the first `kept` are there. A record begins at its start. Large copies of stacks are left unread:
//
//     header . fields . registers . size of the copy |         copy          | used size . fields | header . fields
//     read                                           | left                  | read, at once with the next record's
//
// Everything behind a header that no sample of these events has is read: it may be damaged, and its sizes wrong.
Result<SparseRead> read_sparsely(const Source& source, std::uint64_t offset, std::span<std::byte> block,
                                 std::size_t kept, const EventTable& events, AnyOrder order);

}  // namespace perfdata
