// SPDX-License-Identifier: MIT
// Code as it was at a time, from a copy made at another time and the changes in between.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// PatchedCode is the bytes of a function, each known or not.
class PatchedCode {
  public:
    PatchedCode(Address begin, std::uint64_t size)
        : begin_(begin), bytes_(static_cast<std::size_t>(size)), known_(static_cast<std::size_t>(size)) {}

    // put(offset, bytes) takes bytes from a copy of the code; what goes beyond the end is left out.
    void put(std::uint64_t offset, Bytes bytes);

    // check(patches) compares the copy with the patches: is there, for each place that they change, a time at which it
    // was like that? And did each of them find what the one before it left?
    std::vector<Error> check(std::span<const TextPatch* const> patches) const;

    // apply(patches, until) makes the bytes those before `until`, whenever the copy was made. What a patch took away
    // stays as it was: what ran there ran before.
    void apply(std::span<const TextPatch* const> patches, Time until);

    std::size_t size() const { return bytes_.size(); }
    bool known(std::size_t offset) const { return known_[offset]; }
    bool any_known() const { return std::ranges::find(known_, true) != known_.end(); }
    const std::vector<std::byte>& bytes() const { return bytes_; }

    // finish(image) moves bytes and gaps into an image; it ends with the last known byte.
    void finish(CodeImage& image) &&;

  private:
    // Where a patch and the code meet.
    struct Overlap {
        std::size_t first = 0, last = 0;  // offsets in the code
        std::size_t skip = 0;             // how much of the patch lies before the code
    };
    Overlap overlap(const TextPatch& patch) const;

    Address begin_;
    std::vector<std::byte> bytes_;
    std::vector<bool> known_;
};

}  // namespace perfdata
