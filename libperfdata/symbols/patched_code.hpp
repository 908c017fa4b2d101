// SPDX-License-Identifier: MIT
// Code as it was at a time, from a copy made at another time and the patches in between.
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

// PatchedCode is the bytes of a function, each known or unknown. Patches are in time order, and point into an array
// that is in time order, too.
class PatchedCode {
  public:
    PatchedCode(Address begin, std::uint64_t size)
        : begin_(begin), bytes_(static_cast<std::size_t>(size)), known_(static_cast<std::size_t>(size)) {}

    // Takes bytes from a copy of the code; ignores those beyond the end.
    void put(std::uint64_t offset, Bytes bytes);

    // Compares the copy with the patches. Returns a problem for each changed place where the copy has the bytes of no
    // time, and for the first patch of a place that did not find what the one before it wrote.
    std::vector<Error> check(std::span<const TextPatch* const> patches) const;

    // Makes the bytes those just before `until`, whenever the copy was made. Code that a patch removed stays: what ran
    // there ran before.
    void apply(std::span<const TextPatch* const> patches, Time until);

    std::size_t size() const { return bytes_.size(); }
    bool known(std::size_t offset) const { return known_[offset]; }
    bool any_known() const { return std::ranges::find(known_, true) != known_.end(); }
    const std::vector<std::byte>& bytes() const { return bytes_; }

    // Moves bytes and gaps into an image. It ends with the last known byte.
    void finish(CodeImage& image) &&;

  private:
    // Overlap is the part of a patch inside the code.
    struct Overlap {
        std::size_t first = 0, last = 0;  // offsets in the code
        std::size_t skip = 0;             // bytes of the patch before the code
    };
    Overlap overlap(const TextPatch& patch) const;

    Address begin_;
    std::vector<std::byte> bytes_;
    std::vector<bool> known_;
};

}  // namespace perfdata
