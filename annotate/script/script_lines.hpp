// SPDX-License-Identifier: MIT
// Lines of call chains as perf script prints them: the text of each distinct place is made once.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
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
    // asks what was inlined at places. With `all_places` each address becomes a place, also one where nothing is
    // mapped.
    struct Options {
        std::size_t most_places = 0, most_text = 0;
        std::uint64_t recorded_bytes = 0;  // of the recording: small ones have few places
        bool inlines = false, all_places = false;
    };
    ScriptLines(ScriptPlaces& places, const Options& options);

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
    // ask(moment, address, mode) asks for the line of an address: call it for all of a chain, and then answers(), which
    // returns them in that order, until the next ask(). So memory of many lines is fetched at a time: they are spread
    // over more than the caches hold (11 % less time with call chains through 114,000 places).
    void ask(const Moment& moment, Address address, CpuMode mode) {
        auto& one = asked_.emplace_back();
        if (ScriptPlaces::is_host_kernel(moment, mode)) {
            one.kind = Asked::Kind::kernel;
            one.place.shown = address.value;
            one.slot = slot(address.value, kernel_bits_);
            if (kernel_.empty()) [[unlikely]] {
                kernel_.resize(std::size_t{1} << kernel_bits_);
            }
            __builtin_prefetch(&kernel_[one.slot]);
            return;
        }
        one.place = places_.place_at(moment, address, mode);
        const auto& frame = one.place.frame;
        if (frame.kind == FrameKind::object) {
            one.kind = Asked::Kind::file;
            one.slot = slot(frame.offset ^ std::uint64_t{frame.index} << 40, file_bits_);
            if (files_.empty()) [[unlikely]] {
                files_.resize(std::size_t{1} << file_bits_);
            }
            __builtin_prefetch(&files_[one.slot]);
            return;
        }
        // Stacks without frame pointers make many wrong addresses, which differ in each process: no table keeps them.
        const bool nothing = frame.misses(Miss::no_mapping) || frame.misses(Miss::unknown_process);
        one.kind = nothing && mode == CpuMode::user && !all_places_ ? Asked::Kind::nothing : Asked::Kind::other;
    }
    // The moment is the one of all that was asked for. Only lines `of_chain` say what was inlined.
    std::span<const Line> answers(const Moment& moment, Style style, bool of_chain = true);

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
    // text_at(...) returns the same of an address. It lives until the next ask() or text_at().
    std::string_view text_at(const Moment& moment, Address address, CpuMode mode, Style style) {
        ask(moment, address, mode);
        auto text = answers(moment, style, false).front().view();
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
    // Asked is one that waits for answers().
    struct Asked {
        Asked() {}  // with `= default`, emplace_back() would fill it with zeros first

        enum class Kind : std::uint8_t { kernel, file, other, nothing };
        ScriptPlace place;
        std::uint32_t slot = 0;
        Kind kind = Kind::other;
    };

    // Each address has one slot: those chosen to collide cost a search in a table with a keyed hash.
    static std::uint32_t slot(std::uint64_t value, unsigned bits) {
        return static_cast<std::uint32_t>(value * 0x9e3779b97f4a7c15u >> (64 - bits));
    }
    // Never 0, as stretches and generations are not.
    static std::uint64_t recent_key(Style style, bool with_inlined, std::uint32_t stretch) {
        return (std::uint64_t{stretch} << 1 | static_cast<std::uint64_t>(with_inlined)) * styles | style;
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
    Line line_of(std::uint32_t number, Style style, bool with_inlined);
    void begin_nothing(Style style);
    std::string_view write(std::uint32_t number, Style style);
    std::string_view write_object(std::uint32_t number);

    ScriptPlaces& places_;
    std::size_t most_places_, most_text_;
    bool inlines_, all_places_;
    std::uint32_t generation_ = 1;      // how often lines were forgotten
    unsigned kernel_bits_, file_bits_;  // of the number of slots: about as many as places
    std::vector<RecentKernel> kernel_;
    std::vector<RecentFile> files_;
    std::array<std::vector<std::string_view>, styles + 1> lines_;  // by style, and of object()
    std::map<std::uint32_t, std::string_view> left_out_lines_;
    TextArena texts_;
    std::string writing_;  // one text
    std::vector<Asked> asked_;
    std::vector<Line> answers_;
    std::string nothing_, nothings_;  // the line of an address without a name, and those of answers_
    Style nothing_style_ = styles;    // of nothing_; `styles`: none
};

// put_hex(at, value) writes what fmt's "{:16x}" does.
void put_hex(char* at, std::uint64_t value);

}  // namespace perfdata
