// SPDX-License-Identifier: MIT
#include "dwarf_merger.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace perfdata {
namespace {

// Merger walks over the code from border to border, of lines and of inlined calls.
class Merger {
  public:
    Merger(DwarfRange within, const std::vector<DwarfSegment>& segments, const std::vector<DwarfCall>& calls)
        : within_(within), segments_(segments), calls_(calls) {}

    std::vector<LineStart> merge() {
        std::set<std::uint64_t> borders;
        for (const auto& call : calls_) borders.insert({call.range.begin, call.range.end});
        for (const auto& segment : segments_) borders.insert({segment.range.begin, segment.range.end});
        borders.erase(borders.lower_bound(within_.end), borders.end());
        for (const auto border : borders) step(border);
        return std::move(out_);
    }

  private:
    void step(std::uint64_t border) {
        while (call_ < calls_.size() && calls_[call_].range.end <= border) ++call_;
        while (segment_ < segments_.size() && segments_[segment_].range.end <= border) ++segment_;
        LineStart start;
        start.offset = border - within_.begin;
        const bool known = segment_ < segments_.size() && segments_[segment_].range.begin <= border;
        if (known) start.source = segments_[segment_].source;
        const bool inlined = call_ < calls_.size() && calls_[call_].range.begin <= border;
        // Without a line, inlined calls are useless.
        if (known && !start.source.file.empty() && inlined) start.inlined = chain(calls_[call_]);
        if (out_.empty() ? start.source.file.empty() : same(out_.back(), start)) return;
        out_.push_back(std::move(start));
    }

    InlinedCalls chain(const DwarfCall& innermost) {
        auto& known = chains_[{innermost.function, innermost.call}];
        if (known.empty()) {
            std::vector<InlinedCall> calls;
            const auto& all = innermost.function->calls;
            for (auto call = innermost.call; call != DwarfInlined::none; call = all[call].caller) {
                calls.push_back(all[call].call);
            }
            known = InlinedCalls(std::move(calls));
        }
        return known;
    }

    // Equal texts share their bytes: compare pointers.
    static bool same(std::string_view one, std::string_view other) {
        return one.size() == other.size() && (one.empty() || one.data() == other.data());
    }
    static bool same(const SourceLine& one, const SourceLine& other) {
        return one.line == other.line && one.column == other.column && same(one.file, other.file);
    }
    static bool same(const LineStart& one, const LineStart& other) {
        return same(one.source, other.source) &&
               (one.inlined.data() == other.inlined.data() ||
                std::ranges::equal(one.inlined, other.inlined, [](const InlinedCall& a, const InlinedCall& b) {
                    return same(a.function, b.function) && same(a.call, b.call);
                }));
    }

    DwarfRange within_;
    const std::vector<DwarfSegment>& segments_;
    const std::vector<DwarfCall>& calls_;
    std::size_t call_ = 0, segment_ = 0;
    // The calls around lines. Each is made once, however many lines there are.
    std::map<std::pair<const DwarfInlining*, std::uint32_t>, InlinedCalls> chains_;
    std::vector<LineStart> out_;
};

}  // namespace

std::vector<LineStart> merged_lines(DwarfRange within, const std::vector<DwarfSegment>& segments,
                                    const std::vector<DwarfCall>& calls) {
    return Merger(within, segments, calls).merge();
}

}  // namespace perfdata
