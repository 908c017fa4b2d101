// SPDX-License-Identifier: MIT
// Addresses about which nothing is recorded.
#pragma once

#include "perfdata/timeline/timeline.hpp"

#include "code_source.hpp"

namespace perfdata {

class NowhereSource final : public CodeSource {
  public:
    FrameName name(const Frame& frame) const override {
        FrameName name;
        name.offset = frame.offset;
        if (frame.mode == CpuMode::kernel) name.kind = CodeClass::kernel;
        if (frame.mode == CpuMode::user) name.kind = CodeClass::user;
        return name;
    }
    FunctionExtent extent(const Frame& frame) const override { return {frame, 0, {}}; }
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t) const override { return no_extent(version); }
    Result<std::vector<LineStart>> lines(const Frame&, std::uint64_t) const override {
        return std::vector<LineStart>{};
    }
    Unnamed why_unnamed(const Frame& frame) const override { return {to_string(frame.miss()), {}}; }
    bool wants_a_name(const Frame&) const override { return false; }
};

}  // namespace perfdata
