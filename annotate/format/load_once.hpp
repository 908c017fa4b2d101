// SPDX-License-Identifier: MIT
// Reads files with code before they are asked for, so that it can be stopped.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "perfdata/core/reentered.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// LoadOnce calls Symbolizer::load() once for each mapped object, if anybody watches.
class LoadOnce {
  public:
    // The symbolizer must outlive it.
    LoadOnce(const Symbolizer& symbolizer, CodeDetail detail, Watch watch)
        : symbolizer_(symbolizer),
          detail_(detail),
          watch_(std::move(watch)),
          is_watched_(watch_.stop.stop_possible() || watch_.progress) {}

    // Returns false if it was asked to stop.
    bool operator()(const Frame& frame) {
        if (!is_watched_ || frame.kind != FrameKind::object) return true;
        if (frame.index >= loaded_.size()) loaded_.resize(frame.index + std::size_t{1});
        if (loaded_[frame.index]) return true;
        if (const auto loaded = symbolizer_.load(frame, detail_, watch_); !loaded) {
            if (loaded.error().code == ErrorCode::busy) throw Reentered();
            return false;
        }
        loaded_[frame.index] = true;
        return true;
    }

  private:
    const Symbolizer& symbolizer_;
    CodeDetail detail_;
    Watch watch_;
    bool is_watched_;
    std::vector<bool> loaded_;  // by ObjectIndex
};

}  // namespace perfdata
