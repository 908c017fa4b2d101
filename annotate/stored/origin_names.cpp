// SPDX-License-Identifier: MIT
#include "origin_names.hpp"

#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/timeline/code.hpp"

namespace perfdata {

std::string origin_path(const Making& making, const Frame& function) {
    const auto& symbolizer = making.symbolizer;
    const auto& timeline = symbolizer.timeline();
    if (const auto* load = timeline.load_of(function)) return "bpf:" + hex(load->tag);
    if (const auto* code = timeline.code_of(function)) return std::string(code->symbol);
    if (function.kind == FrameKind::object) {
        if (const auto found = symbolizer.file(function.index)) return making.shown((*found)->path);
    }
    return std::string(symbolizer.name(function).object);
}

}  // namespace perfdata
