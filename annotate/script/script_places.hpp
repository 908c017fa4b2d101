// SPDX-License-Identifier: MIT
// The addresses of samples as perf script prints them; each distinct one is named and formatted once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/text_arena.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/frame_at.hpp"

#include "script_fields.hpp"

namespace perfdata {

// ScriptPlace is a frame with the address that perf shows for it in a call chain: for files the offset in the file.
// What was inlined has the address of the code that it was inlined into.
struct ScriptPlace {
    Frame frame;
    std::uint64_t shown = 0;

    bool operator==(const ScriptPlace&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), shown); }
};

class ScriptPlaces {
  public:
    // The symbolizer must outlive it. It keeps at most about so many places.
    ScriptPlaces(const Symbolizer& symbolizer, std::size_t most_places);

    // Forgets all places if there are too many, and returns true then: numbers of places are valid until then.
    bool forget_many();

    // LookedUp is a place to pass to number().
    struct LookedUp {
        ScriptPlace place;
        std::uint32_t number = none;  // if already known
        std::uint64_t hash = 0;       // of the place, if the number is unknown
    };

    // Call look_up() for several addresses and then number() for each: meanwhile the tables' memory is fetched.
    LookedUp look_up(const Moment& moment, Address address, CpuMode mode) {
        if (mode != CpuMode::kernel || !(moment.machine == host)) {
            const auto place = place_at(moment, address, mode);
            const auto hash = places_.hash(place);
            places_.prefetch(hash);
            return {place, none, hash};
        }
        // All processes share the kernel: results hold until the kernel's code changes.
        if (moment.time < since_ || moment.time >= until_) [[unlikely]] {
            enter(moment.time);
        }
        auto& recent = recent_[address.value * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
        if (recent.address != address || recent.stretch != stretch_) {
            recent = {address, stretch_, places_.intern(place_at(moment, address, mode))};
        }
        return {{}, recent.number};
    }
    // number(...) returns the number for name(), line() and text().
    std::uint32_t number(const LookedUp& looked_up) {
        return looked_up.number != none ? looked_up.number : places_.intern(looked_up.place, looked_up.hash);
    }
    std::uint32_t find(const Moment& moment, Address address, CpuMode mode) {
        return number(look_up(moment, address, mode));
    }

    // ask_inlined() asks what was inlined at new places, and returns true if anything was at any place. Then
    // inlined(number, returns) returns the places of it, innermost first: see FunctionIndex::add_inlined(). Valid until
    // the next call of ask_inlined().
    bool ask_inlined() {
        if (asked_ != places_.size()) find_inlined();
        return !inlined_.empty();
    }
    // It also says about how many bytes of text they are.
    struct InlinedPlaces {
        std::span<const std::uint32_t> numbers;
        std::size_t bytes = 0;
    };
    InlinedPlaces inlined(std::uint32_t number, bool returns) const {
        const auto& known = inlined_at_[returns ? 1 : 0];
        if (number >= known.size()) return {};
        const auto& found = known[number];
        return {std::span(inlined_).subspan(found.begin, found.count), found.bytes};
    }

    // In a chain, left_out(count) stands for so many inlined functions of the next place; left_out_count(number)
    // returns how many, and 0 for the number of a place.
    static std::uint32_t left_out(std::size_t count) { return left_out_mark | static_cast<std::uint32_t>(count); }
    static std::uint32_t left_out_count(std::uint32_t number) {
        return (number & left_out_mark) == 0 ? 0 : number & ~left_out_mark;
    }

    // size() returns the number of places: all numbers are below it.
    std::size_t size() const { return places_.size(); }
    const ScriptPlace& place(std::uint32_t number) const { return places_[number]; }
    // name(number) keeps the names: for those who ask for the same ones again.
    const FrameName& name(std::uint32_t number) {
        while (frame_names_.size() < places_.size()) {
            frame_names_.push_back(name_of(places_[static_cast<std::uint32_t>(frame_names_.size())].frame));
        }
        return frame_names_[number];
    }
    // name_once(number) does not: most texts are written once, and names take more memory than places.
    FrameName name_once(std::uint32_t number) {
        return number < frame_names_.size() ? frame_names_[number] : name_of(places_[number].frame);
    }
    // unnamed_kernel() returns true if any of them is kernel code, and there are no names for it.
    bool unnamed_kernel() const { return unnamed_kernel_; }
    // without_build_id() returns the objects of unnamed places for which no build id proves that a file is the right
    // one.
    const std::map<std::string_view, SymbolMiss>& without_build_id() const { return without_build_id_; }

    // not_opened() returns how many objects of unnamed places have a file that the system does not let be opened.
    std::size_t not_opened() const { return not_opened_.size(); }

    // texts() holds the lines and texts below: they stay valid as long as somebody has it, also if places are
    // forgotten.
    const std::shared_ptr<const TextArena>& texts() const { return shared_texts_; }

    // Call prefetch(number, fields) before line(): meanwhile the line's place is fetched.
    void prefetch(std::uint32_t number, ScriptFields fields) const {
        const auto& lines = lines_[style(fields)];
        if (number < lines.size()) __builtin_prefetch(&lines[number]);
    }

    // line(number, fields) returns a line of a call chain: "\tffffffff821f4dab default_idle+0xb ([kernel.kallsyms])\n".
    std::string_view line(std::uint32_t number, ScriptFields fields) {
        return written(number, lines_[style(fields)], [&] { return write(number, fields); });
    }
    // text(number, fields) returns the part after the address: " default_idle+0xb ([kernel.kallsyms])".
    std::string_view text(std::uint32_t number, ScriptFields fields) {
        auto text = line(number, fields);
        text.remove_prefix(behind_address);
        text.remove_suffix(1);
        return text;
    }
    // left_out_line(number) returns the line for left_out().
    std::string_view left_out_line(std::uint32_t number);
    // object(number) returns its object, or "[unknown]", in the short form for lines with many of them.
    std::string_view object(std::uint32_t number) {
        return written(number, lines_[objects_only], [&] { return write_object(number); });
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0}, left_out_mark = std::uint32_t{1} << 31;
    static constexpr std::size_t behind_address = 17;  // a tab and 16 digits
    // written(number, lines, write) returns the place's text, which write() adds on the first call.
    template <class Write>
    std::string_view written(std::uint32_t number, std::vector<std::string_view>& lines, Write&& write) {
        if (lines.size() <= number) lines.resize(std::max(places_.size(), 2 * lines.size()));
        auto& found = lines[number];  // empty: not yet written
        if (found.empty()) found = write();
        return found;
    }

    // Inlined is what was inlined at a place, in inlined_.
    struct Inlined {
        std::size_t begin = 0, count = 0, bytes = 0;
    };
    void find_inlined();

    static constexpr unsigned recent_bits = 13;
    // Recent is a kernel address that was looked up, and the stretch of time for which the result holds.
    struct Recent {
        Address address;
        std::uint32_t stretch = 0;  // 0: free
        std::uint32_t number = 0;
    };

    ScriptPlace place_at(const Moment& moment, Address address, CpuMode mode) {
        const auto frame = frame_at(symbolizer_.timeline(), jit_, moment, address, mode, &recent_tasks_);
        return {frame, shown(frame, address)};
    }
    // name_of(frame) asks for a name, and notes what lacks one.
    FrameName name_of(const Frame& frame);
    // enter(time) makes the stretch without changes around that time the current one.
    void enter(Time time);

    static std::size_t style(ScriptFields fields) {
        return ((fields & field_sym) != 0 ? 1u : 0u) | ((fields & field_symoff) != 0 ? 2u : 0u) |
               ((fields & field_dso) != 0 ? 4u : 0u);
    }
    std::uint64_t shown(const Frame& frame, Address address) const;
    std::string_view write(std::uint32_t number, ScriptFields fields);
    std::string_view write_object(std::uint32_t number);

    const Symbolizer& symbolizer_;
    std::size_t most_places_;
    const JitCodes* jit_;
    RecentTasks recent_tasks_;
    std::vector<Time> changes_;  // of the kernel's code, sorted
    Time since_ = Time::forever(), until_;
    std::uint32_t stretch_ = 0;
    std::vector<Recent> recent_;
    InternTable<ScriptPlace> places_;
    std::vector<FrameName> frame_names_;                       // by number; of the first places
    std::map<std::string_view, SymbolMiss> without_build_id_;  // a tree: a file chooses the names
    std::set<std::string_view> not_opened_;                    // likewise
    bool unnamed_kernel_ = false;
    std::size_t asked_ = 0;                           // places so far
    std::array<std::vector<Inlined>, 2> inlined_at_;  // by number
    std::vector<std::uint32_t> inlined_;              // numbers
    std::map<std::uint32_t, std::uint64_t> offsets_;  // of inlined places, in the functions that contain them
    std::vector<Frame> calls_;                        // one answer of FunctionIndex
    static constexpr std::size_t styles = 8, objects_only = styles;
    std::array<std::vector<std::string_view>, styles + 1> lines_;  // by style(), and of object()
    std::map<std::uint32_t, std::string_view> left_out_lines_;
    std::shared_ptr<TextArena> texts_ = std::make_shared<TextArena>();
    std::shared_ptr<const TextArena> shared_texts_ = texts_;
    std::string writing_;  // one text
};

}  // namespace perfdata
