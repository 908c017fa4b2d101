// SPDX-License-Identifier: MIT
// Lines of call chains as perf script prints them: the text of each distinct place is made once.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/text_arena.hpp"

#include "script_fields.hpp"
#include "script_places.hpp"

namespace perfdata {

// ScriptLines belongs to one thread. What it keeps is bounded: past a limit it forgets all lines, and all places.
class ScriptLines {
  public:
    // The places must outlive it. It keeps at most about so many of them, and so many bytes of text. With `inlines` it
    // asks what was inlined at places. With `all_places` each address becomes a place, also those that have no name.
    ScriptLines(ScriptPlaces& places, std::size_t most_places, std::size_t most_text, bool inlines, bool all_places);

    // Style is which parts of a line are shown.
    using Style = std::uint32_t;
    static Style style(ScriptFields fields) {
        return ((fields & field_sym) != 0 ? 1u : 0u) | ((fields & field_symoff) != 0 ? 2u : 0u) |
               ((fields & field_dso) != 0 ? 4u : 0u);
    }

    // Line is "\tffffffff821f4dab default_idle+0xb ([kernel.kallsyms])\n".
    struct Line {
        const char* text = nullptr;
        std::uint32_t size = 0;
        std::uint32_t number = none;  // of the place, if anything was inlined there

        std::string_view view() const { return {text, size}; }
        bool may_have_inlined() const { return number != none; }
    };
    // at(moment, address, mode, style) returns the line of an address, which lives until the next call.
    const Line& at(const Moment& moment, Address address, CpuMode mode, Style style) {
        if (ScriptPlaces::is_host_kernel(moment, mode)) {
            const auto key = recent_key(style, places_.kernel_stretch(moment.time));
            auto& recent = kernel_[slot(address.value)];
            if (recent.address != address || recent.key != key) [[unlikely]] {
                recent = {address, key, line_of(places_.find(moment, address, mode), style)};
            }
            return recent.line;
        }
        const auto place = places_.place_at(moment, address, mode);
        if (place.frame.kind == FrameKind::object) {
            const auto key = recent_key(style, generation_);
            auto& recent = files_[slot(place.frame.offset ^ std::uint64_t{place.frame.index} << 40)];
            if (recent.key != key || !(recent.place == place)) [[unlikely]] {
                recent = {place, key, line_of(places_.number(place), style)};
            }
            return recent.line;
        }
        // Stacks without frame pointers make many wrong addresses, which differ in each process.
        const bool nothing = place.frame.misses(Miss::no_mapping) || place.frame.misses(Miss::unknown_process);
        if (nothing && mode == CpuMode::user && !all_places_) return unknown_line(place, style);
        return other_ = line_of(places_.number(place), style);
    }

    // line(number, style) returns the line of a place. This and the texts below live until forget_many().
    std::string_view line(std::uint32_t number, Style style) {
        return written(number, lines_[style], [&] { return write(number, style); });
    }
    // text(number, style) returns the part after the address: " default_idle+0xb ([kernel.kallsyms])".
    std::string_view text(std::uint32_t number, Style style) {
        auto text = line(number, style);
        text.remove_prefix(behind_address);
        text.remove_suffix(1);
        return text;
    }
    // text_at(...) is at(), without what text() leaves out.
    std::string_view text_at(const Moment& moment, Address address, CpuMode mode, Style style) {
        auto text = at(moment, address, mode, style).view();
        text.remove_prefix(behind_address);
        text.remove_suffix(1);
        return text;
    }
    // left_out_line(number) returns the line for ScriptPlaces::left_out().
    std::string_view left_out_line(std::uint32_t number);
    // object(number) returns its object, or "[unknown]", in the short form for lines with many of them.
    std::string_view object(std::uint32_t number) {
        return written(number, lines_[objects_only], [&] { return write_object(number); });
    }

    ScriptPlaces& places() { return places_; }

    // is_full() returns true if there are too many places or too much text.
    bool is_full() const { return texts_.bytes() >= most_text_ || places_.has_many(most_places_); }
    // forget_many() forgets all lines and places if there are too many, and returns true then.
    bool forget_many();

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t address_digits = 16, behind_address = address_digits + 1;  // a tab comes first
    static constexpr std::size_t styles = 8, objects_only = styles;
    // Each address has one slot: those chosen to collide cost a search in a table with a keyed hash.
    static constexpr unsigned recent_bits = 13;
    static std::size_t slot(std::uint64_t value) { return value * 0x9e3779b97f4a7c15u >> (64 - recent_bits); }
    // Never 0, as stretches and generations are not.
    static std::uint64_t recent_key(Style style, std::uint32_t stretch) {
        return std::uint64_t{stretch} * styles | style;
    }
    struct RecentKernel {
        Address address;
        std::uint64_t key = 0;  // 0: free
        Line line;
    };
    struct RecentFile {
        ScriptPlace place;
        std::uint64_t key = 0;  // 0: free
        Line line;
    };

    // written(number, lines, write) returns the place's text, which write() adds on the first call.
    template <class Write>
    std::string_view written(std::uint32_t number, std::vector<std::string_view>& lines, Write&& write) {
        if (lines.size() <= number) lines.resize(std::max(places_.size(), 2 * lines.size()));
        auto& found = lines[number];  // empty: not yet written
        if (found.empty()) found = write();
        return found;
    }
    Line line_of(std::uint32_t number, Style style);
    const Line& unknown_line(const ScriptPlace& place, Style style);
    std::string_view write(std::uint32_t number, Style style);
    std::string_view write_object(std::uint32_t number);

    ScriptPlaces& places_;
    std::size_t most_places_, most_text_;
    bool inlines_, all_places_;
    std::uint32_t generation_ = 1;  // how often lines were forgotten
    std::vector<RecentKernel> kernel_;
    std::vector<RecentFile> files_;
    std::array<std::vector<std::string_view>, styles + 1> lines_;  // by style, and of object()
    std::map<std::uint32_t, std::string_view> left_out_lines_;
    TextArena texts_;
    std::string writing_;                       // one text
    std::array<std::string, styles> unknown_;   // the line of an address without a name
    Line other_;                                // what at() returned, if nothing else has it
};

// put_hex(at, value) writes what fmt's "{:16x}" does.
void put_hex(char* at, std::uint64_t value);

}  // namespace perfdata
