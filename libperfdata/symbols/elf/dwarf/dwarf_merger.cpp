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

// CompiledMerger does so for compilers.
class CompiledMerger {
  public:
    CompiledMerger(DwarfRange within, const std::vector<DwarfSegment>& segments, const std::vector<DwarfCall>& calls,
                   const std::vector<DwarfDeclared>& functions)
        : within_(within), segments_(segments), calls_(calls), functions_(functions) {}

    std::vector<CompiledLine> merge() {
        std::set<std::uint64_t> borders;
        const auto add = [&](const auto& items) {
            for (const auto& item : items) borders.insert({item.range.begin, item.range.end});
        };
        add(segments_);
        add(calls_);
        add(functions_);
        borders.erase(borders.lower_bound(within_.end), borders.end());
        for (const auto border : borders) step(border);
        return std::move(out_);
    }

  private:
    // Returns the item that covers the border; null if none does.
    template <class Item>
    static const Item* at(const std::vector<Item>& items, std::size_t& next, std::uint64_t border) {
        while (next < items.size() && items[next].range.end <= border) ++next;
        return next < items.size() && items[next].range.begin <= border ? &items[next] : nullptr;
    }

    void step(std::uint64_t border) {
        const auto* segment = at(segments_, segment_, border);
        const auto* call = at(calls_, call_, border);
        const auto* function = at(functions_, function_, border);
        CompiledLine line;
        line.offset = border - within_.begin;
        if (segment != nullptr && function != nullptr && !segment->source.file.empty()) {
            line.line = segment->source.line;
            line.discriminator = segment->discriminator;
            line.function = function->function;
            if (call != nullptr) line.calls = chain(*call);
        }
        if (!out_.empty() && same(out_.back(), line)) return;
        out_.push_back(std::move(line));
    }

    Shared<const std::vector<CompiledCall>> chain(const DwarfCall& innermost) {
        auto& known = chains_[{innermost.function, innermost.call}];
        if (!known) {
            std::vector<CompiledCall> calls;
            const auto& all = innermost.function->calls;
            for (auto call = innermost.call; call != DwarfInlined::none; call = all[call].caller) {
                const auto& one = all[call];
                calls.push_back({{one.call.function, one.declared}, one.call.call.line, one.discriminator});
            }
            known = Shared<const std::vector<CompiledCall>>::make(std::move(calls));
        }
        return known;
    }

    static bool same(const CompiledLine& one, const CompiledLine& other) {
        return one.line == other.line && one.discriminator == other.discriminator && one.calls == other.calls &&
               one.function.line == other.function.line && one.function.name == other.function.name;
    }

    DwarfRange within_;
    const std::vector<DwarfSegment>& segments_;
    const std::vector<DwarfCall>& calls_;
    const std::vector<DwarfDeclared>& functions_;
    std::size_t segment_ = 0, call_ = 0, function_ = 0;
    std::map<std::pair<const DwarfInlining*, std::uint32_t>, Shared<const std::vector<CompiledCall>>> chains_;
    std::vector<CompiledLine> out_;
};

}  // namespace

std::vector<CompiledLine> compiled_lines(DwarfRange within, const std::vector<DwarfSegment>& segments,
                                         const std::vector<DwarfCall>& calls,
                                         const std::vector<DwarfDeclared>& functions) {
    return CompiledMerger(within, segments, calls, functions).merge();
}

std::vector<LineStart> merged_lines(DwarfRange within, const std::vector<DwarfSegment>& segments,
                                    const std::vector<DwarfCall>& calls) {
    return Merger(within, segments, calls).merge();
}

}  // namespace perfdata
