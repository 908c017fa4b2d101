// SPDX-License-Identifier: MIT
// Collects TEXT_POKE records into TextPatches.
#pragma once

#include <optional>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/timeline/text_patches.hpp"
#include "perfdata/wire/record/text_poke.hpp"

#include "recording/look_out.hpp"

namespace perfdata {

class TextPatchesBuilder {
  public:
    explicit TextPatchesBuilder(const Limits& limits) : limits_(limits) {}

    // add(time, offset, poke) copies the record's bytes. Once, when a limit is reached, it returns a diagnostic: that
    // record and later ones are dropped.
    std::optional<Diagnostic> add(Time time, std::uint64_t offset, const TextPoke& poke);

    TextPatches build(LookOut& look) &&;

  private:
    // What is known before the pool stops growing: the offset of the bytes in it.
    struct Added {
        TextPatch patch;
        std::size_t bytes_at;
        std::uint16_t old_size, new_size;
    };

    const Limits& limits_;
    std::vector<std::byte> pool_;
    std::vector<Added> added_;
    bool full_ = false;
};

}  // namespace perfdata
