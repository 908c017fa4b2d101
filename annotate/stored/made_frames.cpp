// SPDX-License-Identifier: MIT
#include "made_frames.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace perfdata {

stored::Ref<stored::Frame> MadeFrames::of(const Frame& frame, const FrameUse& use) {
    const auto number = frames_.intern(frame);
    if (number < rows_.size()) return rows_[number];
    auto row = described(frame);
    // Counting numbers both when it meets the frame, and equal counts may be in the order of these numbers.
    if (use.in_chain) {
        add_inlined(row.inlined, frame, false);
        add_inlined(row.inlined_at_return, frame, true);
    }
    if (use.calls && frame.offset != 0) {
        auto before = frame;
        --before.offset;
        if (!functions_.of(before) && frame.kind == FrameKind::object) {
            nameless_calls_.push_back({before, stored::Ref<stored::Frame>(making_.model.frames.size())});
        }
    }
    rows_.push_back(append_row(making_.model.frames, std::move(row)));
    return rows_.back();
}

void MadeFrames::add_bytes_of_calls() {
    for (const auto& [before, caller] : std::exchange(nameless_calls_, {})) {
        const auto line = lines_.at(before);
        // What is missing is asked of the next place that is there.
        if (line.place || line.problem != making_.model.at(caller).line_problem) (void)of(before);
    }
}

stored::Frame MadeFrames::described(const Frame& frame) {
    stored::Frame row;
    row.kind = frame.kind;
    row.mode = frame.mode;
    row.version = frame.version;
    if (const auto place = functions_.of(frame)) {
        row.function = place->function;
        row.offset = place->offset;
        return row;
    }
    add_place(row, frame);
    // Debug information may know lines where no symbol is.
    auto line = frame.kind == FrameKind::object ? lines_.at(frame) : MadeLines::At{};
    row.place = line.place;
    row.calls = line.calls;
    row.line_problem = std::move(line.problem);
    row.lines_from = line.from;
    row.nameless = nameless(frame);
    return row;
}

void MadeFrames::add_place(stored::Frame& row, const Frame& frame) {
    row.offset = frame.offset;
    switch (frame.kind) {
        case FrameKind::object:
            row.object = objects_.of(frame.index);
            row.offset = objects_.offset_in(frame.index, frame.offset);
            return;
        case FrameKind::code: row.code = code_.of(frame.index); return;
        case FrameKind::memory:
        case FrameKind::nowhere: row.number = frame.index; return;
        case FrameKind::jit:      // always in a function
        case FrameKind::inlined:  // never counted without the frame around it
            return;
    }
}

stored::Ref<stored::Nameless> MadeFrames::nameless(const Frame& frame) {
    const auto& symbolizer = making_.symbolizer;
    const auto name = symbolizer.name(frame);
    const auto why = symbolizer.why_unnamed(frame);
    stored::Nameless row;
    row.object = making_.text(name.object);
    row.kind = name.kind;
    row.miss = name.miss;
    row.wants_name = symbolizer.functions().nameless(frame).has_value();
    row.reason = making_.text(why.reason);
    row.remedy = making_.text(why.remedy);
    return append_row(making_.model.nameless, row);
}

void MadeFrames::add_inlined(std::vector<stored::Ref<stored::Inlined>>& list, const Frame& frame, bool returns) {
    if (frame.kind != FrameKind::object) return;  // only files say what was inlined
    calls_.clear();
    making_.symbolizer.functions().add_inlined(frame, returns, calls_);
    const auto kept = std::min({calls_.size(), stored::most_depth, inlined_left_});
    if (kept < calls_.size()) {
        making_.partial("inlined functions", "there are more than there is room for: some places are without them");
    }
    inlined_left_ -= kept;
    for (std::size_t at = 0; at < kept; ++at) {
        if (calls_[at].index == frame.index) list.push_back(inlined(calls_[at]));
    }
}

stored::Ref<stored::Inlined> MadeFrames::inlined(const Frame& frame) {
    const auto number = inlined_.intern(frame);
    if (number < inlined_rows_.size()) return inlined_rows_[number];
    const auto name = making_.symbolizer.name(frame);
    stored::Inlined row;
    row.name = making_.text(name.symbol);
    row.entry = frame.offset;
    row.object = objects_.of(frame.index);
    row.object_name = making_.text(name.object);
    row.kind_of_code = name.kind;
    inlined_rows_.push_back(append_row(making_.model.inlined, row));
    return inlined_rows_.back();
}

}  // namespace perfdata
