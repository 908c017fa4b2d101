// SPDX-License-Identifier: MIT
// The addresses of samples: each distinct place is named once, and asked once what was inlined there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/frame_at.hpp"

namespace perfdata {

// ScriptPlace is a frame with the address that perf shows for it in a call chain: for files the offset in the file.
// What was inlined has the address of the code that it was inlined into.
struct ScriptPlace {
    Frame frame;
    std::uint64_t shown = 0;

    bool operator==(const ScriptPlace&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), shown); }
};

// ScriptPlaces belongs to one thread.
class ScriptPlaces {
  public:
    // The symbolizer must outlive it.
    explicit ScriptPlaces(const Symbolizer& symbolizer);

    // find(...) returns the number of the place of an address, for name() and others.
    std::uint32_t find(const Moment& moment, Address address, CpuMode mode) {
        if (!is_host_kernel(moment, mode)) return number(place_at(moment, address, mode));
        auto& recent = recent_[address.value * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
        const auto stretch = kernel_stretch(moment.time);
        if (recent.address != address || recent.stretch != stretch) {
            recent = {address, stretch, number(place_at(moment, address, mode))};
        }
        return recent.number;
    }
    // place_at(...) returns the place itself, and number(place) its number.
    ScriptPlace place_at(const Moment& moment, Address address, CpuMode mode) {
        const auto frame = frame_at(timeline_, jit_, moment, address, mode, &recent_tasks_);
        const bool in_file = frame.kind == FrameKind::object && shows_offset_[frame.index];
        return {frame, in_file ? frame.offset : address.value};
    }
    std::uint32_t number(const ScriptPlace& place) { return places_.intern(place); }

    // All processes share the kernel: what find() returns holds for its addresses as long as kernel_stretch(time)
    // returns the same, which is not 0.
    static bool is_host_kernel(const Moment& moment, CpuMode mode) {
        return mode == CpuMode::kernel && moment.machine == host;
    }
    std::uint32_t kernel_stretch(Time time) {
        if (time < since_ || time >= until_) [[unlikely]] {
            enter(time);
        }
        return stretch_;
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
    // Returns the offset of an inlined place in the function that contains it.
    std::uint64_t offset_of_inlined(std::uint32_t number) const { return offsets_.at(number); }

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
    // name_of(frame) asks for a name, and notes what lacks one.
    FrameName name_of(const Frame& frame);

    // has_many(most) returns true if there are so many places, or much was inlined.
    bool has_many(std::size_t most) const { return places_.size() >= most || inlined_.size() >= most_inlined; }
    // forget() forgets all places: their numbers are valid until then.
    void forget();

    // unnamed_kernel() returns true if any of them is kernel code, and there are no names for it.
    bool unnamed_kernel() const { return unnamed_kernel_; }
    // without_build_id() returns the objects of unnamed places for which no build id proves that a file is the right
    // one.
    const std::map<std::string_view, SymbolMiss>& without_build_id() const { return without_build_id_; }
    // without_file() returns the objects of unnamed places whose file is not here, or of no use: see is_about_file().
    const std::map<std::string_view, SymbolMiss>& without_file() const { return without_file_; }

  private:
    static constexpr std::size_t most_inlined = std::size_t{1} << 20;
    static constexpr std::uint32_t left_out_mark = std::uint32_t{1} << 31;

    // Inlined is what was inlined at a place, in inlined_.
    struct Inlined {
        std::size_t begin = 0, count = 0, bytes = 0;
    };
    void find_inlined();

    static constexpr unsigned recent_bits = 11;
    // Recent is a kernel address that was looked up, and the stretch of time for which the result holds.
    struct Recent {
        Address address;
        std::uint32_t stretch = 0;  // 0: free
        std::uint32_t number = 0;
    };

    // enter(time) makes the stretch without changes around that time the current one.
    void enter(Time time);
    static bool shows_offset(const Object& object);

    const Symbolizer& symbolizer_;
    const Timeline& timeline_;
    const JitCodes* jit_;
    RecentTasks recent_tasks_;
    std::vector<bool> shows_offset_;  // by object
    std::vector<Time> changes_;       // of the kernel's code, sorted
    Time since_ = Time::forever(), until_;
    std::uint32_t stretch_ = 0;
    std::vector<Recent> recent_;
    InternTable<ScriptPlace> places_;
    std::vector<FrameName> frame_names_;                       // by number; of the first places
    std::map<std::string_view, SymbolMiss> without_build_id_;  // a tree: a file chooses the names
    std::map<std::string_view, SymbolMiss> without_file_;      // likewise
    bool unnamed_kernel_ = false;
    std::size_t asked_ = 0;                           // places so far
    std::array<std::vector<Inlined>, 2> inlined_at_;  // by number
    std::vector<std::uint32_t> inlined_;              // numbers
    std::map<std::uint32_t, std::uint64_t> offsets_;  // of inlined places, in the functions that contain them
    std::vector<Frame> calls_;                        // one answer of FunctionIndex
};

}  // namespace perfdata
