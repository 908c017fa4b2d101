// SPDX-License-Identifier: MIT
#include "stored_frames.hpp"

#include <algorithm>

#include "perfdata/timeline/mapping.hpp"

#include "stored_begins.hpp"

namespace perfdata {
namespace {

// Numbers are whatever a file says.
std::uint32_t sound_miss(std::uint32_t number) {
    return std::min(number, static_cast<std::uint32_t>(Miss::not_kept));
}

}  // namespace

StoredFrames::StoredFrames(const stored::Model& model)
    : model_(model), begins_(stored_begins(model)), jit_(model.functions.size()) {
    for (std::size_t row = 0; row < model.functions.size(); ++row) {
        if (!model.functions[row].kind.is(FrameKind::jit)) continue;
        jit_[row] = static_cast<std::uint32_t>(jit_functions_.size());
        jit_functions_.emplace_back(row);
    }
}

std::uint64_t StoredFrames::base(stored::Ref<stored::Object> object) const {
    const auto& row = model_.at(object);
    return row.kind.is(ObjectKind::kernel) ? row.base : 0;
}

Frame StoredFrames::at(stored::Ref<stored::Function> row, CpuMode mode) const {
    const auto& function = model_.at(row);
    const auto kind = function.kind.as<FrameKind>();
    const auto begin = begins_[row.number];
    switch (kind) {
        case FrameKind::object: return {begin, function.object.number, kind, mode};
        case FrameKind::code: return Frame::in_code(function.code.number, 0, mode);
        case FrameKind::jit: return {0, jit_[row.number], kind, mode};
        case FrameKind::memory: return {begin, function.number, kind, mode};
        case FrameKind::inlined:
        case FrameKind::nowhere: break;
    }
    return {begin, sound_miss(function.number), FrameKind::nowhere, mode};
}

Frame StoredFrames::function(stored::Ref<stored::Function> row) const {
    const auto& function = model_.at(row);
    const auto in_kernel = [&] {
        if (function.kind.is(FrameKind::code) || function.kind.is(FrameKind::nowhere)) return true;
        if (!function.kind.is(FrameKind::object)) return false;
        return code_class(model_.at(function.object).kind.as<ObjectKind>()) != CodeClass::user;
    };
    return at(row, in_kernel() ? CpuMode::kernel : CpuMode::user);
}

Frame StoredFrames::frame(const stored::Frame& row) const {
    const auto mode = row.mode.as<CpuMode>();
    Frame frame;
    if (row.function) {
        frame = at(row.function, mode);
        frame.offset += row.offset;
    } else {
        const auto kind = row.kind.as<FrameKind>();
        switch (kind) {
            case FrameKind::object: frame = {row.offset + base(row.object), row.object.number, kind, mode}; break;
            case FrameKind::code: frame = Frame::in_code(row.code.number, row.offset, mode); break;
            case FrameKind::memory: frame = {row.offset, row.number, kind, mode}; break;
            case FrameKind::jit:
            case FrameKind::inlined:
            case FrameKind::nowhere: frame = {row.offset, sound_miss(row.number), FrameKind::nowhere, mode}; break;
        }
    }
    frame.version = row.version;
    return frame;
}

Frame StoredFrames::inlined(stored::Ref<stored::Inlined> row, CpuMode mode) const {
    return {row.number, model_.at(row).object.number, FrameKind::inlined, mode};
}

}  // namespace perfdata
