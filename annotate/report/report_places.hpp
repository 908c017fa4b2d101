// SPDX-License-Identifier: MIT
// Code places as a report distinguishes them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/core/text_arena.hpp"
#include "perfdata/profile/hash_slots.hpp"

#include "report_lines.hpp"

namespace perfdata {

// PlaceKeys says which properties distinguish places.
struct PlaceKeys {
    bool object = true, symbol = true, kind = false, line = false, program = false;
    bool address = false;  // each address of a function

    bool operator==(const PlaceKeys&) const = default;
};

// Places numbers distinct places.
class Places {
  public:
    Places(const Symbolizer& symbolizer, PlaceKeys keys);

    // number(frame, shown) returns equal numbers for frames that the keys do not distinguish. With `shown`, an unknown
    // line adds its reason to line_problems().
    std::uint32_t number(const Frame& frame, bool shown = true);
    // line_problems() returns why lines are "??:0", per file one of each kind of error.
    std::vector<LineProblem> line_problems() const { return lines_ ? lines_->problems() : std::vector<LineProblem>(); }
    const PlaceKeys& keys() const { return keys_; }
    // seal() frees the memory that only number() needs. Do not call number() afterwards.
    void seal() { slots_ = {}; }
    std::vector<ReportPlace> take() && { return std::move(places_); }
    // take_texts() returns what views of places refer to, besides the symbolizer.
    TextArena take_texts() && { return std::move(texts_); }
    // Prepares for so many frames. Memory that is not used is never touched.
    void reserve(std::size_t frames) { places_.reserve(frames); }
    const ReportPlace& operator[](std::uint32_t number) const { return places_[number]; }
    std::size_t size() const { return places_.size(); }

  private:
    static constexpr std::uint32_t no_load = ~std::uint32_t{0};

    // Key distinguishes places: views of a place's own members; those that the keys leave out are empty.
    struct Key {
        std::string_view object, symbol;
        std::uint64_t address = 0;
        char level = '\0';
        bool inlined = false;
        CodeClass kind = CodeClass::unknown;
        std::string_view line;
        std::uint32_t load = no_load;  // BPF code only

        bool operator==(const Key&) const = default;
        std::uint64_t hash(const HashKey& key) const;
    };
    Key key_of(const ReportPlace& place) const;
    std::string_view short_name(std::string_view path, CodeClass kind);

    const Symbolizer& symbolizer_;
    PlaceKeys keys_;

    HashSlots slots_;  // numbers in places_, by key
    std::string_view last_path_;
    CodeClass last_kind_ = CodeClass::unknown;
    std::string_view last_name_;  // short name of the last path and kind
    std::map<std::pair<std::string_view, CodeClass>, std::string_view> short_names_;
    std::map<std::string_view, std::string_view> objects_;  // each short name once: equal ones have equal data()
    TextArena texts_;
    std::optional<ReportLines> lines_;  // only with the key `line`
    std::vector<ReportPlace> places_;
};

}  // namespace perfdata
