// SPDX-License-Identifier: MIT
// Names and extents of code that the timeline itself knows: BPF programs and the kernel's out-of-line code.
#pragma once

#include "perfdata/timeline/timeline.hpp"

#include "code_source.hpp"

namespace perfdata {

class TimelineCode : public CodeSource {
  public:
    explicit TimelineCode(const Timeline& timeline) : timeline_(timeline) {}

    FrameName name(const Frame& frame) const override {
        const auto& code = code_of(frame);
        return {code.symbol, frame.offset, object_of(code), code_class(code.kind), SymbolMiss::between_symbols};
    }
    FunctionExtent extent(const Frame& frame) const override {
        auto begin = frame;
        begin.offset = 0;
        const auto& range = code_of(frame).range;
        return {begin, range.size, range.begin};
    }

  protected:
    const Code& code_of(const Frame& frame) const { return timeline_.code()[frame.index]; }

    const Timeline& timeline_;
};

}  // namespace perfdata
