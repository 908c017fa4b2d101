// SPDX-License-Identifier: MIT
// The code of frames as a report tells it apart.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/report.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/code_lines.hpp"

namespace perfdata {

// What of a place is a difference.
struct PlaceKeys {
    bool object = true, symbol = true, kind = false, line = false, program = false;

    bool operator==(const PlaceKeys&) const = default;
};

// Places numbers what is told apart.
class Places {
  public:
    Places(const Names& names, const Symbols& symbols, PlaceKeys keys);

    // number(frame): equal for frames that the keys do not tell apart.
    std::uint32_t number(const Frame& frame);
    const PlaceKeys& keys() const { return keys_; }
    std::vector<ReportPlace> take() && { return std::move(places_); }
    const ReportPlace& operator[](std::uint32_t number) const { return places_[number]; }

  private:
    // load: that of BPF code, no_load of any other.
    struct Key {
        std::string_view object, symbol;
        std::uint64_t address;
        char level;
        CodeClass kind;
        std::string line;
        std::uint32_t load;

        bool operator==(const Key&) const = default;
        std::uint64_t hash() const;
    };
    static constexpr std::uint32_t no_load = ~std::uint32_t{0};

    std::string line_of(const Frame& frame);
    const std::vector<LineStart>& lines_of(const Frame& function, std::uint64_t size);
    const std::string& short_name(std::string_view path, CodeClass kind);

    const Names& names_;
    PlaceKeys keys_;

    InternTable<Key> numbers_;  // those of places_
    std::string_view last_path_;
    CodeClass last_kind_ = CodeClass::unknown;
    const std::string* last_name_ = nullptr;  // the short name of these
    std::map<std::pair<std::string_view, CodeClass>, std::string> short_names_;
    std::optional<CodeLines> code_lines_;  // if lines are wanted
    InternTable<Frame> line_functions_;    // those of lines_
    std::vector<std::vector<LineStart>> lines_;
    std::vector<ReportPlace> places_;
};

}  // namespace perfdata
