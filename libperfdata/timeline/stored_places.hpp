// SPDX-License-Identifier: MIT
// From frames to what a profile file says of them: the other way round than StoredFrames.
#pragma once

#include <cstdint>
#include <vector>

#include "perfdata/timeline/frame.hpp"

#include "recording/stored/model.hpp"
#include "timeline/stored_frames.hpp"

namespace perfdata {

// StoredPlaces finds rows. Making it takes n log n for n rows of functions and frames, and some 32 bytes for each; a
// question is two binary searches, and a look at some functions that lie in each other.
class StoredPlaces {
  public:
    // The model must outlive it.
    explicit StoredPlaces(const stored::Model& model);

    const StoredFrames& frames() const { return frames_; }

    // Returns the row of a place that samples or callers had: one of that mode, if there is one. Null: none.
    const stored::Frame* row(const Frame& frame) const;
    // Returns the function at any place, and its first byte; nothing if there is no name for it.
    struct Found {
        stored::Ref<stored::Function> function;
        std::uint64_t begin = 0;  // Frame::offset

        explicit operator bool() const { return static_cast<bool>(function); }
    };
    Found function_at(const Frame& frame) const;
    // Returns a row without a function in the same object, code or memory: the next one. Null: none.
    const stored::Frame* nameless_near(const Frame& frame) const;

  private:
    // Point is a byte; `row` is one of frames.
    struct Point {
        FrameKind kind = FrameKind::nowhere;
        CpuMode mode = CpuMode::unknown;
        std::uint32_t index = 0;
        std::uint64_t offset = 0;
        std::uint32_t row = 0;
    };
    // Start is where a function begins, and ends. `reach`: the last byte of those that begin up to there.
    struct Start {
        FrameKind kind = FrameKind::nowhere;
        std::uint32_t index = 0;
        std::uint64_t offset = 0, last = 0, reach = 0;
        std::uint32_t function = 0;
    };

    void add_points();
    void add_starts();

    const stored::Model& model_;
    StoredFrames frames_;
    std::vector<Point> points_, nameless_;  // sorted
    std::vector<Start> starts_;             // sorted
};

}  // namespace perfdata
