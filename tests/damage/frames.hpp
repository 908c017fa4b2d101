// SPDX-License-Identifier: MIT
// Finds records by their headers alone, and predicts which samples a reader can recover from a damaged recording.
// Shares no code with the library's reader.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// number(...) reads an integer of 1 to 8 bytes.
std::uint64_t number(Bytes file, std::uint64_t at, unsigned size, std::endian order);

struct Frame {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;     // of the record
    std::uint64_t whole = 0;    // with the data behind it
    std::uint64_t samples = 0;  // 1 for a sample; for a compressed record the samples whose last byte is in it
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

// Start is the start of an undamaged record in a damaged file.
struct Start {
    std::uint64_t offset = 0;
    std::uint64_t samples = 0;
    bool intact = true;   // not only its header
    bool orphan = false;  // a compressed record whose predecessor in the stream is gone
};

// Expectation is what a reader recovers if it resumes at the next undamaged record.
struct Expectation {
    std::uint64_t framed = 0;     // samples, damaged or not
    std::uint64_t saved = 0;      // undamaged ones among them
    std::uint64_t swallowed = 0;  // undamaged, but inside a damaged or apparent record
    std::uint64_t too_few = 0;    // undamaged, but in runs too short to be recognised
    // False if a compressed record is damaged, or read as the continuation of a missing one: zstd detects that at once,
    // later or never. Then the numbers are minima.
    bool exact = true;
};

// expect(file, frames, begin, end, starts): from `begin` on records follow each other by their sizes. Anything with the
// header of a record counts as one, damaged or not: a reader cannot distinguish them. Such a header has a kernel type
// and a size that is a multiple of 8, or a perf type and a possible size for it, within the end. Others count if a
// known type with a possible size follows the record; types up to 255 with sizes that are multiples of 8 also if
// another such record follows. Without a header, reading resumes at the next place, even inside a record, that is
// followed by three records of known types with possible sizes. Fewer suffice if they are all that is left: one before
// a cut-off record, one before the end if nothing moved, else two. If the place is not a multiple of 8 away and all
// sizes so far were multiples of 8, these sizes must be, too, except for the three unpadded types of perf.
//
// A record is not what its header says if such a place is inside it and no header is at its end, or if its size is
// impossible for its type, or if its type is unknown and beyond 255. Then reading resumes at that place. Data behind a
// record are not searched for this.
//
// The payloads of compressed records are one stream. If the reader had to search for a record between two of them, or
// found one of a type that nothing writes, one may be missing, and the rest of the stream is useless.
//
// If the data behind a record extend beyond the end, they are searched for records: three in a row, or six if the place
// is not a multiple of 8 away.
Expectation expect(Bytes file, const Frames& frames, std::uint64_t begin, std::uint64_t end,
                   const std::vector<Start>& starts);

// starts_of(frames) returns all records. starts_without(frames, from, until, shift) returns those that do not overlap
// [from, until), moved by `shift` if behind it. Compressed records after the first overlapping one are orphans and have
// no samples.
std::vector<Start> starts_of(const Frames& frames);
std::vector<Start> starts_without(const Frames& frames, std::uint64_t from, std::uint64_t until,
                                  std::int64_t shift = 0);
// starts_in(frames, before, after) does the same for overwritten bytes.
std::vector<Start> starts_in(const Frames& frames, Bytes before, Bytes after);
// samples_in(starts) returns the number of undamaged samples.
std::uint64_t samples_in(const std::vector<Start>& starts);

}  // namespace perfdata::test
