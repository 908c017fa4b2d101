// SPDX-License-Identifier: MIT
// The places of a profile: in functions, or without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/timeline/frame.hpp"

#include "made_code.hpp"
#include "made_functions.hpp"
#include "made_lines.hpp"
#include "made_objects.hpp"
#include "making.hpp"

namespace perfdata {

// FrameUse is how chains use a frame.
struct FrameUse {
    bool in_chain = false;  // then counting asks what is inlined there, both as sampled and as returned to
    bool calls = false;     // it has callees: then the byte before it is asked for, too
};

// MadeFrames adds places. Each costs a few questions to the symbolizer: no more places than the counting keeps. In a
// crafted file any place may be in many inlined functions: all lists of these together have at most most_inlined.
class MadeFrames {
  public:
    static constexpr std::size_t most_inlined = std::size_t{1} << 24;

    MadeFrames(Making& making, MadeObjects& objects, MadeCode& code, MadeFunctions& functions, MadeLines& lines)
        : making_(making), objects_(objects), code_(code), functions_(functions), lines_(lines) {}

    // Adds a frame, or returns the row of an equal one that was added before, whatever its use.
    stored::Ref<stored::Frame> of(const Frame& frame, const FrameUse& use = {});
    // Adds the bytes before callers that are in no function, and have a line or lack it for another reason than the
    // caller. Call it once, when all frames of chains are there.
    void add_bytes_of_calls();

  private:
    // NamelessCall is the byte before a caller.
    struct NamelessCall {
        Frame before;
        stored::Ref<stored::Frame> caller;
    };

    stored::Frame described(const Frame& frame);
    void add_place(stored::Frame& row, const Frame& frame);
    stored::Ref<stored::Nameless> nameless(const Frame& frame);
    void add_inlined(std::vector<stored::Ref<stored::Inlined>>& list, const Frame& frame, bool returns);
    stored::Ref<stored::Inlined> inlined(const Frame& frame);

    Making& making_;
    MadeObjects& objects_;
    MadeCode& code_;
    MadeFunctions& functions_;
    MadeLines& lines_;
    InternTable<Frame> frames_;
    std::vector<stored::Ref<stored::Frame>> rows_;  // by number in frames_
    InternTable<Frame> inlined_;
    std::vector<stored::Ref<stored::Inlined>> inlined_rows_;  // by number in inlined_
    std::vector<Frame> calls_;
    std::vector<NamelessCall> nameless_calls_;  // no more than frames
    std::size_t inlined_left_ = most_inlined;
};

}  // namespace perfdata
