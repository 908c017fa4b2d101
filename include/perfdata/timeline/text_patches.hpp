// SPDX-License-Identifier: MIT
// How the kernel changed its own code while it was recorded: every TEXT_POKE, by address and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/range_index.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// TextPatch is one TEXT_POKE: from `time` on, the bytes at `address` are new_bytes, before that old_bytes.
struct TextPatch {
    Address address;           // of the first changed byte, in the kernel
    Time time;                 // in the event clock; zero if the recording has no times
    std::uint64_t offset = 0;  // file offset of the record in the recording
    Bytes old_bytes;           // live as long as the TextPatches; empty: there was no code before
    Bytes new_bytes;           // likewise; empty: the code is gone

    // range() returns the range it may have changed.
    AddressRange range() const { return {address, greatest(old_bytes.size(), new_bytes.size())}; }
};

// TextPatches is const once built and may be read from many threads. A search takes time proportional to its results
// and the logarithm of the number of patches, however long they are and wherever they lie.
class PERFDATA_EXPORT TextPatches {
  public:
    // all() is in time order; patches of equal time are in the order of the recording.
    std::span<const TextPatch> all() const;
    // touching(range) returns the patches that write to a byte of the range, in the same order. Pointers live as long
    // as this object.
    std::vector<const TextPatch*> touching(AddressRange range) const;
    bool empty() const { return patches_.empty(); }

  private:
    friend class TextPatchesBuilder;

    Shared<const std::vector<std::byte>> pool_;  // holds the bytes that the patches view
    std::vector<TextPatch> patches_;
    std::uint64_t first(std::uint32_t index) const { return patches_[index].address.value; }
    std::uint64_t last(std::uint32_t index) const {
        const auto range = patches_[index].range();
        return range.size == 0 ? 0 : range.last().value;
    }

    RangeIndex by_address_;  // places in patches_
};

}  // namespace perfdata
