// SPDX-License-Identifier: MIT
// Makes the timeline of a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "perfdata/core/limits.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "recording/look_out.hpp"
#include "recording/stored/model.hpp"
#include "stored_frames.hpp"

namespace perfdata {

// Restored is what the timeline of a profile refers to.
struct Timeline::Restored {
    explicit Restored(Shared<const stored::Model> of) : model(std::move(of)), frames(*model) {}

    Shared<const stored::Model> model;
    StoredFrames frames;
    // Of BpfLoad::info, which views the bytes: those of its arrays.
    std::vector<BpfProgramInfo> infos;
    std::vector<std::byte> bytes;

    // life_of_jit(index) returns from when until when a JIT function was there; nothing if there is no such function.
    std::optional<std::pair<Time, Time>> life_of_jit(std::uint32_t index) const;
};

// StoredTimeline has a timeline that knows what the model does. Indices of its objects, code and loads are those of the
// model's tables.
class StoredTimeline {
  public:
    // restore(model, limits, timeline, look) fills an empty timeline. Time and memory are linear in the model; look()
    // may throw.
    static Timeline restore(const Shared<const stored::Model>& model, const Limits& limits, Timeline timeline,
                            LookOut& look);

  private:
    StoredTimeline(Timeline& timeline, Timeline::Restored& restored, LookOut& look)
        : timeline_(timeline), restored_(restored), model_(*restored.model), look_(look) {}

    void restore_infos();
    void restore_loads();
    void restore_code();
    void restore_tasks();
    void restore_objects();
    void restore_completeness(const Limits& limits);

    Timeline& timeline_;
    Timeline::Restored& restored_;
    const stored::Model& model_;
    LookOut& look_;
};

}  // namespace perfdata
