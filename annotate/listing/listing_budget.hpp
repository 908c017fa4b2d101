// SPDX-License-Identifier: MIT
// A limit on all listings together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "perfdata/annotate/listing/listing.hpp"

namespace perfdata {

// ListingBudget lets all code be listed, but not the same bytes again and again: recordings and symbol tables can
// contain any number of functions, versions and moves of the same few bytes. The listed bytes are at most a few times
// those in the files, plus a constant. The result depends only on the order of the listings.
class ListingBudget {
  public:
    ListingBudget(const Symbolizer& symbolizer, const Limits& limits)
        : symbolizer_(symbolizer), left_(std::min<std::uint64_t>(spare, limits.cells)) {}

    // take(listing) returns false if there is no room for it.
    bool take(const Listing& listing) {
        if (!listing.image) return true;
        const auto& image = *listing.image;
        const auto known = known_bytes(image);
        const auto& function = listing.version.function;
        const auto fresh = add_code(function, image.address, known);
        auto cost = image.bytes.size() - fresh;
        if (!image.bytes.empty()) {
            // Instructions take room, however short they are.
            const auto rows = cost * listing.instructions.size() / image.bytes.size();
            cost = std::max(cost, bytes_of_one * rows);
        }
        if (fresh < known) {
            const auto patches = symbolizer_.versions().patches(function, {image.address, image.bytes.size()}).size();
            cost += bytes_of_one * (listing.lines.size() + patches);
        }
        cost += cost_of_lines(function);
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }

    // take_caller(function, image) is for code that is only scanned, not kept.
    bool take_caller(const Frame& function, const CodeImage& image) {
        const auto cost = image.bytes.size() - add_code(function, image.address, known_bytes(image));
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }

    // claim(function) returns how many bytes its listing may hold or read.
    std::uint64_t claim(const FunctionHits& function, const Limits& limits) const {
        return std::min(function.version.size, limits.function_bytes) +
               debug_of(function.version.function).second / bytes_of_line;
    }

    // A file or another source of bytes, and the place of the function in it.
    using Space = std::pair<int, std::uint64_t>;
    std::pair<Space, std::uint64_t> place_of(const Frame& frame, Address begin) const {
        const auto& timeline = symbolizer_.timeline();
        switch (frame.kind) {
            case FrameKind::code: {
                const auto& load = timeline.code()[frame.index].load;
                if (load) return {{program, timeline.loads()[*load].id.value}, begin.value};
                return {{code, frame.index}, begin.value};
            }
            case FrameKind::jit: {
                const auto& jits = symbolizer_.names().jit();
                const auto* dump = &jits.code(frame.index);
                return {{jit, reinterpret_cast<std::uintptr_t>(dump)}, jits.function(frame.index).code_at};
            }
            case FrameKind::object: {
                const auto kind = timeline.tasks().objects()[frame.index].kind;
                if (kind == ObjectKind::kernel || kind == ObjectKind::module) break;
                // Any number of names may lead to one file.
                const auto found = symbolizer_.names().file(frame.index);
                const auto* read = found ? (*found)->file.get() : nullptr;
                return {{file, reinterpret_cast<std::uintptr_t>(read)}, frame.offset};
            }
            default: break;
        }
        return {{kernel, 0}, begin.value};
    }

  private:
    static constexpr std::uint64_t spare = std::uint64_t{1} << 16;  // bytes of code
    static constexpr std::uint64_t again = 3;                       // times that bytes may be listed again
    static constexpr std::uint64_t bytes_of_one = 4;                // the cost of an instruction or a line

    static constexpr std::uint64_t bytes_of_line = 8;  // of debug information: the cost of a byte of code

    enum : int { program, code, jit, jit_lines, kernel, file };

    // debug_of(frame) returns the place and size of the record with the lines of JIT code in its dump; 0 if there is
    // none.
    std::pair<std::uint64_t, std::uint64_t> debug_of(const Frame& frame) const {
        if (frame.kind != FrameKind::jit) return {};
        const auto& dump = symbolizer_.names().jit().code(frame.index).dump();
        const auto at = symbolizer_.names().jit().function(frame.index).debug_at;
        if (at == 0) return {};
        const auto start = dump.read(at, JitRecordHeader::bytes);
        if (!start) return {};
        return {at, JitRecordHeader::load(start->data(), dump.header().order).size};
    }

    // The lines of moved code are read for each place, however few of them belong to the moved part.
    std::uint64_t cost_of_lines(const Frame& frame) {
        const auto [at, size] = debug_of(frame);
        if (size == 0) return 0;
        const auto* dump = &symbolizer_.names().jit().code(frame.index);
        const auto fresh = add({jit_lines, reinterpret_cast<std::uintptr_t>(dump)}, at, size);
        left_ += again * fresh / bytes_of_line;
        return (size - fresh) / bytes_of_line;
    }

    static std::uint64_t known_bytes(const CodeImage& image) {
        std::uint64_t known = image.bytes.size();
        for (const auto& gap : image.gaps) known -= gap.size;
        return known;
    }

    // add_code(function, address, size) returns how many of its bytes are new; the others may repeat.
    std::uint64_t add_code(const Frame& function, Address address, std::uint64_t size) {
        const auto [space, begin] = place_of(function, address);
        const auto fresh = add(space, begin, size);
        left_ += again * fresh;
        return fresh;
    }

    // add(space, begin, size) returns how many of the bytes are new.
    std::uint64_t add(Space space, std::uint64_t begin, std::uint64_t size) {
        if (size == 0) return 0;
        auto& ranges = listed_[space];
        auto end = begin + size < begin ? ~std::uint64_t{0} : begin + size;
        auto fresh = end - begin;
        auto at = ranges.upper_bound(begin);
        if (at != ranges.begin() && std::prev(at)->second >= begin) --at;
        while (at != ranges.end() && at->first <= end) {
            const auto first = std::max(at->first, begin), last = std::min(at->second, end);
            if (first < last) fresh -= last - first;
            begin = std::min(begin, at->first);
            end = std::max(end, at->second);
            at = ranges.erase(at);
        }
        ranges.emplace(begin, end);
        return fresh;
    }

    const Symbolizer& symbolizer_;
    std::uint64_t left_;                                              // bytes that may still be listed again
    std::map<Space, std::map<std::uint64_t, std::uint64_t>> listed_;  // ends of ranges, by begin
};

}  // namespace perfdata
