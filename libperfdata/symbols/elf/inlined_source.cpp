// SPDX-License-Identifier: MIT
#include "inlined_source.hpp"

#include <ranges>
#include <tuple>

#include "symbols/elf/dwarf/dwarf_lines.hpp"

namespace perfdata {

void InlinedSource::add(const Frame& frame, InlinedFunctions found, std::vector<Frame>& calls) const {
    if (found.functions.empty() && !found.problem) return;
    const std::scoped_lock lock(mutex_);
    if (found.problem) note(std::move(*found.problem));
    for (const auto& function : found.functions | std::views::reverse) {
        if (function.name.empty()) continue;
        names_.try_emplace({frame.index, function.entry}, function.name);
        calls.push_back({function.entry, frame.index, FrameKind::inlined, frame.mode});
    }
}

void InlinedSource::note(Error problem) const {
    // Without libdw this is the reason for every file.
    if (!DwarfLines::available() && !problems_.empty()) return;
    const std::pair key{problem.where, problem.code};
    const auto [known, added] = problems_.try_emplace(key, problem);
    // Of several the least, whichever thread was first.
    auto& told = known->second;
    if (!added && std::tie(problem.detail, problem.offset) < std::tie(told.detail, told.offset))
        told = std::move(problem);
}

std::vector<Error> InlinedSource::problems() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Error> problems;
    for (const auto& [key, problem] : problems_) problems.push_back(problem);
    return problems;
}

FrameName InlinedSource::name(const Frame& frame) const {
    FrameName name;
    name.object = files_.object_name(frame.index);
    switch (files_.timeline().tasks().objects()[frame.index].kind) {
        case ObjectKind::kernel: name.kind = CodeClass::kernel; break;
        case ObjectKind::module: name.kind = CodeClass::module; break;
        default: name.kind = CodeClass::user;
    }
    name.inlined = true;
    const std::scoped_lock lock(mutex_);
    if (const auto known = names_.find({frame.index, frame.offset}); known != names_.end()) name.symbol = known->second;
    return name;
}

Result<CodeImage> InlinedSource::image(const CodeVersion& version, std::uint64_t) const {
    return fail(ErrorCode::missing, Error::no_offset, name_of(version),
                "a function that was inlined has no code of its own");
}

}  // namespace perfdata
