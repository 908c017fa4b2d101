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
        : symbolizer_(symbolizer),
          left_(std::min<std::uint64_t>(spare, limits.cells)),
          rows_left_(std::min(limits.cells / cells_of_row, most_listings * limits.listed_instructions)) {}

    // take(listing) returns false if there is no room for it.
    bool take(const Listing& listing) {
        if (listing.instructions.size() > rows_left_) return false;
        rows_left_ -= listing.instructions.size();
        if (!listing.image) return true;
        const auto& image = *listing.image;
        const auto known = known_bytes(image);
        const auto fresh = add_code(listing.version, known);
        auto cost = image.bytes.size() - fresh;
        if (!image.bytes.empty()) {
            // Instructions take room, however short they are.
            const auto rows = cost * listing.instructions.size() / image.bytes.size();
            cost = std::max(cost, bytes_of_one * rows);
        }
        if (fresh < known) {
            const auto patches =
                symbolizer_.versions().patches(listing.version.function, {image.address, image.bytes.size()}).size();
            cost += bytes_of_one * (listing.lines.size() + patches);
        }
        cost += cost_of_lines(listing.version.function);
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }

    // take_caller(version, image) is for code that is only looked through, and not kept.
    bool take_caller(const CodeVersion& version, const CodeImage& image) {
        const auto cost = image.bytes.size() - add_code(version, known_bytes(image));
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }

    // claim(function) returns how many bytes its listing may hold or read.
    std::uint64_t claim(const FunctionHits& function, const Limits& limits) const {
        return std::min(function.version.size, limits.function_bytes) +
               symbolizer_.lines_size(function.version.function) / bytes_of_line;
    }

  private:
    static constexpr std::uint64_t spare = std::uint64_t{1} << 16;  // bytes of code
    static constexpr std::uint64_t again = 3;                       // times that bytes may be listed again
    static constexpr std::uint64_t bytes_of_one = 4;                // the cost of an instruction or a line

    static constexpr std::uint64_t cells_of_row = 2;   // what an instruction takes at least
    static constexpr std::uint64_t most_listings = 4;  // of the largest size
    static constexpr std::uint64_t bytes_of_line = 8;  // of debug information: the cost of a byte of code

    // The lines of code that is moved are read for each place, however few of them belong to what was moved.
    std::uint64_t cost_of_lines(const Frame& function) {
        const auto size = symbolizer_.lines_size(function);
        if (size == 0) return 0;
        const auto list = symbolizer_.lines_origin(function);
        const auto from = reinterpret_cast<std::uintptr_t>(list.from);
        const auto fresh = add({CodeOrigin::Kind::jit_lines, from}, list.at, size);
        left_ += again * fresh / bytes_of_line;
        return (size - fresh) / bytes_of_line;
    }

    static std::uint64_t known_bytes(const CodeImage& image) {
        std::uint64_t known = image.bytes.size();
        for (const auto& gap : image.gaps) known -= gap.size;
        return known;
    }

    // add_code(version, size) returns how many of its bytes were not there before; for these others may be again.
    std::uint64_t add_code(const CodeVersion& version, std::uint64_t size) {
        const auto [origin, begin] = symbolizer_.place(version);
        const auto fresh = add(origin, begin, size);
        left_ += again * fresh;
        return fresh;
    }

    // add(origin, begin, size) returns how many of the bytes were not there before.
    std::uint64_t add(CodeOrigin origin, std::uint64_t begin, std::uint64_t size) {
        if (size == 0) return 0;
        auto& ranges = listed_[origin];
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
    std::uint64_t left_;                                                   // bytes that may be listed once more
    std::uint64_t rows_left_;                                              // instructions of all listings
    std::map<CodeOrigin, std::map<std::uint64_t, std::uint64_t>> listed_;  // ends of ranges, by begin
};

}  // namespace perfdata
