// SPDX-License-Identifier: MIT
// Frames of a profile as a timeline has them.
#pragma once

#include <cstdint>
#include <vector>

#include "perfdata/timeline/frame.hpp"

#include "recording/stored/model.hpp"

namespace perfdata {

// StoredFrames makes frames of rows of a model, which must outlive it. A frame in the kernel has its address again, a
// JIT function its place among those of the profile. No two functions begin at the same frame, see stored_begins().
class StoredFrames {
  public:
    // Takes one pass over the functions, and what stored_begins() takes.
    explicit StoredFrames(const stored::Model& model);

    // function(row) returns the first byte of a function. Its mode is that of the code, where there is only one:
    // kernel for code that came and went, for the kernel and its modules; else user.
    Frame function(stored::Ref<stored::Function> row) const;
    // frame(row) returns a place, with its mode and version.
    Frame frame(const stored::Frame& row) const;
    // inlined(row, mode) returns the frame of FrameKind::inlined for a function that is inlined at a place of that
    // mode: its offset is the row's number.
    Frame inlined(stored::Ref<stored::Inlined> row, CpuMode mode) const;
    // jit_functions() returns all functions of kind jit: Frame::index of such a frame is an index in it.
    const std::vector<stored::Ref<stored::Function>>& jit_functions() const { return jit_functions_; }

  private:
    Frame at(stored::Ref<stored::Function> row, CpuMode mode) const;
    std::uint64_t base(stored::Ref<stored::Object> object) const;

    const stored::Model& model_;
    std::vector<std::uint64_t> begins_;  // by function: see stored_begins()
    std::vector<std::uint32_t> jit_;     // by function: its place in jit_functions_
    std::vector<stored::Ref<stored::Function>> jit_functions_;
};

}  // namespace perfdata
