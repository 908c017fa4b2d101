// SPDX-License-Identifier: MIT
// All code of a recording behind a handle.
#pragma once

#include <memory>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "control.hpp"
#include "recording_object.hpp"

namespace perfdata::c {

class CodeObject final : public Object {
  public:
    using Handle = perfdata_code;
    static constexpr auto handle_kind = Kind::code;
    static constexpr const char* handle_name = "perfdata_code";

    // Takes long. Throws Failure.
    CodeObject(std::shared_ptr<const RecordingObject> of, const perfdata_code_options& options);

    // Its parts refer to each other.
    const std::shared_ptr<const RecordingObject> recording_object;
    const Recording& recording;
    const Timeline timeline;
    const Symbolizer symbolizer;
    std::vector<Error> problems;
    Strings strings;

    // Fills what is known of a frame. `named` is false for code that has no name, whatever the frame says.
    perfdata_place place(const Frame& frame, const Strings& keeping, bool named = true) const;

  private:
    CodeObject(std::shared_ptr<const RecordingObject> of, const perfdata_code_options& options, const Control& control);
};

}  // namespace perfdata::c
