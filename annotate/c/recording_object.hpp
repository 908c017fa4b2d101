// SPDX-License-Identifier: MIT
// An open recording behind a handle.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "perfdata/recording/recording.hpp"

#include "call.hpp"
#include "strings.hpp"

namespace perfdata::c {

class RecordingObject final : public Object {
  public:
    using Handle = perfdata_recording;
    static constexpr auto handle_kind = Kind::recording;
    static constexpr const char* handle_name = "perfdata_recording";

    RecordingObject(Recording of, bool opened_by_path, std::vector<std::byte> bytes = {})
        : Object(handle_kind), recording(std::move(of)), by_path(opened_by_path), bytes_(std::move(bytes)) {}

    const Recording recording;
    const bool by_path;  // it has a place in the file system, beside which other files may lie
    Strings strings;

  private:
    std::vector<std::byte> bytes_;  // of a recording in memory
};

}  // namespace perfdata::c
