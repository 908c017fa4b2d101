// SPDX-License-Identifier: MIT
// What lies where in a recording, found by its headers alone, and which of its samples a reader can still find when it
// has been damaged. Shares nothing with the library's reader.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// number(...) is an integer of 1 to 8 bytes.
std::uint64_t number(Bytes file, std::uint64_t at, unsigned size, std::endian order);

struct Frame {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;     // of the record
    std::uint64_t whole = 0;    // and of the data behind it
    std::uint64_t samples = 0;  // 1 for a sample; of a compressed record those whose last byte is in it
    std::uint32_t type = 0;

    bool packed() const { return type == 81 || type == 83; }
    std::uint64_t end() const { return offset + whole; }
};

// Frames is an undamaged recording: its records in file order.
struct Frames {
    std::endian order = std::endian::little;
    bool pipe = false;
    std::uint64_t begin = 0, end = 0;  // of the records
    std::vector<Frame> all;

    std::uint64_t samples() const;
    bool packed() const;
};
Frames frames_of(Bytes file);

// Start is where an undamaged record begins in a damaged file.
struct Start {
    std::uint64_t offset = 0;
    std::uint64_t samples = 0;
    bool intact = true;   // behind its header too
    bool orphan = false;  // a compressed record: what it continues is gone
};

// Expectation is what a reader that goes on at the next undamaged record behind damage gets to see.
struct Expectation {
    std::uint64_t framed = 0;     // samples, whatever they are worth
    std::uint64_t saved = 0;      // those of them that are undamaged
    std::uint64_t swallowed = 0;  // undamaged, but in bytes that a damaged record or what looks like one claims
    std::uint64_t too_few = 0;    // undamaged, but not enough of them in a row to be told from other bytes
    // False if a compressed record is damaged, or is read as if it continued what is gone: zstd notices that at once,
    // later or never. At least so many.
    bool exact = true;
};

// expect(file, frames, begin, end, starts): from `begin` on records follow each other by their sizes. What has the
// header of a record counts as one, damaged or not: nobody could tell. That is one of a type of the kernel with a size
// that is a multiple of 8, or one of perf with a size that this type can have, not beyond the end. Others count if a
// known type with a size that it can have follows the record; types up to 255 with sizes that are multiples of 8 also
// if another such follows. Where there is no header, reading goes on at the next place, be it inside a record, from
// where on three records of known types with sizes that they can have follow each other, or fewer that are all that is
// left: one before one that is cut off, one before the end if all is where it was, else two. If the place is not a
// multiple of 8 away and all sizes before were such multiples, theirs must be, too, but for the three types of perf's
// that are not padded.
//
// A record is not what its header says if such a place is inside it and no header is where it ends, or it has a size
// that its type cannot have, or a type beyond 255 that is not known. Then reading goes on at that place. Data behind a
// record are not looked at for this.
//
// The payloads of compressed records are one stream: where reading had to look for a record between two of them, or
// found one of a type that nobody writes, one may be missing, and the rest of the stream is worth nothing.
//
// Data behind a record that go beyond the end are looked through for records: three in a row; six where the place is
// not a multiple of 8 away.
Expectation expect(Bytes file, const Frames& frames, std::uint64_t begin, std::uint64_t end,
                   const std::vector<Start>& starts);

// starts_of(frames) is all records; starts_without(frames, from, until, shift) is those that do not overlap
// [from, until), which has become so much longer or shorter. Compressed records behind the first that does overlap are
// orphans and have no samples.
std::vector<Start> starts_of(const Frames& frames);
std::vector<Start> starts_without(const Frames& frames, std::uint64_t from, std::uint64_t until,
                                  std::int64_t shift = 0);
// starts_in(frames, before, after) is the same for bytes that were overwritten.
std::vector<Start> starts_in(const Frames& frames, Bytes before, Bytes after);
// samples_in(starts) is how many undamaged samples they are.
std::uint64_t samples_in(const std::vector<Start>& starts);

}  // namespace perfdata::test
